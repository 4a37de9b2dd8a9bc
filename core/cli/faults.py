"""The commands `python -m core faults …`: measure the detectors, prepare labels for another checkpoint."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli import stdin
from core.cli.data import FILES, load
from core.cli.options import DEFAULT, CheckpointOption, JsonOption, help_alone, print_json, print_result, progress, tell
from core.cli.outputs import OverwriteOption, check_file
from core.errors import CorpusError
from core.files import fault, read_text
from core.limits import limits
from core.words import count

if TYPE_CHECKING:
    from core.faults.measure import Measured, Score
    from core.scoring.agreement import Agreement

app = typer.Typer(rich_markup_mode=None)

DataOption = Annotated[str, typer.Argument(help=f"{FILES} with ids, dialogues and summaries, or a hub name.")]
LabelsOption = Annotated[Path | None, typer.Option(help="The labelled set; default: the one that ships.")]


@app.callback(invoke_without_command=True)
def every(context: typer.Context) -> None:
    """Hints of what may be wrong with a summary."""
    help_alone(context)


def measure(
    data: DataOption,
    labels: LabelsOption = None,
    checkpoint: CheckpointOption = DEFAULT,
    output: Annotated[Path | None, typer.Option(help="Write the measurement to this JSON file.")] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure precision and recall of each detector on a labelled set."""
    from core.faults import labels as labelled
    from core.faults import measure as measuring

    rows, name, dialogues, summarizer = _read(data, labels, checkpoint, output, overwrite)
    with progress("measure") as report:
        measurement = measuring.measure(rows, dialogues, summarizer, name, report)
    if left := sum(row.todo for row in rows):
        tell(f"{left} of {len(rows)} summaries are not labelled yet and were left out")
    if output:
        labelled.write_text(output, json.dumps(measurement.to_dict(), indent=1) + "\n")
    if as_json:
        print_json(measurement.to_dict())
    else:
        _print(measurement)


def sheet(
    data: DataOption,
    output: Annotated[Path, typer.Option(help="The labels to fill in: JSONL.")],
    labels: LabelsOption = None,
    checkpoint: CheckpointOption = DEFAULT,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the labelled set for another checkpoint; a label is kept where its summary is the same."""
    from core.faults import labels as labelled
    from core.faults import measure as measuring

    rows, _, dialogues, summarizer = _read(data, labels, checkpoint, output, overwrite)
    weights = measuring.weights_hash(summarizer)
    made = []
    with progress("summarize") as report:
        for number, row in enumerate(rows, 1):
            text, _ = summarizer.write(summarizer.encode(dialogues[row.id][0]))
            kept = text == row.summary and not row.todo
            made.append(labelled.LabelledSummary(row.id, weights, text, row.labels if kept else (), not kept))
            report(number, len(rows))
    labelled.write_labels(output, made)
    todo = sum(row.todo for row in made)
    values = {"count": len(made), "todo": todo, "checkpoint": weights}
    message = f'{len(made)} summaries, {len(made) - todo} with their labels, {todo} to do ("todo": true)'
    print_result(as_json, values, message)


def agree(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Labels as the Errors page saves them (JSONL or CSV), or labelled sets; - is standard input."
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Measure how far readers agree: Cohen's kappa for two, Krippendorff's alpha for more, by type of error.

    Summaries are compared as a whole, and word by word where readers said in which words the errors are.
    """
    from core.evaluation import label_file
    from core.evaluation.verdicts import Entry
    from core.faults.labels import LABELS
    from core.scoring import agreement

    said: dict[str, dict[Any, Entry]] = {}
    for file in files:
        try:
            books, _, _ = label_file.read(read_text(stdin.local(file), limits().corpus_file), None)
        except (OSError, UnicodeDecodeError) as error:
            remedy = "name another file"
            raise CorpusError(f"the labels {file} cannot be read: {fault(file, error, remedy)}") from None
        for name, book in books.items():
            judged = {about: entry for about, entry in book.items() if entry.decided}
            own = name or file.name  # an older file names no reader
            own = next((known for known in said if known.casefold() == own.casefold()), own)
            if said.get(own, {}).keys() & judged.keys():
                raise CorpusError(f"two readers of the same summaries have one name. Received: {own}. Rename one")
            said.setdefault(own, {}).update(judged)
    whole = {who: {about: entry.errors for about, entry in book.items()} for who, book in said.items()}
    by_word = {who: {about: entry.words(about[2]) for about, entry in book.items()} for who, book in said.items()}
    texts, words = agreement.of_labels(whole, LABELS), agreement.of_words(by_word, LABELS)
    lines = [f"{count(texts[0].units, 'summary')} that two or more read: {', '.join(said)}", *_table(texts, len(said))]
    if words:
        lines += [
            "",
            f"{words[0].words} words of {count(words[0].units, 'summary')}, each word compared",
            *_table(words, len(said)),
        ]
    else:
        lines.append("no two readers marked words of the same summaries: words are not compared")
    values: dict[str, Any] = {"readers": list(said)}
    for name, agreements in (("agreement", texts), ("words", words)):
        values[name] = [asdict(one) | {"differ": [id for id, *_ in one.differ]} for one in agreements]
    print_result(as_json, values, "\n".join(lines))


def _table(agreements: "Sequence[Agreement]", readers: int) -> list[str]:
    lines = [f"{'error':16}{'found by each':20}{'same':>6}  {'kappa' if readers == 2 else 'alpha'}"]
    for each in agreements:
        value = "not defined" if each.value is None else f"{each.value:.2f}"
        ends = "" if each.low is None else f" ({each.low:.2f} to {each.high:.2f})"
        lines.append(f"{each.kind:16}{', '.join(map(str, each.found)):20}{each.share:>6.0%}  {value}{ends}")
    return lines


def _read(data: str, labels: Path | None, checkpoint: str, output: Path | None, overwrite: bool) -> tuple[Any, ...]:
    """Return the labelled set, name and dialogues of a corpus by id (text and references), and the model."""
    from core.faults import labels as labelled
    from core.faults.measure import check_ids

    check_file(output, [data, labels or labelled.LABELS_FILE, checkpoint], overwrite)
    rows = labelled.read_labels(stdin.local(labels or labelled.LABELS_FILE))
    corpus = load(data)
    dialogues = {row["id"]: (row["dialogue"], row["references"]) for row in corpus.dataset}
    check_ids(rows, dialogues)
    from core.service import Summarizer

    return rows, corpus.name, dialogues, Summarizer.load(checkpoint)


def _print(measurement: "Measured") -> None:
    print(f"{measurement.count} labelled summaries of {measurement.data}, weights {measurement.checkpoint[:12]}")
    print("  ".join(f"{name} {count}" for name, count in measurement.labels.items()))
    header = ("detector", "flagged", "right", "precision", "recall", "base rate", "")
    print("{:18}{:>8}{:>6}  {:20}{:20}{:20}{}".format(*header))
    for score in measurement.scores:
        print(_line(score))


def _line(score: "Score") -> str:
    counts = f"{score.kind:18}{score.flagged:>8}{score.right:>6}  "
    if not score.measured:
        return f"{counts}not measured: {score.positives} labels that it could find"
    intervals = score.intervals()
    shares = ((name, getattr(score, name)) for name in ("precision", "recall", "base_rate"))
    parts = [
        "\u2013" if value is None else f"{value:.2f} ({intervals[name][0]:.2f}\u2013{intervals[name][1]:.2f})"
        for name, value in shares
    ]
    return counts + "".join(f"{part:20}" for part in parts) + ("" if score.default else "off: not above the base rate")
