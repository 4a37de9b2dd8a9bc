"""The labels of the session: kept until the tab is closed, taken back, saved as a file, and read from one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import CorpusError
from core.evaluation import label_file, verdicts
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import (
    ERROR_TAGS,
    LONGEST_NAME,
    LONGEST_NOTE,
    Book,
    Books,
    Entry,
    Mark,
    Verdict,
    subject,
    tag_name,
    tag_of,
)
from core.faults.fault import Fault
from core.figures.shared.wording import count
from core.limits import check, limits
from core.words import first_few, later, say
from pages.shared.session import notices
from pages.shared.session.fields import Text

BOOKS, SAVED, CHANGES = "err_labels", "err_labels_saved", "err_label_changes"
"""Session keys: the labels; the labels as they were saved last; what was changed, the last change at the end."""
NAME = Text("err_name", LONGEST_NAME)
"""The name that the reader chose."""
SET, TAKEN_AWAY = later("“{tag}” set for {summaries}"), later("“{tag}” taken away for {summaries}")


@dataclass(frozen=True)
class Change:
    """One change of labels that can be taken back.

    Args:
        what: was changed, in a few words.
        before: the labels that the changed summaries had; empty ones of those that had none.
    """

    what: str
    before: Books


def books() -> Books:
    """Return all labels of the session, by reader."""
    return st.session_state.get(BOOKS, {})  # type: ignore[no-any-return]


def me() -> str:
    """Return the name of the reader, "" where none was chosen."""
    return verdicts.name_of(NAME.value)


def shown_name(who: str) -> str:
    """Return the name of a reader as it is shown."""
    return who or say("a reader without a name")


def book() -> Book:
    """Return the labels of the reader."""
    return books().get(me(), {})


def choose_name() -> None:
    """Take the name that was typed: what the reader said without a name is under it now; of a known one, say so."""
    name, by_reader = me(), books()
    known = next((reader for reader in by_reader if reader.casefold() == name.casefold()), None) if name else None
    NAME.value = name if known is None else known
    if known is not None:
        notices.note(
            say(
                "{name} has labels of {summaries} here: you go on with them. If you are somebody else of this name, "
                "choose another one, such as {other}.",
                name=known, summaries=count(len(by_reader[known]), "summary"), other=free_name(known),
            )
        )  # fmt: skip
    elif name and "" in by_reader:
        taken = dict.fromkeys(by_reader[""], Entry())
        keep_all({"": taken, name: by_reader[""]}, say("the name {name}", name=name))


def free_name(name: str) -> str:
    """Return a name that nobody here has: Anna (2)."""
    taken = {each.casefold() for each in books()}
    tries = (f"{name[: LONGEST_NAME - 5].strip()} ({number})" for number in range(2, 100 + len(taken)))
    return next(each for each in tries if each.casefold() not in taken)


def entry(row: ScoredSummary) -> Entry:
    """Return the labels of a summary."""
    return book().get(subject(row), Entry())


def judged(rows: Iterable[ScoredSummary]) -> int:
    """Return how many summaries are judged."""
    entries, none = book(), Entry()
    return sum(entries.get(subject(row), none).decided for row in rows)


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
    text = _change(rows, SET if on else TAKEN_AWAY, tag_name(tag), lambda old: old.tagged(tag, on), writer)
    if not (full := sum(on and tag not in entry(row).tags for row in rows)):
        return text
    had = {"summaries": count(full, "summary"), "most": verdicts.MOST_TAGS}
    return f"{text} {say('{summaries} had {most} tags already and got none.', **had)}"


def find_correct(rows: Sequence[ScoredSummary], on: bool, writer: str) -> str:
    """Say of some summaries that they have no error, or take that back; return how many changed, in words."""
    message = SET if on else TAKEN_AWAY
    return _change(rows, message, say("No error"), lambda old: old.found_correct(on), writer)


def _change(rows: Sequence[ScoredSummary], message: str, tag: str, act: Callable[[Entry], Entry], writer: str) -> str:
    changed = {subject(row): new for row in rows if (new := act(old := entry(row))) != old}
    of = rows[0].id if len(rows) == 1 else count(len(changed), "summary")
    what = say(message, tag=tag, summaries=of)
    keep({about: replace(said, writer=writer) for about, said in changed.items()}, what)
    if not (others := len(rows) - len(changed)):
        return f"{what}."
    return f"{what}. {say('{summaries} stayed the same.', summaries=count(others, 'summary'))}"


def mark(row: ScoredSummary, marked: Mark, writer: str) -> str:
    """Set an error for words of a summary and its dialogue, or take it away; return what was done, in words."""
    on = marked not in entry(row).marks
    words = row.summary[marked.start : marked.end] or say("words of the dialogue")
    tag = f"{tag_name(marked.tag)}: {words[:40]}"
    return _change([row], SET if on else TAKEN_AWAY, tag, lambda old: old.marked(marked), writer)


def keep(changed: Book, what: str) -> None:
    """Put changed labels of the reader into the session; see `keep_all`."""
    keep_all({me(): changed}, what)


def keep_all(changed: Books, what: str) -> None:
    """Put changed labels into the session.

    Args:
        changed: by reader and summary; empty ones take labels away.
        what: was changed, in a few words; it can be taken back.

    Raises:
        CorpusError: there would be too many.
    """
    none = Entry()
    before = {
        who: {about: books().get(who, {}).get(about, none) for about in said} for who, said in changed.items() if said
    }
    if all(
        before[who][about] == said or before[who][about].empty and said.empty
        for who in before
        for about, said in changed[who].items()
    ):
        return
    new = _with(changed)
    check("labelled_summaries", sum(map(len, new.values())), say("The list of labels"), CorpusError)
    st.session_state[BOOKS] = new
    st.session_state[CHANGES] = (*changes(), Change(what, before))[-limits().undo_steps :]


def _with(changed: Books) -> Books:
    """Return all labels with changed ones in their place, without those that are empty."""
    every = {who: {**books().get(who, {}), **changed.get(who, {})} for who in {**books(), **changed}}
    full = {who: {about: said for about, said in entries.items() if not said.empty} for who, entries in every.items()}
    return {who: entries for who, entries in full.items() if entries}


def changes() -> tuple[Change, ...]:
    """Return what can be taken back, the last change at the end."""
    return st.session_state.get(CHANGES, ())  # type: ignore[no-any-return]


def undo() -> str:
    """Take the last change back; return what it was, "" if there is none."""
    if not changes():
        return ""
    *others, last = changes()
    st.session_state[BOOKS] = _with(last.before)
    st.session_state[CHANGES] = tuple(others)
    return last.what


def all_tags() -> list[str]:
    """Return the error types, then the other tags that were used."""
    own = {tag for entries in books().values() for each in entries.values() for tag in each.tags}
    return [*ERROR_TAGS, *sorted(own - ERROR_TAGS.keys())]


def unsaved() -> bool:
    """Return whether there are labels that were not saved since they changed."""
    return bool(books()) and books() != st.session_state.get(SAVED)


def mark_saved(saved: Books) -> None:
    """Remember that these labels were saved."""
    st.session_state[SAVED] = saved


def take(content: str, rows: Iterable[ScoredSummary]) -> str:
    """Put the labels of a file into the session.

    What a reader without a name says takes the place of what the same summaries had. A named one who says something
    else here is another reader of that name, and gets a name that is free.

    Args:
        content: of the file.
        rows: the summaries that can be labelled.

    Returns:
        How many labels were read, in words, and which were not.

    Raises:
        CorpusError: the file is something else, or labels none of the summaries.
    """
    labels, others, changed = label_file.read(content, rows)
    if not labels and not changed:
        raise CorpusError("the file labels none of the summaries that are shown: their ids or their texts differ")
    here, taken, notes = books(), {}, []
    for who, entries in labels.items():
        known = here.get(who, {})
        if who and any(known.get(about, entry) != entry for about, entry in entries.items()):
            taken[free_name(who)] = entries
            renamed = {"name": who, "other": free_name(who)}
            notes.append(say("{name} has other labels here: those of the file are under the name {other}.", **renamed))
        else:
            taken[who] = entries
    amount = count(verdicts.amount(labels), "summary")
    keep_all(taken, say("labels of {summaries} read", summaries=amount))
    notes.insert(0, say("Labels of {summaries} were read.", summaries=amount))
    if others:
        notes.append(say("The other {count:,} lines are about summaries that are not shown.", count=others))
    if changed:
        notes.append(say("Not read, because their words have changed: {labels}.", labels=first_few(changed)))
    return " ".join(notes)
