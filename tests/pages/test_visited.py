"""The list of what was visited: pages leave entries, an entry leads back to its state, a saved list comes back."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.text import links
from core.visited import file
from core.visited.visit import Visited
from pages.shared.place import page_description, visited
from pages.shared.session import selection
from tests.pages.conftest import paste
from tests.pages.decoding import fork, move
from tests.pages.driver import FIRST, another, choose, decoded, enter, go, healthy, noted, open_link, press, said, stay
from tests.visited.visits import MASKS, STEP, of

pytestmark = pytest.mark.usefixtures("settled")
HOME = "pages/visited.py"
LONG = "Ann: " + " ".join(str(number * 7919) for number in range(2_500))


def opened(app: AppTest, page: str, **link: object) -> AppTest:
    """Open a page by a link; later runs are of the page that is open then."""
    return stay(open_link(page, app, may_refuse=True, **link))


def home(app: AppTest) -> AppTest:
    """Go to the list."""
    return stay(go(app, HOME))


def names(app: AppTest) -> list[str]:
    return [each.name for each in app.session_state[visited.VISITED].items]


def number(app: AppTest, part: str) -> int:
    """The number of the first entry whose name has a part."""
    return next(each.number for each in app.session_state[visited.VISITED].items if part in each.name)


def back_to(app: AppTest, part: str) -> AppTest:
    """Go to the list, and from there to the first entry whose name has a part."""
    return press(home(app), f"return_{number(app, part)}", may_refuse=True)


def test_a_page_leaves_one_entry_that_follows_its_steps(app):
    opened(app, "pages/decoding.py")
    for step in (1, 2, 3):
        move(app, step)
    assert [name.partition(" · ")[2] for name in names(app)] == ["step by step, step 4"]
    assert visited.VISITED not in another(app).session_state
    entry = app.session_state[visited.VISITED].items[0]
    assert (entry.place.page, entry.checkpoint, entry.place.link) == ("decoding", "tiny", {"step": "4"})
    assert entry.place.dialogue == FIRST and entry.summary == decoded().text


def test_a_branch_is_named_after_what_was_written_and_an_entry_leads_back_to_it(app):
    opened(app, "pages/decoding.py", step=3)
    fork(app, 273)
    branch = names(app)[0].partition(" · ")[2]
    assert branch.startswith("branch “") and branch.endswith("” at step 3")
    choose(app, "strategy", "greedy")
    back_to(app, branch)
    assert app.session_state["page"] == "decoding" and app.session_state["strategy"] == decoded().settings.strategy
    assert (app.query_params["branch"], app.query_params["step"]) == ("3.273", "3")
    assert not noted(app)


@pytest.mark.parametrize(
    ("page", "link", "name"),
    [
        ("experiments", {"experiment": "heads", "off": "cross1.2"}, "without head 2 of layer 1 (cross-attention)"),
        ("experiments", {"turns": "1.3"}, "without turn"),
        ("attention", {"see": "head", "layer": 1, "head": 2}, "one head, cross-attention, layer 1, head 2"),
        ("masks", {"masks_view": "lesson"}, "Masks · train without the mask"),
        ("tokens", {"tok_view": "length"}, "tokens"),
    ],
)
def test_an_entry_says_what_it_was(app, page, link, name):
    opened(app, f"pages/{page}.py", **link)
    assert name in names(app)[0] and app.session_state[visited.VISITED].items[0].place.page == page


def test_a_pasted_dialogue_too_long_for_a_link_comes_back_with_its_reference(app):
    assert links.pack(LONG) is None
    healthy(app.run())
    paste(app, LONG, "A reference.")
    choose(app, "input", "example")
    choose(app, "example", "cat-sitter", may_refuse=True)
    back_to(app, "Ann: 0 7919")
    chosen = app.session_state[selection.DIALOGUE]
    assert (chosen.text, chosen.references) == (LONG, ("A reference.",))
    assert app.text_area(key="paste_box").value == LONG and app.segmented_control(key="input").value == "paste"


def test_an_edited_example_comes_back_with_its_edit_and_another_without(app):
    edited = FIRST.replace(":", ": Well,", 1)
    opened(app, "pages/summarize.py", t=links.pack(edited))
    choose(app, "example", "cat-sitter", may_refuse=True)
    back_to(app, "(edited)")
    assert app.session_state[selection.EDITS].texts == (edited,)
    back_to(app, "Instructions for the cat")
    assert not app.session_state[selection.EDITS] and app.session_state["example"] == "cat-sitter"


def test_entries_are_renamed_and_removed_and_a_name_without_letters_is_refused(app):
    opened(app, "pages/masks.py")
    home(app)
    enter(app, f"name_1_{names(app)[0]}", "*Mine* <b>")
    assert names(app) == ["*Mine* <b>"] and app.button(key="return_1").label == r"**\*Mine\* \<b\>**"
    enter(app, "name_1_*Mine* <b>", " ", may_refuse=True)
    assert "An entry needs a name. Received: 0 characters" in said(app)
    press(app, "remove_1", may_refuse=True)
    assert "Nothing yet." in said(app)


def test_a_saved_list_is_opened_in_another_session_and_a_damaged_one_is_refused(app):
    link = {"checkpoint": "gone", "step": "3"}
    data = file.to_bytes([replace(of(STEP, dialogue=FIRST, references=(), link=link), checkpoint="gone"), MASKS])
    home(healthy(app.run()))
    app.file_uploader[0].upload("mine.json", data).run()
    assert STEP.name in names(app) and "2026-03-01" in said(app)
    assert "entries added." in app.success[0].value
    app.file_uploader[0].upload("bad.json", data[:-20]).run()
    assert "'bad.json' is no list of visits" in said(app)
    strange = file.to_bytes([of(MASKS, page="shared")])
    app.file_uploader[0].upload("strange.json", strange).run()
    assert "entry 1: there is no page /shared here" in said(app)
    press(app, f"return_{number(app, STEP.name)}", may_refuse=True)
    assert app.session_state["page"] == "decoding" and app.query_params["step"] == "3"
    assert "The link asks for checkpoint=gone" in noted(app) and app.session_state["checkpoint"] == "tiny"


def test_what_cannot_be_returned_to_leaves_no_entry(app, monkeypatch):
    session = {"page": "decoding", "checkpoint": "tiny"}
    monkeypatch.setattr(page_description.st, "session_state", session)
    page_description.begin()
    page_description.describe(returnable=False)
    visited.record("Step by step", of_dialogue=True)
    assert visited.current() == Visited()
    opened(app, "pages/start.py")
    home(app)
    assert visited.VISITED not in app.session_state
