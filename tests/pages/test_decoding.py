"""The Decoding page as a whole: its links, what it follows, and saved runs with and without the checkpoint."""

import re
from dataclasses import replace

import pytest

from core.config import END
from core.explain import branch_file
from core.explain.branches import Branches
from core.service import Summarizer
from pages.parts.decoding import files, runs
from tests.pages.conftest import turns
from tests.pages.decoding import (
    PAGE,
    arrive,
    count_calls,
    fork,
    move,
    press,
    shown,
    table,
    traces,
    tree,
    type_here,
    words,
)
from tests.pages.driver import another, choose, click, data, decoded, element, go, noted, tiny

THE, YOU = 273, 314  # ids of “ the” and “ you”


def test_a_link_that_sets_everything_reopens_exactly_what_was_seen(app):
    link = {
        "step": "4", "branch": "2.273.314~7.295", "with": "3.314", "heads": "1.2", "turn": "3",
        "look_temperature": "0.5", "look_top_k": "5", "look_top_p": "0.9", "rerank": "0.5", "formula": "gnmt",
        "max_tokens": "12", "words": "free",
    }  # fmt: skip
    arrive(app, **link)
    assert not app.error and not app.warning and app.query_params == link
    root = decoded(max_tokens=12, whole_words=False)
    first = decoded((root.tokens[0].id, THE, YOU), max_tokens=12, whole_words=False)
    second = decoded((*(token.id for token in first.tokens[:6]), 295), max_tokens=12, whole_words=False)
    rival = decoded((*(token.id for token in root.tokens[:2]), YOU), max_tokens=12, whole_words=False)
    assert [each.text for each in tree(app).items] == [root.text, first.text, second.text, rival.text]
    assert words(app) == [token.text for token in second.tokens]
    assert data(app, "stepper")["step"] == 3 and data(app, "stepper")["forced"] == 7
    assert app.selectbox(key="heads_choice").value == "1.2"
    assert "Turn 3, token by token" in [each.value for each in app.header]
    looks = [table(app)["temperature"], app.slider(key="look_top_k").value, app.slider(key="look_top_p").value]
    assert looks == ["0.5", 5, 0.9]
    members = [place for place, token in enumerate(second.source) if token.turn == 2 and token.id != END]
    percents = [100 * float(second.attention.cross[0, 1, 3][place]) for place in members]
    assert traces(app, "in_turn")[0]["x"] == pytest.approx(percents, abs=1e-3)
    choose(app, "view", "branches")
    said = [each.value for each in app.markdown]
    assert "From **Branch 3** (struck through) to **Branch 2** (underlined)" in said
    assert "**Cross-attention by turn**, layer 1, head 2, mean over the tokens of each branch" in said
    choose(app, "view", "beam")
    assert app.slider(key="rerank").value == 0.5 and app.segmented_control(key="formula").value == "gnmt"


def test_a_fork_at_the_first_step_keeps_the_token_that_the_model_forces(app, monkeypatch):
    def beginning(prefix=()):
        return tuple(prefix) if tuple(prefix[:1]) == (THE,) else (THE, *prefix)

    monkeypatch.setattr(tiny().engine, "beginning", beginning)
    fork(arrive(app, max_tokens=7), 295)
    assert app.session_state["branch"] == f"1.{THE}.295"
    assert tree(app).items[-1].ids[:2] == (THE, 295) and data(app, "stepper")["forced"] == 2


def test_the_address_after_some_steps_is_a_link_to_them(app):
    arrive(app, strategy="greedy")
    fork(move(app, 2), THE)
    type_here(move(app, 5), "you")
    click(app, "looks_at", 1)
    app.slider(key="look_temperature").set_value(1.7).run()
    assert app.query_params == {
        "strategy": "greedy", "step": "6", "branch": "3.273~6.314", "turn": "2", "look_temperature": "1.7"
    }  # fmt: skip
    again = arrive(another(app), **app.query_params)
    assert again.query_params == app.query_params
    for component in ("probability_table", "stepper"):
        one, other = ({**data(each, component), "version": 0, "heard": 0} for each in (app, again))
        assert one == other
    assert [each.ids for each in tree(again).items] == [each.ids for each in tree(app).items]


def test_what_a_link_asks_in_vain_is_said_and_the_rest_is_shown(app):
    link = {"step": 99, "branch": "2.273~99.5", "with": "<script>", "heads": "9.9", "view": "all", "turn": 77}
    arrive(app, **link)
    assert not app.error
    for said in (
        "asks for step 99; this summary has 16. Its last one is shown",
        "“Branch 1” at a step that it does not have. Received: step 99; allowed: 1 to 16",
        "an impossible branch. Received: <script>",
        "asks for cross-attention 9.9, which does not exist here",
        "view=all",
    ):
        assert said in noted(app)
    assert shown(app) == "Original" and words(app) == [token.text for token in decoded().tokens]
    assert app.query_params == {"step": "16", "turn": "77"}
    assert any("The turn with the most attention" in each.value for each in app.caption)  # there is no turn 77
    app.button(key="notes_read").click().run()
    assert not noted(app)


def test_branches_survive_another_dialogue_another_page_and_other_settings(app):
    fork(move(arrive(app), 3), THE)
    before, link = words(app), {"step": "4", "branch": "4.273"}
    go(app, "pages/summarize.py")
    assert "branch" not in app.query_params
    go(app, PAGE)
    assert (words(app), app.query_params) == (before, link)
    app.slider(key="max_tokens").set_value(9).run()
    assert len(words(app)) == 9 and app.query_params == {"max_tokens": "9"}
    app.slider(key="max_tokens").set_value(16).run()
    assert [each.name for each in tree(app).items] == ["Original", "Branch 1"]
    choose(app, "branch_choice", "4.273")
    click(app, "looks_at", 1)
    app.selectbox(key="example").set_value("cat-sitter").run()
    assert app.query_params == {"example": "cat-sitter"} and data(app, "stepper")["step"] == 0
    app.selectbox(key="example").set_value("lost-suitcase").run()
    assert app.query_params == {} and shown(app) == "Original"
    assert [each.name for each in tree(app).items] == ["Original", "Branch 1"]
    assert not app.exception and not app.error and not noted(app)
    app.segmented_control(key="input").set_value("paste").run()
    assert "No dialogue is chosen yet" in app.info[0].value


def test_words_are_kept_whole_or_free(app, monkeypatch):
    asked = []
    summarize = Summarizer.summarize

    def spied(self, dialogue, settings=None, **options):
        asked.append(settings.whole_words)
        return summarize(self, dialogue, settings, **options)

    monkeypatch.setattr(Summarizer, "summarize", spied)
    arrive(app, max_tokens=11)
    app.segmented_control(key="words").set_value("free").run()
    assert asked == [True, False] and app.query_params == {"max_tokens": "11", "words": "free"}
    assert words(app) == [token.text for token in decoded(max_tokens=11, whole_words=False).tokens]
    press(press(app, "Reset everything"), "Reset")
    assert app.query_params == {} and app.segmented_control(key="words").value == "whole"


# Saved runs ----------------------------------------------------------------------------------------------------------


def upload(app, content: bytes, name: str = "run.zip"):
    element(app, "file_uploader", f"saved_run_{app.session_state['uploads']}").upload(name, content).run()
    assert not app.exception
    return app


def stored(app) -> Branches:
    """The tree of the opened file."""
    return app.session_state["opened"].branches


def test_a_saved_tree_opens_in_another_session_grows_there_and_is_closed(app, monkeypatch):
    made = []
    file_maker = files.file_maker
    monkeypatch.setattr(files, "file_maker", lambda: made.append(file_maker()) or made[-1])
    fork(arrive(app, branch="2.273~6.295", max_tokens=12), YOU)
    choose(app, "view", "branches")
    app.text_input(key="name_1_Branch 1").set_value("Mine").run()
    content = made[0]()  # of the button that was drawn first: it saves what came after, too
    found, summaries = branch_file.from_bytes(content)
    assert found == tree(app)
    assert [each.name for each in found.items] == ["Original", "Mine", "Branch 2", "Branch 3"]
    assert [summary.settings.max_tokens for summary in summaries.values()] == [12] * 4
    other = another(app)
    fork(move(arrive(other, example="cat-sitter"), 2), THE)
    before = words(other)
    upload(other, content)
    assert "This is the saved run run\\.zip of the checkpoint tiny@" in other.info[0].value
    assert not other.error and not other.warning and stored(other) == found
    assert words(other) == list(found.items[0].tokens) and data(other, "stepper")["step"] == 0
    calls = count_calls(monkeypatch)
    choose(other, "branch_choice", "2.273~6.295")
    assert words(other) == list(found.items[2].tokens) and not calls
    # It grows, by its own dialogue and settings.
    choose(other, "branch_choice", "")
    written = [token.id for token in decoded(max_tokens=12).tokens]
    another_token = THE if written[4] != THE else YOU
    fork(move(other, 4), another_token)
    prefix = (*written[:4], another_token)
    expected = [token.text for token in decoded(prefix, max_tokens=12).tokens]
    assert not other.error and len(stored(other).items) == 5 and words(other) == expected
    other.slider(key="max_tokens").set_value(14).run()
    assert words(other) == expected
    choose(other, "view", "branches")
    other.button(key="prune_1").click().run()
    press(other, "Bring back what was pruned")
    assert len(stored(other).items) == 5
    # It stays over a change of page until it is closed.
    go(other, "pages/summarize.py")
    assert turns(other)  # the dialogue of the session
    go(other, PAGE)
    assert "This is the saved run" in other.info[0].value
    press(other, "Close it")
    assert not other.error and not other.warning
    other.slider(key="max_tokens").set_value(16).run()
    choose(choose(other, "view", "steps"), "branch_choice", "3.273")
    assert words(other) == before


def test_a_forged_run_is_shown_to_its_owner_alone(app):
    """Pictures are kept for all sessions by what identifies a summary, and a file may say of itself what it likes."""

    def surprise(each) -> str:
        return next(chart.proto.spec for chart in each.get("plotly_chart") if chart.proto.id.endswith("surprise"))

    honest = surprise(arrive(app))
    real = decoded()
    steps = (replace(real.steps[0], log_probability=-9.0), *real.steps[1:])
    forged = replace(real, steps=steps)
    liar = arrive(another(app))
    upload(liar, forged.to_bytes(), "run.npz")
    assert surprise(liar) != honest
    later = arrive(another(app))
    assert surprise(later) == honest == surprise(arrive(app))


def test_a_run_of_another_checkpoint_can_be_read_but_does_not_grow(app, monkeypatch):
    checkpoint = "other@0123456789ab"
    root, path = replace(decoded(), checkpoint=checkpoint), runs.read_path("2.273", 600)
    other = replace(decoded((root.tokens[0].id, THE)), checkpoint=checkpoint)
    both = runs.branch_of(root, (), "Original"), runs.branch_of(other, path, "Mine")
    upload(arrive(app), branch_file.to_bytes(Branches(both), {(): root, path: other}))
    calls = count_calls(monkeypatch)
    assert f"of the checkpoint {checkpoint}" in app.info[0].value
    choose(app, "branch_choice", "2.273")
    move(app, 1)
    rows = table(app)["rows"]
    chosen = next(row for row in rows if row["chosen"])
    assert (chosen["id"], chosen["text"]) == (THE, "the") and not [row for row in rows if row["kept"] == "rule"]
    assert any("not known without the checkpoint" in each.value for each in app.caption)
    app.slider(key="look_top_k").set_value(2).run()
    assert sum(row["after"][0] > 0 for row in table(app)["rows"]) == 2
    for act in (lambda: fork(app, YOU), lambda: type_here(app, "you")):
        act()
        assert "can be read but not changed" in app.error[0].value and checkpoint in app.error[0].value
    for view, chart in (("branches", "branch_tree"), ("beam", "beam_picture")):
        choose(app, "view", view)
        click(app, chart, 0)
        assert not app.exception and not app.error
    assert not [each for each in app.button if each.key == "go_on"]
    choose(app, "view", "bench")
    assert "the strategy comparison needs its checkpoint" in app.info[1].value and not calls
    choose(app, "view", "branches")
    app.text_input(key="name_1_Mine").set_value("Still mine").run()
    assert [each.name for each in stored(app).items] == ["Original", "Still mine"]
    press(app, "Prune")
    assert [each.name for each in stored(app).items] == ["Original"]


def test_what_is_no_saved_run_is_said_and_nothing_is_lost(app):
    move(arrive(app), 3)
    before = words(app)
    for name, content in (("run.zip", b""), ("t.npz", decoded().to_bytes()[:-40])):
        upload(app, content, name)
        assert re.search("no (saved run|trace) of this project", app.error[0].value, re.IGNORECASE)
        assert (words(app), app.query_params) == (before, {"step": "4"}) and "opened" not in app.session_state
    upload(app, replace(decoded(), checkpoint="<b>x</b> [c](http://d)").to_bytes(), "[a](http://b).npz")
    assert not app.error and len(words(app)) == 16
    assert r"\[a\]\(http" in app.info[0].value and r"\[c\]\(http" in app.info[0].value
