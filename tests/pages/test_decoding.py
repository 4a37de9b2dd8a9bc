"""The Decoding page as a whole: its links, what it follows, and saved runs with and without the checkpoint."""

import re
from dataclasses import replace

import pytest

from core.config import END
from core.explain.decoding import branch_file
from core.explain.decoding.branches import Branches
from pages.parts.decoding import files, runs
from tests.closeness import printed
from tests.pages import decoding
from tests.pages.conftest import turns
from tests.pages.decoding import THE, YOU, arrive, count_calls, fork, move, press, shown, table, tree, words
from tests.pages.driver import another, chart, choose, click, data, decoded, element, go, noted, said, tiny


def test_a_link_writes_its_branches_anew(app):
    arrive(app, branch="2.273.314~7.295", **{"with": "3.314"}, heads="1.2", turn=3, step=4, max_tokens=12, words="free")
    root = decoded(max_tokens=12, whole_words=False)
    first = decoded((root.tokens[0].id, THE, YOU), max_tokens=12, whole_words=False)
    second = decoded((*(token.id for token in first.tokens[:6]), 295), max_tokens=12, whole_words=False)
    rival = decoded((*(token.id for token in root.tokens[:2]), YOU), max_tokens=12, whole_words=False)
    assert [each.text for each in tree(app).items] == [root.text, first.text, second.text, rival.text]
    assert words(app) == [token.text for token in second.tokens] and data(app, "stepper")["forced"] == 7
    members = [place for place, token in enumerate(second.source) if token.turn == 2 and token.id != END]
    printed(chart(app, "in_turn")["data"][0]["x"], 100 * second.attention.cross[0, 1, 3][members], 3)
    choose(app, "view", "branches")
    texts = [each.value for each in app.markdown]
    assert "From **Branch 3** (struck through) to **Branch 2** (underlined)" in texts
    assert "**Cross-attention by turn**, layer 1, head 2, mean over the tokens of each branch" in texts


def test_a_fork_at_the_first_step_keeps_the_token_that_the_model_forces(app, monkeypatch):
    def beginning(prefix=()):
        return tuple(prefix) if tuple(prefix[:1]) == (THE,) else (THE, *prefix)

    monkeypatch.setattr(tiny().engine, "beginning", beginning)
    fork(arrive(app, max_tokens=7), 295)
    assert app.session_state["branch"] == f"1.{THE}.295"
    assert tree(app).items[-1].ids[:2] == (THE, 295) and data(app, "stepper")["forced"] == 2


def test_branches_survive_another_page_and_other_settings(app):
    fork(arrive(app, step=4), THE)
    before, link = words(app), {"step": "4", "branch": "4.273"}
    go(go(app, "pages/summarize.py"), decoding.PAGE)
    assert (words(app), app.query_params) == (before, link)
    app.slider(key="max_tokens").set_value(9).run()
    assert len(words(app)) == 9 and app.query_params == {"max_tokens": "9"}
    app.slider(key="max_tokens").set_value(16).run()
    assert [each.name for each in tree(app).items] == ["Original", "Branch 1"]


def test_branches_survive_another_dialogue(app):
    arrive(app, step=4, branch="4.273", turn=2)
    choose(app, "example", "cat-sitter")
    assert app.query_params == {"example": "cat-sitter"} and data(app, "stepper")["step"] == 0
    choose(app, "example", "lost-suitcase")
    assert app.query_params == {} and shown(app) == "Original" and not noted(app)
    assert [each.name for each in tree(app).items] == ["Original", "Branch 1"]


def test_words_are_kept_whole_or_free(app):
    both = (decoded(max_tokens=11, whole_words=each) for each in (True, False))
    whole, free = ([token.text for token in each.tokens] for each in both)
    assert words(arrive(app, max_tokens=11)) == whole != free
    assert words(choose(app, "words", "free")) == free


# Saved runs ----------------------------------------------------------------------------------------------------------


def upload(app, content: bytes, name: str = "run.zip"):
    element(app, "file_uploader", f"saved_run_{app.session_state['uploads']}").upload(name, content).run()
    assert not app.exception
    return app


def stored(app) -> Branches:
    """The tree of the opened file."""
    return app.session_state["opened"].branches


SET = {"max_tokens": 12}
NAMES = ("Original", "Mine")


def file(checkpoint: str | None = None) -> bytes:
    """A saved run of two branches; it can say that another checkpoint wrote it."""
    root, path = decoded(**SET), runs.read_path("2.273", 600)
    both = {(): root, path: decoded((root.tokens[0].id, THE), **SET)}
    both = {path: replace(each, checkpoint=checkpoint or each.checkpoint) for path, each in both.items()}
    branches = (runs.branch_of(each, path, name) for (path, each), name in zip(both.items(), NAMES, strict=True))
    return branch_file.to_bytes(Branches(tuple(branches)), both)


@pytest.fixture
def reader(app):
    """A session with a branch of its own that opened a saved run."""
    return upload(arrive(app, example="cat-sitter", branch="3.273"), file())


def test_a_file_holds_the_tree_with_what_came_after_its_button_was_drawn(app, monkeypatch):
    made = []
    file_maker = files.file_maker
    monkeypatch.setattr(files, "file_maker", lambda: made.append(file_maker()) or made[-1])
    fork(arrive(app, view="steps", branch="2.273~6.295", **SET), YOU)
    choose(app, "view", "branches")
    app.text_input(key="name_1_Branch 1").set_value("Mine").run()
    found = branch_file.from_bytes(made[0]())[0]
    assert [each.name for each in found.items] == ["Original", "Mine", "Branch 2", "Branch 3"]
    assert [len(each.ids) for each in found.items] == [12] * 4
    assert [each.ids for each in found.items] == [each.ids for each in tree(app).items]


def test_a_saved_tree_opens_in_another_session_and_asks_no_model(reader, monkeypatch):
    found = branch_file.from_bytes(file())[0]
    assert "This is the saved run run.zip of the checkpoint tiny@" in said(reader)
    assert not reader.error and not reader.warning and stored(reader) == found
    assert words(reader) == list(found.items[0].tokens) and data(reader, "stepper")["step"] == 0
    calls = count_calls(monkeypatch)
    choose(reader, "branch_choice", "2.273")
    assert words(reader) == list(found.items[1].tokens) and not calls


def test_a_saved_tree_grows_by_its_own_dialogue_and_settings(reader):
    written = [token.id for token in decoded(**SET).tokens]
    another_token = THE if written[4] != THE else YOU
    fork(move(reader, 4), another_token)
    expected = [token.text for token in decoded((*written[:4], another_token), **SET).tokens]
    assert not reader.error and len(stored(reader).items) == 3 and words(reader) == expected
    reader.slider(key="max_tokens").set_value(14).run()
    assert words(reader) == expected
    choose(reader, "view", "branches")
    reader.button(key="prune_1").click().run()
    press(reader, "Bring back what was pruned")
    assert len(stored(reader).items) == 3


def test_a_saved_tree_stays_over_a_change_of_page_until_it_is_closed(reader):
    assert turns(go(reader, "pages/summarize.py"))  # the dialogue of the session
    assert "This is the saved run" in said(go(reader, decoding.PAGE))
    press(reader, "Close it")
    assert not reader.error and not reader.warning
    choose(reader, "branch_choice", "3.273")  # of the session itself
    assert words(reader)[2] == "the" and len(tree(reader).items) == 2


def test_a_forged_run_is_shown_to_its_owner_alone(app):
    """Pictures are kept for all sessions by what identifies a summary, and a file may say of itself what it likes."""

    def surprise(each) -> str:
        return element(each, "plotly_chart", "surprise").proto.spec

    honest = surprise(arrive(app))
    real = decoded()
    forged = replace(real, steps=(replace(real.steps[0], log_probability=-9.0), *real.steps[1:]))
    assert surprise(upload(arrive(another(app)), forged.to_bytes(), "run.npz")) != honest
    assert surprise(arrive(another(app))) == honest == surprise(arrive(app))


@pytest.fixture
def foreign(app):
    """A session that opened a run of a checkpoint that is not here, which it names."""
    upload(arrive(app), file("other@0123456789ab"))
    assert "of the checkpoint other@0123456789ab" in said(app)
    return app


def test_a_run_of_another_checkpoint_can_be_read(foreign, monkeypatch):
    calls = count_calls(monkeypatch)
    move(choose(foreign, "branch_choice", "2.273"), 1)
    rows = table(foreign)["rows"]
    chosen = next(row for row in rows if row["chosen"])
    assert (chosen["id"], chosen["text"]) == (THE, "the") and not [row for row in rows if row["kept"] == "rule"]
    assert any("not known without the checkpoint" in each.value for each in foreign.caption)
    foreign.slider(key="look_top_k").set_value(2).run()
    assert sum(row["after"][0] > 0 for row in table(foreign)["rows"]) == 2
    choose(foreign, "view", "bench")
    assert "the strategy comparison needs its checkpoint" in foreign.info[0].value and not calls
    choose(foreign, "view", "branches")
    foreign.text_input(key="name_1_Mine").set_value("Still mine").run()
    assert [each.name for each in stored(foreign).items] == ["Original", "Still mine"]


def test_a_run_of_another_checkpoint_does_not_grow(foreign):
    for act in (lambda: fork(foreign, YOU), lambda: decoding.type_here(foreign, "you")):
        act()
        assert "can be read but not changed" in foreign.error[0].value and "other@" in foreign.error[0].value
    choose(foreign, "view", "beam", may_refuse=True)
    click(foreign, "beam_picture", 0)
    assert not foreign.exception and not [each for each in foreign.button if each.key == "go_on"]


def test_what_is_no_saved_run_is_said_and_nothing_is_lost(app):
    arrive(app, step=4)
    before = words(app)
    upload(app, decoded().to_bytes()[:-40], "t.npz")
    assert re.search("no (saved run|trace) of this project", app.error[0].value, re.IGNORECASE)
    assert (words(app), app.query_params) == (before, {"step": "4"}) and "opened" not in app.session_state


def test_names_in_a_saved_run_stay_text(app):
    upload(arrive(app), replace(decoded(), checkpoint="<b>x</b> [c](http://d)").to_bytes(), "[a](http://b).npz")
    assert not app.error and len(words(app)) == 16
    texts = " ".join(each.value for each in app.markdown)
    assert r"\[a\]\(http" in texts and r"\[c\]\(http" in texts
