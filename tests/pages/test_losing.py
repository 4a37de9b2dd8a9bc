"""Nothing that somebody brought or made is lost at one click, or because a label has changed."""

import ast
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest, local_script_runner

from core import checkpoints
from core.explain.training import histories
from core.text.judged import Judged
from pages.parts.training import files
from pages.shared.controls import picker, starting_over
from pages.shared.session import decoding, selection, session
from tests.pages.conftest import COPIER, ROOT, paste, turns
from tests.pages.driver import choose, data, element, healthy, notes, press, said, send, upload

OWN = "Lena: The ferry leaves at nine.\nOmar: Then we have to hurry."
OTHER = "Eva: Bread?\nTom: Two loaves."


def asks(app: AppTest) -> bool:
    """Whether the question of a reset is open."""
    return any(each.key == "reset_now" for each in app.button)


def press_alone(app: AppTest, key: str) -> AppTest:
    """Press a button as a browser does: only the dialog or the body that it stands in is asked for again."""
    button = app.button(key=key)
    widgets = app._session_state._state._new_widget_state.widget_metadata
    with pytest.MonkeyPatch.context() as patch:
        asked = partial(local_script_runner.RerunData, fragment_id=widgets[button.proto.id].fragment_id)
        patch.setattr(local_script_runner, "RerunData", asked)
        return healthy(button.click().run())


# Reset ---------------------------------------------------------------------------------------------------------------


def test_reset_asks_says_what_goes_and_is_taken_back(app):
    paste(app.run(), OWN)
    press(app, "reset")
    assert turns(app) == ["The ferry leaves at nine.", "Then we have to hurry."]  # nothing is gone yet
    assert "your own dialogue" in said(app) and "Visited: 2 entries" in said(app)
    press_alone(app, "reset_now")
    assert app.segmented_control(key="input").value == "example" and app.query_params == {}
    assert "Everything was reset" in said(app) and not asks(app)
    press(app, "reset_undo")
    assert turns(app) == ["The ferry leaves at nine.", "Then we have to hurry."] and "t" in app.query_params
    assert not [each for each in app.button if each.key == "reset_undo"] and not asks(app)


def test_reset_can_be_declined(app):
    paste(app.run(), OWN)
    press_alone(press(app, "reset"), "reset_not")
    assert turns(app)[0] == "The ferry leaves at nine." and not asks(app)


def test_a_second_reset_leaves_the_first_to_be_taken_back(app):
    paste(app.run(), OWN)
    for _ in range(2):
        press_alone(press(app, "reset"), "reset_now")
    press(press(app, "reset_undo"), "reset_undo")
    assert turns(app)[0] == "The ferry leaves at nine."


def test_what_was_made_after_a_reset_comes_back_after_undo(app):
    paste(app.run(), OWN)
    press_alone(press(app, "reset"), "reset_now")
    paste(app, OTHER)
    press(app, "reset_undo")
    assert turns(app)[0] == "The ferry leaves at nine."
    press(app, "reset_redo")
    assert turns(app) == ["Bread?", "Two loaves."]
    press(app, "reset_undo")
    assert turns(app)[0] == "The ferry leaves at nine."
    press_alone(press(app, "reset"), "reset_now")
    assert not [each for each in app.button if each.key == "reset_redo"]


def test_no_more_resets_are_kept_than_a_few(app):
    app.run()
    for _ in range(session.KEPT + 2):
        press_alone(press(app, "reset"), "reset_now")
    assert len(app.session_state[session.BEFORE]) == session.KEPT


def test_starting_over_after_an_error_is_taken_back_with_every_choice(app, monkeypatch):
    paste(app.run(), OWN)

    def broken():
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(picker, "draw", broken)
        app.run()
    press_alone(app, next(each.key for each in app.button if each.label == "Start over"))
    assert app.segmented_control(key="input").value == "example" and not app.error
    press(app, "reset_undo")
    assert turns(app)[0] == "The ferry leaves at nine." and app.segmented_control(key="input").value == "paste"


@pytest.mark.parametrize("way", ["example", "upload"])
def test_a_dialogue_of_ones_own_that_is_not_shown_goes_too_and_that_is_said(app, way):
    paste(app.run(), OWN)
    choose(app, "input", way)
    if way == "upload":
        upload(app, "scan.txt", b"\0\1\2" * 40)
    app.button(key="reset").click().run()
    assert "your own dialogue" in said(app)


def test_the_question_names_what_training_holds(app):
    app.run()
    history = histories.parse("mine.csv", b"epoch,train_loss\n1,2.5\n")
    app.session_state[files.FILES] = {"file.1": files.Run("mine.csv", history, {})}
    app.session_state[decoding.TRAINED] = (SimpleNamespace(name="mine"),)
    press(app, "reset")
    assert "Training: 1 file and 1 network" in said(app)


def test_where_nothing_would_be_lost_it_says_so(app, monkeypatch):
    monkeypatch.setattr(starting_over, "held", list)
    press(app.run(), "reset")
    assert "Nothing else is lost" in said(app)


# Labels of options ---------------------------------------------------------------------------------------------------


@pytest.fixture
def verdicts(app, monkeypatch) -> dict[str, Judged]:
    """What a reader said of the examples: it can be changed between two runs, as another model does."""
    found: dict[str, Judged] = {}
    monkeypatch.setattr(picker, "_judged", lambda: found)
    return found


def chosen_label(app: AppTest) -> str:
    """What the browser shows: the value that the server set, or the label that the browser had."""
    proto = element(app, "selectbox", "example").proto
    return proto.raw_value if proto.set_value else ""


def test_an_example_stays_when_its_label_changes(app, verdicts):
    choose(app.run(), "example", "cat-sitter")
    plain = next(label for label in element(app, "selectbox", "example").options if "cat" in label.lower())
    verdicts["cat-sitter"] = Judged("wrong", "It is not so.", "A summary.")
    app.run()
    assert chosen_label(app) == f"✗ {plain}"
    # A browser that has not heard of the new label yet sends the old one.
    send(app, WidgetState(id=element(app, "selectbox", "example").proto.id, string_value=plain))
    assert app.session_state["example"] == "cat-sitter" and not notes(app) and "cannot be" not in said(app)
    verdicts.clear()
    send(app, WidgetState(id=element(app, "selectbox", "example").proto.id, string_value=f"✗ {plain}"))
    assert app.session_state["example"] == "cat-sitter" and "cannot be" not in said(app)
    assert app.query_params["example"] == "cat-sitter"


def test_what_was_never_a_label_is_still_refused(app, verdicts):
    choose(app.run(), "example", "cat-sitter")
    send(app, WidgetState(id=element(app, "selectbox", "example").proto.id, string_value="forged"))
    assert "example cannot be 'forged'" in said(app)


CHOOSERS = {"selectbox", "segmented_control", "radio", "pills", "multiselect", "select_slider"}


def choosers(tree: ast.AST) -> list[tuple[str, ast.FunctionDef, ast.Call]]:
    """Every control with named options, with the function that draws it."""
    return [
        (call.func.attr, function, call)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in CHOOSERS
        if any(word.arg == "format_func" for word in call.keywords)
    ]


@pytest.mark.parametrize("path", (ROOT / "pages").rglob("*.py"), ids=lambda path: str(Path(path).relative_to(ROOT)))
def test_every_list_keeps_what_is_chosen_when_labels_change(path):
    """It tells `option_labels` its labels, or sets its value in every run."""
    for kind, function, call in choosers(ast.parse(path.read_text(encoding="utf-8"))):
        source = ast.unparse(function)
        key = next(ast.unparse(word.value) for word in call.keywords if word.arg == "key")
        assert f"option_labels.follow({key}" in source or f"st.session_state[{key}] = " in source, (kind, key)


# A refused file ------------------------------------------------------------------------------------------------------


@pytest.fixture
def refused(app) -> AppTest:
    """A session whose dialogue was set aside, because a file was refused."""
    choose(paste(app.run(), OWN), "input", "upload")
    upload(app, "scan.txt", b"\0\1\2" * 40)
    return app


def test_after_a_refused_file_the_former_dialogue_is_not_shown_as_its_own_and_comes_back(app):
    choose(paste(app.run(), OWN), "input", "upload")
    assert turns(app)[0] == "The ferry leaves at nine."
    assert not app.get("file_uploader")[0].proto.type  # else the browser refuses it, and nobody learns of it here
    upload(app, "scan.pdf", b"%PDF-1.4")
    assert ".pdf" in app.error[0].value and not any("ferry" in str(each.proto) for each in app.get("bidi_component"))
    with pytest.raises(LookupError):
        data(app, "conversation")
    app.button(key="dialogue_back").click().run()
    assert turns(app)[0] == "The ferry leaves at nine." and not app.error


def test_another_way_in_brings_the_former_dialogue_back(refused):
    choose(refused, "input", "paste")
    assert turns(refused)[0] == "The ferry leaves at nine." and not refused.error


def test_a_file_that_is_taken_replaces_what_was_set_aside(refused):
    upload(refused, "talk.txt", OTHER.encode())
    assert turns(refused) == ["Bread?", "Two loaves."]
    assert not [each for each in refused.button if each.key == "dialogue_back"]


def test_below_the_box_for_a_file_stands_whose_dialogue_is_shown(app):
    paste(app.run(), OWN)
    choose(app, "input", "upload")
    assert "your dialogue from before" in said(app)
    upload(app, "talk.txt", OTHER.encode())
    assert "the dialogue of talk.txt" in said(app) and "from before" not in said(app)


def test_going_back_clears_the_box_of_the_refused_file(refused):
    key = refused.get("file_uploader")[0].key
    press(refused, "dialogue_back")
    assert refused.get("file_uploader")[0].key != key


def test_another_way_in_keeps_a_dialogue_that_took_the_place_of_the_former_one(refused):
    refused.session_state[selection.DIALOGUE] = selection.Own(OTHER)  # as a link or an entry of Visited does
    choose(refused.run(), "input", "paste")
    assert turns(refused)[0] == "Bread?"


# A model that reads no dialogues -------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["example", "paste"])
def test_a_model_of_letters_takes_no_dialogue_away(app, both, way):
    choose(paste(app.run(), OWN), "input", way)
    choose(app, "checkpoint", COPIER.name)
    assert turns(app) == [checkpoints.read_card(COPIER.name)["input"]]
    choose(app, "checkpoint", "tiny")
    assert app.segmented_control(key="input").value == way
    choose(app, "input", "paste")
    assert turns(app)[0] == "The ferry leaves at nine."
    assert app.text_area(key=selection.PASTE_BOX).value == OWN


def test_edits_of_an_example_outlast_a_model_of_letters(app, both):
    app.run().session_state[selection.EDITS] = selection.Edits(selection.EXAMPLE.default, (OTHER,))
    choose(choose(app.run(), "checkpoint", COPIER.name), "checkpoint", "tiny")
    assert turns(app)[0] == "Bread?"


def test_letters_are_no_dialogue_that_a_reset_takes(app, both):
    choose(app.run(), "checkpoint", COPIER.name)
    assert "your own dialogue" not in said(press(app, "reset"))
