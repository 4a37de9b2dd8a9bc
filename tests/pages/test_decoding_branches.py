"""The branches view: the tree, names, pruning, and two branches side by side."""

import numpy as np
import pytest

from core.config import END
from core.explain.beams import length_score
from tests.pages.conftest import paste
from tests.pages.decoding import arrive, count_calls, press, shown, table, traces, tree, words
from tests.pages.driver import click, data, decoded

GROWN = {"view": "branches", "branch": "2.273~6.295", "with": "4.2"}
"""A branch of a branch, and one that ends at its fourth token."""


def names(app) -> list[str]:
    return [each.name for each in tree(app).items]


def cards(app) -> list[str]:
    """The headings of the branches' cards."""
    return [each.value for each in app.markdown if each.value.startswith("**") and "**: " in each.value]


def test_the_original_stands_alone_at_first(app):
    arrive(app, view="branches")
    assert "There is one branch so far" in app.info[0].value
    assert cards(app) == ["**Original**: as it was decoded · shown now"]
    assert not [each for each in app.button if each.key in ("prune_0", "bring_back")]
    root = decoded()
    assert root.text in [each.value for each in app.text]
    score = length_score(root.log_probability, len(root.steps), 1.0)
    line = next(each.value for each in app.caption if "log-probability" in each.value).replace("−", "-")
    assert line.startswith(f"{len(root.steps)} tokens, cut · log-probability {root.log_probability:.2f}")
    assert f"score {score:.2f} at length penalty 1" in line


def test_a_tree_says_where_each_branch_leaves(app):
    arrive(app, **GROWN)
    assert cards(app) == [
        "**Original**: as it was decoded",
        "**Branch 1**: leaves Original at step 2",
        "**Branch 2**: leaves Branch 1 at step 6 · shown now",
        "**Branch 3**: leaves Original at step 4",
    ]
    assert [each.finished for each in tree(app).items] == [False, False, False, True]


def test_a_branch_is_opened_from_the_picture_or_from_its_card(app):
    click(arrive(app, **GROWN), "branch_tree", 3)
    assert shown(app) == "Branch 3" and app.query_params["step"] == "4"
    app.button(key="open_1").click().run()
    assert shown(app) == "Branch 1" and app.query_params["step"] == "2" and "view" not in app.query_params
    assert words(app) == list(tree(app).items[1].tokens) and data(app, "stepper")["step"] == 1


def test_pruning_takes_the_children_and_can_be_undone(app):
    arrive(app, **GROWN)
    before = tree(app)
    app.button(key="prune_1").click().run()
    assert not app.error and names(app) == ["Original", "Branch 3"]
    assert shown(app) == "Original" and "branch" not in app.query_params  # what was shown is gone
    press(app, "Bring back what was pruned")
    assert sorted(names(app)) == ["Branch 1", "Branch 2", "Branch 3", "Original"]
    assert {each.path: each for each in tree(app).items} == {each.path: each for each in before.items}
    assert not [each for each in app.button if each.key == "bring_back"]


def test_pruning_another_branch_keeps_what_is_shown(app):
    arrive(app, **GROWN)
    app.button(key="prune_3").click().run()
    assert names(app) == ["Original", "Branch 1", "Branch 2"] and shown(app) == "Branch 2"
    assert app.query_params["branch"] == "2.273~6.295" and "with" not in app.query_params
    assert compared(app)["Branch"] == ["Original", "Branch 2"]


def test_what_was_pruned_belongs_to_its_dialogue(app):
    arrive(app, **GROWN)
    app.button(key="prune_1").click().run()
    app.selectbox(key="example").set_value("cat-sitter").run()
    assert not app.error and not [each for each in app.button if each.key == "bring_back"]
    app.selectbox(key="example").set_value("lost-suitcase").run()
    press(app, "Bring back what was pruned")
    assert len(tree(app).items) == 4


def test_a_branch_gets_a_name(app):
    arrive(app, **GROWN)
    app.text_input(key="name_1_Branch 1").set_value("  with *the*  ").run()
    assert names(app) == ["Original", "with *the*", "Branch 2", "Branch 3"]
    assert r"**with \*the\***: leaves Original at step 2" in cards(app)
    assert r"**Branch 2**: leaves with \*the\* at step 6 · shown now" in cards(app)
    app.text_input(key="name_0_Original").set_value("   ").run()
    assert "A branch needs a name" in app.error[0].value and names(app)[0] == "Original"
    app.text_input(key="name_0_Original").set_value("First").run()
    assert not app.error and names(app)[0] == "First"


def compared(app) -> dict[str, list]:
    """The table of two branches."""
    found = next(each.value for each in app.dataframe if "Per token" in each.value)
    return {name: list(found[name]) for name in found}


def test_two_branches_in_numbers(app):
    arrive(app, **GROWN, penalty=0.5)
    first = decoded((decoded(length_penalty=0.5).tokens[0].id, 273), length_penalty=0.5)
    second = decoded((*(token.id for token in first.tokens[:5]), 295), length_penalty=0.5)
    short = decoded((*(token.id for token in decoded(length_penalty=0.5).tokens[:3]), END), length_penalty=0.5)
    both = (short, second)
    log = [each.log_probability for each in both]
    counts = [len(each.steps) for each in both]
    found = compared(app)
    assert found["Branch"] == ["Branch 3", "Branch 2"] and found["Tokens"] == counts and counts[0] == 4
    assert found["Log-probability"] == pytest.approx(log, abs=1e-3)
    assert found["Per token"] == pytest.approx([log[0] / 4, log[1] / counts[1]], abs=1e-3)
    assert found["Score"] == pytest.approx([log[0] / 2, log[1] / counts[1] ** 0.5], abs=1e-3)
    assert 0 <= min(found["ROUGE-1"]) <= max(found["ROUGE-1"]) <= 100


def test_the_race_and_the_attention_of_two_branches(app):
    arrive(app, **GROWN)
    first = decoded((decoded().tokens[0].id, 273))
    second = decoded((*(token.id for token in first.tokens[:5]), 295))
    short = decoded((*(token.id for token in decoded().tokens[:3]), END))
    lines = {each["name"]: each["y"] for each in traces(app, "race") if each.get("name") in ("Branch 2", "Branch 3")}
    for name, summary in (("Branch 3", short), ("Branch 2", second)):
        running = np.cumsum([step.log_probability for step in summary.steps])
        assert lines[name][-len(running):] == pytest.approx(running.tolist(), abs=1e-3)  # fmt: skip
    app.segmented_control(key="view").set_value("steps").run()
    app.selectbox(key="heads").set_value("1.2").run()
    app.segmented_control(key="view").set_value("branches").run()
    assert "**Cross-attention by turn**, layer 1, head 2, mean over the tokens of each branch" in [
        each.value for each in app.markdown
    ]


def test_two_branches_change_places(app, monkeypatch):
    arrive(app, **GROWN, step=9)
    calls = count_calls(monkeypatch)
    press(app, "Swap")
    assert not app.warning and not app.error
    assert (app.query_params["branch"], app.query_params["with"]) == ("4.2", "2.273~6.295")
    assert app.query_params["step"] == "4"  # the last of the shorter one
    assert compared(app)["Branch"] == ["Branch 2", "Branch 3"]
    app.selectbox(key="choose_with").set_value("").run()
    assert compared(app)["Branch"] == ["Original", "Branch 3"]
    app.selectbox(key="choose_branch").set_value("").run()
    assert compared(app)["Branch"][1] == "Original" and compared(app)["Branch"][0] != "Original"
    assert not app.warning and not app.error and not calls


def test_a_reference_is_scored_for_every_branch(app):
    arrive(app)
    paste(app, "Anna: A goat ate my hat.\nBen: Which hat?", "Ben.")
    press(app, "Make it a branch")
    app.segmented_control(key="view").set_value("branches").run()
    assert compared(app)["ROUGE-1"][1] == 100.0
    assert any("ROUGE-1/2/L 100.0 / " in each.value for each in app.caption)


def test_names_of_branches_are_never_markup(app):
    arrive(app, **GROWN)
    app.text_input(key="name_2_Branch 2").set_value("<b>x</b> [a](http://b)").run()
    assert not app.error
    assert not [each.value for each in app.markdown if "[a](http" in each.value]
    app.segmented_control(key="view").set_value("steps").run()
    assert table(app)["rows"]
