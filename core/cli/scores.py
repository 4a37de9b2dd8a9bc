"""The commands `score` and `baseline`."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.data import FILES, ColumnsOption, EncodingOption, load
from core.cli.options import JsonOption, Metric, print_json, progress, tell, tell_skipped
from core.cli.outputs import OverwriteOption, check_file
from core.errors import ScoringError
from core.scoring.encoders import EMBEDDED, Encoder, find, local_folder
from core.scoring.encoders import download as download_encoder
from core.scoring.rouge import ReferenceMode

if TYPE_CHECKING:
    from core.scoring.rouge import Rouge

EncoderOption = Annotated[
    str, typer.Option(help="all-MiniLM-L6-v2, a name that bert-score knows and that is downloaded, or FOLDER:LAYER.")
]


def encoder_files(encoder: str) -> list[Path]:
    """Return the folder of an encoder that is named FOLDER:LAYER, and the files in it; [] of another name."""
    folder = local_folder(encoder)
    return [folder, *folder.glob("*")] if folder else []


def score(
    candidate: Annotated[str, typer.Option(help="The summary to score.")],
    reference: Annotated[list[str], typer.Option(help="A reference summary; may be repeated.")],
    metric: Annotated[
        list[Metric] | None, typer.Option(help="What to measure; may be repeated. Without it rouge and bertscore.")
    ] = None,
    encoder: EncoderOption = EMBEDDED,
    reference_mode: Annotated[ReferenceMode, typer.Option(help="How several references are used.")] = "first",
    idf: Annotated[
        bool, typer.Option("--idf", help="Weigh tokens by how rare they are in these references (idf).")
    ] = False,
    rescale: Annotated[bool, typer.Option("--rescale", help="Rescale so that random pairs score 0.")] = False,
    download: Annotated[bool, typer.Option("--download", help="Download the encoder if it is missing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Score one summary against references, with BERTScore and ROUGE."""
    from core.scoring import rouge as scoring

    metrics = set(metric or ("rouge", "bertscore"))
    if len(reference) > 1 and reference_mode == "first":
        tell(f"{len(reference)} references, the first counts; --reference-mode mean or max takes all of them")
    report: dict[str, Any] = {"reference_mode": reference_mode}
    if "bertscore" in metrics:
        with progress(f"download {encoder}", "B") as moved:
            network = download_encoder(encoder, moved) if download else find(encoder)
        report |= _bertscore(candidate, reference, reference_mode, network, idf, rescale)
    if metrics & {"rouge", "rougeLsum"}:
        used = scoring.used_references(reference, reference_mode)
        overlap = scoring.rouge(candidate, reference, reference_mode, "rougeLsum" in metrics)
        tokenizer = scoring.tokenizer_name(candidate, used)
        lined = overlap.rougeLsum is None and any("\n" in text.strip() for text in (candidate, *used))
        equal = scoring.scores_zero_though_equal(overlap, candidate, used)
        tell_rouge(int(tokenizer != "a-z 0-9"), int(equal), int(lined))
        report |= {"rouge": overlap.to_dict(), "rouge_fingerprint": scoring.fingerprint({tokenizer: 1})}
    if as_json:
        print_json(report)
        return
    if ours := report.get("bertscore"):
        numbers = f"precision {ours['precision']:.4f}  recall {ours['recall']:.4f}  F1 {ours['f1']:.4f}"
        print(f"BERTScore {numbers}  ({report['encoder']})")
    if metrics & {"rouge", "rougeLsum"}:
        print(rouge_line(overlap))


def rouge_line(score: "Rouge") -> str:
    """Return the measures of ROUGE in one line, each by its name."""
    return "  ".join(f"ROUGE-{name.removeprefix('rouge')} {value:.2f}" for name, value in score.to_dict().items())


def tell_rouge(letters: int, equal: int, lined: int) -> None:
    """Say what of some rows makes ROUGE another one, or less than it seems.

    Args:
        letters: rows whose texts got the tokenizer for letters of all scripts.
        equal: rows whose summary is the reference while a measure is 0.
        lined: rows with texts of several lines, of which ROUGE-Lsum was not measured.
    """
    if letters:
        tell(
            f"{letters} with letters beyond a-z: ROUGE counts words of all scripts there (docs/corpora.md), which the "
            "library's own tokenizer would not"
        )
    if lined:
        tell(f"{lined} with several lines: ROUGE-L takes each text whole, --metric rougeLsum each line for a sentence")
    if equal:
        tell(f"{equal} the same as the reference, and yet a ROUGE of 0: without a word, or for ROUGE-2 without two")


def _bertscore(
    candidate: str, reference: list[str], mode: ReferenceMode, encoder: Encoder, idf: bool, rescale: bool
) -> dict[str, Any]:
    """Score by BERTScore, and tell what of the texts does not count."""
    from core.scoring.bertscore import BertScorer

    scorer = BertScorer(encoder, idf_references=reference if idf else None, rescale=rescale)
    count = scorer.count([candidate], [reference], mode)
    if count.blank:
        tell("a text is blank: its pair scores 0")
    if count.cut:
        tell(f"a text is longer than the {scorer.max_tokens} tokens that the encoder reads: the rest is not scored")
    if count.weightless:
        tell("every token of a text has idf weight 0: its pair scores 0")
    values = asdict(scorer.score([candidate], [reference], mode)[0])
    more = {"fingerprint": scorer.fingerprint, "blank": count.blank, "cut": count.cut}
    return {"bertscore": values, "encoder": encoder.name} | more


def baseline(
    data: Annotated[str, typer.Argument(help=f"{FILES} with dialogues and summaries, or a hub name.")],
    columns: ColumnsOption = None,
    encoding: EncodingOption = "",
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
    if output and output.suffix == ".json":
        raise ScoringError(
            f"--output would have the name of the details beside it. Received: {output}; allowed: a .tsv file"
        )
    for file in (output, output and output.with_suffix(".json")):
        check_file(file, [data, *encoder_files(encoder)], overwrite, error=ScoringError)
    from core.scoring import baselines

    network = find(encoder)
    corpus = load(data, columns, encoding=encoding)
    tell_skipped(corpus.skipped)
    with progress("measure", "pair") as moved:
        measured = baselines.measure(network, corpus.dataset["references"], pairs, seed, moved)
    words = [corpus.name, "--encoder", network.name, "--pairs", str(pairs), "--seed", str(seed)]
    if output:  # names without folders: the paths are private
        baselines.write(output, measured, f"python -m core baseline {shlex.join(words)}")
    if as_json:
        print_json(asdict(measured))
    else:
        print(baselines.to_tsv(measured), end="")
