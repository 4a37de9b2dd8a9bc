"""A picture of how far readers agree: kappa or alpha of each kind of error, with its interval."""

from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Bar, Figure, Scatter

from core.figures.shared.palette import AMOUNT, CHOSEN, FAINT, GREY, annotate, base
from core.figures.shared.picture import Picture
from core.figures.shared.rows import FRAME, LABEL, head, upright, write
from core.figures.shared.wording import count, cut, escape, listed, number, percent
from core.scoring.agreement import Agreement
from core.words import later, say

ROW = 44
"""Pixels of a kind: its name above its interval."""


def picture(
    found: Sequence[Agreement], names: Mapping[str, str], readers: Sequence[str], chosen: int | None = None
) -> Picture:
    """How far readers agree on each kind of error; a row's customdata is its place.

    Args:
        found: of each kind.
        names: of the kinds, as said.
        readers: their names, as said.
        chosen: the kind whose summaries are listed.
    """
    rows, titles = list(range(len(found))), [names[each.kind] for each in found]
    measure = say("Cohen\u2019s kappa") if len(readers) == 2 else say("Krippendorff\u2019s alpha")
    low = min([0.0, *(end for each in found for end in (each.low, each.value) if end is not None)]) - 0.05
    hover = [_text(each, title, readers) for each, title in zip(found, titles, strict=True)]
    figure = Figure()
    figure.add_trace(
        Bar(
            base=low, x=[1.25 - low] * len(rows), y=rows, customdata=rows, hovertext=hover, hoverinfo="text",
            orientation="h", width=0.92, showlegend=False,
            marker={"color": FAINT, "line": {"color": CHOSEN, "width": [3 * (row == chosen) for row in rows]}},
        )
    )  # fmt: skip
    known = [(row, each.value, each.low, each.high) for row, each in zip(rows, found, strict=True)]
    drawn = [(row, value, value if ends is None else ends, top) for row, value, ends, top in known if value is not None]
    reach = {
        "type": "data", "symmetric": False, "thickness": 2, "width": 6, "color": AMOUNT,
        "array": [(value if top is None else top) - value for _, value, _, top in drawn],
        "arrayminus": [value - bottom for _, value, bottom, _ in drawn],
    }  # fmt: skip
    figure.add_trace(
        Scatter(
            x=[value for _, value, *_ in drawn], y=[row + 0.18 for row, *_ in drawn], error_x=reach, mode="markers",
            customdata=[row for row, *_ in drawn], hovertext=[hover[row] for row, *_ in drawn], hoverinfo="text",
            name=say("{measure} and 95 % interval", measure=measure), marker={"color": AMOUNT, "size": 10},
        )
    )  # fmt: skip
    upright(figure, 0, len(rows), -0.02, color=GREY, dash="dash", width=2)
    base(figure, say("{measure}: 0 is chance (dashed), 1 is perfect", measure=measure), "", ROW * len(rows) + FRAME)
    figure.update_xaxes(range=(low, 1.25), tickvals=[step / 5 for step in range(-5, 6)], fixedrange=True)
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], fixedrange=True, showgrid=False, showticklabels=False)
    notes = []
    for row, value, _, top in known:
        differ = say("{summaries} differ", summaries=count(len(found[row].differ), "summary"))
        notes.append(head(row, f"{cut(titles[row], LABEL - 18)} · {differ}", 0.24))
        end = top if top is not None else value
        notes.append(write(end or 0.0, row + 0.18, say("not defined") if value is None else f"<b>{number(value)}</b>"))
    annotate(figure, notes)
    table: dict[str, Sequence[Any]] = {
        later("Error"): titles,
        measure: [each.value for each in found],
        later("Low"): [each.low for each in found],
        later("High"): [each.high for each in found],
        later("Same"): [percent(each.share) for each in found],
        later("Differ"): [len(each.differ) for each in found],
        **{reader: [each.found[place] for each in found] for place, reader in enumerate(readers)},
    }
    return Picture("agreement", figure, _caption(found[0], measure, readers), table)


def _caption(every: Agreement, measure: str, readers: Sequence[str]) -> str:
    read = {"readers": listed(list(readers)), "summaries": count(every.units, "summary"), "same": percent(every.share)}
    if every.words is None:
        said = say("{readers} judged {summaries}: on whether there is an error, {same} of the pairs agree", **read)
    else:
        said = say(
            "{readers} judged {summaries} with {words}: on whether a word is part of an error, {same} of the pairs "
            "agree",
            words=count(every.words, "word"), **read,
        )  # fmt: skip
    if every.value is None:
        return f"{said}. {say('Only one answer was given, so chance cannot be told from agreement.')}"
    return f"{said}; {measure} {number(every.value)}. {say('Click a kind to list where they differ.')}"


def _text(each: Agreement, title: str, readers: Sequence[str]) -> str:
    lines = [escape(title), *(f"{escape(who)}: {n}" for who, n in zip(readers, each.found, strict=True))]
    lines.append(say("{same} of the pairs agree", same=percent(each.share)))
    if each.low is not None and each.high is not None:
        lines.append(say("95 % interval {low} to {high}", low=number(each.low), high=number(each.high)))
    return "<br>".join(lines)
