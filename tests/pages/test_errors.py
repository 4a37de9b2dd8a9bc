"""The Errors page in this process: what it shows comes from the core; it follows ids and loses no label."""

import json
import re
import threading
from dataclasses import replace
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.config import DecodeSettings
from core.evaluation import label_file, written
from core.faults import measure, token_calibration
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.scoring.rouge import rouge
from core.text.examples import load_examples
from pages.parts.errors import data, hints, labels, summaries
from pages.shared.model import models
from pages.shared.session import selection
from tests.layering import ROOT
from tests.pages import driver, errors
from tests.pages.driver import another, captions, chart, choose, click, press, trigger
from tests.pages.errors import OWN, arrive, brought, check, click_row, label, lines, marked, opened, said, table, upload

KEPT = ROOT / "checkpoints" / "dialoscope" / checkpoints.WRITTEN
WAITING = "The model is getting ready"


def ids(app: AppTest) -> list[str]:
    """The rows of the table."""
    return list(table(app).value["Id"])


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is still being loaded."""
    job = SimpleNamespace(summarizer=None, error=None, stage=1, seconds=2.0, done=threading.Event())
    monkeypatch.setattr(models, "job", lambda *_: job)


def test_a_model_that_loads_and_kept_nothing_has_nothing_to_show(app: AppTest, loading: None):
    assert WAITING in driver.said(arrive(app)) and not app.dataframe


@pytest.mark.parametrize("view", ["examples", "spread", "slices", "hints", "compare", "calibration"])
def test_what_the_model_wrote_before_is_there_while_it_loads(
    app: AppTest, loading: None, monkeypatch: pytest.MonkeyPatch, view: str
):
    kept, read = json.loads(KEPT.read_text("utf-8")), written.read

    def as_its_own(values: dict[str, Any], weights: str, settings: DecodeSettings) -> Any:
        return read(values | {"weights": weights, "decoding": settings.to_dict()}, weights, settings)

    monkeypatch.setattr(checkpoints, "read_written", lambda _: kept)
    monkeypatch.setattr(written, "read", as_its_own)
    arrive(app, err_row="leaking-tap", err_view=view)
    if view == "examples":
        assert ids(app) == [each.id for each in load_examples()] and WAITING not in driver.said(app)
        assert opened(app) == kept["rows"]["leaking-tap"]["summary"]


def test_the_model_writes_the_bundled_dialogues(app: AppTest):
    arrive(app, strategy="beam")
    shown, examples = table(app).value, load_examples()
    assert ids(app) == [each.id for each in examples]
    scores = [rouge(text, each.references).rouge1 for text, each in zip(shown["Summary"], examples, strict=True)]
    assert list(shown["ROUGE-1"]) == pytest.approx(scores) and "Entropy (nats)" in shown.columns
    metrics = {each.label: each.value for each in app.metric}
    assert metrics["Summaries"] == str(len(examples)) and metrics["ROUGE-1"] == f"{fmean(scores):.2f}"
    assert "The summaries come from tiny, beam" in captions(app) and "In this session" not in captions(app)


def test_a_click_on_a_slice_lists_its_summaries(app: AppTest):
    arrive(app, err_view="slices", strategy="beam")
    drawn = [each["text"] for each in chart(app, "errors_slices_picture")["layout"]["annotations"]]
    name, amount = [text for text in drawn if "summaries" in text][1].rsplit(" · ", 1)
    click(app, "errors_slices_picture", 1)
    assert len(table(app, "errors_slice_1").value) == int(amount.split()[0]) and app.header[0].value == name


def test_two_strategies_are_compared_summary_by_summary(app: AppTest):
    arrive(app, err_view="compare", err_against="greedy:tiny", strategy="beam")
    amount = len(load_examples())
    assert sum(len(trace["x"]) for trace in chart(app, "errors_paired_picture")["data"]) == amount
    assert "ROUGE-1 of tiny, beam" in captions(app)
    assert f"than of tiny, greedy on average over {amount} dia" in captions(app)
    click(app, "errors_paired_picture", 3)
    kinds = {kind for kind, _ in driver.data(app, "word_diff")["changes"]}
    assert kinds and kinds <= {"same", "removed", "added"}


# A file --------------------------------------------------------------------------------------------------------------


def test_another_systems_summaries_are_scored_and_its_texts_are_no_markup(app: AppTest):
    upload(arrive(app), lines(id=("<b>*x*", "row", "row")), "<u>*.jsonl")
    assert app.selectbox(key="err_data").options[-1] == "<u>*.jsonl (3 rows)"
    assert any("\\<u\\>\\*\\.jsonl" in each.value for each in app.caption)
    want = fmean(rouge(own, [reference]).rouge1 for own, reference in zip(OWN, errors.REFERENCES, strict=True))
    assert {each.label: each.value for each in app.metric}["ROUGE-1"] == f"{want:.2f}"
    assert "Entropy (nats)" not in table(app).value.columns  # nobody knows the other system's probabilities
    assert "1 file. Other pages and Back keep them; **a reload or a closed tab loses them**" in captions(app)
    assert driver.data(app, "leaving") == {"unsaved": True}
    warnings = " ".join(each.value for each in app.warning).replace("\\", "")
    assert "1 row had the id of an earlier row and got a new one: the second “row” is “row (2)” here." in warnings
    click_row(app, "<b>*x*")
    assert app.header[0].value == "\\<b\\>\\*x\\* · keys"


def test_a_file_of_our_own_says_which_model_wrote_it_and_of_what(app: AppTest):
    upload(arrive(app), lines(prediction=(None, None, None)), "mine.jsonl")
    file = errors.saved(app, "export_rows")
    origins = [json.loads(line)["origin"] for line in file.splitlines()]
    assert {(each["checkpoint"], each["source"]) for each in origins} == {("tiny", "mine.jsonl")}
    assert [each["row"] for each in origins] == [1, 2, 3]
    again = upload(arrive(another(app)), file, "scored.jsonl")
    assert re.search(r"The summaries come from tiny, .+, from the file scored.jsonl", captions(again).replace("\\", ""))
    click_row(again, "row-1")
    assert re.search(r"written by tiny, .+ row 2 of mine.jsonl, on 20\d\d-", captions(again).replace("\\", ""))


def test_hints_of_a_summary_can_be_turned_off(app: AppTest, monkeypatch):
    found = measure.shipped()
    scores = tuple(replace(each, right=0) if each.kind == "omitted_turn" else each for each in found.scores)
    monkeypatch.setattr(measure, "shipped", lambda: replace(found, scores=scores))
    brought(app, err_row="row-2", err_view="hints")
    assert {"New name", "New number"} <= set(said(app)) and all(each["measured"] for each in check(app)["faults"])
    assert opened(app) == OWN[2] and [turn["name"] for turn in check(app)["turns"]] == ["Eve", "Fay"]
    assert re.search(r"off unless you turn it on: [^.]*Omitted turn", captions(app))
    pills = app.button_group(key="detector_switches")
    pills.set_value([each for each in pills.value if each != "novel_name"]).run()
    assert "New name" not in said(app) and "New number" in said(app)


def test_a_file_is_compared_with_the_model_and_not_with_itself(app: AppTest):
    brought(app, err_view="compare")
    assert "the file" not in app.selectbox(key="err_against").options
    choose(app, "err_against", "greedy:tiny")
    assert "ROUGE-1 of the file others.jsonl is" in captions(app)
    click(app, "errors_paired_picture", 1)
    assert opened(app) == OWN[1] and any(each.value.endswith("tiny, greedy.") for each in app.markdown)


def test_the_model_writes_what_a_file_lacks_or_all_of_it(app: AppTest):
    brought(app, lines(prediction=("They talk.", None, None)))
    mixed = list(table(app).value["Summary"])
    assert mixed[0] == "They talk." and mixed[1] and "the file others.jsonl, else tiny" in captions(app)
    choose(app, "err_by", "model")
    written = list(table(app).value["Summary"])
    assert written[0] not in ("", "They talk.") and written[1:] == mixed[1:]


@pytest.mark.parametrize("way", ["up", "down"])
def test_the_marked_row_is_the_opened_one_in_any_order(app: AppTest, way: str):
    brought(app, err_sort=f"rouge1.{way}")
    click_row(app, "row-2")
    assert opened(app) == OWN[2] and marked(app) == ["row-2"] and app.query_params["err_row"] == "row-2"
    scores = list(table(app).value["ROUGE-1"])
    assert scores == sorted(scores, reverse=way == "down") and len(set(scores)) == 3


def test_a_search_finds_words_of_all_texts_and_leaves_the_opened_row(app: AppTest):
    brought(app, err_row="row-2")
    for text, found in (("guard", ["row-0"]), ("TRAIN nine", ["row-1"]), ("costs", ["row-2"])):
        app.text_input(key="err_find").set_value(text).run()
        assert ids(app) == found
        assert marked(app) == (found if found == ["row-2"] else []) and opened(app) == OWN[2]
    app.text_input(key="err_find").set_value("zzz").run()
    assert any("No summary fits" in each.value for each in app.info)


def test_a_click_on_a_point_opens_its_row(app: AppTest):
    click(brought(app, err_view="spread"), "errors_scatter_picture", 1)
    choose(app, "err_view", "examples")
    assert marked(app) == ["row-1"] and opened(app) == OWN[1]


# Labels --------------------------------------------------------------------------------------------------------------


def test_a_hint_is_judged_and_what_cannot_be_judged_is_not(app: AppTest):
    brought(app, err_row="row-2")
    number = list(said(app)).index("New number")
    for ignored in ({"fault": 99, "verdict": "right"}, {"fault": 0, "verdict": "<b>"}):
        trigger(app, "summary_check", "judged", ignored)
    assert set(said(app).values()) == {""}
    trigger(app, "summary_check", "judged", {"fault": number, "verdict": "right"})
    assert table(app).value["Labels"][2] == "1 confirmed"
    trigger(app, "summary_check", "judged", {"fault": number, "verdict": ""})
    assert app.session_state[labels.BOOKS] == {}


def test_labels_are_filtered_by(app: AppTest):
    brought(app, err_row="row-0")
    trigger(app, "summary_check", "judged", {"fault": 0, "verdict": "right"})
    label(app, "Anna, not Ben", ["wrong person", " "])
    assert list(table(app).value["Labels"]) == ["1 confirmed; wrong person; Anna, not Ben", "", ""]
    for kind in ("tagged", "noted", "judged", "confirmed"):
        choose(app, "err_kind", f"said:{kind}")
        assert ids(app) == ["row-0"]


def test_labels_are_saved_and_read_again(app: AppTest):
    brought(app, err_row="row-0")
    label(app, "Anna, not Ben", ["wrong person"])
    saved = label_file.to_jsonl(app.session_state[labels.BOOKS])
    assert saved.count('"checkpoint": "others.jsonl"') == 1
    for content, told in ((lines(), "labels none of the summaries"), (saved, "Labels of 1 summary were read")):
        upload(app, content, box="labels_upload")
        assert any(told in each.value for each in (*app.error, *app.success))
    assert list(app.session_state[labels.BOOKS][""]) == [("row-0", errors.DIALOGUES[0], OWN[0])]


def test_the_model_is_asked_about_swaps_and_all_rows_hold_its_hints(app: AppTest, monkeypatch):
    brought(app, err_row="row-0")
    label(app, "a note", ["odd"])
    swap = Fault("name_swap", 0, 3, (0,), Evidence("Anna is more likely."), 1.5)
    monkeypatch.setattr("core.faults.swaps.swap_faults", lambda *_: (swap,))
    app.session_state[hints.OFF] = frozenset()
    press(app, "ask_swaps")
    assert not [each for each in app.button if each.key == "ask_swaps"]
    file = errors.saved(app, "export_rows")  # made when it is clicked
    rows = [json.loads(line) for line in file.splitlines()]
    assert [row["id"] for row in rows] == ["row-0", "row-1", "row-2"] and all(row["rouge"] for row in rows)
    assert "name_swap" in {hint["kind"] for hint in rows[0]["faults"]} and rows[2]["faults"]
    again = upload(arrive(another(app), err_row="row-0"), file, "all.jsonl")
    again.session_state[hints.OFF] = frozenset()
    click_row(again, "row-0")
    assert "Anna is more likely." in {hint["evidence"] for hint in check(again)["faults"]}
    assert errors.noted_box(again).value == "a note"


def test_calibration_of_the_references_counts_every_token(app: AppTest, monkeypatch):
    monkeypatch.setattr(token_calibration, "SHOWN", 1)
    brought(app, lines(prediction=(None, None, None)), err_view="calibration", err_calibration="reference")
    press(app, "start_calibration")
    amount = sum(
        len(driver.tiny().force(*each).steps) for each in zip(errors.DIALOGUES, errors.REFERENCES, strict=True)
    )
    assert f"over {amount} tokens" in captions(app)
    bins = chart(app, "errors_reliability_picture")["data"][1]["x"]
    choose(app, "errors_bins", "equal mass")
    assert len(chart(app, "errors_reliability_picture")["data"][1]["x"]) > len(bins)


def test_only_a_model_that_writes_here_can_be_calibrated(app: AppTest):
    brought(app, err_view="calibration")
    assert any("Only a model that writes here" in each.value for each in app.info)


def test_the_example_opens_on_another_page(app: AppTest, visited):
    brought(app, err_row="row-1")
    for page, more in (("attention", {"given"}), ("bertscore", {"bert_text", "bert_candidate"})):
        press(app, f"open_{page}")
        place, asked = visited[-1]
        assert (place, {*asked}) == (f"pages/{page}.py", {"input", "t"} | more)
        own = app.session_state[selection.DIALOGUE]
        assert (own.text, own.references) == (errors.DIALOGUES[1], (errors.REFERENCES[1],))
    assert app.session_state["bert_text"] == OWN[1] and app.session_state["bert_candidate"] == "own"
    assert selection.INPUT.name in app.session_state


# Without a page ------------------------------------------------------------------------------------------------------


def test_the_data_folder_is_a_setting(monkeypatch, tmp_path):
    monkeypatch.setenv(data.FOLDER, str(tmp_path))
    assert data._folder() is None
    file = tmp_path / "data" / "dialogsum" / "validation.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(lines())
    assert data._folder() == file
    monkeypatch.delenv(data.FOLDER)
    assert data._folder() is None


def test_what_is_kept_is_shown_before_the_model_begins_to_load(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = SimpleNamespace(complete=True)
    monkeypatch.setattr(summaries, "of_model", lambda *_: kept)
    monkeypatch.setattr(models, "identity", lambda name: f"{name}@never")
    monkeypatch.setattr(models, "job", lambda name: pytest.fail("the load was begun"))
    assert summaries.of_current(None, "tiny", DecodeSettings()) is kept
