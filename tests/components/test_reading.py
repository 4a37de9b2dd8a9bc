"""Preview, lock and release: the same in every component that can be read."""

import pytest
from playwright.sync_api import expect

RELEASE = "Esc, a second click or a click on empty space releases it."
CASES = {
    # name: selector of the nodes, of what tells the state, message of a lock on the third node, message of a release
    "shared/token_strip": (".token", ".state", None, None),
    "attention/head_view": (
        ".side.row .token", ".state", ["view", {"locked": [2, 2]}], ["view", {"locked": None}]
    ),
    "attention/ribbons": (
        ".side.row .item", ".state", ["pick", {"side": "row", "index": 2}], ["pick", {"side": None, "index": None}]
    ),
    "attention/head_stages": (
        ".stage:nth-child(3) .cell", ".state", ["pick", {"chosen": 5}], ["pick", {"chosen": None}]
    ),
    "attention_lab/matrix_board": (".cell", ".state", ["pick", {"cell": "query.1.3"}], ["pick", {"cell": ""}]),
    "tokens/token_chips": (
        ".chip[role]", ".state", ["pick", {"line": 0, "index": 2}], ["pick", {"line": -1, "index": -1}]
    ),
}  # fmt: skip
NAMES = list(CASES)


@pytest.fixture
def reader(stage, request):
    """A component, its third node that can be locked, and the line that tells its state."""
    name = request.param
    drawn = stage(name)
    if name == "tokens/token_chips":
        drawn.page.keyboard.press("Escape")  # its sample is locked
    nodes, state, *_ = CASES[name]
    drawn.page.evaluate("() => { window.sent.length = 0; }")
    return name, drawn, drawn.find(nodes).nth(2), drawn.find(state)


def told(name, drawn, which):
    """Wait until the last message is the lock's or the release's."""
    wanted = CASES[name][which]
    if wanted is None:
        assert drawn.sent() == []
        return
    drawn.page.wait_for_function("count => window.sent.length > count", arg=0)
    found = drawn.sent()[-1]
    assert found[0] == wanted[0] and wanted[1].items() <= found[1].items()
    drawn.page.evaluate("() => { window.sent.length = 0; }")


@pytest.mark.parametrize("reader", NAMES, indirect=True)
def test_the_pointer_previews_and_tells_nobody(reader):
    name, drawn, node, state = reader
    before = state.inner_text()
    node.hover()
    shown = {"tokens/token_chips": ".chip.marked", "attention/ribbons": ".item.shown"}.get(name)
    if shown:
        expect(drawn.find(shown).first).to_be_visible()
    else:
        expect(state).not_to_have_text(before)
    drawn.page.mouse.move(5, 5)
    expect(state).to_have_text(before)
    if shown:
        expect(drawn.find(shown)).to_have_count(0)
    assert drawn.sent() == []


@pytest.mark.parametrize("how", ["click", "Enter", "Space", "touch"])
@pytest.mark.parametrize("reader", NAMES, indirect=True)
def test_a_node_is_locked_by_pointer_finger_and_keys(reader, how):
    name, drawn, node, state = reader
    if how == "click":
        node.click()
    elif how == "touch":
        for kind in ("pointerenter", "pointerover", "pointerleave"):
            node.dispatch_event(kind, {"pointerType": "touch", "bubbles": True})
        expect(state).not_to_contain_text("Preview")
        node.dispatch_event("click")
    else:
        node.focus()
        drawn.page.keyboard.press(how)
    expect(state).to_contain_text("Locked")
    expect(state).to_contain_text(RELEASE)
    told(name, drawn, 2)


@pytest.mark.parametrize("how", ["again", "Escape", "empty space"])
@pytest.mark.parametrize("reader", NAMES, indirect=True)
def test_a_lock_is_released(reader, how):
    name, drawn, node, state = reader
    node.click()
    told(name, drawn, 2)
    if how == "again":
        node.click()
    elif how == "Escape":
        drawn.page.keyboard.press("Escape")
    else:
        drawn.empty()
    drawn.page.mouse.move(5, 5)
    expect(state).not_to_contain_text("Locked")
    told(name, drawn, 3)


@pytest.mark.parametrize("reader", NAMES, indirect=True)
def test_a_control_elsewhere_keeps_the_lock(reader):
    _, drawn, node, state = reader
    node.click()
    drawn.page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    drawn.page.locator("main > button").click(force=True)
    expect(state).to_contain_text("Locked")


@pytest.mark.parametrize("reader", NAMES, indirect=True)
def test_a_preview_returns_to_the_lock(reader):
    name, drawn, node, state = reader
    node.click()
    drawn.page.mouse.move(5, 5)
    locked = state.inner_text()
    drawn.find(CASES[name][0]).nth(4).hover()
    drawn.page.mouse.move(5, 5)
    expect(state).to_have_text(locked)


@pytest.mark.parametrize("reader", NAMES, indirect=True)
def test_arrow_keys_walk_and_tab_reaches_one_node(reader):
    name, drawn, node, _ = reader
    node.focus()
    key = "ArrowDown" if name in ("attention/ribbons", "attention/head_stages") else "ArrowRight"
    drawn.page.keyboard.press(key)
    nodes = drawn.find(CASES[name][0])
    expect(nodes.nth(3)).to_be_focused()
    if name not in ("attention_lab/matrix_board", "attention/head_stages"):  # one stop a grid, one a component
        assert nodes.evaluate_all("nodes => nodes.filter(node => node.tabIndex === 0).length") == 1
    assert drawn.sent() == []
