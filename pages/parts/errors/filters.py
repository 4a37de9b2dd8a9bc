"""Which summaries are shown, in which order, and which is next: search, filter and order."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.evaluation.measures import MEASURES, known, ranked
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import Entry, subject, tag_name
from core.faults.fault import Fault
from core.words import later, say
from pages.parts.errors import hints, labels
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import row, select
from pages.shared.session.fields import Text

FIND = Text("err_find", 80)
KIND = Text("err_kind", 48)
SORT = Text("err_sort", 40)
FIELDS = (FIND, KIND, SORT)
ANY = ""
LABELLED: dict[str, tuple[str, Callable[[Entry], bool]]] = {
    "said:open": (later("no judgement yet"), lambda said: not said.decided),
    "said:decided": (later("a judgement"), lambda said: said.decided),
    "said:correct": (later("no error, as judged"), lambda said: said.correct),
    "said:tagged": (later("a tag"), lambda said: bool(said.tags)),
    "said:confirmed": (later("a confirmed hint"), lambda said: "right" in said.verdicts.values()),
    "said:judged": (later("a judged hint"), lambda said: bool(said.verdicts)),
    "said:noted": (later("a note"), lambda said: bool(said.note)),
}
TAGGED = "tag:"
"""Before the tag in the filter of the summaries that have it."""


def draw(run: Run) -> None:
    """Draw search, filter and order."""
    with row():
        st.text_input(
            say("Search"),
            key=FIND.name,
            persist_state="session",
            placeholder=say("word or id"),
            width=180,
            max_chars=FIND.longest,
        )
        there = hints.kinds(hints.of_rows(run)) | ({KIND.value} if not run.complete else set())
        kinds = {ANY: say("any"), **{kind: label for kind, (label, _) in hints.names().items() if kind in there}}
        kinds |= {name: say(label) for name, (label, _) in LABELLED.items()}
        used = {tag for entry in labels.book().values() for tag in entry.tags}
        asked = {KIND.value.removeprefix(TAGGED)} if KIND.value.startswith(TAGGED) else set()  # the last may lose it
        kinds |= {f"{TAGGED}{tag}": say("the tag “{tag}”", tag=tag_name(tag)) for tag in sorted(used | asked)}
        KIND.fit(kinds, say("filter"))
        select(say("Only those with"), kinds, KIND, width=210)
        orders = {ANY: say("as in the data"), "hints": say("most hints first")}
        for name in known(run.rows):
            measure = say(MEASURES[name].label)
            orders[f"{name}.up"] = say("{measure}, lowest first", measure=measure)
            orders[f"{name}.down"] = say("{measure}, highest first", measure=measure)
        SORT.fit(orders, say("order"))
        select(say("Sorted"), orders, SORT, width=260)


def shown(run: Run) -> list[int]:
    """Return the places of the rows that fit search and filter, in the chosen order."""
    hinted = hints.of_rows(run)
    words, kind, book = FIND.value.casefold().split(), KIND.value, labels.book()
    return [
        place
        for place in ordered(run, hinted)
        if _has(run.rows[place], words) and _fits(book.get(subject(run.rows[place]), Entry()), hinted[place], kind)
    ]


def ordered(run: Run, found: dict[int, list[Fault]] | None = None) -> list[int]:
    """Return the places of all rows in the chosen order; `found` are their hints, if they are known."""
    if SORT.value == "hints":
        hinted = hints.of_rows(run) if found is None else found
        return sorted(run.rows, key=lambda place: -len(hinted[place]))
    name, _, way = SORT.value.partition(".")
    return ranked(name, run.rows, way == "down") if way and name in MEASURES else list(run.rows)


def _has(row: ScoredSummary, words: Sequence[str]) -> bool:
    if not words:
        return True
    text = " ".join((row.id, row.topic, row.summary, row.dialogue, *row.references)).casefold()
    return all(word in text for word in words)


def _fits(said: Entry, faults: Sequence[Fault], kind: str) -> bool:
    if kind in LABELLED:
        return LABELLED[kind][1](said)
    if kind.startswith(TAGGED):
        return kind.removeprefix(TAGGED) in said.tags
    return not kind or any(hint.kind == kind for hint in faults)


def neighbour(run: Run, opened: int | None, way: int) -> int | None:
    """Return the place of the row that is shown before (-1) or after (1) the opened one; None where there is none.

    The opened row need not be shown itself: once it is judged it may not fit the filter any more.
    """
    return _first(run, opened, way, shown(run))


def next_open(run: Run, opened: int | None) -> int | None:
    """Return the place of the next shown row that nobody judged, from the first on after the last; None if all are."""
    free = [place for place in shown(run) if not labels.entry(run.rows[place]).decided and place != opened]
    after = _first(run, opened, 1, free)
    return after if after is not None else next(iter(free), None)


def _first(run: Run, opened: int | None, way: int, wanted: Sequence[int]) -> int | None:
    order = ordered(run)
    if opened in order:
        at = order.index(opened)
        order = order[at + 1 :] if way > 0 else order[:at][::-1]
    elif way < 0:
        return None
    fits = set(wanted)
    return next((place for place in order if place in fits), None)
