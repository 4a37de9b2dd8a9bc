"""The Errors page in this process: what it shows comes from the core; it follows ids and loses no label."""

import json
from statistics import fmean

import pytest
from streamlit.testing.v1 import AppTest, app_test

from core.evaluation.verdicts import to_jsonl
from core.faults import calibration
from core.faults.fault import Fault
from core.scoring.rouge import rouge
from core.text.examples import load_examples
from pages.parts.errors import data, hints, labels
from pages.shared.frame import selection
from tests.pages import driver
from tests.pages.driver import Settled, another, captions, chart, choose, click, healthy, noted, press, tiny, trigger
from tests.pages.errors import (
    DIALOGUES,
    OWN,
    REFERENCES,
    arrive,
    brought,
    check,
    judge,
    lines,
    metrics,
    note,
    opened,
    say,
    table,
    tick,
    ticked,
    upload,
    verdicts,
)  # fmt: skip


def warned(app: AppTest) -> str:
    """Every warning, without what keeps users' text from being Markdown."""
    return " ".join(each.value for each in app.warning).replace("\\", "")


def saved(app: AppTest) -> str:
    return to_jsonl(app.session_state[labels.BOOK])


def test_the_model_writes_the_bundled_dialogues_to_slice_and_to_compare(app: AppTest):
    arrive(app, strategy="beam")
    shown, examples = table(app).value, load_examples()
    assert list(shown["Id"]) == [each.id for each in examples]
    scores = [rouge(text, each.references).rouge1 for text, each in zip(shown["Summary"], examples, strict=True)]
    assert metrics(app)["Summaries"] == "25" and metrics(app)["ROUGE-1"] == f"{fmean(scores):.2f}"
    assert list(shown["ROUGE-1"]) == pytest.approx(scores) and "Entropy (nats)" in shown.columns
    assert "The summaries come from tiny, beam" in captions(app) and "In this session" not in captions(app)
    choose(app, "err_view", "slices")
    drawn = [each["text"] for each in chart(app, "errors_slices_picture")["layout"]["annotations"]]
    name, amount = [text for text in drawn if "summaries" in text][1].rsplit(" · ", 1)
    click(app, "errors_slices_picture", 1)
    assert len(table(app, "errors_slice_turns_1").value) == int(amount.split()[0])
    assert app.header[0].value == name
    choose(app, "err_view", "compare")
    choose(app, "err_against", "greedy:tiny")
    assert sum(len(trace["x"]) for trace in chart(app, "errors_paired_picture")["data"]) == 25
    assert "ROUGE-1 of tiny, beam" in captions(app) and "than of tiny, greedy on average over 25 dia" in captions(app)
    click(app, "errors_paired_picture", 3)
    kinds = {kind for kind, _ in driver.data(app, "word_diff")["changes"]}
    assert kinds and kinds <= {"same", "removed", "added"}


def test_another_systems_summaries_are_scored_hinted_at_and_compared(app: AppTest):
    upload(arrive(app), lines())
    shown = table(app).value
    assert list(shown["Summary"]) == list(OWN)
    want = fmean(rouge(own, [reference]).rouge1 for own, reference in zip(OWN, REFERENCES, strict=True))
    assert metrics(app)["ROUGE-1"] == f"{want:.2f}" and "the file others.jsonl" in captions(app)
    assert "Entropy (nats)" not in shown.columns  # nobody knows the other system's probabilities
    assert "1 file. Other pages and Back keep them; **a reload or a closed tab loses them**" in captions(app)
    assert driver.data(app, "leaving") == {"unsaved": True}
    tick(app, "row-2")
    assert {"New name", "New number"} <= set(verdicts(app)) and all(each["measured"] for each in check(app)["faults"])
    assert opened(app) == OWN[2] and [turn["name"] for turn in check(app)["turns"]] == ["Eve", "Fay"]
    choose(app, "err_view", "hints")
    assert "off unless you turn it on: New word" in captions(app)
    pills = app.button_group(key="detector_switches")
    pills.set_value([each for each in pills.value if each != "novel_name"]).run()
    healthy(app)
    assert "New name" not in verdicts(app) and "New number" in verdicts(app)
    choose(app, "err_view", "calibration")
    assert any("Only our own models" in each.value for each in app.info)
    choose(app, "err_view", "compare")
    choose(app, "err_against", "greedy:tiny")
    assert "ROUGE-1 of the file others.jsonl is" in captions(app)
    click(app, "errors_paired_picture", 1)
    assert opened(app) == OWN[1]
    assert any(each.value.endswith("tiny, greedy.") and "others\\.jsonl" in each.value for each in app.markdown)


def test_the_model_writes_what_a_file_lacks_or_all_of_it(app: AppTest):
    rows = [{"id": each.id, "dialogue": each.dialogue, "references": each.references} for each in load_examples()[:2]]
    rows[0]["prediction"] = "They talk."
    brought(app, "".join(json.dumps(row) + "\n" for row in rows))
    mixed = list(table(app).value["Summary"])
    assert mixed[0] == "They talk." and mixed[1] and "the file others.jsonl, else tiny" in captions(app)
    choose(app, "err_by", "model")
    written = list(table(app).value["Summary"])
    assert written[0] not in ("", "They talk.") and written[1] == mixed[1]


def test_the_ticked_row_is_the_opened_one_in_any_order_and_after_a_search(app: AppTest):
    brought(app)
    tick(app, "row-2")
    assert opened(app) == OWN[2] and ticked(app) == ["row-2"] and app.query_params["err_row"] == "row-2"
    scores = list(table(app).value["ROUGE-1"])
    for way, order in (("up", sorted(scores)), ("down", sorted(scores, reverse=True))):
        choose(app, "err_sort", f"rouge1.{way}")
        assert list(table(app).value["ROUGE-1"]) == order and len(set(order)) == 3
        assert ticked(app) == ["row-2"] and opened(app) == OWN[2]
    choose(app, "err_sort", "")
    for text, ids in (("guard", ["row-0"]), ("TRAIN nine", ["row-1"]), ("costs", ["row-2"])):
        app.text_input(key="err_find").set_value(text).run()
        assert list(table(app).value["Id"]) == ids
        assert ticked(app) == (ids if ids == ["row-2"] else []) and opened(app) == OWN[2]
    app.text_input(key="err_find").set_value("zzz").run()
    assert any("No summary fits" in each.value for each in app.info)
    app.text_input(key="err_find").set_value("").run()
    choose(app, "err_view", "spread")
    click(app, "errors_scatter_picture", 1)
    choose(app, "err_view", "examples")
    assert ticked(app) == ["row-1"] and opened(app) == OWN[1]


def test_of_two_rows_with_one_id_the_second_opens_itself_and_keeps_its_note(app: AppTest):
    upload(arrive(app), lines(ids=("a", "a", "a (2)")), "odd_*.jsonl")
    assert "1 row had the id of an earlier row and got a new one: the second “a” is “a (3)” here." in warned(app)
    tick(app, "a (3)")
    assert opened(app) == OWN[1]
    say(app, [], "the second")
    assert list(table(app).value["Labels"]) == ["", "the second", ""]
    assert app.selectbox(key="err_data").options[1] == "odd_*.jsonl (3 rows)"  # a list shows no Markdown
    choose(app, "err_view", "compare")
    assert "the file odd" not in app.selectbox(key="err_against").options  # not with itself


def test_a_link_that_asks_in_vain_is_told_so(app: AppTest):
    arrive(app, err_row="nowhere", err_data="0123", err_by="file", err_kind="none", err_sort="none")
    for part in ("row nowhere", "Bring the file again", "filter none", "order none"):
        assert part in noted(app)
    with pytest.raises(LookupError):
        check(app)
    link = another(app)
    arrive(link, err_view="spread", err_x="none", err_y="none", err_row=load_examples()[2].id)
    assert noted(link).count("measure none") == 1  # said once, though both ask for it
    assert check(link)["turns"][0]["name"] == load_examples()[2].dialogue.split(":")[0]


def test_labels_are_kept_filtered_by_and_read_again_in_a_new_session(app: AppTest):
    brought(app)
    tick(app, "row-2")
    for nonsense in ({"fault": 99, "verdict": "right"}, {"fault": 0, "verdict": "<b>"}):
        trigger(app, "summary_check", "judged", nonsense)
    assert set(verdicts(app).values()) == {""}
    judge(app, "New name", "right")
    judge(app, "New number", "wrong")
    tick(app, "row-0")
    say(app, ["wrong person", " "], "Anna, not Ben")
    assert list(table(app).value["Labels"]) == ["wrong person; Anna, not Ben", "", "1 confirmed; 1 rejected"]
    assert {json.loads(line)["checkpoint"] for line in saved(app).splitlines()} == {"others.jsonl"}
    for kind, ids in (("tagged", ["row-0"]), ("noted", ["row-0"]), ("judged", ["row-2"]), ("confirmed", ["row-2"])):
        choose(app, "err_kind", f"said:{kind}")
        assert list(table(app).value["Id"]) == ids

    new = another(app)
    upload(brought(new, err_row="row-0"), saved(app), box="labels_upload_0")
    assert any("Labels of 2 summaries were read" in each.value for each in new.success)
    assert saved(new) == saved(app) and note(new).value == "Anna, not Ben"
    tick(new, "row-2")
    assert verdicts(new)["New name"] == "right" and verdicts(new)["New number"] == "wrong"
    judge(new, "New name", "")
    judge(new, "New number", "")
    assert "row-2" not in saved(new)
    upload(new, lines(), box="labels_upload_1")
    assert any("labels none of the summaries" in each.value for each in new.error)


def test_the_model_is_asked_about_swaps_and_all_rows_hold_its_hints(app: AppTest, monkeypatch):
    brought(app, err_row="row-0")
    say(app, ["odd"], "a note")
    swap = Fault("name_swap", 0, 3, (0,), "Anna is more likely.", 1.5)
    monkeypatch.setattr("core.faults.swaps.swap_faults", lambda *_: (swap,))
    app.session_state[hints.OFF] = frozenset()
    press(app, "ask_swaps")
    assert not [each for each in app.button if each.key == "ask_swaps"]
    made: dict = {}
    with monkeypatch.context() as patch:
        patch.setattr("streamlit.download_button", lambda label, data, *_, key, **__: made.update({key: data}))
        app.run()
    file = made["export_rows"]()  # made when it is clicked
    rows = [json.loads(line) for line in file.splitlines()]
    assert [row["id"] for row in rows] == ["row-0", "row-1", "row-2"] and all(row["rouge"] for row in rows)
    assert "name_swap" in {hint["kind"] for hint in rows[0]["faults"]} and rows[2]["faults"]
    assert rows[0]["note"] == "a note" and rows[0]["checkpoint"] == "others.jsonl" and rows[1]["tags"] == []
    again = upload(arrive(another(app)), file, "all.jsonl")
    tick(again, "row-0")
    assert note(again).value == "a note"
    again.session_state[hints.OFF] = frozenset()
    assert "Anna is more likely." in {hint["evidence"] for hint in check(again.run())["faults"]}


def test_calibration_of_the_references_counts_every_token(app: AppTest, monkeypatch):
    monkeypatch.setattr(calibration, "SHOWN", 1)
    brought(app, lines(predictions=False), err_view="calibration", err_calibration="reference")
    press(app, "start_calibration")
    amount = sum(len(tiny().force(*each).steps) for each in zip(DIALOGUES, REFERENCES, strict=True))
    assert f"over {amount} tokens" in captions(app)
    bins = chart(app, "errors_reliability_picture")["data"][1]["x"]
    choose(app, "errors_bins", "equal mass")
    assert len(chart(app, "errors_reliability_picture")["data"][1]["x"]) > len(bins)


def test_the_example_opens_on_another_page(app: AppTest, monkeypatch):
    brought(app, err_row="row-1")
    visited = []
    monkeypatch.setattr("streamlit.switch_page", lambda page, query_params: visited.append((page, {*query_params})))
    monkeypatch.setattr(app_test, "PagesManager", Settled)  # or the run of the click would only find the frame
    for page in ("attention", "bertscore"):
        app.button(key=f"open_{page}").click().run()
        own = app.session_state[selection.DIALOGUE]
        assert (own.text, own.references) == (DIALOGUES[1], (REFERENCES[1],))
    another_systems = {"bert_text", "bert_candidate"}
    assert visited == [
        ("pages/attention.py", {"input", "t"}), ("pages/bertscore.py", {"input", "t"} | another_systems)
    ]  # fmt: skip
    assert app.session_state["bert_text"] == OWN[1] and app.session_state["bert_candidate"] == "own"
    assert selection.INPUT.name in app.session_state


def test_text_of_a_user_is_never_markup(app: AppTest):
    row = {"id": "<b>*x*", "dialogue": "Eve: <i>hi</i> $a$", "summary": "[x](y)", "prediction": "<script>"}
    brought(app, json.dumps(row), "<u>*.jsonl", err_row="<b>*x*")
    assert app.header[0].value == "\\<b\\>\\*x\\*"
    assert any("\\[x\\]\\(y\\)" in each.value for each in app.markdown)
    assert any("\\<u\\>\\*\\.jsonl" in each.value for each in app.caption)
    assert app.selectbox(key="err_data").options[1] == "<u>*.jsonl (1 row)"


def test_the_data_folder_is_a_setting(monkeypatch, tmp_path):
    monkeypatch.delenv(data.FOLDER, raising=False)
    assert data._folder() is None
    monkeypatch.setenv(data.FOLDER, str(tmp_path))
    assert data._folder() is None
    file = tmp_path / "data" / "dialogsum" / "validation.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(lines(False))
    assert data._folder() == file
