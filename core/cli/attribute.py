"""The command `attribute`: which parts of a dialogue count, with the check of each answer."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from core import checkpoints
from core.cli.data import ColumnsOption, EncodingOption, ReadingOption
from core.cli.options import (
    DEFAULT,
    NONE_GIVEN,
    CheckpointOption,
    ForceOption,
    Given,
    JsonOption,
    decode_settings,
    print_check,
    print_json,
    progress,
    tell_skipped,
    with_decoding,
)
from core.cli.outputs import OverwriteOption, check_file, check_resumable, resumable
from core.cli.summarize import corpus_in, given_summary, read_dialogue, summary_of
from core.errors import CorpusError, DialogueError, SettingsError
from core.files import beside, csv_of, writing

if TYPE_CHECKING:
    from core.explain.attribution.attribution import Attribution
    from core.service import Summarizer
    from core.text.corpus import Corpus

FORMAT = 1
TOP = 3
"""Parts of the dialogue that are printed for each token."""


Method = Literal[
    "attention", "norms", "contributions", "value-zeroing", "gradient", "integrated", "occlusion", "shapley",
    "reliance", "random",
]  # fmt: skip
"""The methods of `core.explain.attribution.methods`."""


@with_decoding
def attribute(
    file: Annotated[str, typer.Argument(help="A dialogue, - for standard input, or a corpus (docs/corpora.md).")] = "-",
    method: Annotated[Method, typer.Option(help="How it is measured.")] = "contributions",
    token: Annotated[int | None, typer.Option(min=1, help="Explain this written token alone, from 1.")] = None,
    contrast: Annotated[
        str | None,
        typer.Option(help="Why not this? Another summary, or with --token words that could stand there."),
    ] = None,
    by: Annotated[Literal["token", "word", "turn", "speaker"], typer.Option(help="Parts of the dialogue.")] = "turn",
    checkpoint: CheckpointOption = DEFAULT,
    decoding: Given = NONE_GIVEN,
    reading: ReadingOption = "",
    columns: ColumnsOption = None,
    encoding: EncodingOption = "",
    output: Annotated[Path | None, typer.Option(help="Write the values to this CSV file; of a corpus, JSONL.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a stopped run over a corpus.")] = False,
    overwrite: OverwriteOption = False,
    force: ForceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say which parts of a dialogue count for each token of its summary, and whether the numbers pass their check."""
    settings = decode_settings(checkpoint, decoding)
    corpus = None if file == "-" or reading else corpus_in(file, columns, encoding)
    asked = {
        "method": method,
        "by": by,
        "token": token,
        "contrast": contrast,
        "seed": decoding["seed"] or 0,
        "given": given_summary(force),
    }
    if force and corpus:
        raise SettingsError(f"--force needs one dialogue. Received: the corpus {file}")
    if resume and not (corpus and output):
        raise SettingsError("--resume needs a corpus and its --output: without them nothing was kept")
    if corpus:
        if output and output.suffix.lower() == ".csv":
            raise SettingsError(f"a corpus is written as JSONL. Received: {output}. Name another output")
        check_resumable(output, [file, checkpoint], resume, overwrite)
        _corpus(corpus, checkpoint, settings, asked, output, resume)
        return
    check_file(output, [file, checkpoint, force], overwrite)
    text = read_dialogue(file, reading, encoding).text
    from core.service import Summarizer

    summarizer = Summarizer.load(checkpoint)
    with progress(method, "step") as report:
        answer = _answer(summarizer, text, settings, asked, report)
    if output:
        with writing(f"the values '{output}'", SettingsError), beside(output) as opened:
            opened.write(csv_of(_cells(answer)).encode())
    if as_json:
        print_json(answer.to_dict())
    else:
        _print(answer)


def _answer(
    summarizer: "Summarizer", text: str, settings: Any, asked: dict[str, Any], report: Callable[[int, int], None] | None
) -> "Attribution":
    from core.experiments.attribution.question import foil_of
    from core.experiments.attribution.registry import attribute
    from core.explain.attribution.methods import METHODS

    summary = summary_of(summarizer, text, settings, asked["given"])
    step = None if asked["token"] is None else asked["token"] - 1
    if step is not None and step >= len(summary.steps):
        raise SettingsError(f"--token must be from 1 to {len(summary.steps)} here. Received: {asked['token']}")
    foil = None
    if asked["contrast"] is not None:
        step, foil = foil_of(summarizer, summary, asked["contrast"], step)
    return attribute(
        asked["method"], summarizer, summary, step, foil, by=asked["by"], seed=asked["seed"],
        report=report if METHODS[asked["method"]].whole else None,
    )  # fmt: skip


def _corpus(
    corpus: "Corpus", checkpoint: str, settings: Any, asked: dict[str, Any], output: Path | None, resume: bool
) -> None:
    """Answer for each dialogue of a corpus, one line of JSON each; what is finished is kept for --resume."""
    from core.evaluation.parts import kept
    from core.service import Summarizer
    from core.text.corpus import SkippedRow

    skipped = list(corpus.skipped)
    summarizer = Summarizer.load(checkpoint)
    content = hashlib.sha256("\0".join(corpus.dataset["dialogue"]).encode()).hexdigest()
    weights = checkpoints.read_card(checkpoint)["sha256"]
    fingerprint = {"format": FORMAT, "data": content, "checkpoint": weights, "settings": settings.to_dict(), **asked}
    with kept(output, fingerprint, resume) as parts, resumable(output), progress(asked["method"]) as report:
        done = parts.sound([[place] for place in range(len(corpus.dataset))]) if parts else set()
        for place, row in enumerate(corpus.dataset):
            if place not in done:
                try:
                    answer = _answer(summarizer, row["dialogue"], settings, asked, None)
                except (DialogueError, SettingsError) as error:
                    skipped.append(SkippedRow(row["line"], str(error)))
                else:
                    line = json.dumps({"line": row["line"], "id": row["id"], **answer.to_dict()}, ensure_ascii=False)
                    if parts:
                        parts.write_lines(place, [(place, line)])
                    else:
                        print(line)
            report(place + 1, len(corpus.dataset))
        if len(skipped) == len(corpus.dataset) + len(corpus.skipped):
            raise CorpusError(f"no dialogue of {corpus.name} could be explained: {skipped[-1].reason}")
        if parts:
            parts.join()
    tell_skipped(skipped)


def _cells(answer: "Attribution") -> Iterator[list[object]]:
    """Yield the values as rows of a table, each with what it needs to be read alone."""
    yield ["method", "target", "token", "written", "from", "part", "value", "half_interval", "unit", "check", "holds"]
    whole = answer.to_dict()
    check = whole["check"]
    sides = {"dialogue": ("columns", "values"), "summary": ("prefix_columns", "prefix")}
    for row, written in enumerate(answer.rows):
        for side, (names, values) in sides.items():
            for column, part in enumerate(whole.get(names, ())):
                half = whole["interval"][row][column] if side == "dialogue" and "interval" in whole else None
                yield [
                    answer.method, answer.target, row + 1, written, side, part, whole[values][row][column], half,
                    answer.unit, check["value"], check["holds"],
                ]  # fmt: skip


def _print(answer: "Attribution") -> None:
    print(f"{answer.method}, {answer.unit}: {answer.target}")
    for row, (written, values) in enumerate(zip(answer.rows, answer.values.tolist(), strict=True)):
        best = sorted(range(len(values)), key=lambda place: -abs(values[place]))[:TOP]
        half = [""] * len(values) if answer.interval is None else [f" ± {each:.3f}" for each in answer.interval[row]]
        named = "  ".join(f"{answer.columns[place].label} {values[place]:+.3f}{half[place]}" for place in best)
        own = "" if answer.prefix is None else f"  own words {float(answer.prefix[row].sum()):+.3f}"
        print(f"{written:16} {named}{own}")
    print_check(answer.check)
