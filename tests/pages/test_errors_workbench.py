"""Judging many summaries on the Errors page: by keys, many at once, by the model; the session as a file."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.evaluation import label_file, verdicts
from core.evaluation.verdicts import ERROR_TAGS, Mark
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from pages.parts.errors import asking, data, hints, label_keys, labels, summaries
from tests.pages import driver, errors
from tests.pages.components import given
from tests.pages.driver import another, captions, choose, enter, noted, press
from tests.pages.errors import OWN, arrive, brought, click_row, label, lines, opened, said, saved, table, upload

TAGS = list(ERROR_TAGS)
ROWS = 40


def keys(app: AppTest, *pressed: Any, mount: int = 1, first: int = 1, row: str = "", may_refuse=False) -> AppTest:
    """Press keys one after the other; each is an action, or an action, a tag and words; `row` is the row that is seen.

    Words have their turn, -1 for the summary, and their first and last characters.
    """
    found = []
    for number, each in enumerate(pressed, first):
        what, tag, *words = (each, "") if isinstance(each, str) else each
        act = {"number": number, "what": what, "tag": tag, "row": row}
        places = [dict(zip(("turn", "start", "end"), place, strict=True)) for place in words]
        found.append(act | ({"words": places} if places else {}))
    return driver.trigger(app, label_keys.BAR, "acts", {"mount": mount, "list": found}, may_refuse)


def bar(app: AppTest) -> dict:
    """Return what the bar shows."""
    return driver.data(app, "label_bar")


def labelled(app: AppTest) -> dict[str, str]:
    """Return all labels of the session by id, in words."""
    return {about[0]: str(entry) for about, entry in app.session_state[labels.BOOKS].get("", {}).items()}


def many(count: int = ROWS) -> str:
    """A data set of different dialogues with another system's summaries."""
    rows = (
        {
            "id": f"row-{number:03}",
            "dialogue": f"Anna: The train number {number} leaves at nine.\nBen: Then we have {number} minutes.",
            "summary": f"Ben has {number} minutes until the train leaves.",
            "prediction": f"Anna asks Zelda for train {number + number % 3}.",
        }
        for number in range(count)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def tag(app: AppTest, name: str) -> AppTest:
    """Set a tag for what is ticked or shown."""
    app.selectbox(key="err_bulk_tag").set_value(name).run()
    return press(app, "bulk_Set")


def state(app: AppTest) -> str:
    """What is listed, labelled, open and said."""
    tags = [each.value for each in app.multiselect if each.label == "Tags"]
    said = [each.value for each in app.caption if re.search(" (set|away) for|Taken back", each.value)]
    listed = [row for each in app.dataframe if str(each.key).startswith("errors_table_") for row in each.value["Id"]]
    book = labelled(app) if labels.BOOKS in app.session_state else {}
    shown = {name: bar(app)[name] for name in ("row", "number", "judged", "done", "heard")}
    ticked = [each.label for each in app.selectbox if each.key == "err_bulk_tag"]
    return given({"rows": listed, "labels": book, "bar": shown, "tags": tags, "ticked": ticked, "said": said})


WALK = ("next", ("tag", "Invented"), ("tag", "Missing"), "next", "correct", "next", "next")
"""Two tags for the first row, no error in the second, and past the last one."""
WALKS: dict[str, tuple[dict[str, str], list[Callable[[AppTest], object]]]] = {
    "keys label nothing where no summary is open": ({}, [lambda app: keys(app, ("tag", "Invented"), mount=3)]),
    "what was sent again is not done again, a label is for the row that was seen, and both are taken back": ({}, [
        lambda app: keys(app, *WALK),
        lambda app: keys(app, *WALK),
        lambda app: keys(app, ("tag", "Missing"), first=8, row="row-0"),
        lambda app: keys(app, ("tag", TAGS[0]), "undo", "undo", mount=2),
    ]),
    "an error tag and “no error” take each other back; what is no tag and no action does nothing": (
        {"err_row": "row-1"}, [
        lambda app: keys(app, "correct", ("tag", "Broken language"), ("tag", "<b>"), "fly"),
        lambda app: keys(app, "correct", first=5),
    ]),
    "next goes on where the judged row was, and to what nobody judged": (
        {"err_kind": "said:open", "err_sort": "rouge1.down", "err_row": "row-1"}, [
        lambda app: keys(app, "correct", row="row-1"),
        lambda app: keys(app, "open", first=2),
        lambda app: keys(app, "correct", "open", "correct", "open", first=3),
        lambda app: choose(app, "err_kind", "said:correct"),
    ]),
    "many are tagged by ticks": ({"err_row": "row-1"}, [
        lambda app: label(app, "", ["my own"]),
        lambda app: driver.tick(app, table(app).key, 0, 2),
        lambda app: tag(app, "Invented"),
    ]),
    "many are tagged by the filter, and all is taken back step by step": ({"err_find": "guard"}, [
        lambda app: tag(app, "Invented"),
        lambda app: enter(app, "err_find", ""),
        lambda app: tag(app, "Invented"),
        lambda app: press(app, "bulk_No error"),
        lambda app: press(app, "bulk_Undo"),
        lambda app: press(choose(app, "err_kind", "tag:Invented"), "bulk_Take away"),
        lambda app: press(choose(app, "err_kind", ""), "bulk_Undo"),
        lambda app: press(app, "bulk_Undo"),
        lambda app: press(app, "bulk_Undo"),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("walk", WALKS)
def test_labels_after_each_step(app: AppTest, walk: str, snapshot: object):
    link, steps = WALKS[walk]
    states = [state(brought(app, **link))]
    for step in steps:
        step(app)
        states.append(state(app))
    assert "\n\n".join(states) == snapshot


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
    assert list(shown["Dialogue"]) == list(errors.DIALOGUES) and table(app).proto.row_height == 0
    app.button_group(key="err_columns_choice").set_value(["second", "measures"]).run()
    assert app.query_params["err_columns"] == "second,measures"
    choose(app, "err_texts", "whole")
    assert table(app).proto.row_height > 35


def test_a_second_system_stands_beside_the_first(app: AppTest):
    brought(app, err_columns="second,measures", err_against="greedy:tiny")
    written = list(table(app).value["Second system"])
    assert all(written) and "ROUGE-1" in table(app).value.columns
    click_row(app, "row-1")
    texts = driver.data(app, "summary_check")["texts"]
    assert [name for name, _ in texts] == ["Reference", "tiny, greedy"] and texts[1][1] == written[1]


def test_the_model_is_asked_about_many_and_can_be_stopped(app: AppTest, monkeypatch):
    asked: list[str] = []

    def swaps(summarizer: object, encoded: object, summary: str) -> tuple[Fault, ...]:
        asked.append(summary)
        return (Fault("name_swap", 0, 3, (0,), Evidence("Another is more likely."), 1.5),)

    monkeypatch.setattr("core.faults.swaps.swap_faults", swaps)
    monkeypatch.setattr(asking, "BATCH", 1)
    brought(app, err_row="row-2")
    app.session_state[hints.OFF] = frozenset()
    driver.tick(app, table(app).key, 0, 2)
    with monkeypatch.context() as patch:
        patch.setattr("pages.shared.model.sweep.run_again", lambda: None)  # the browser's next click comes first
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


def opened_again(app: AppTest, content: str) -> AppTest:
    """Open a saved session in a new one."""
    return upload(arrive(another(app)), content, "work.session.json")


def test_many_rows_are_judged_saved_and_opened_again_without_loss(app: AppTest, monkeypatch):
    monkeypatch.setattr(summaries, "BATCH", ROWS)
    brought(app, many())
    choose(app, "err_sort", "rouge1.up")
    order = list(table(app).value["Id"])
    for first in range(0, ROWS, 20):
        pressed: list[str | tuple[str, str]] = []
        for place in range(first, first + 20):
            pressed += ["next", "correct" if place % 4 == 3 else ("tag", TAGS[place % 4])]
        keys(app, *pressed, first=2 * first + 1)
    want = {id: "no error" if place % 4 == 3 else TAGS[place % 4] for place, id in enumerate(order)}
    assert labelled(app) == want and bar(app)["judged"] == ROWS and bar(app)["row"] == order[-1]
    label(app, "a “note”: *this*", [*TAGS[:2], "my own"])
    choose(app, "err_kind", f"tag:{TAGS[1]}")
    assert driver.data(app, "leaving") == {"unsaved": True}
    content = saved(app, "errors_save_session")
    before = app.session_state
    again = opened_again(app, content)
    after = again.session_state
    assert after[labels.BOOKS] == before[labels.BOOKS] and len(after[labels.BOOKS][""]) == ROWS
    assert after[data.FILES] == before[data.FILES]
    for name in ("err_data", "err_by", "err_row", "err_kind", "err_sort", "err_find", "err_columns", "err_off"):
        assert after[name] == before[name], name
    assert list(table(again).value["Id"]) == list(table(app).value["Id"]) and opened(again) == opened(app)
    assert errors.noted_box(again).value == "a “note”: *this*"
    assert driver.data(again, "leaving") == {"unsaved": False} and "All of it is saved as a file" in captions(again)
    assert saved(again, "errors_save_session") == content
    keys(again, "undo")
    assert again.session_state[labels.BOOKS] == {}, "opening a session can be taken back"


def test_the_models_summaries_are_saved_and_other_weights_are_named(app: AppTest):
    brought(app, lines(prediction=(None, None, None)), err_row="row-1", err_by="model", strategy="beam", beam=2)
    keys(app, "correct", row="row-1")
    content = saved(app, "errors_save_session")
    again = opened_again(app, content)
    assert again.session_state["beam"] == 2 and opened(again) == opened(app) and bar(again)["correct"]
    other = content.replace(json.loads(content)["scored"]["weights"], "f00" * 20)
    third = opened_again(app, other)
    assert "written by the weights f00f00f00f00; tiny has" in noted(third)
    assert third.session_state[labels.BOOKS][""].keys() == app.session_state[labels.BOOKS][""].keys()


def test_a_session_that_asks_in_vain_is_told_so_and_replaces_only_what_it_names(app: AppTest):
    brought(app, err_row="row-0")
    keys(app, ("tag", "Invented"), "next", "correct", row="")
    content = json.loads(saved(app, "errors_save_session"))
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
    book = app.session_state[labels.BOOKS]
    upload(app, json.dumps(content | {"format": 3}), "work.session.json")
    assert "format must be 1 to 2" in app.error[0].value and app.session_state[labels.BOOKS] == book


def test_more_labels_than_a_session_holds_are_refused(app: AppTest, set_limits):
    set_limits(labelled_summaries=1)
    brought(app, err_row="row-0")
    keys(app, "correct", row="row-0")
    keys(app, "correct", first=2, row="row-1", may_refuse=True)
    assert "2 summaries" in app.error[0].value and labelled(app) == {"row-0": "no error"}


def name(app: AppTest, who: str) -> None:
    next(each for each in app.text_input if each.label == "Your name").set_value(who).run()
    driver.healthy(app)


def test_words_get_a_label_and_lose_it(app: AppTest):
    brought(app, err_row="row-0")
    keys(app, ("tag", "Wrong person", (-1, 0, 3), (0, 7, 9)), row="row-0")
    (found,) = errors.check(app)["labels"]
    assert (found["label"], found["words"], found["turns"]) == ("Wrong person", "“Ben” · turn 1: “my”", [0])
    assert labelled(app) == {"row-0": "Wrong person"} and "“Wrong person: Ben” set for row-0" in bar(app)["done"]
    for number, wrong in enumerate([(-1, 0, 99), (7, 0, 1), (0, 3, 3)], 2):
        keys(app, ("tag", "Invented", wrong), first=number, row="row-0")
    assert labelled(app) == {"row-0": "Wrong person"}
    driver.trigger(app, "summary_check", "unmarked", 0)
    assert labelled(app) == {} and errors.check(app)["labels"] == []


def test_readers_label_apart_and_are_compared(app: AppTest):
    brought(app, err_row="row-0")
    keys(app, ("tag", "Invented"), "next", "correct", row="")
    name(app, " Anna  <b> ")
    assert {who: len(book) for who, book in app.session_state[labels.BOOKS].items()} == {"Anna <b>": 2}
    name(app, "Ben")
    assert labelled(app) == {} and bar(app)["judged"] == 0 and app.query_params["err_name"] == "Ben"
    keys(app, "back", ("tag", "Missing"), "next", "correct", first=4)
    name(app, "anna <B>")
    assert "Anna <b> has labels of 2 summaries here" in noted(app) and "such as Anna <b> (2)" in noted(app)
    choose(app, "err_view", "agreement")
    assert "On this all readers agree" in app.success[0].value  # that there is an error
    app.session_state["err_differ"] = 1
    shown = table(driver.healthy(app.run()) or app, "errors_differ_").value
    assert {title: list(shown[title]) for title in list(shown)[1:]} == {
        "Id": ["row-0"], "Summary": [OWN[0]], "Labels of Anna <b>": ["Invented"], "Labels of Ben": ["Missing"],
    }  # fmt: skip
    choose(app, "err_agree", "word")
    assert "press M beside a summary" in app.info[0].value, "only tags of whole summaries"
    books = app.session_state[labels.BOOKS]
    for who, end in (("Anna <b>", 3), ("Ben", 12)):  # “Ben”, and “Ben lost his”
        books[who] = {about: said.marked(Mark("Invented", 0, end)) for about, said in books[who].items()}
    app.session_state["err_differ"] = 0
    driver.healthy(app.run())
    assert driver.chart(app, "errors_agreement_picture")["data"][1]["customdata"] == [0, 1]
    shown = table(app, "errors_differ_").value
    assert "2 summaries with 15 words" in captions(app) and list(shown["Id"]) == ["row-0", "row-1"]
    assert shown["Labels of Ben"][0] == f"Invented: “{OWN[0][:12]}”"


def test_a_file_of_another_reader_of_the_name_is_read_under_a_free_one(app: AppTest):
    brought(app, err_row="row-0", err_name="Anna")
    keys(app, ("tag", "Invented"), row="row-0")
    mine = label_file.to_csv(app.session_state[labels.BOOKS])
    upload(app, mine, "mine.csv", box="labels_upload")
    assert list(app.session_state[labels.BOOKS]) == ["Anna"]
    upload(app, mine.replace("Invented", "Missing"), "theirs.csv", box="labels_upload")
    assert list(app.session_state[labels.BOOKS]) == ["Anna", "Anna (2)"]
    assert "under the name Anna (2)" in app.success[0].value.replace("\\", "")
    upload(app, mine.replace(OWN[0], OWN[1]), "other.csv", box="labels_upload")
    assert "words have changed: row-0" in app.success[0].value.replace("\\", "")
