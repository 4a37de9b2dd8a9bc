"""The session as a file: saved whole, opened again, and warned of while it is not saved."""

from collections.abc import Collection, Hashable, Iterator, Mapping
from functools import partial
from typing import Any

import streamlit as st

from core.errors import CorpusError
from core.evaluation import intake, session_file
from core.evaluation.intake import Data
from core.evaluation.session_file import Behaved, Scored, Session
from core.evaluation.verdicts import Books, amount
from core.faults.fault import KINDS
from core.figures.shared.wording import count, listed
from core.limits import check, limits
from core.words import say
from pages.parts.errors import behaviour, column_choice, data, hints, labels, save_button, summaries
from pages.parts.errors.leaving import guard
from pages.parts.errors.summaries import Run
from pages.shared.model import models, sweep
from pages.shared.place import declarations
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Field
from pages.shared.session.session import UPLOADS

FILES = "err_files_saved"
"""Session key: what was saved, as `_things` gives it."""


def draw(chosen: Data, run: Run | None) -> None:
    """Say what a reload would lose, and offer it as a file; the browser asks before it leaves.

    Args:
        chosen: the data set that is shown.
        run: its summaries, if they are there.
    """
    save_button.settle()
    files, book = data.files(), labels.books()
    unsaved = _things(files) - st.session_state.get(FILES, frozenset())
    guard(labels.unsaved() or bool(unsaved))
    if not (book or files):
        return
    kept = held()
    sentences = [
        say(
            "In this session: {things}. Other pages and Back keep them; **a reload or a closed tab loses them**.",
            things=listed(kept),
        )
    ]
    if not labels.unsaved() and (book or not unsaved):
        sentences.append(say("The labels are saved as a file.") if unsaved else say("All of it is saved as a file."))
    with st.container(horizontal=True, vertical_alignment="center", key="errors_unsaved"):
        st.caption(" ".join(sentences))
        _save(_session(chosen, run))


def held() -> list[str]:
    """Return what the session holds of this page and would lose, each said."""
    files, book = data.files(), labels.books()
    return [
        *([count(len(files), "file")] if files else []),
        *([say("labels of {summaries}", summaries=count(amount(book), "summary"))] if book else []),
        *([count(changed, "changed dialogue")] if (changed := sum(behaviour.measured(files).values())) else []),
    ]


def _things(files: Collection[str]) -> frozenset[Hashable]:
    """Return what can be saved beside labels: the keys of files, and how much of which sweep over them is done."""
    return frozenset(files) | frozenset(behaviour.measured(files).items())


def _save(session: Session) -> None:
    most, size = limits().session_file, session.characters
    if size > most:
        st.caption(
            say(
                "It is too large for one file: {size:,} bytes; allowed: {most:,}. Save the labels below the table.",
                size=size,
                most=most,
            )
        )
        return
    shown = next((data_set.name for data_set in session.data if data_set.key == session.shown), session.shown)
    save_button.draw(
        say("Save the session"),
        session.to_json,
        f"{shown}.session.json",
        "application/json",
        key="errors_save_session",
        mark=partial(_mark, session.labels, _saved(session)),
        icon=":material/download:",
        help=say("Data sets, labels, notes, filters and place in one file. “Bring your own” opens it again."),
    )


def _saved(session: Session) -> frozenset[Hashable]:
    """Return which `_things` a session holds: of the sweeps the one that is shown."""
    files = frozenset(each.key for each in session.data)
    shown = behaviour.key_of(session.shown)
    return files | {each for each in behaviour.measured(files).items() if each[0] == shown}


def _mark(book: Books, things: frozenset[Hashable]) -> None:
    labels.mark_saved(book)
    st.session_state[FILES] = things


def _session(chosen: Data, run: Run | None) -> Session:
    """Return all that the session holds."""
    choices = {field.name: field.value for field in _fields()} | {hints.OFF: sorted(hints.turned_off())}
    weights = models.file_hash(run.checkpoint) if run and run.checkpoint else ""
    scored = Scored(weights, run.keep, dict(run.rows)) if run and run.rows else None
    changed = behaviour.tried(chosen.key)
    behaved = Behaved(models.file_hash(decoding.CHECKPOINT.value), changed) if changed else None
    files = tuple(data.files().values())
    return Session(files, chosen.key, labels.books(), choices, scored, behaved=behaved)


def _fields() -> tuple[Field[Any], ...]:
    return (*decoding.FIELDS, *declarations.own_fields("errors"))


def take(name: str, content: bytes) -> None:
    """Take a file: a session, or dialogues; raises CorpusError."""
    if session_file.is_session(content):
        _open(session_file.read(content))
    else:
        check("corpus_file", len(content), say("The file"), CorpusError)
        data.keep(column_choice.read(name, content))


def _open(session: Session) -> None:
    """Put a session into this one; labels that the same summaries had are replaced, which can be taken back."""
    here = labels.books()
    changed = sum(
        here.get(who, {}).get(about, entry) != entry
        for who, book in session.labels.items()
        for about, entry in book.items()
    )
    labelled = count(amount(session.labels), "summary")
    labels.keep_all(session.labels, say("labels of {summaries} from a session", summaries=labelled))
    data.put(session.data)
    notes = [*_choose(session.choices), *_put(session)]
    if changed:
        notes.append(
            say(
                "{summaries} had other labels here: those of the session replace them. Undo brings them back.",
                summaries=count(changed, "summary"),
            )
        )
    if session.left_out:
        notes.append(
            say(
                "The session holds what this version does not know, and leaves out: {names}.",
                names=", ".join(session.left_out),
            )
        )
    for note in notes:
        notices.note(note[:500])
    if labels.books() == session.labels:
        _mark(labels.books(), _saved(session))
    st.session_state[UPLOADS] += 1


def _choose(choices: Mapping[str, Any]) -> Iterator[str]:
    """Make the choices of a session, and say which are not possible here."""
    fields = {field.name: field for field in _fields()}
    for name in choices.keys() & fields.keys():
        field, value = fields[name], choices[name]
        if field is labels.NAME and field.value:
            continue  # who opens another reader's session is not that reader
        if field.holds(value) and (field is not decoding.CHECKPOINT or value in decoding.available()):
            field.value = value
        elif value != field.value:
            yield say(
                "The session has {name} = {value}, which is not possible here; allowed: {allowed}.",
                name=name,
                value=repr(value)[:60],
                allowed=field.allowed,
            )
    if isinstance(off := choices.get(hints.OFF), list):
        st.session_state[hints.OFF] = frozenset(off) & frozenset(KINDS)
        st.session_state.pop(hints.SWITCHES, None)
    if unknown := sorted(choices.keys() - fields.keys() - {hints.OFF}):
        names = ", ".join(unknown)[:200]
        yield say("The session has choices that this version does not know, and leaves out: {names}.", names=names)


def _put(session: Session) -> Iterator[str]:
    """Show the data set of a session with its summaries and changed dialogues; say so if other weights are here."""
    held = (*session.data, *intake.shipped().values())
    shown = next((data_set for data_set in held if data_set.key == session.shown), intake.bundled())
    data.DATA.value = shown.key
    name = decoding.CHECKPOINT.value
    if scored := session.scored:
        if not scored.weights:
            sweep.results(summaries.of_file(shown).key).update(scored.rows)
        elif scored.weights == models.file_hash(name):
            run = summaries.of_model(shown, name, None, decoding.settings(), scored.keep)
            sweep.results(run.key).update(scored.rows)
        else:
            yield say(
                "The summaries of the session were written by the weights {weights}; {name} has {here} and may write "
                "others. Labels of summaries that it does not write are kept, and not shown.",
                **_weights(scored.weights, name),
            )
    if behaved := session.behaved:
        if behaved.weights == models.file_hash(name):
            behaviour.put(shown.key, behaved.rows)
        else:
            yield say(
                "The changed dialogues of the session were summarized by the weights {weights}; {name} has {here}: "
                "they are left out.",
                **_weights(behaved.weights, name),
            )


def _weights(saved: str, name: str) -> dict[str, str]:
    return {"weights": saved[:12], "name": name, "here": models.file_hash(name)[:12]}
