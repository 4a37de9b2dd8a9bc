"""Every limit of the server: what is exactly as much as allowed is taken, one more is refused with both numbers."""

import io
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from app import MENU
from core.config import LONGEST_TARGET, DecodeSettings
from core.errors import DialoscopeError
from core.evaluation import intake, session_file
from core.evaluation.verdicts import Entry
from core.explain import positions
from core.explain.decoding.branches import Branch, Branches
from core.explain.masks import masks
from core.explain.training import histories
from core.lessons import course
from core.lessons.following import Classes
from core.limits import DEMO, FULL, Limits, check, limits, table
from core.place import Place
from core.report import contents, reading, sections
from core.runtime.queue import Queue
from core.text import links
from core.text.dialogue import parse_dialogue
from core.text.formats.documents import text_of
from core.text.size import checked
from core.trace import AttentionTrace, Token, check_size
from core.visited import file as visited_file
from pages.parts.architecture.chosen import SOURCE, TARGET
from pages.parts.attention import maps
from pages.parts.decoding.strategies import COMPARED
from pages.parts.errors import labels
from pages.parts.masks.batch import ROW
from pages.parts.masks.lesson import STEPS
from pages.parts.positions.table import LENGTH, WIDTH
from pages.shared.controls import picker
from pages.shared.guard import demo
from pages.shared.model import answers, queue_notice, sweep
from pages.shared.place import declarations, oversized_dialogues
from pages.shared.session import decoding, notices
from pages.shared.session import fields as frame_fields
from pages.shared.session.fields import Number
from tests.pages.driver import healthy, press, said
from tests.refusals import refused
from tests.text.formats.samples import document
from tests.visited.visits import MASKS

SMALL = 7
TEXT = " ".join((Path(__file__).parents[2] / "docs" / "limits.md").read_text("utf-8").split())
LESSON = "---\ntitle: T\nlink: /tokens\ndo: Do.\ndone: page = tokens\n---\nText.\n"


def box(limit: str) -> Callable[[int], None]:
    def take(size: int) -> None:
        taken: list[bytes] = []
        st.session_state["box"] = SimpleNamespace(size=size, name="x", getvalue=lambda: b"content")
        demo._take("box", lambda name, content: taken.append(content), limit, None)
        complaint = notices.complaint()
        assert bool(taken) != bool(complaint)
        if complaint:
            raise complaint

    return take


def numbers(*every: Number) -> Callable[[int], None]:
    def hold(value: int) -> None:
        for field in every:
            field.value = value
            frame_fields.check([field])
            if field.value != value:
                raise DialoscopeError(notices.notes()[-1])

    return hold


def only(holds: bool, limit: str) -> None:
    """Raise where something was cut without an error."""
    if not holds:
        raise DialoscopeError(f"allowed: {getattr(limits(), limit)}")


def reference(size: int) -> None:
    st.session_state.update({picker.PASTE_BOX: "Ann: Hi.", picker.REFERENCE_BOX: "x" * size})
    picker._submit()
    if complaint := notices.complaint():
        raise complaint


def branches(count: int) -> None:
    root = Branch((), "Original", "", (9, 9, 2), ("a", "a", ""), (0.0, 0.0, 0.0), True)
    tree = Branches((root,))
    for number in range(1, count):
        tree = tree.add(replace(root, path=tree.fork_path(root, 0, [10 + number]), ids=(10 + number, 2)))


def linked(size: int) -> None:
    """A link whose text is as long as asked, up to the few characters by which packing differs."""
    if size > limits().link_characters:
        with pytest.raises(DialoscopeError):
            links.unpack("A" * size)
        only(False, "link_characters")


def history(rows: int) -> None:
    text = "epoch,train_loss\n" + "".join(f"{number},1\n" for number in range(1, rows + 1))
    histories.parse("history.csv", text.encode())


def waiting(count: int) -> None:
    line = Queue(1)
    line.most = lambda: limits().waiting_visitors
    line._tickets = [None] * (count - 1)  # type: ignore[list-item]
    line._wait = lambda ticket: False  # type: ignore[method-assign]
    line._enter("somebody")


def handed_over(count: int) -> None:
    oversized_dialogues._KEPT.clear()
    first, *_ = [oversized_dialogues.keep(f"A: {number}") for number in range(count)]
    only(oversized_dialogues.find(first) is not None, "handed_dialogues")


def file_of(rows: int, first: int = 0) -> intake.Data:
    lines = "".join(f'{{"dialogue": "A: {first + number}"}}\n' for number in range(rows))
    return intake.read("rows.jsonl", lines.encode())


def several_files(count: int) -> None:
    data = tuple(file_of(1, number) for number in range(count))
    session_file.read(session_file.Session(data).to_json().encode())


def label(number: int) -> dict[tuple[str, str, str], Entry]:
    return {(f"{number}", "A: Hi.", "Hi."): Entry(correct=True)}


def labelled(count: int) -> None:
    labels.keep({key: entry for number in range(count) for key, entry in label(number).items()}, "labels")


def undone(count: int) -> None:
    st.session_state.clear()
    for number in range(count):
        labels.keep(label(number), "a label")
    only(len(labels.changes()) >= count, "undo_steps")


def lessons(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            Path(folder, f"a{number}.md").write_text(LESSON)
        if faults := course.read_folder(Path(folder))[2]:
            raise DialoscopeError(faults[0].reason)


def lesson(size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.md")
        file.write_text("x" * size)
        try:
            course.read(file)
        except DialoscopeError as error:
            if "it has" in str(error):
                raise


def unpacked(size: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a", "x" * size)
    try:
        check_size(buffer.getvalue())
    except ValueError as error:
        raise DialoscopeError(f"{error}; allowed: {limits().unpacked_file}") from None


def reported(turns: int) -> SimpleNamespace:
    """A report of one written token over a dialogue of turns of one token each."""
    dialogue = parse_dialogue("Ann: Hi\n" * turns)
    source = tuple(Token("Hi", 9, turn.start, turn.end, turn.index, "Ann", turn.index) for turn in dialogue.turns)
    trace = AttentionTrace(source, source[:1], cross=np.full((1, 2, 1, turns), 1 / turns))
    run = SimpleNamespace(attention=trace, tokens=trace.target, source=source, dialogue=dialogue)
    found = SimpleNamespace(summary=run, heads=("1.1",), about={}, maps={})
    found.weights = partial(contents.Report.weights, found)
    return found


def visited_texts(size: int) -> None:
    visit = replace(MASKS, name="a", place=Place("b", dialogue="x" * (size - 3)))
    visited_file.from_bytes(visited_file.to_bytes([visit]))


def following(followers: int, codes: int = 1) -> None:
    classes = Classes()
    for _ in range(codes):
        code = classes.begin(Place("")).code
        for number in range(followers):
            classes.listen(code, str(number), lambda: None)


def silent(minutes: int) -> None:
    now = [0.0]
    classes = Classes(lambda: now[0])
    code = classes.begin(Place("")).code
    now[0] = 60.0 * minutes
    try:
        classes.look(code)
    except DialoscopeError:
        only(False, "following_minutes")


BOXES = ("dialogue_file", "corpus_file", "session_file", "history_file", "run_file", "visited_file")
ASKING: dict[str, Callable[[int], object]] = {
    "dialogue_characters": lambda size: checked("x" * size),
    "dialogue_turns": lambda size: checked("Ann: Hello.\n" * size),
    "summary_characters": reference,
    "link_characters": linked,
    "beam_size": numbers(decoding.BEAM, COMPARED["beam_size"]),
    "new_tokens": numbers(decoding.MAX_TOKENS),
    "table_positions": numbers(LENGTH, WIDTH),
    "drawn_positions": numbers(SOURCE, TARGET),
    "batch_rows": lambda count: masks.check_rows([[1]] * count, "row"),
    "batch_tokens": lambda count: masks.check_rows([[1] * count], "row"),
    "lesson_steps": numbers(STEPS),
    "corpus_rows": lambda count: only(not file_of(count).left_out, "corpus_rows"),
    "corpus_files": several_files,
    "labelled_summaries": labelled,
    "undo_steps": undone,
    "corpus_lines": lambda count: intake.read("rows.csv", ("dialogue\n" + "A: Hi.\n" * (count - 1)).encode()),
    "sweep_changes": lambda count: only(not sweep.too_long(range(count), 1), "sweep_changes"),
    "shapley_parts": lambda count: check("shapley_parts", count, "The list of turns that share"),
    "branches": branches,
    "report_heads": lambda count: contents.check_request(["1.1"] * count, ()),
    "report_references": lambda count: contents.check_request((), ["x"] * count),
    "report_weights": lambda count: only(not reading.reading(reported(count)).by_turn, "report_weights"),
    "report_cells": lambda count: only("left out" not in sections.heads(reported(count)), "report_cells"),
    "history_rows": history,
    "unpacked_file": unpacked,
    "unpacked_document": lambda size: text_of("a.docx", document("<a/>".ljust(size))),
    "lessons": lessons,
    "lesson_file": lesson,
    "visits": lambda count: visited_file.from_bytes(visited_file.to_bytes([MASKS] * count)),
    "visited_characters": visited_texts,
    "handed_dialogues": handed_over,
    "followers": following,
    "following_codes": lambda count: following(1, count),
    "following_minutes": silent,
    "waiting_visitors": waiting,
} | {name: box(name) for name in BOXES}
"""For each limit what asks for so much of it, and raises DialoscopeError where that is too much."""


def test_there_is_a_case_for_every_limit_and_a_demonstration_allows_no_more():
    assert ASKING.keys() == {each.name for each in fields(Limits)} == {row["Limit"] for row in table()}
    assert all(getattr(DEMO, name) <= getattr(FULL, name) for name in ASKING)


@pytest.mark.parametrize("name", ASKING)
def test_as_much_as_allowed_is_taken_and_one_more_is_refused(name, set_limits, session):
    least = {"lesson_steps": 50, "new_tokens": 9}.get(name, SMALL)
    set_limits(**{name: least})
    ASKING[name](least)
    refused(DialoscopeError, rf"\b{least}\b", ASKING[name], least + 1)


def test_the_limits_of_a_demonstration_hold_there(monkeypatch, session):
    characters = "x" * (DEMO.dialogue_characters + 1)
    checked(characters)
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    refused(DialoscopeError, "Received: 20,001 characters; allowed: 20,000", checked, characters)
    assert decoding.BEAM.high == 4 and decoding.MAX_TOKENS.parse("129") is None
    refused(DialoscopeError, "allowed: 0", box("run_file"), 1)


FORGED = [10**6, -1, 0, 4.5, float("nan"), float("inf"), "4", True, None, [4], {"a": 1}, b"4", "x" * 10_000]


@pytest.mark.parametrize("value", FORGED, ids=lambda value: repr(value)[:12])
def test_a_forged_value_of_any_kind_is_put_away_and_said(value, session):
    every = [decoding.BEAM, decoding.STRATEGY, decoding.TOP_P]
    for field in every:
        session[field.name] = value
    frame_fields.check(every)
    assert [field.value for field in every] == [4, "greedy", 1.0]
    assert len(notices.notes()) == 3 and max(map(len, notices.notes())) < 200
    assert "beam cannot be" in notices.notes()[0] and "Allowed: 1 to 8. It is 4 now." in notices.notes()[0]


def test_the_sidebar_shows_the_limits_and_how_many_use_the_model(app):
    healthy(app.run())
    press(app, "limits")
    assert "of 2 turns of the model are taken, and nobody waits" in said(app)
    shown = next(each.value for each in app.dataframe if "What is limited" in each.value.columns)
    assert list(shown["Name"]) == [row["Limit"] for row in table()] and list(shown["Most"])[0] == 200_000


def test_pages_use_the_queue_and_the_limits():
    queue_notice.register()
    assert queue_notice.CALLS.most() == FULL.waiting_visitors and queue_notice.CALLS.who is queue_notice.who
    assert ROW.high == FULL.batch_rows
    assert len(positions.encoding(FULL.table_positions, 2, 10.0)) == 512
    refused(DialoscopeError, "from 1 to 512", positions.encoding, FULL.table_positions + 1, 2, 10.0)


@pytest.mark.parametrize("demo", ["0", "1"])
def test_every_default_is_allowed(demo, monkeypatch):
    monkeypatch.setenv("DIALOSCOPE_DEMO", demo)
    every = {
        field.name: field for group in MENU.values() for page, *_ in group for field in declarations.own_fields(page)
    }
    assert len(every) > 100 and set(decoding.NUMBERS) <= set(DecodeSettings().to_dict())
    assert [name for name, field in every.items() if not field.holds(field.default)] == []


def test_the_document_says_how_much_memory_is_kept() -> None:
    size = 4 * LONGEST_TARGET**2  # float32, as many tokens in the dialogue
    for kept, each in ((answers.KEPT, 2 * size), (maps.KEPT, size)):
        assert f"{each / 1e6:.1f} MB" in TEXT and f"{kept * each / 1e6:.0f} MB for all {kept}" in TEXT
