"""The labels of the session: kept until the tab is closed, taken back, saved as a file, and read from one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import CorpusError
from core.evaluation import verdicts
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import ERROR_TAGS, LONGEST_NOTE, Book, Entry, Verdict, subject, tag_name, tag_of
from core.faults.fault import Fault
from core.figures.shared.wording import count
from core.limits import check, limits
from core.words import later, say

BOOK, SAVED, CHANGES = "err_labels", "err_labels_saved", "err_label_changes"
"""Session keys: the labels; the labels as they were saved last; what was changed, the last change at the end."""
SET, TAKEN_AWAY = later("“{tag}” set for {summaries}"), later("“{tag}” taken away for {summaries}")


@dataclass(frozen=True)
class Change:
    """One change of labels that can be taken back.

    Args:
        what: was changed, in a few words.
        before: the labels that the changed summaries had; empty ones of those that had none.
    """

    what: str
    before: Book


def book() -> Book:
    """Return all labels of the session."""
    return st.session_state.get(BOOK, {})  # type: ignore[no-any-return]


def entry(row: ScoredSummary) -> Entry:
    """Return the labels of a summary."""
    return book().get(subject(row), Entry())


def judged(rows: Iterable[ScoredSummary]) -> int:
    """Return how many summaries are judged."""
    found, none = book(), Entry()
    return sum(found.get(subject(row), none).decided for row in rows)


def judge(row: ScoredSummary, hint: Fault, verdict: Verdict, writer: str) -> None:
    """Confirm or reject a hint; "" takes that back."""
    keep({subject(row): replace(entry(row).judged(hint, verdict), writer=writer)}, say("a hint of {id}", id=row.id))


def write(row: ScoredSummary, tags: Sequence[str], note: str, writer: str) -> None:
    """Tag a summary and note something about it; raises CorpusError if it is too much."""
    tags = [tag_of(tag) for tag in tags]
    verdicts.check_tags(tags)
    if len(note) > LONGEST_NOTE:
        sizes = {"most": LONGEST_NOTE, "got": len(note)}
        raise CorpusError("a note has at most {most:,} characters. Received: {got:,}", **sizes)
    what = say("tags and note of {id}", id=row.id)
    keep({subject(row): replace(entry(row).worded(tags, note), writer=writer)}, what)


def tag_all(rows: Sequence[ScoredSummary], tag: str, on: bool, writer: str) -> str:
    """Set a tag for some summaries, or take it away; return how many changed, in words.

    Raises:
        CorpusError: the tag is empty or too long.
    """
    tag = tag_of(" ".join(tag.split()))
    if not tag:
        usual = tag_name(next(iter(ERROR_TAGS)))
        raise CorpusError("choose a tag first, such as {tag}, or type one", tag=usual)
    verdicts.check_tags([tag])
    said = _change(rows, SET if on else TAKEN_AWAY, tag_name(tag), lambda each: each.tagged(tag, on), writer)
    if not (full := sum(on and tag not in entry(row).tags for row in rows)):
        return said
    had = {"summaries": count(full, "summary"), "most": verdicts.MOST_TAGS}
    return f"{said} {say('{summaries} had {most} tags already and got none.', **had)}"


def find_correct(rows: Sequence[ScoredSummary], on: bool, writer: str) -> str:
    """Say of some summaries that they have no error, or take that back; return how many changed, in words."""
    message = SET if on else TAKEN_AWAY
    return _change(rows, message, say("No error"), lambda each: each.found_correct(on), writer)


def _change(rows: Sequence[ScoredSummary], message: str, tag: str, act: Callable[[Entry], Entry], writer: str) -> str:
    changed = {subject(row): new for row in rows if (new := act(old := entry(row))) != old}
    of = rows[0].id if len(rows) == 1 else count(len(changed), "summary")
    what = say(message, tag=tag, summaries=of)
    keep({about: replace(said, writer=writer) for about, said in changed.items()}, what)
    if not (others := len(rows) - len(changed)):
        return f"{what}."
    return f"{what}. {say('{summaries} stayed the same.', summaries=count(others, 'summary'))}"


def keep(changed: Book, what: str) -> None:
    """Put changed labels into the session.

    Args:
        changed: by summary; empty ones take labels away.
        what: was changed, in a few words; it can be taken back.

    Raises:
        CorpusError: there would be too many.
    """
    before = {about: book().get(about, Entry()) for about in changed}
    if all(before[about] == said or before[about].empty and said.empty for about, said in changed.items()):
        return
    new = {about: said for about, said in {**book(), **changed}.items() if not said.empty}
    check("labelled_summaries", len(new), say("The list of labels"), CorpusError)
    st.session_state[BOOK] = new
    st.session_state[CHANGES] = (*changes(), Change(what, before))[-limits().undo_steps :]


def changes() -> tuple[Change, ...]:
    """Return what can be taken back, the last change at the end."""
    return st.session_state.get(CHANGES, ())  # type: ignore[no-any-return]


def undo() -> str:
    """Take the last change back; return what it was, "" if there is none."""
    if not changes():
        return ""
    *others, last = changes()
    st.session_state[BOOK] = {about: said for about, said in {**book(), **last.before}.items() if not said.empty}
    st.session_state[CHANGES] = tuple(others)
    return last.what


def all_tags() -> list[str]:
    """Return the error types, then the other tags that were used."""
    own = {tag for each in book().values() for tag in each.tags}
    return [*ERROR_TAGS, *sorted(own - ERROR_TAGS.keys())]


def unsaved() -> bool:
    """Return whether there are labels that were not saved since they changed."""
    return bool(book()) and book() != st.session_state.get(SAVED)


def mark_saved(saved: Book) -> None:
    """Remember that these labels were saved; for a button."""
    st.session_state[SAVED] = saved


def take(content: str, rows: Iterable[ScoredSummary]) -> str:
    """Put the labels of a file into the session, in the place of those that the same summaries had.

    Args:
        content: of the file.
        rows: the summaries that can be labelled.

    Returns:
        How many labels were read, in words.

    Raises:
        CorpusError: the file is something else, or labels none of the summaries.
    """
    found, others = verdicts.read(content, rows)
    if not found:
        raise CorpusError("the file labels none of the summaries that are shown: their ids or their texts differ")
    amount = count(len(found), "summary")
    keep(found, say("labels of {summaries} read", summaries=amount))
    said = say("Labels of {summaries} were read.", summaries=amount)
    if not others:
        return said
    return f"{said} {say('The other {count:,} lines are about summaries that are not shown.', count=others)}"
