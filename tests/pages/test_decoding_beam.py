"""The beam view and the bench."""

from dataclasses import replace

import numpy as np
import pytest

from core.config import END
from core.explain.beams import beam_tree, endings, length_score
from core.scoring.bertscore import BertScorer
from core.text.diff import changed_share
from core.text.examples import load_examples
from core.trace import BeamTrace
from tests.pages.conftest import paste
from tests.pages.decoding import arrive, count_calls, press, shown, tree, words
from tests.pages.driver import another, click, data, decoded, tick

GOAT = "Anna: A goat ate my hat.\nBen: Which hat?"


def listed(app) -> dict[str, list]:
    """The list of finished summaries."""
    found = next(each.value for each in app.dataframe if each.key == "endings")
    return {name: list(found[name]) for name in found}


def opened(app) -> None:
    """Open a search whose early ending wins without a length penalty, and whose late one wins with it."""
    rows = (
        ((5, 0, -0.5, 0), (6, 0, -1.0, 1)),
        ((7, 0, -0.75, 0), (END, 0, -1.0, -2)),
        ((8, 0, -1.0, 0), (5, 0, -2.0, -1)),
        ((END, 0, -1.25, -2), (6, 0, -2.0, 0)),
    )
    table = np.array(rows)
    searched = BeamTrace(table[..., 0], table[..., 1], table[..., 2], table[..., 3])
    arrive(app)
    summary = replace(decoded((5, 7, 8, END)), beam=searched)
    app.get("file_uploader")[0].upload("searched.npz", summary.to_bytes()).run()
    app.segmented_control(key="view").set_value("beam").run()
    assert not app.error and not app.exception


@pytest.mark.parametrize(("penalty", "formula"), [(0.0, "power"), (3.0, "gnmt")])
def test_the_list_is_sorted_by_the_score_that_is_chosen(app, monkeypatch, penalty, formula):
    arrive(app, view="beam")
    calls = count_calls(monkeypatch)
    app.slider(key="rerank").set_value(penalty).run()
    app.segmented_control(key="formula").set_value(formula).run()
    assert not calls
    summary = decoded()
    found = beam_tree(summary.beam, [token.id for token in summary.tokens])
    expected, searched = endings(found, penalty, formula), endings(found, 1.0)
    assert listed(app)["Score"] == pytest.approx([each.score for each in expected], abs=1e-4)
    assert listed(app)["Tokens"] == [len(each.ids) for each in expected]
    places = [[one.node for one in searched].index(each.node) + 1 for each in expected]
    assert listed(app)["Place in the search"] == places
    assert summary.text == listed(app)["Summary"][places.index(1)]


def test_another_penalty_chooses_another_summary(app):
    opened(app)
    assert listed(app)["Tokens"] == [4, 2] and listed(app)["Score"] == pytest.approx([-0.3125, -0.5])
    assert any("the same summary stays first as in the search" in each.value for each in app.caption)
    app.slider(key="rerank").set_value(0.0).run()
    assert listed(app)["Tokens"] == [2, 4] and listed(app)["Score"] == pytest.approx([-1.0, -1.25])
    assert listed(app)["Place in the search"] == [2, 1]
    assert any("with 2 tokens would be first" in each.value for each in app.caption)
    app.segmented_control(key="formula").set_value("gnmt").run()
    app.slider(key="rerank").set_value(1.0).run()
    assert listed(app)["Score"] == pytest.approx([-1.25 / 1.5, -1.0 / (7 / 6)], abs=1e-3)


def test_a_point_of_the_tree_can_be_read_and_gone_on_from(app):
    arrive(app, view="beam")
    summary = decoded()
    found = beam_tree(summary.beam, [token.id for token in summary.tokens])
    node = next(each for each in found.nodes if each.step == 2 and not each.chosen and each.fate == "live")
    click(app, "beam_picture", node.index)
    line = next(each.value for each in app.markdown if each.value.startswith("**Step 3**"))
    assert "went on" in line and f"{node.log_probability:.2f}".replace("-", "−") in line
    press(app, "Go on from here")
    assert not app.error and app.segmented_control(key="view").value == "steps"
    branch = tree(app).items[1]
    assert branch.ids[2] == node.id and shown(app) == "Branch 1"
    again = another(app)
    assert words(arrive(again, **app.query_params)) == list(branch.tokens)


def test_a_point_of_the_summary_itself_is_no_branch(app):
    arrive(app, view="beam")
    summary = decoded()
    found = beam_tree(summary.beam, [token.id for token in summary.tokens])
    click(app, "beam_picture", next(each.index for each in found.nodes if each.step == 2 and each.chosen))
    press(app, "Go on from here")
    assert "already says this at step 3" in app.error[0].value
    press(app, "Close")
    assert not [each for each in app.button if each.key == "go_on"]


def test_a_finished_summary_becomes_a_branch(app):
    opened(app)
    tick(app, "endings", 1)
    changes = data(app, "word_diff")["changes"]
    assert ["removed", " #Person3# #Person4#"] in changes
    press(app, "Make it a branch")
    assert not app.error and words(app) == ["#Person1#", "[EOS]"]
    assert app.session_state["opened"].branches.items[1].ids == (5, END)


def bench(app) -> dict[str, list]:
    """The table of the bench."""
    found = next(each.value for each in app.dataframe if "Changed from greedy" in each.value)
    return {name: list(found[name]) for name in found}


def test_the_bench_has_a_row_for_every_strategy(app):
    arrive(app, view="bench", max_tokens=8)
    plain = {"strategy": "sample", "max_tokens": 8}
    expected = {
        "Greedy": decoded(strategy="greedy", max_tokens=8),
        "Beam 4": decoded(max_tokens=8),
        "Top k 20": decoded(**plain, top_k=20),
        "Top p 0.9": decoded(**plain, top_p=0.9),
        "Temperature 0.7": decoded(**plain, temperature=0.7),
        "Plain sampling": decoded(**plain),
    }
    found = bench(app)
    assert found["Strategy"] == list(expected)
    assert found["Text"] == [each.text for each in expected.values()]
    log = [each.log_probability for each in expected.values()]
    assert found["Log-probability (nats)"] == pytest.approx(log, abs=1e-3)
    assert found["Score"] == pytest.approx([length_score(value, 8, 1.0) for value in log], abs=1e-3)
    greedy = expected["Greedy"].text
    assert found["Changed from greedy"][0] == 0
    assert found["Changed from greedy"] == pytest.approx([changed_share(greedy, text) for text in found["Text"]])
    assert all(0 <= value <= 100 for value in found["ROUGE-1"]) and all(value > 0 for value in found["Seconds"])


def test_the_bench_scores_with_bertscore_when_asked(app):
    arrive(app, view="bench", max_tokens=8)
    assert all(value is None or np.isnan(value) for value in bench(app)["BERTScore F1"])
    app.toggle(key="bench_bertscore").set_value(True).run()
    found = bench(app)
    references = [load_examples()[0].references] * len(found["Text"])
    expected = [each.f1 for each in BertScorer().score(found["Text"], references, "max")]
    assert found["BERTScore F1"] == pytest.approx(expected) and any(expected)
    assert f"BERTScore F1 {expected[0]:.3f}" in " ".join(each.value for each in app.caption)
    paste(app, GOAT)  # no reference, so nothing to score against
    assert "bench_bertscore" not in {each.key for each in app.toggle}


def test_the_bench_is_run_once_and_again_for_another_seed(app, monkeypatch):
    arrive(app)
    paste(app, GOAT)
    calls = count_calls(monkeypatch)
    app.segmented_control(key="view").set_value("bench").run()
    assert (calls["beam"], calls["sample"]) == (4, 8)  # each strategy twice, the shorter time counts
    before = bench(app)
    assert before["ROUGE-1"] == [None] * 6 or np.isnan(before["ROUGE-1"]).all()
    app.run()
    app.segmented_control(key="view").set_value("steps").run()
    app.segmented_control(key="view").set_value("bench").run()
    assert bench(app) == before or before["ROUGE-1"][0] is not None
    assert (calls["beam"], calls["sample"]) == (4, 8)
    app.number_input(key="bench_seed").set_value(7)
    press(app, "Run the bench")
    assert calls["sample"] == 16
    assert bench(app)["Text"][0] == before["Text"][0] and bench(app)["Text"][5] != before["Text"][5]
    expected = decoded(text=GOAT, strategy="sample", seed=7)
    assert bench(app)["Text"][5] == expected.text


def test_a_bench_keeps_its_settings_while_one_looks_elsewhere(app, monkeypatch):
    arrive(app, view="bench", max_tokens=8)
    app.number_input(key="bench_seed").set_value(3)
    app.number_input(key="bench_beam").set_value(2)
    press(app, "Run the bench")
    before = bench(app)
    assert before["Strategy"][1] == "Beam 2"
    calls = count_calls(monkeypatch)
    app.segmented_control(key="view").set_value("beam").run()
    app.segmented_control(key="view").set_value("bench").run()
    assert app.number_input(key="bench_seed").value == 3 and bench(app) == before
    assert not calls


def test_a_strategy_of_the_bench_is_used_everywhere(app):
    arrive(app, view="bench", max_tokens=8)
    app.button(key="use_2").click().run()
    assert app.segmented_control(key="strategy").value == "sample"
    assert app.query_params == {"view": "bench", "max_tokens": "8", "strategy": "sample", "top_k": "20"}
    app.segmented_control(key="view").set_value("steps").run()
    assert words(app) == [token.text for token in decoded(strategy="sample", top_k=20, max_tokens=8).tokens]


def test_the_differences_of_the_bench_are_those_of_the_texts(app):
    arrive(app, view="bench", max_tokens=8)
    changes = data(app, "word_diff")["changes"]
    greedy = bench(app)["Text"][0]
    assert "".join(text for kind, text in changes if kind != "added").split() == greedy.split()
