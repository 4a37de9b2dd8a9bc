"""The commands `score` and `baseline`."""

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.cli.options import JsonOption, ReferenceMode, print_json, tell, tell_skipped
from core.cli.outputs import OverwriteOption, check_file
from core.errors import ScoringError
from core.scoring.encoders import EMBEDDED, Encoder, find
from core.scoring.encoders import download as download_encoder

EncoderOption = Annotated[
    str, typer.Option(help="all-MiniLM-L6-v2, a name that bert-score knows and that is downloaded, or FOLDER:LAYER.")
]


def score(
    candidate: Annotated[str, typer.Option(help="The summary to score.")],
    reference: Annotated[list[str], typer.Option(help="A reference summary; may be repeated.")],
    encoder: EncoderOption = EMBEDDED,
    reference_mode: Annotated[ReferenceMode, typer.Option(help="How several references are used.")] = (
        ReferenceMode.first
    ),
    idf: Annotated[
        bool, typer.Option("--idf", help="Weigh tokens by how rare they are in these references (idf).")
    ] = False,
    rescale: Annotated[bool, typer.Option("--rescale", help="Rescale so that random pairs score 0.")] = False,
    download: Annotated[bool, typer.Option("--download", help="Download the encoder if it is missing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Score one summary against references, with BERTScore and ROUGE."""
    from core.scoring.bertscore import BertScorer
    from core.scoring.rouge import ReferenceMode as Mode
    from core.scoring.rouge import rouge

    mode: Mode = reference_mode.value
    found = _download(encoder) if download else find(encoder)
    scorer = BertScorer(found, idf_references=reference if idf else None, rescale=rescale)
    count = scorer.count([candidate], [reference], mode)
    if count.blank:
        tell("a text is blank: its pair scores 0")
    if count.cut:
        tell(f"a text is longer than the {scorer.max_tokens} tokens that the encoder reads: the rest is not scored")
    if len(reference) > 1 and mode == "first":
        tell(f"{len(reference)} references, the first counts; --reference-mode mean or max takes all of them")
    ours, overlap = scorer.score([candidate], [reference], mode)[0], rouge(candidate, reference, mode)
    if as_json:
        report = {"bertscore": asdict(ours), "rouge": asdict(overlap), "encoder": found.name}
        more = {"fingerprint": scorer.fingerprint, "reference_mode": mode, "blank": count.blank, "cut": count.cut}
        print_json(report | more)
    else:
        print(f"BERTScore precision {ours.precision:.4f}  recall {ours.recall:.4f}  F1 {ours.f1:.4f}  ({found.name})")
        print(f"ROUGE-1 {overlap.rouge1:.2f}  ROUGE-2 {overlap.rouge2:.2f}  ROUGE-L {overlap.rougeL:.2f}")


def baseline(
    data: Annotated[str, typer.Argument(help="JSONL, JSONL.gz or CSV with dialogue and summary, or a hub name.")],
    encoder: EncoderOption = EMBEDDED,
    pairs: Annotated[int, typer.Option(help="Random pairs of reference summaries of different dialogues.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    output: Annotated[
        Path | None, typer.Option(help="Write the table to this .tsv file, and how it was measured beside it.")
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the mean score of random pairs of texts at every layer of an encoder: the zero of rescaled scores."""
    for each in (output, output and output.with_suffix(".json")):
        check_file(each, [data], overwrite, error=ScoringError)
    from tqdm import tqdm

    from core.scoring import baselines
    from core.text.corpus import load_corpus

    found = find(encoder)
    corpus = load_corpus(data)
    tell_skipped((row.line, row.reason) for row in corpus.skipped)
    with tqdm(total=pairs, desc="measure", file=sys.stderr, unit="pair", mininterval=1.0) as bar:
        groups = corpus.dataset["references"]
        measured = baselines.measure(found, groups, pairs, seed, lambda done, _: bar.update(done - bar.n))
    words = [corpus.name, "--encoder", found.name, "--pairs", str(pairs), "--seed", str(seed)]
    if output:  # names without folders: the paths are private
        baselines.write(output, measured, f"python -m core baseline {shlex.join(words)}")
    if as_json:
        print_json(asdict(measured))
    else:
        print(baselines.to_tsv(measured), end="")


def _download(name: str) -> Encoder:
    """Download an encoder with a bar on standard error."""
    from tqdm import tqdm

    with tqdm(desc=f"download {name}", file=sys.stderr, unit="B", unit_scale=True, mininterval=1.0) as bar:

        def report(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return download_encoder(name, report)
