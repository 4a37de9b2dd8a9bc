"""Preview, lock and release: the same in every component that can be read."""

import pytest
from playwright.sync_api import Locator, expect

from tests.components.harness import Stage

RELEASE = "Esc, a second click or a click on empty space releases it."
CASES = {
    # name: selector of the nodes, message of a lock on the third node, message of a release
    "shared/token_strip": (".token", None, None),
    "attention/head_view": (".side.row .token", ["view", {"locked": [2, 2]}], ["view", {"locked": None}]),
    "attention/ribbons": (
        ".side.row .item", ["pick", {"side": "row", "index": 2}], ["pick", {"side": None, "index": None}]
    ),
    "attention/head_stages": (".stage:nth-child(3) .cell", ["pick", {"chosen": 5}], ["pick", {"chosen": None}]),
    "attention_lab/matrix_board": (".cell", ["pick", {"cell": "query.1.3"}], ["pick", {"cell": ""}]),
    "tokens/token_chips": (".chip[role]", ["pick", {"line": 0, "index": 2}], ["pick", {"line": -1, "index": -1}]),
}  # fmt: skip
SHOWN = {"tokens/token_chips": ".chip.marked", "attention/ribbons": ".item.shown"}
"""What a preview marks where it does not change the line of the state."""
DOWN = ("attention/ribbons", "attention/head_stages")
"""Components whose nodes stand one below the other."""
GRIDS = ("attention_lab/matrix_board", "attention/head_stages")
"""Tab stops at each of their grids, else once a component."""
every_component = pytest.mark.parametrize("name", CASES)


def begin(stage, name: str) -> tuple[Stage, Locator, Locator]:
    """Return a component, its nodes that can be locked, and the line that tells its state."""
    drawn = stage(name)
    if name == "tokens/token_chips":
        drawn.page.keyboard.press("Escape")  # its sample is locked
    drawn.page.evaluate("() => { window.sent.length = 0; }")
    return drawn, drawn.find(CASES[name][0]), drawn.find(".state")


def told(drawn: Stage, wanted: list | None) -> None:
    """Wait until this is the last message, and forget it; None: nobody is told."""
    if wanted is None:
        assert drawn.sent() == []
        return
    drawn.page.wait_for_function("() => window.sent.length > 0")
    name, value = drawn.sent()[-1]
    assert name == wanted[0] and wanted[1].items() <= value.items()
    drawn.page.evaluate("() => { window.sent.length = 0; }")


@every_component
def test_the_pointer_previews_arrow_keys_walk_and_nobody_is_told(stage, name):
    drawn, nodes, state = begin(stage, name)
    before, shown = state.inner_text(), SHOWN.get(name)
    nodes.nth(2).hover()
    if shown:
        expect(drawn.find(shown).first).to_be_visible()
    else:
        expect(state).not_to_have_text(before)
    drawn.page.mouse.move(5, 5)
    expect(state).to_have_text(before)
    if shown:
        expect(drawn.find(shown)).to_have_count(0)
    nodes.nth(2).focus()
    drawn.page.keyboard.press("ArrowDown" if name in DOWN else "ArrowRight")
    expect(nodes.nth(3)).to_be_focused()
    if name not in GRIDS:
        assert nodes.evaluate_all("nodes => nodes.filter(node => node.tabIndex === 0).length") == 1
    assert drawn.sent() == []


@every_component
def test_a_node_is_locked_by_pointer_finger_and_keys_and_released(stage, name):
    _, lock, release = CASES[name]
    drawn, nodes, state = begin(stage, name)
    node = nodes.nth(2)
    for locks, releases in (("click", "again"), ("touch", "empty space"), ("Enter", "Escape"), ("Space", "again")):
        if locks == "click":
            node.click()
        elif locks == "touch":
            for kind in ("pointerenter", "pointerover", "pointerleave"):
                node.dispatch_event(kind, {"pointerType": "touch", "bubbles": True})
            expect(state).not_to_contain_text("Preview")
            node.dispatch_event("click")
        else:
            node.focus()
            drawn.page.keyboard.press(locks)
        expect(state).to_contain_text("Locked")
        expect(state).to_contain_text(RELEASE)
        told(drawn, lock)
        if releases == "again":
            node.click()
        elif releases == "Escape":
            drawn.page.keyboard.press("Escape")
        else:
            drawn.empty()
        drawn.page.mouse.move(5, 5)
        expect(state).not_to_contain_text("Locked")
        told(drawn, release)


@every_component
def test_a_lock_outlives_a_preview_and_a_control_elsewhere(stage, name):
    drawn, nodes, state = begin(stage, name)
    nodes.nth(2).click()
    drawn.page.mouse.move(5, 5)
    expect(state).to_contain_text("Locked")
    locked = state.inner_text()
    nodes.nth(4).hover()
    drawn.page.mouse.move(5, 5)
    expect(state).to_have_text(locked)
    drawn.page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    drawn.page.locator("main > button").click(force=True)
    expect(state).to_contain_text("Locked")
