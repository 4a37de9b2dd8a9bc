"""Judging many summaries on the Errors page: by keys, many at once, by the model; the session as a file."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.evaluation import verdicts
from core.evaluation.verdicts import ERROR_TAGS
from core.faults.fault import Fault
from core.limits import limits
from pages.parts.errors import asking, data, hints, label_keys, labels, summaries
from tests.pages import driver
from tests.pages.driver import another, captions, choose, enter, healthy, noted, press
from tests.pages.errors import DIALOGUES, OWN, brought, click_row, label, lines, noted_box, opened, said, table, upload

TAGS = list(ERROR_TAGS)
ROWS = 500


def keys(app: AppTest, *pressed: str | tuple[str, str], mount: int = 1, first: int = 1, row: str = "") -> AppTest:
    """Press keys one after the other; each is an action, or an action and a tag."""
    return driver.trigger(app, label_keys.BAR, "acts", acts(*pressed, mount=mount, first=first, row=row))


def acts(*pressed: str | tuple[str, str], mount: int = 1, first: int = 1, row: str = "") -> dict[str, Any]:
    """Return what the bar sends when keys are pressed; `row` is the row that is seen."""
    found = []
    for number, each in enumerate(pressed, first):
        what, tag = (each, "") if isinstance(each, str) else each
        found.append({"number": number, "what": what, "tag": tag, "row": row})
    return {"mount": mount, "list": found}


def bar(app: AppTest) -> dict:
    """Return what the bar shows."""
    return driver.data(app, "label_bar")


def labelled(app: AppTest) -> dict[str, str]:
    """Return all labels of the session by id, in words."""
    return {about[0]: str(entry) for about, entry in app.session_state[labels.BOOK].items()}


def files(app: AppTest, key: str) -> Any:
    """Return what a button would save, as it stands on the page now."""
    made: dict[str, Callable[[], str]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.download_button", lambda label, data, *_, key, **__: made.update({key: data}))
        app.run()
    healthy(app)
    return made[key]()


def many(count: int = ROWS) -> str:
    """A data set of different dialogues with another system's summaries."""
    return "".join(
        json.dumps(
            {
                "id": f"row-{number:03}",
                "dialogue": f"Anna: The train number {number} leaves at nine.\nBen: Then we have {number} minutes.",
                "summary": f"Ben has {number} minutes until the train leaves.",
                "prediction": f"Anna asks Zelda for train {number + number % 3}.",
            }
        )
        + "\n"
        for number in range(count)
    )


def test_keys_walk_label_and_take_back(app: AppTest):
    brought(app)
    assert bar(app)["row"] == "" and (bar(app)["shown"], bar(app)["judged"]) == (3, 0)
    keys(app, ("tag", "Invented"), mount=3)
    assert bar(app)["done"] == "Open a summary first." and labels.BOOK not in app.session_state
    keys(app, "next", ("tag", "Invented"), ("tag", "Missing"), "next", "correct", "next", "next")
    assert labelled(app) == {"row-0": "Invented; Missing", "row-1": "no error"}
    assert (bar(app)["row"], bar(app)["number"], bar(app)["judged"]) == ("row-2", 3, 2)
    assert bar(app)["done"] == "This is the last one." and opened(app) == OWN[2]
    keys(app, "next", ("tag", "Invented"), ("tag", "Missing"), "next", "correct", "next", "next")
    assert labelled(app)["row-0"] == "Invented; Missing", "what was sent again is not done again"
    assert bar(app)["heard"] == {"mount": 1, "number": 7}
    keys(app, ("tag", "Missing"), first=8, row="row-0")
    assert labelled(app)["row-0"] == "Invented" and bar(app)["row"] == "row-2", "a label is for the row that was seen"
    keys(app, ("tag", TAGS[0]), "undo", "undo", mount=2)
    assert labelled(app) == {"row-0": "Invented; Missing", "row-1": "no error"}
    assert bar(app)["done"].startswith("Taken back: “Missing” taken away for row-0")
    keys(app, "back", ("tag", "Broken language"), ("tag", "<b>"), "fly", mount=2, first=4)
    assert labelled(app)["row-1"] == "Broken language", "an error tag takes “no error” back"
    boxes = next(each for each in app.multiselect if each.label == "Tags")
    assert boxes.value == ["Broken language"]
    keys(app, "correct", mount=2, first=8)
    assert labelled(app)["row-1"] == "no error"


def test_next_goes_on_where_the_judged_row_was_and_to_what_nobody_judged(app: AppTest):
    brought(app, err_kind="said:open", err_sort="rouge1.down", err_row="row-1")
    order = list(table(app).value["Id"])
    assert len(order) == 3
    keys(app, "correct", row="row-1")
    shown = [id for id in order if id != "row-1"]
    assert list(table(app).value["Id"]) == shown and bar(app)["number"] == 0
    after = order[order.index("row-1") + 1 :] + order[: order.index("row-1")]
    keys(app, "open", first=2)
    assert bar(app)["row"] == after[0]
    keys(app, "correct", "open", "correct", "open", first=3)
    assert bar(app)["row"] == after[1] and bar(app)["done"] == "No other is left to judge." and bar(app)["judged"] == 3
    assert any("No summary fits" in each.value for each in app.info)
    choose(app, "err_kind", "said:correct")
    assert list(table(app).value["Id"]) == order


def test_many_are_tagged_by_ticks_and_by_the_filter_and_taken_back(app: AppTest):
    brought(app, err_row="row-1")
    label(app, "", ["my own"])
    driver.tick(app, table(app).key, 0, 2)
    app.selectbox(key="err_bulk_tag").set_value("Invented").run()
    assert app.selectbox(key="err_bulk_tag").label == "Tag for the 2 summaries ticked"
    press(app, "bulk_Set")
    assert labelled(app) == {"row-0": "Invented", "row-1": "my own", "row-2": "Invented"}
    driver.tick(app, table(app).key)
    app.selectbox(key="err_bulk_tag").set_value("my own").run()
    enter(app, "err_find", "guard")
    press(app, "bulk_Set")
    assert labelled(app)["row-0"] == "Invented; my own" and "“my own” set for row-0." in captions(app)
    enter(app, "err_find", "")
    press(app, "bulk_Set")
    assert "“my own” set for 1 summary. 2 summaries stayed the same." in captions(app)
    choose(app, "err_kind", "tag:Invented")
    assert list(table(app).value["Id"]) == ["row-0", "row-2"]
    press(app, "bulk_Take away")
    assert labelled(app) == {"row-0": "Invented", "row-1": "my own", "row-2": "Invented"}
    press(app, "bulk_No error")
    assert labelled(app) == {"row-0": "no error", "row-1": "my own", "row-2": "no error"}
    choose(app, "err_kind", "")
    for want in ("Invented", "Invented; my own", "Invented; my own", "Invented"):
        press(app, "bulk_Undo")
        assert labelled(app)["row-0"] == want
    press(app, "bulk_Undo")
    assert labelled(app) == {"row-1": "my own"}
    press(app, "bulk_Undo")
    assert app.session_state[labels.BOOK] == {} and app.button(key="bulk_Undo").disabled


def test_a_tag_that_is_too_long_or_one_too_many_is_said(app: AppTest, monkeypatch):
    brought(app, err_row="row-0")
    label(app, "", [f"{n}" for n in range(12)])
    app.selectbox(key="err_bulk_tag").set_value("Invented").run()
    press(app, "bulk_Set")
    assert "1 summary had 12 tags already and got none." in captions(app)
    monkeypatch.setattr(verdicts, "LONGEST_TAG", 7)
    press(app, "bulk_Set", may_refuse=True)
    assert "at most 7 characters" in app.error[0].value and "Received\\: 8" in app.error[0].value


def test_columns_are_chosen_and_texts_are_whole(app: AppTest):
    brought(app, err_columns="dialogue,reference,none")
    shown = table(app).value
    assert list(shown.columns) == ["Open", "Id", "Hints", "Summary", "Reference", "Dialogue"]
    assert list(shown["Dialogue"]) == list(DIALOGUES) and table(app).proto.row_height == 0
    app.button_group(key="err_columns_choice").set_value(["second", "measures"]).run()
    assert app.query_params["err_columns"] == "second,measures"
    choose(app, "err_against", "greedy:tiny")
    written = list(table(app).value["Second system"])
    assert all(written) and "ROUGE-1" in table(app).value.columns
    click_row(app, "row-1")
    assert [name for name, _ in check_texts(app)] == ["Reference", "tiny, greedy"]
    assert check_texts(app)[1][1] == written[1]
    choose(app, "err_texts", "whole")
    assert table(app).proto.row_height > 35


def check_texts(app: AppTest) -> list:
    """Return the texts below the opened summary."""
    return driver.data(app, "summary_check")["texts"]


def test_the_model_is_asked_about_many_and_can_be_stopped(app: AppTest, monkeypatch):
    asked: list[str] = []

    def swaps(summarizer: object, encoded: object, summary: str) -> tuple[Fault, ...]:
        asked.append(summary)
        return (Fault("name_swap", 0, 3, (0,), "Another is more likely.", 1.5),)

    monkeypatch.setattr("core.faults.swaps.swap_faults", swaps)
    monkeypatch.setattr(asking, "BATCH", 1)
    brought(app, err_row="row-2")
    app.session_state[hints.OFF] = frozenset()
    driver.tick(app, table(app).key, 0, 2)
    with monkeypatch.context() as patch:
        patch.setattr("pages.shared.frame.sweep.run_again", lambda: None)  # the browser's next click comes first
        press(app, "ask_many")
        assert len(asked) == 1
        press(app, "stop_swaps")
    assert len(asked) == 1 and "ask_many" in [each.key for each in app.button]
    press(app, "start_swaps")
    assert asked == [OWN[0], OWN[2]] and "Name swap" in " ".join(said(app))
    driver.tick(app, table(app).key)
    assert app.button(key="ask_many").label == "Ask the model about 1 summary"
    press(app, "ask_many")
    assert asked[2:] == [OWN[1]] and app.button(key="ask_many").disabled


def test_500_rows_are_judged_saved_and_opened_again_without_loss(app: AppTest, monkeypatch):
    monkeypatch.setattr(summaries, "BATCH", ROWS)
    brought(app, many())
    choose(app, "err_sort", "rouge1.up")
    order = list(table(app).value["Id"])
    for first in range(0, ROWS, 100):
        pressed: list[str | tuple[str, str]] = []
        for place in range(first, first + 100):
            pressed += ["next", "correct" if place % 4 == 3 else ("tag", TAGS[place % 4])]
        keys(app, *pressed, first=2 * first + 1)
    want = {id: "no error" if place % 4 == 3 else TAGS[place % 4] for place, id in enumerate(order)}
    assert labelled(app) == want and bar(app)["judged"] == ROWS and bar(app)["row"] == order[-1]
    label(app, "a “note”: *this*", [*TAGS[:2], "my own"])
    choose(app, "err_kind", f"tag:{TAGS[1]}")
    assert driver.data(app, "leaving") == {"unsaved": True}
    content = files(app, "errors_save_session")
    before = app.session_state
    again = another(app)
    driver.open_link("pages/errors.py", again)
    upload(again, content, "work.session.json")
    after = again.session_state
    assert after[labels.BOOK] == before[labels.BOOK] and len(after[labels.BOOK]) == ROWS
    assert after[data.FILES] == before[data.FILES]
    for name in ("err_data", "err_by", "err_row", "err_kind", "err_sort", "err_find", "err_columns", "err_off"):
        assert after[name] == before[name], name
    assert list(table(again).value["Id"]) == list(table(app).value["Id"]) and opened(again) == opened(app)
    assert noted_box(again).value == "a “note”: *this*"
    assert driver.data(again, "leaving") == {"unsaved": False} and "All of it is saved as a file" in captions(again)
    assert files(again, "errors_save_session") == content
    keys(again, "undo")
    assert again.session_state[labels.BOOK] == {}, "opening a session can be taken back"


def test_the_models_summaries_are_saved_and_other_weights_are_named(app: AppTest):
    brought(app, lines(own=(None, None, None)), err_row="row-1", err_by="model", strategy="beam", beam=2)
    keys(app, "correct", row="row-1")
    content = files(app, "errors_save_session")
    again = another(app)
    driver.open_link("pages/errors.py", again)
    upload(again, content, "work.session.json")
    assert again.session_state["beam"] == 2 and opened(again) == opened(app) and bar(again)["correct"]
    other = content.replace(json.loads(content)["scored"]["weights"], "f00" * 20)
    third = another(app)
    driver.open_link("pages/errors.py", third)
    upload(third, other, "work.session.json")
    assert "written by the weights f00f00f00f00; tiny has" in noted(third)
    assert third.session_state[labels.BOOK].keys() == app.session_state[labels.BOOK].keys()


def test_a_session_that_asks_in_vain_is_told_so_and_replaces_only_what_it_names(app: AppTest):
    brought(app, err_row="row-0")
    keys(app, ("tag", "Invented"), "next", "correct", row="")
    content = json.loads(files(app, "errors_save_session"))
    content["labels"] = content["labels"][:1]
    content["choices"] |= {"err_by": "nobody", "checkpoint": "gone", "colour": 3}
    content["more"] = 1
    keys(app, "back", "correct", first=4)
    upload(app, json.dumps(content), "work.session.json")
    assert labelled(app) == {"row-0": "Invented", "row-1": "no error"}
    for part in (
        "1 summary had other labels here", "err_by = 'nobody'", "checkpoint = 'gone'", "does not know", "colour",
        "more",
    ):  # fmt: skip
        assert part in noted(app), part
    book = app.session_state[labels.BOOK]
    upload(app, json.dumps(content | {"format": 2}), "work.session.json")
    assert "format must be 1 to 1" in app.error[0].value and app.session_state[labels.BOOK] == book


def test_more_labels_than_a_session_holds_are_refused(app: AppTest, monkeypatch):
    monkeypatch.setattr("core.limits.FULL", replace(limits(), labelled_summaries=1))
    brought(app, err_row="row-0")
    keys(app, "correct", row="row-0")
    driver.trigger(app, label_keys.BAR, "acts", acts("correct", first=2, row="row-1"), may_refuse=True)
    assert "2 summaries" in app.error[0].value and labelled(app) == {"row-0": "no error"}
