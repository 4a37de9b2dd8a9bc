"""The command `slices`: mean scores of groups of rows that were evaluated; `evaluate --by` prints the same tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli import stdin
from core.cli.options import JsonOption, print_json, tell
from core.errors import CorpusError, SettingsError

if TYPE_CHECKING:
    from core.evaluation.slices import Sliced

ByOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Mean scores by topic, turns, hint, band:rouge1, a column of the data, …, or two crossed: "
        "'channel*turns'; may be repeated."
    ),
]
SCORES = ("rouge1", "rouge2", "rougeL", "rougeLsum", "bertscore_f1")
"""Measures of the tables where nobody names others; those that no row has are left out."""
WIDTH = 40
"""Characters of a name of a slice that are printed."""


def slices(
    file: Annotated[Path, typer.Argument(help="What `evaluate --output` or the Errors page wrote.")],
    by: ByOption = None,
    measure: Annotated[list[str] | None, typer.Option(help="What to average; may be repeated.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Average the scores of evaluated rows by topic, hint, tag, length, own column or any two crossed."""
    from core.evaluation import label_file
    from core.evaluation.measures import MEASURES, known
    from core.evaluation.rows import MOST_BYTES, read_rows
    from core.evaluation.slices import Sliced
    from core.files import read_text

    file = stdin.local(file)
    rows = read_rows(file)
    if not rows:
        raise CorpusError(f"{file} has no rows. Allowed: what `evaluate --output` wrote")
    readers = label_file.read(read_text(file, MOST_BYTES), rows)[0].values()
    sliced = Sliced(dict(enumerate(rows)), book={of: entry for book in readers for of, entry in book.items()})
    there = known(sliced.rows)
    if unknown := [each for each in measure or () if each not in there]:
        raise SettingsError(f"no row has the measure {unknown[0]!r}. Allowed: {', '.join(there)}")
    measures = measure or [name for name in SCORES if name in there] or [name for name in MEASURES if name in there][:1]
    if not by:
        tell(f"ways to slice these rows: {', '.join(sliced.ways())}")
    slices_by_way = tables(sliced, [sliced.find(each) for each in by or ["topic", "length"]], measures)
    if as_json:
        print_json({"rows": len(rows), "slices": slices_by_way})
    else:
        show(slices_by_way)


def tables(sliced: "Sliced", ways: Sequence[str], measures: Sequence[str] = SCORES) -> dict[str, list[dict[str, Any]]]:
    """Return for each way its slices: name, rows, and of each measure mean, ends of the interval and rows that have it.

    Args:
        sliced: the rows.
        ways: as `Sliced.find` gives them.
        measures: by name; one that no row of a slice has is left out there.
    """
    from core.evaluation.slices import means

    slices_by_way: dict[str, list[dict[str, Any]]] = {}
    for way in ways:
        groups = sliced.groups(way)
        scores: dict[str, dict[str, Any]] = {name: {} for name, _ in groups}
        for measure in measures:
            for mean in means(groups, sliced.rows, measure):
                low, high = mean.ends
                scores[mean.name][measure] = {
                    "mean": mean.interval.mean, "low": low, "high": high, "count": mean.interval.count,
                }  # fmt: skip
        slices_by_way[way] = [{"slice": name, "rows": len(places), "scores": scores[name]} for name, places in groups]
        inside = {place for _, places in groups for place in places}
        if rest := len(sliced.rows) - len(inside):
            tell(f"{way}: {rest:,} of {len(sliced.rows):,} rows are in no slice")
    return slices_by_way


def show(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Print the tables of slices; of few rows there is no interval."""
    for way, parts in found.items():
        measures = list(dict.fromkeys(name for part in parts for name in part["scores"]))
        print(f"\n{way[:WIDTH]:{WIDTH}}{'rows':>6}" + "".join(f"{name:>26}" for name in measures))
        for part in parts:
            cells = "".join(f"{_cell(part['scores'].get(name)):>26}" for name in measures)
            print(f"{' '.join(part['slice'].split())[: WIDTH - 1]:{WIDTH}}{part['rows']:6}{cells}")


def _cell(score: Mapping[str, Any] | None) -> str:
    if score is None:
        return "–"
    ends = "" if score["low"] is None else f" ({score['low']:.1f} to {score['high']:.1f})"
    return f"{score['mean']:.1f}{ends}"
