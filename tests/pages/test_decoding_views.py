"""The branches, the beam tree and the strategy comparison."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.config import END
from core.decoding.engine import Engine
from core.explain.decoding.beams import beam_tree, length_score
from core.figures.decoding.branches import race
from core.scoring import bertscore
from core.text import links
from core.text.diff import changed_share
from core.trace import BeamTrace
from tests.closeness import printed
from tests.pages.decoding import THE, arrive, count_calls, press, shown, tree, words
from tests.pages.driver import captions, choose, click, data, decoded, draws, tick
from tests.pages.driver import table as frame

GROWN = {"view": "branches", "branch": "2.273~6.295", "with": "4.2"}
"""A branch of a branch, and one that ends at its fourth token."""


def names(app) -> list[str]:
    return [each.name for each in tree(app).items]


def cards(app) -> list[str]:
    """The headings of the branches' cards."""
    return [each.value for each in app.markdown if each.value.startswith("**") and "**: " in each.value]


def listed(app, column: str) -> dict[str, list]:
    """The table that has a column."""
    found = frame(app, column)
    return {name: list(found[name]) for name in found}


def keys(app) -> set[str]:
    return {each.key for each in app.button}


# Branches ------------------------------------------------------------------------------------------------------------


def test_what_was_decoded_is_the_first_branch(app):
    arrive(app, view="branches")
    assert "There is one branch so far" in app.info[0].value
    assert cards(app) == ["**Original**: as it was decoded · shown now"]
    assert not {"prune_0", "bring_back"} & keys(app)
    root = decoded()
    assert root.text in [each.value for each in app.text]
    score = length_score(root.log_probability, len(root.steps), 1.0)
    line = next(each.value for each in app.caption if "log-probability" in each.value).replace("−", "-")
    assert line.startswith(f"{len(root.steps)} tokens, cut · log-probability {root.log_probability:.2f}")
    assert f"score {score:.2f} at length penalty 1" in line


@pytest.fixture
def grown(app):
    """A session with a branch of a branch, which is shown, and one that ends at its fourth token."""
    return arrive(app, **GROWN)


def test_a_branch_says_where_it_leaves_and_has_a_name(grown):
    assert cards(grown) == [
        "**Original**: as it was decoded",
        "**Branch 1**: leaves Original at step 2",
        "**Branch 2**: leaves Branch 1 at step 6 · shown now",
        "**Branch 3**: leaves Original at step 4",
    ]
    assert [each.finished for each in tree(grown).items] == [False, False, False, True]
    grown.text_input(key="name_1_Branch 1").set_value("  with *the* [a](http://b)  ").run()
    assert names(grown) == ["Original", "with *the* [a](http://b)", "Branch 2", "Branch 3"]
    assert r"**Branch 2**: leaves with \*the\* \[a\]\(http\://b\) at step 6 · shown now" in cards(grown)
    grown.text_input(key="name_0_Original").set_value("   ").run()
    assert "A branch needs a name" in grown.error[0].value and names(grown)[0] == "Original"


def test_branches_are_pruned_and_brought_back(grown):
    before = tree(grown)
    grown.button(key="prune_3").click().run()  # another than the shown one
    assert names(grown) == ["Original", "Branch 1", "Branch 2"] and shown(grown) == "Branch 2"
    assert "with" not in grown.query_params and listed(grown, "Per token")["Branch"] == ["Original", "Branch 2"]
    press(grown, "Bring back what was pruned")
    grown.button(key="prune_1").click().run()  # with its child
    assert not grown.error and names(grown) == ["Original", "Branch 3"]
    assert shown(grown) == "Original" and "branch" not in grown.query_params  # what was shown is gone
    choose(grown, "example", "cat-sitter")
    assert "bring_back" not in keys(grown)  # it belongs to its dialogue
    choose(grown, "example", "lost-suitcase")
    press(grown, "Bring back what was pruned")
    assert {each.path: each for each in tree(grown).items} == {each.path: each for each in before.items}
    assert "bring_back" not in keys(grown)


def test_a_branch_is_opened_where_it_leaves(grown):
    click(grown, "branch_tree", 3)
    assert shown(grown) == "Branch 3" and grown.query_params["step"] == "4"
    grown.button(key="open_1").click().run()
    assert grown.query_params["step"] == "2" and "view" not in grown.query_params
    assert words(grown) == list(tree(grown).items[1].tokens) and data(grown, "stepper")["step"] == 1


def test_two_branches_side_by_side_change_places(app, monkeypatch):
    arrive(app, **GROWN, penalty=0.5, step=9)
    root = decoded(length_penalty=0.5)
    first = decoded((root.tokens[0].id, THE), length_penalty=0.5)
    second = decoded((*(token.id for token in first.tokens[:5]), 295), length_penalty=0.5)
    short = decoded((*(token.id for token in root.tokens[:3]), END), length_penalty=0.5)
    both = [(each.log_probability, len(each.steps)) for each in (short, second)]
    log, counts = zip(*both, strict=True)
    found = listed(app, "Per token")
    assert found["Branch"] == ["Branch 3", "Branch 2"] and found["Tokens"] == list(counts) and counts[0] == 4
    printed(found["Log-probability"], log, 3)
    printed(found["Per token"], [log[0] / 4, log[1] / counts[1]], 3)
    printed(found["Score"], [log[0] / 2, log[1] / counts[1] ** 0.5], 3)
    draws(app, "race", race(short.steps, second.steps, ("Branch 3", "Branch 2"), (3, 2)))
    calls = count_calls(monkeypatch)
    press(app, "Swap")
    assert not app.warning and not app.error
    assert (app.query_params["branch"], app.query_params["with"]) == ("4.2", "2.273~6.295")
    assert app.query_params["step"] == "4"  # the last of the shorter one
    choose(app, "with_choice", "")
    assert listed(app, "Per token")["Branch"] == ["Original", "Branch 3"]
    choose(app, "branch_choice", "")
    assert listed(app, "Per token")["Branch"][1] == "Original" != listed(app, "Per token")["Branch"][0]
    assert not app.warning and not app.error and not calls


# Beams ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def searched(app):
    """A search whose early ending wins without a length penalty, and whose late one wins with it."""
    rows = (
        ((5, 0, -0.5, 0), (6, 0, -1.0, 1)),
        ((7, 0, -0.75, 0), (END, 0, -1.0, -2)),
        ((8, 0, -1.0, 0), (5, 0, -2.0, -1)),
        ((END, 0, -1.25, -2), (6, 0, -2.0, 0)),
    )
    beam = BeamTrace(*(np.array(rows)[..., place] for place in range(4)))
    summary = replace(decoded((5, 7, 8, END)), beam=beam)
    arrive(app, view="beam").get("file_uploader")[0].upload("searched.npz", summary.to_bytes()).run()
    return app


def test_another_penalty_chooses_another_summary(searched):
    def ranked(tokens: list[int], scores: list[float], ranks: list[int], said: str) -> None:
        found = listed(searched, "Rank in the search")
        assert (found["Tokens"], found["Rank in the search"]) == (tokens, ranks)
        printed(found["Score"], scores, 3)
        assert any(said in each.value for each in searched.caption)

    ranked([4, 2], [-0.3125, -0.5], [1, 2], "the same summary stays first as in the search")
    searched.slider(key="rerank").set_value(0.0).run()
    ranked([2, 4], [-1.0, -1.25], [2, 1], "with 2 tokens would be first")
    searched.slider(key="rerank").set_value(1.0)
    choose(searched, "formula", "gnmt")
    ranked([4, 2], [-1.25 / 1.5, -1.0 / (7 / 6)], [1, 2], "the same summary stays first as in the search")


def test_another_ending_of_the_search_becomes_a_branch(searched):
    tick(searched, "endings", 1)
    changes = data(searched, "word_diff")["changes"]
    assert {kind for kind, _ in changes} > {"same"}
    press(searched, "Make it a branch")
    assert not searched.error and words(searched) == ["#Person1#", "[EOS]"]
    assert searched.session_state["opened"].branches.items[1].ids == (5, END)


def test_a_point_of_the_tree_can_be_read_and_gone_on_from(app):
    arrive(app, view="beam")
    summary = decoded()
    found = beam_tree(summary.beam, [token.id for token in summary.tokens])
    click(app, "beam_picture", next(each.index for each in found.nodes if each.step == 2 and each.chosen))
    press(app, "Go on from here")
    assert "already says this at step 3" in app.error[0].value  # the summary itself
    press(app, "Close")
    assert "go_on" not in keys(app)
    node = next(each for each in found.nodes if each.step == 2 and not each.chosen and each.fate == "live")
    click(app, "beam_picture", node.index)
    line = next(each.value for each in app.markdown if each.value.startswith("**Step 3**"))
    assert "went on" in line and f"{node.log_probability:.2f}".replace("-", "−") in line
    press(app, "Go on from here")
    assert not app.error and app.segmented_control(key="view").value == "steps"
    assert tree(app).items[1].ids[2] == node.id and shown(app) == "Branch 1"


def test_for_another_strategy_a_beam_is_searched(app):
    arrive(app, view="beam", strategy="greedy")
    assert "not written by beam search (“Greedy” is chosen" in app.info[0].value
    assert listed(app, "Rank in the search")["Summary"][0] == decoded(strategy="beam").text


# Strategies ----------------------------------------------------------------------------------------------------------


def test_every_strategy_has_a_row_and_is_asked_once(app, monkeypatch):
    arrive(app, max_tokens=8)
    calls = count_calls(monkeypatch)
    choose(app, "view", "bench")
    assert (calls["beam_rows"], calls["sample_rows"]) == (2, 4)
    plain = {"strategy": "sample", "max_tokens": 8}
    expected = {
        "Greedy": decoded(strategy="greedy", max_tokens=8),
        "Beam 4": decoded(max_tokens=8),
        "Top k 20": decoded(**plain, top_k=20),
        "Top p 0.9": decoded(**plain, top_p=0.9),
        "Temperature 0.7": decoded(**plain, temperature=0.7),
        "Plain sampling": decoded(**plain),
    }
    found, texts = listed(app, "Changed from greedy"), [each.text for each in expected.values()]
    assert (found["Strategy"], found["Text"]) == (list(expected), texts)
    log = [each.log_probability for each in expected.values()]
    printed(found["Log-probability (nats)"], log, 3)
    printed(found["Score"], [length_score(value, 8, 1.0) for value in log], 3)
    printed(found["Changed from greedy"], [changed_share(texts[0], text) for text in texts], 3)
    assert all(0 <= value <= 100 for value in found["ROUGE-1"]) and all(value > 0 for value in found["Seconds"])
    changes = data(app, "word_diff")["changes"]
    assert "".join(text for kind, text in changes if kind != "added").split() == texts[0].split()
    assert all(value is None or np.isnan(value) for value in found["BERTScore F1"])
    app.button(key="use_Top k 20").click().run()
    assert app.query_params == {"view": "bench", "max_tokens": "8", "strategy": "sample", "top_k": "20"}
    choose(app, "view", "steps")
    assert words(app) == [token.text for token in expected["Top k 20"].tokens]


def test_strategies_that_write_the_same_share_a_card_and_can_be_used_each(app):
    arrive(app, max_tokens=8, view="bench")
    app.number_input(key="compare_top_k").set_value(1)  # the most probable token alone can be drawn: as greedy
    app.number_input(key="compare_top_p").set_value(1.0)  # no token is left out: plain sampling
    press(app, "Compare")
    titles = [each.value for each in app.markdown if each.value.startswith(("**Greedy", "**Top", "**Plain"))]
    assert titles == ["**Greedy, Top k 1**", "**Top p 1, Plain sampling**"]
    app.button(key="use_Top k 1").click().run()
    assert app.query_params == {"view": "bench", "max_tokens": "8", "strategy": "sample", "top_k": "1"}


def test_a_strategy_whose_run_compiled_something_is_asked_again(app, monkeypatch):
    arrive(app, max_tokens=7)
    calls, decode = count_calls(monkeypatch), Engine.sample_rows

    def compiles(engine, *arguments):
        engine.traces["step"] += calls["sample_rows"] == 0
        return decode(engine, *arguments)

    monkeypatch.setattr(Engine, "sample_rows", compiles)
    choose(app, "view", "bench")
    assert calls["sample_rows"] == 5


def test_bertscore_is_measured_when_it_is_asked_for(app, monkeypatch):
    scored = []

    def score(texts, references, best):
        scored.append((texts, references, best))
        return [SimpleNamespace(f1=0.5 + place / 10) for place in range(len(texts))]

    monkeypatch.setattr(bertscore, "BertScorer", lambda: SimpleNamespace(score=score))
    arrive(app, max_tokens=8, view="bench").toggle(key="compare_bertscore").set_value(True).run()
    found = listed(app, "Changed from greedy")
    printed(found["BERTScore F1"], [0.5, 0.6, 0.7, 0.8, 0.9, 1.0], 3)
    assert "BERTScore F1 0.500" in captions(app)
    assert [[*texts] for texts, _, _ in scored] == [found["Text"]] and scored[0][2] == "max"


def test_strategies_are_compared_again_for_other_settings_only(app, monkeypatch):
    arrive(app, max_tokens=8, view="bench")
    before = listed(app, "Changed from greedy")
    calls = count_calls(monkeypatch)
    app.number_input(key="compare_seed").set_value(7)
    app.number_input(key="compare_beam_size").set_value(2)
    press(app, "Compare")
    other = listed(app, "Changed from greedy")
    assert (calls["beam_rows"], calls["sample_rows"]) == (1, 4) and other["Strategy"][1] == "Beam 2"
    assert other["Text"][0] == before["Text"][0]
    assert other["Text"][5] == decoded(strategy="sample", max_tokens=8, seed=7).text != before["Text"][5]
    calls.clear()
    choose(choose(app, "view", "steps"), "view", "bench")
    assert app.number_input(key="compare_seed").value == 7 and not calls
    assert listed(app, "Changed from greedy")["Text"] == other["Text"]


def test_without_a_reference_there_is_nothing_to_score_against(app):
    arrive(app, max_tokens=8, view="bench", input="paste", t=links.pack("Anna: A goat ate my hat.\nBen: Which hat?"))
    assert "compare_bertscore" not in {each.key for each in app.toggle}
