"""The Errors page in this process: it shows what the core computes, follows ids, and loses no label."""

import json
from statistics import fmean

import pytest
from streamlit.testing.v1 import AppTest, app_test

from core.faults import calibration
from core.scoring.rouge import rouge
from core.text.examples import load_examples
from pages.parts.errors import hints, labels
from pages.shared.frame import model, selection
from tests.pages.driver import (
    Settled,
    another,
    captions,
    chart,
    choose,
    click,
    healthy,
    noted,
    press,
    trigger,
)  # fmt: skip
from tests.pages.driver import data as sent
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
    opened,
    saved,
    say,
    table,
    tick,
    ticked,
    upload,
)  # fmt: skip


def said(number: float) -> str:
    return f"{number:.2f}"


def warned(app: AppTest) -> str:
    """Every warning, without what keeps users' text from being Markdown."""
    return " ".join(each.value for each in app.warning).replace("\\", "")


def test_the_model_writes_the_bundled_dialogues_and_a_slice_lists_its_rows(app: AppTest):
    arrive(app)
    shown = table(app).value
    assert list(shown["Id"]) == [each.id for each in load_examples()]
    scores = [
        rouge(summary, each.references).rouge1 for summary, each in zip(shown["Summary"], load_examples(), strict=True)
    ]
    assert metrics(app)["Summaries"] == "25" and metrics(app)["ROUGE-1"] == said(fmean(scores))
    assert [round(value, 6) for value in shown["ROUGE-1"]] == [round(score, 6) for score in scores]
    assert "The summaries come from tiny, " in captions(app) and "In this session" not in captions(app)
    choose(app, "err_view", "slices")
    drawn = [note["text"] for note in chart(app, "errors_slices_picture")["layout"]["annotations"]]
    name, amount = [text for text in drawn if "summaries" in text][1].rsplit(" · ", 1)
    click(app, "errors_slices_picture", 1)
    assert len(table(app, "errors_slice_turns_1").value) == int(amount.split()[0])
    assert app.subheader[0].value == name


def test_another_systems_summaries_are_scored_and_hinted_at(app: AppTest):
    upload(arrive(app), lines())
    shown = table(app).value
    assert list(shown["Summary"]) == list(OWN)
    want = fmean(rouge(own, [reference]).rouge1 for own, reference in zip(OWN, REFERENCES, strict=True))
    assert metrics(app)["ROUGE-1"] == said(want) and "the file others.jsonl" in captions(app)
    assert "Entropy (nats)" not in shown.columns  # nobody knows the other system's probabilities
    tick(app, "row-2")
    assert {"New name", "New number"} <= {hint["label"] for hint in check(app)["faults"]}
    assert all(hint["measured"] for hint in check(app)["faults"])
    assert opened(app) == OWN[2] and [turn["name"] for turn in check(app)["turns"]] == ["Eve", "Fay"]
    assert "1 file. Other pages and Back keep them; **a reload or a closed tab loses them**" in captions(app)
    assert sent(app, "leaving") == {"unsaved": True}


def test_the_model_writes_what_a_file_lacks_or_all_of_it(app: AppTest):
    first, rest = lines().split("\n", 1)
    brought(app, first + "\n" + rest.replace('"prediction"', '"other"'))
    mixed = list(table(app).value["Summary"])
    assert mixed[0] == OWN[0] and mixed[1] not in ("", OWN[1])
    choose(app, "err_by", "model")
    assert list(table(app).value["Summary"])[0] != OWN[0] and list(table(app).value["Summary"])[1:] == mixed[1:]


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
    assert list(table(app).value["Id"]) == ["a", "a (3)", "a (2)"]
    assert "1 row had the id of an earlier row and got a new one: the second “a” is “a (3)” here." in warned(app)
    tick(app, "a (3)")
    assert opened(app) == OWN[1]
    say(app, [], "the second")
    assert list(table(app).value["Labels"]) == ["", "the second", ""]
    assert app.selectbox(key="err_data").options[1] == "odd_*.jsonl (3 rows)"  # a list shows no Markdown
    choose(app, "err_view", "compare")
    assert "the file odd" not in app.selectbox(key="err_against").options  # not with itself


def test_a_link_that_asks_in_vain_is_told_so(app: AppTest):
    arrive(
        app, err_row="nowhere", err_data="0123", err_by="file", err_kind="none", err_sort="none", err_view="examples"
    )  # fmt: skip
    found = noted(app)
    for part in ("row nowhere", "Bring the file again", "filter none", "order none"):
        assert part in found
    with pytest.raises(LookupError):
        check(app)
    link = another(app)
    arrive(link, err_view="spread", err_x="none", err_y="none", err_row=load_examples()[2].id)
    assert noted(link).count("measure none") == 1  # said once, though both ask for it
    assert check(link)["turns"][0]["name"] == load_examples()[2].dialogue.split(":")[0]


def test_labels_are_exported_filtered_by_and_read_again_in_a_new_session(app: AppTest):
    brought(app)
    tick(app, "row-2")
    for nonsense in ({"fault": 99, "verdict": "right"}, {"fault": 0, "verdict": "<b>"}):
        trigger(app, "summary_check", "judged", nonsense)
    assert {hint["verdict"] for hint in check(app)["faults"]} == {""}
    judge(app, "New name", "right")
    judge(app, "New number", "wrong")
    tick(app, "row-0")
    say(app, ["wrong person", " "], "Anna, not Ben")
    assert list(table(app).value["Labels"]) == ["wrong person; Anna, not Ben", "", "1 confirmed; 1 rejected"]
    first, second = map(json.loads, saved(app).splitlines())
    assert (first["id"], first["summary"], first["checkpoint"]) == ("row-2", OWN[2], "others.jsonl")
    assert first["labels"] == [{"type": "invented", "text": "Zelda"}]
    hints = [(hint["text"], hint["verdict"]) for hint in first["hints"]]
    assert hints == [("Zelda", "confirmed"), ("90 dollars", "rejected")]
    assert second["tags"] == ["wrong person"] and second["note"] == "Anna, not Ben"
    assert "row-2,The red coat that Zelda likes costs 90 dollars.,novel_name,Zelda," in labels.to_csv(
        app.session_state[labels.BOOK]
    )
    for kind, ids in (("tagged", ["row-0"]), ("noted", ["row-0"]), ("judged", ["row-2"]), ("confirmed", ["row-2"])):
        choose(app, "err_kind", f"said:{kind}")
        assert list(table(app).value["Id"]) == ids

    new = another(app)
    upload(brought(new, err_row="row-0"), saved(app), box="labels_upload_0")
    assert any("Labels of 2 summaries were read" in each.value for each in new.success)
    assert saved(new) == saved(app)
    assert next(each for each in new.text_input if each.label == "Note").value == "Anna, not Ben"
    tick(new, "row-2")
    verdicts = {hint["label"]: hint["verdict"] for hint in check(new)["faults"]}
    assert verdicts["New name"] == "right" and verdicts["New number"] == "wrong"
    judge(new, "New name", "")
    judge(new, "New number", "")
    assert "row-2" not in saved(new)
    upload(new, lines(), box="labels_upload_1")
    assert any("labels none of the summaries" in each.value for each in new.error)


def test_the_model_is_asked_about_swaps_and_all_rows_hold_its_hints(app: AppTest, monkeypatch):
    brought(app)
    tick(app, "row-0")
    say(app, ["odd"], "a note")
    swap = labels.Fault("name_swap", 0, 3, (0,), "Anna is more likely.", 1.5)
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
    assert [row["id"] for row in rows] == ["row-0", "row-1", "row-2"]
    assert "name_swap" in {hint["kind"] for hint in rows[0]["faults"]}
    assert rows[0]["tags"] == ["odd"] and rows[0]["note"] == "a note" and rows[1]["tags"] == []
    assert rows[0]["checkpoint"] == "others.jsonl" and rows[0]["rouge"] and rows[2]["faults"]
    again = upload(arrive(another(app)), file, "all.jsonl")
    tick(again, "row-0")
    assert next(each for each in again.text_input if each.label == "Note").value == "a note"
    again.session_state[hints.OFF] = frozenset()
    assert "Anna is more likely." in {hint["evidence"] for hint in check(again.run())["faults"]}


def test_views_of_a_file_hints_calibration_and_a_comparison_with_our_model(app: AppTest):
    brought(app, err_view="hints", err_row="row-2")
    assert "off unless you turn it on: New word" in captions(app)
    assert "New name" in {hint["label"] for hint in check(app)["faults"]}
    pills = app.button_group(key="detector_switches")
    pills.set_value([each for each in pills.value if each != "novel_name"]).run()
    healthy(app)
    assert "New name" not in {hint["label"] for hint in check(app)["faults"]}
    choose(app, "err_view", "calibration")
    assert any("Only our own models" in each.value for each in app.info)
    choose(app, "err_view", "compare")
    choose(app, "err_against", "greedy:tiny")
    assert "ROUGE-1 of the file others.jsonl is" in captions(app)
    click(app, "errors_paired_picture", 1)
    assert opened(app) == OWN[1]
    assert any(each.value.endswith("tiny, greedy.") and "others\\.jsonl" in each.value for each in app.markdown)


def test_beam_is_compared_with_greedy_on_the_same_dialogues(app: AppTest):
    arrive(app, err_view="compare", err_against="greedy:tiny", strategy="beam")
    drawn = chart(app, "errors_paired_picture")
    assert sum(len(trace["x"]) for trace in drawn["data"]) == 25
    assert "ROUGE-1 of tiny, beam" in captions(app)
    assert "than of tiny, greedy on average over 25 dialogues" in captions(app)
    click(app, "errors_paired_picture", 3)
    kinds = {kind for kind, _ in sent(app, "word_diff")["changes"]}
    assert kinds <= {"same", "removed", "added"} and kinds


def test_calibration_of_the_references_counts_every_token(app: AppTest, monkeypatch):
    monkeypatch.setattr(calibration, "SHOWN", 1)
    brought(app, lines(predictions=False), err_view="calibration", err_calibration="reference")
    press(app, "start_calibration")
    force = model.job("tiny").summarizer.force
    amount = sum(len(force(*each).steps) for each in zip(DIALOGUES, REFERENCES, strict=True))
    assert f"over {amount} tokens" in captions(app)
    bins = chart(app, "errors_reliability_picture")["data"][1]["x"]
    choose(app, "errors_bins", "equal mass")
    assert len(chart(app, "errors_reliability_picture")["data"][1]["x"]) > len(bins)


@pytest.mark.parametrize("page", ["attention", "bertscore"])
def test_the_example_opens_on_another_page(app: AppTest, monkeypatch, page):
    brought(app, err_row="row-1")
    visited = []
    monkeypatch.setattr("streamlit.switch_page", lambda page, query_params: visited.append((page, {*query_params})))
    monkeypatch.setattr(app_test, "PagesManager", Settled)  # or the run of the click would only find the frame
    app.button(key=f"open_{page}").click().run()
    more = {"bert_text", "bert_candidate"} if page == "bertscore" else set()
    assert visited == [(f"pages/{page}.py", {"input", "t"} | more)]
    own = app.session_state[selection.DIALOGUE]
    assert (own.text, own.references) == (DIALOGUES[1], (REFERENCES[1],)) and selection.INPUT.name in app.session_state
    if more:
        assert app.session_state["bert_text"] == OWN[1] and app.session_state["bert_candidate"] == "own"


def test_text_of_a_user_is_never_markup(app: AppTest):
    row = {"id": "<b>*x*", "dialogue": "Eve: <i>hi</i> $a$", "summary": "[x](y)", "prediction": "<script>"}
    brought(app, json.dumps(row), "<u>*.jsonl", err_row="<b>*x*")
    assert app.subheader[0].value == "\\<b\\>\\*x\\*"
    assert any("\\[x\\]\\(y\\)" in each.value for each in app.markdown)
    assert any("\\<u\\>\\*\\.jsonl" in each.value for each in app.caption)
    assert app.selectbox(key="err_data").options[1] == "<u>*.jsonl (1 row)"
