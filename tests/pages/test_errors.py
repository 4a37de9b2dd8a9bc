"""The Errors page in this process: what it shows equals what the core computes; what somebody says is kept."""

import json
from statistics import fmean

import pytest
from streamlit.testing.v1 import AppTest, app_test

from core.faults import calibration
from core.scoring.rouge import rouge
from core.text.examples import load_examples
from pages.parts.errors import notebook, runs
from pages.shared import model
from pages.shared.state import Key
from tests.pages.decoding import press
from tests.pages.driver import Settled, another, captions, chart, click, data, healthy, tick, trigger
from tests.pages.errors import DIALOGUES, OWN, REFERENCES, arrive, bring, check, lines, metrics, table


def said(number: float) -> str:
    return f"{number:.2f}"


def test_the_model_writes_the_bundled_dialogues_and_the_means_are_those_of_the_rows(app: AppTest):
    arrive(app)
    shown = table(app)
    assert list(shown["Id"]) == [each.id for each in load_examples()]
    scores = [
        rouge(summary, each.references).rouge1 for summary, each in zip(shown["Summary"], load_examples(), strict=True)
    ]
    assert metrics(app)["Summaries"] == "25" and metrics(app)["ROUGE-1"] == said(fmean(scores))
    assert [round(value, 6) for value in shown["ROUGE-1"]] == [round(score, 6) for score in scores]
    assert "Written by tiny, " in captions(app)


def test_another_systems_summaries_are_scored_and_hinted_at(app: AppTest):
    bring(arrive(app))
    shown = table(app)
    assert list(shown["Summary"]) == list(OWN)
    want = fmean(rouge(own, [reference]).rouge1 for own, reference in zip(OWN, REFERENCES, strict=True))
    assert metrics(app)["ROUGE-1"] == said(want) and "the file others.jsonl" in captions(app)
    assert "Entropy (nats)" not in shown.columns  # nobody knows the other system's probabilities
    tick(app, "errors_table", 2)
    drawn = check(app)
    assert {"New name", "New number"} <= {fault["label"] for fault in drawn["faults"]}
    assert "".join(piece["text"] for piece in drawn["summary"]) == OWN[2]
    assert [turn["name"] for turn in drawn["turns"]] == ["Eve", "Fay"]


def test_the_model_writes_what_a_file_lacks_or_all_of_it(app: AppTest):
    first, rest = lines().split("\n", 1)
    bring(arrive(app), content=first + "\n" + rest.replace('"prediction"', '"other"'))
    mixed = list(table(app)["Summary"])
    assert mixed[0] == OWN[0] and mixed[1] not in ("", OWN[1])
    app.segmented_control(key="err_by").set_value("model").run()
    assert list(table(app)["Summary"])[0] != OWN[0] and list(table(app)["Summary"])[1:] == mixed[1:]


def test_a_row_opens_from_the_table_and_from_a_link(app: AppTest):
    bring(arrive(app))
    tick(app, "errors_table", 1)
    assert "".join(piece["text"] for piece in check(app)["summary"]) == OWN[1]
    assert app.query_params["err_row"] == "row-1"
    link = another(app)
    arrive(link, err_row=load_examples()[2].id)
    assert check(link)["turns"][0]["name"] == load_examples()[2].dialogue.split(":")[0]


def test_a_row_that_is_not_there_is_said(app: AppTest):
    arrive(app, err_row="nowhere")
    assert any("no row nowhere" in each.value for each in app.warning)
    with pytest.raises(LookupError):
        check(app)


def test_a_confirmed_and_a_rejected_hint_are_exported_as_labels(app: AppTest):
    bring(arrive(app))
    tick(app, "errors_table", 2)
    labels = [fault["label"] for fault in check(app)["faults"]]
    name, number = labels.index("New name"), labels.index("New number")
    trigger(app, "summary_check", "judged", {"fault": name, "verdict": "right"})
    trigger(app, "summary_check", "judged", {"fault": number, "verdict": "wrong"})
    assert check(app)["faults"][name]["verdict"] == "right"
    run = _run(app)
    faults = {2: run.done[2].faults}
    book = app.session_state[Key.ERR_NOTED][run.key]
    (line,) = map(json.loads, notebook.to_jsonl(run, book, faults).splitlines())
    table_of_hints = notebook.to_csv(run, book, faults)
    assert line["id"] == "row-2" and line["summary"] == OWN[2] and line["checkpoint"] == "others.jsonl"
    assert line["labels"] == [{"type": "invented", "text": "Zelda"}]
    hints = [(hint["text"], hint["verdict"]) for hint in line["hints"]]
    assert hints == [("Zelda", "confirmed"), ("90 dollars", "rejected")]
    assert "New name" not in table_of_hints and "novel_name,Zelda" in table_of_hints
    trigger(app, "summary_check", "judged", {"fault": name, "verdict": ""})
    assert check(app)["faults"][name]["verdict"] == ""


def test_nonsense_of_a_component_changes_nothing(app: AppTest):
    bring(arrive(app))
    tick(app, "errors_table", 2)
    trigger(app, "summary_check", "judged", {"fault": 99, "verdict": "right"})
    trigger(app, "summary_check", "judged", {"fault": 0, "verdict": "<b>"})
    assert {fault["verdict"] for fault in check(app)["faults"]} == {""}


def test_tags_and_notes_are_kept_and_filtered_by(app: AppTest):
    bring(arrive(app))
    tick(app, "errors_table", 0)
    app.multiselect[0].set_value(["wrong person"])
    next(each for each in app.text_input if each.label == "Note").set_value("Anna, not Ben")
    press(app, "Keep")
    assert table(app)["Said"].tolist() == ["wrong person; Anna, not Ben", "", ""]
    app.selectbox(key="err_kind").set_value("said:tagged").run()
    assert list(table(app)["Id"]) == ["row-0"]


def test_search_looks_into_summaries_dialogues_and_ids(app: AppTest):
    bring(arrive(app))
    for text, ids in (("guard", ["row-0"]), ("TRAIN nine", ["row-1"]), ("row-2", ["row-2"]), ("", None)):
        app.text_input(key="err_find").set_value(text).run()
        assert list(table(app)["Id"]) == (ids or ["row-0", "row-1", "row-2"])
    app.text_input(key="err_find").set_value("zzz").run()
    assert any("No summary fits" in each.value for each in app.info)


def test_sorting_by_a_measure(app: AppTest):
    bring(arrive(app))
    app.selectbox(key="err_sort").set_value("rouge1.up").run()
    values = list(table(app)["ROUGE-1"])
    assert values == sorted(values) and len(set(values)) > 1
    app.selectbox(key="err_sort").set_value("rouge1.down").run()
    assert list(table(app)["ROUGE-1"]) == sorted(values, reverse=True)


def test_a_point_of_the_scatter_opens_its_row(app: AppTest):
    bring(arrive(app, err_view="spread", err_x="summary_words", err_y="rouge2"))
    drawn = chart(app, "errors_scatter_picture")
    assert list(drawn["data"][0]["x"]) == [7, 8, 9]  # words of the three summaries
    click(app, "errors_scatter_picture", 1)
    assert app.session_state[Key.ERR_ROW] == "row-1"
    assert "".join(piece["text"] for piece in check(app)["summary"]) == OWN[1]


def test_a_slice_lists_its_rows(app: AppTest):
    arrive(app, err_view="slices", err_slice="turns")
    drawn = chart(app, "errors_slices_picture")
    labels = [note["text"] for note in drawn["layout"]["annotations"] if "summaries" in note["text"]]
    click(app, "errors_slices_picture", 1)
    amount = int(labels[1].rsplit(" · ", 1)[1].split()[0])
    assert len(table(app, "errors_slice_turns_1")) == amount
    assert app.subheader[0].value == labels[1].rsplit(" · ", 1)[0]


def test_a_detector_that_is_off_gives_no_hint(app: AppTest):
    bring(arrive(app))
    tick(app, "errors_table", 2)
    app.segmented_control(key="err_view").set_value("hints").run()
    assert "off unless you turn it on: New word" in captions(app)
    assert "New name" in {fault["label"] for fault in check(app)["faults"]}
    pills = app.button_group(key="detector_switches")
    pills.set_value([each for each in pills.value if each != "novel_name"]).run()
    healthy(app)
    assert "New name" not in {fault["label"] for fault in check(app)["faults"]}


def test_every_hint_says_how_often_its_kind_was_right(app: AppTest):
    bring(arrive(app))
    tick(app, "errors_table", 0)
    assert all(fault["measured"] for fault in check(app)["faults"])


def test_beam_is_compared_with_greedy_on_the_same_dialogues(app: AppTest):
    arrive(app, err_view="compare", err_against="greedy:tiny", strategy="beam")
    first = table_of(app, ("errors", "bundled"))
    assert len(first) == 2  # two runs: beam and greedy
    drawn = chart(app, "errors_paired_picture")
    assert sum(len(trace["x"]) for trace in drawn["data"]) == 25
    assert "ROUGE-1 of tiny, beam" in captions(app)
    assert "than of tiny, greedy on average over 25 dialogues" in captions(app)
    click(app, "errors_paired_picture", 3)
    kinds = {kind for kind, _ in data(app, "word_diff")["changes"]}
    assert kinds <= {"same", "removed", "added"} and kinds


def test_a_file_is_compared_with_our_model(app: AppTest):
    bring(arrive(app, err_view="compare"))
    app.selectbox(key="err_against").set_value("greedy:tiny").run()
    healthy(app)
    assert "ROUGE-1 of the file others.jsonl is" in captions(app)
    click(app, "errors_paired_picture", 2)
    assert "".join(piece["text"] for piece in check(app)["summary"]) == OWN[2]


def test_calibration_needs_the_probabilities_of_our_model(app: AppTest):
    bring(arrive(app, err_view="calibration"))
    assert any("Only our own models" in each.value for each in app.info)


def test_calibration_of_the_references_counts_every_token(app: AppTest, monkeypatch):
    monkeypatch.setattr(calibration, "SHOWN", 1)
    bring(arrive(app, err_view="calibration", err_calibration="reference"), predictions=False)
    press(app, "Read the references")
    force = model.job("tiny").summarizer.force
    amount = sum(len(force(*each).steps) for each in zip(DIALOGUES, REFERENCES, strict=True))
    assert f"over {amount} tokens" in captions(app)
    bins = chart(app, "errors_reliability_picture")["data"][1]["x"]
    app.selectbox(key="errors_bins").set_value("equal mass").run()
    assert len(chart(app, "errors_reliability_picture")["data"][1]["x"]) > len(bins)


def test_the_model_is_asked_about_swaps(app: AppTest):
    bring(arrive(app))
    tick(app, "errors_table", 0)
    asked = next(each for each in app.button if each.key == "ask_swaps")
    asked.click().run()
    healthy(app)
    assert not [each for each in app.button if each.key == "ask_swaps"]


def test_the_example_opens_on_another_page(app: AppTest, monkeypatch):
    bring(arrive(app))
    tick(app, "errors_table", 1)
    visited = []
    monkeypatch.setattr("streamlit.switch_page", lambda page, query_params: visited.append((page, {*query_params})))
    monkeypatch.setattr(app_test, "PagesManager", Settled)  # or the run of the click would only find the frame
    next(each for each in app.button if each.key == "open_attention").click().run()
    assert visited == [("pages/attention.py", {"input", "t"})]
    assert app.session_state[Key.DIALOGUE].text == DIALOGUES[1]
    assert app.session_state[Key.DIALOGUE].references == (REFERENCES[1],)
    assert app.session_state[Key.INPUT] == "paste"


def test_another_systems_summary_goes_along_to_bertscore(app: AppTest, monkeypatch):
    bring(arrive(app))
    tick(app, "errors_table", 1)
    monkeypatch.setattr("streamlit.switch_page", lambda page: None)
    monkeypatch.setattr(app_test, "PagesManager", Settled)
    next(each for each in app.button if each.key == "open_bertscore").click().run()
    assert app.session_state[Key.BERT_TEXT] == OWN[1] and app.session_state[Key.BERT_CANDIDATE] == "own"


def test_text_of_a_user_is_never_markup(app: AppTest):
    row = {"id": "<b>*x*", "dialogue": "Eve: <i>hi</i> $a$", "summary": "[x](y)", "prediction": "<script>"}
    bring(arrive(app), name="<u>.jsonl", content=json.dumps(row))
    tick(app, "errors_table", 0)
    assert app.subheader[0].value == "\\<b\\>\\*x\\*"
    assert any("\\[x\\]\\(y\\)" in each.value for each in app.markdown)


def _run(app: AppTest) -> runs.Run:
    """The run of the file that was brought."""
    found = app.session_state[Key.ERR_FILES][app.session_state[Key.ERR_DATA]]
    key = ("errors", found.key, "file")
    run = runs.Run(key, found, "the file", None, None, app.session_state[Key.SWEEPS][key])
    vars(run)["rows"] = dict(run.done)  # no session here that could hold more scores
    return run


def table_of(app: AppTest, start: tuple) -> list:
    """Keys of the sweeps that begin so."""
    return [key for key in app.session_state[Key.SWEEPS] if key[: len(start)] == start]
