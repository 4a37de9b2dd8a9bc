"""The labels of the session: kept until the tab is closed, saved as a file, and read from one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import streamlit as st

from core.errors import CorpusError
from core.evaluation import verdicts
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import Book, Entry, Verdict, subject
from core.faults.fault import Fault

BOOK, SAVED = "err_labels", "err_labels_saved"
"""Session keys: the labels, and the labels as they were saved last."""


def book() -> Book:
    """Return all labels of the session."""
    return st.session_state.get(BOOK, {})  # type: ignore[no-any-return]


def entry(row: ScoredSummary) -> Entry:
    """Return the labels of a summary."""
    return book().get(subject(row), Entry())


def judge(row: ScoredSummary, hint: Fault, verdict: Verdict, writer: str) -> None:
    """Confirm or reject a hint; "" takes that back."""
    keep({subject(row): replace(entry(row).judged(hint, verdict), writer=writer)})


def write(row: ScoredSummary, tags: Sequence[str], note: str, writer: str) -> None:
    """Tag a summary and note something about it."""
    keep({subject(row): replace(entry(row).worded(tags, note), writer=writer)})


def keep(changed: Book) -> None:
    """Put changed labels into the session."""
    st.session_state[BOOK] = {about: said for about, said in {**book(), **changed}.items() if not said.empty}


def all_tags() -> set[str]:
    """Return the tags that were used."""
    return {tag for each in book().values() for tag in each.tags}


def unsaved() -> bool:
    """Return whether there are labels that were not saved since they changed."""
    return bool(book()) and book() != st.session_state.get(SAVED)


def mark_saved() -> None:
    """Remember that the labels were saved as they are now; for a button."""
    st.session_state[SAVED] = book()


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
    keep(found)
    read_said = f"Labels of {len(found):,} {'summary' if len(found) == 1 else 'summaries'} were read."
    return f"{read_said} The other {others:,} lines are about summaries that are not shown." if others else read_said
