"""A picture of how far readers agree: kappa or alpha of each kind of error, with its interval."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.figures.errors.intervals import Row, intervals
from core.figures.shared.picture import Picture
from core.figures.shared.rows import LABEL
from core.figures.shared.wording import count, cut, escape, listed, number, percent
from core.scoring.agreement import Agreement
from core.words import later, say


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
    titles = [names[each.kind] for each in found]
    measure = say("Cohen\u2019s kappa") if len(readers) == 2 else say("Krippendorff\u2019s alpha")
    low = min([0.0, *(end for each in found for end in (each.low, each.value) if end is not None)]) - 0.05
    rows = []
    for each, title in zip(found, titles, strict=True):
        differ = say("{summaries} differ", summaries=count(len(each.differ), "summary"))
        text = say("not defined") if each.value is None else f"<b>{number(each.value)}</b>"
        name = f"{cut(title, LABEL - 18)} · {differ}"
        rows.append(Row(name, text, _text(each, title, readers), each.value, each.low, each.high))
    legend = say("{measure} and 95 % interval", measure=measure), say("{measure} of few", measure=measure)
    axis = say("{measure}: 0 is chance (dashed), 1 is perfect", measure=measure)
    figure = intervals(rows, legend, axis, (low, 1.25), 0, chosen)
    figure.update_xaxes(tickvals=[step / 5 for step in range(-5, 6)])
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
        sentence = say("{readers} judged {summaries}: on whether there is an error, {same} of the pairs agree", **read)
    else:
        sentence = say(
            "{readers} judged {summaries} with {words}: on whether a word is part of an error, {same} of the pairs "
            "agree",
            words=count(every.words, "word"), **read,
        )  # fmt: skip
    if every.value is None:
        return f"{sentence}. {say('Only one answer was given, so chance cannot be told from agreement.')}"
    return f"{sentence}; {measure} {number(every.value)}. {say('Click a kind to list where they differ.')}"


def _text(each: Agreement, title: str, readers: Sequence[str]) -> str:
    lines = [escape(title), *(f"{escape(who)}: {n}" for who, n in zip(readers, each.found, strict=True))]
    lines.append(say("{same} of the pairs agree", same=percent(each.share)))
    if each.low is not None and each.high is not None:
        lines.append(say("95 % interval {low} to {high}", low=number(each.low), high=number(each.high)))
    return "<br>".join(lines)
