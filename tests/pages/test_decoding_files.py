"""Saved runs: what is written, and what opens again, with and without the checkpoint."""

from dataclasses import replace

from core.explain import branch_file
from core.explain.branches import Branches, Path
from core.trace import Summary
from pages.parts.decoding import files, runs
from tests.pages.conftest import turns
from tests.pages.decoding import PAGE, arrive, count_calls, fork, move, press, table, tree, type_here, words
from tests.pages.driver import another, choose, click, data, decoded, element, go

THE, YOU = 273, 314
GROWN = {"branch": "2.273~6.295", "max_tokens": 12}
OTHER = "other@0123456789ab"


def upload(app, content: bytes, name: str = "run.zip"):
    element(app, "file_uploader", f"saved_run_{app.session_state['uploads']}").upload(name, content).run()
    assert not app.exception
    return app


def stored(app) -> Branches:
    """The tree of the opened file."""
    return app.session_state["opened"].branches


def stranger() -> tuple[Branches, dict[Path, Summary]]:
    """A tree of two branches that another checkpoint wrote."""
    root = replace(decoded(), checkpoint=OTHER)
    path = runs.read_path("2.273", 600)
    other = replace(decoded((root.tokens[0].id, THE)), checkpoint=OTHER)
    both = runs.branch_of(root, (), "Original"), runs.branch_of(other, path, "Mine")
    return Branches(both), {(): root, path: other}


def test_a_saved_tree_opens_in_another_session(app, monkeypatch):
    made = []
    file_maker = files.file_maker
    monkeypatch.setattr(files, "file_maker", lambda: made.append(file_maker()) or made[-1])
    fork(arrive(app, **GROWN), YOU)
    choose(app, "view", "branches")
    app.text_input(key="name_1_Branch 1").set_value("Mine").run()
    content = made[0]()  # of the button that was drawn first: it saves what came after, too
    found, summaries = branch_file.from_bytes(content)
    assert found == tree(app)
    assert [each.name for each in found.items] == ["Original", "Mine", "Branch 2", "Branch 3"]
    assert [summary.settings.max_tokens for summary in summaries.values()] == [12] * 4
    second = another(app)
    upload(move(arrive(second, example="cat-sitter"), 9), content)
    assert "This is the saved run run\\.zip of the checkpoint tiny@" in second.info[0].value
    assert not second.error and not second.warning and stored(second) == found
    assert words(second) == list(found.items[0].tokens) and data(second, "stepper")["step"] == 0
    calls = count_calls(monkeypatch)
    choose(second, "branch_choice", "2.273~6.295")
    assert words(second) == list(found.items[2].tokens) and not calls


def test_an_opened_run_grows(app):
    root = decoded(max_tokens=9)
    arrive(app, example="cat-sitter")
    upload(app, root.to_bytes(), "trace.npz")
    fork(move(app, 4), YOU)
    assert not app.error and len(stored(app).items) == 2
    expected = decoded((*(token.id for token in root.tokens[:4]), YOU), max_tokens=9)
    assert words(app) == [token.text for token in expected.tokens]  # of its own dialogue and settings
    app.slider(key="max_tokens").set_value(14).run()
    assert words(app) == [token.text for token in expected.tokens]
    choose(app, "view", "branches")
    app.button(key="prune_1").click().run()
    press(app, "Bring back what was pruned")
    assert len(stored(app).items) == 2 and "trees" not in app.session_state


def test_an_opened_run_stays_over_a_change_of_page_until_it_is_closed(app):
    fork(move(arrive(app), 2), THE)
    before = words(app)
    upload(app, decoded(max_tokens=6).to_bytes(), "trace.npz")
    go(app, "pages/summarize.py")
    assert turns(app)  # the dialogue of the session
    go(app, PAGE)
    assert len(words(app)) == 6 and "This is the saved run" in app.info[0].value
    press(app, "Close it")
    assert not app.error and not app.warning and not app.info
    assert words(app) == [token.text for token in decoded().tokens]
    choose(app, "branch_choice", "3.273")
    assert words(app) == before


def test_a_run_of_another_checkpoint_can_be_read_but_does_not_grow(app, monkeypatch):
    upload(arrive(app), branch_file.to_bytes(*stranger()))
    calls = count_calls(monkeypatch)
    assert f"of the checkpoint {OTHER}" in app.info[0].value
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
        assert "can be read but not changed" in app.error[0].value and OTHER in app.error[0].value
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
    for name, content in (
        ("run.zip", b""),
        ("run.zip", b"PK\x05\x06" + bytes(18)),
        ("t.npz", decoded().to_bytes()[:-40]),
    ):
        upload(app, content, name)
        assert app.error[0].value.startswith(("No saved run of this project", "No trace of this project"))
        assert (words(app), app.query_params) == (before, {"step": "4"}) and "opened" not in app.session_state
    upload(app, replace(decoded(), checkpoint="<b>x</b> [c](http://d)").to_bytes(), "[a](http://b).npz")
    assert not app.error and len(words(app)) == 16
    assert r"\[a\]\(http" in app.info[0].value and r"\[c\]\(http" in app.info[0].value
