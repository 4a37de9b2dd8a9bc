"""What single components do beside reading and locking: editing, switching, moving, choosing, walking."""

import re
from xml.etree import ElementTree

from playwright.sync_api import expect

from tests.components.conftest import PHONE
from tests.components.samples import SAMPLES
from tests.components.svg import SVG
from tests.components.test_saving import save, words


def test_the_shading_can_show_what_was_copied(stage):
    drawn = stage("shared/token_strip")
    amounts = "nodes => nodes.map(node => node.style.getPropertyValue('--share'))"
    before = drawn.find(".token").evaluate_all(amounts)
    drawn.page.get_by_role("button", name="Copied").click()
    after = drawn.find(".token").evaluate_all(amounts)
    assert after != before and set(after) == {"40.0%", "0.0%"} and drawn.sent() == [["shade", "copied"]]
    drawn.draw(SAMPLES["shared/token_strip"]() | {"shade": "copied"})
    assert drawn.find(".token").evaluate_all(amounts) == after


def test_the_shading_by_reliance_waits_for_its_numbers(stage):
    drawn = stage("shared/token_strip")
    drawn.page.get_by_role("button", name="Reliance").click()
    expect(drawn.find(".legend")).to_contain_text("Computing …")
    count = drawn.find(".token").count()
    owed = {"values": [4.0, -2.0, *[0.0] * (count - 2)], "half": [0.5] * count, "most": 4.0,
            "colors": ["#8447c0", "#178a63"], "caption": "Check passed."}  # fmt: skip
    drawn.draw(SAMPLES["shared/token_strip"]() | {"shade": "reliance", "reliance": owed})
    expect(drawn.find(".legend")).to_contain_text("−4.000+4.00nats")
    expect(drawn.find(".caption")).to_have_text("Check passed.")
    drawn.find(".token").nth(1).hover()
    expect(drawn.find("dl")).to_contain_text("reliance−2.00 ± 0.50")
    grounds = drawn.find(".token").evaluate_all("nodes => nodes.map(node => getComputedStyle(node).backgroundColor)")
    assert len(set(grounds[:3])) == 3
    drawn.page.get_by_role("button", name="Probability").click()
    expect(drawn.find(".caption")).not_to_have_text("Check passed.")


def test_on_a_phone_the_summary_of_a_dialogue_that_was_brought_comes_into_sight(stage, page):
    page.set_viewport_size(PHONE)
    drawn = stage("shared/token_strip")
    page.locator("#empty").evaluate("node => { node.style.height = '2000px'; }")
    expect(drawn.find(".text")).not_to_be_in_viewport()
    drawn.draw(SAMPLES["shared/token_strip"]() | {"brought": 1})
    expect(drawn.find(".text")).to_be_in_viewport()


def test_a_turn_is_edited_saved_and_left(stage):
    drawn = stage("summarize/conversation")
    drawn.page.get_by_role("button", name="Edit turn 2").click()
    area = drawn.find("textarea")
    expect(area).to_be_focused()
    area.fill("In the hall")
    drawn.draw(SAMPLES["summarize/conversation"]())  # a rerun keeps the draft
    expect(area).to_have_value("In the hall")
    area.press("Escape")
    expect(area).to_have_count(0)
    assert drawn.sent() == []
    expect(drawn.page.get_by_role("button", name="Edit turn 2")).to_be_focused()
    drawn.page.get_by_role("button", name="Edit turn 2").click()
    area.fill("In the hall")
    area.press("Enter")
    assert drawn.sent() == [["edited", {"index": 1, "text": "In the hall"}]]
    expect(drawn.find(".bubble").first).to_contain_text("<b>suitcase</b>")
    assert drawn.find("b, i, img, script").count() == 0


def test_the_token_under_the_pointer_names_the_turn_that_it_reads_most(stage, page):
    drawn = stage("shared/token_strip")
    page.evaluate(
        "() => { window.turns = []; document.addEventListener('dialoscope:turn', e => window.turns.push(e.detail)); }"
    )
    tokens = drawn.find(".token")
    tokens.nth(7).hover()
    expect(drawn.find(".reads")).to_have_text(
        "Turn 3 gets the most attention, 60 %: “Mine has a red …” (cross-attention, layer 3, mean of the heads)"
    )
    page.mouse.move(5, 5)
    tokens.nth(3).click()
    page.mouse.move(5, 5)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    turns = page.evaluate("() => window.turns.filter((each, place, all) => each !== all[place - 1])")
    assert turns == [2, None, 3, 4, None], "pointed at, left, locked, the focus of the keyboard, released"
    drawn.draw(SAMPLES["shared/token_strip"]() | {"reads": [[None, ""]] * 16, "attention": ""})
    tokens.nth(2).hover()
    expect(drawn.find(".reads")).to_have_count(0)


def test_the_turn_that_a_token_reads_is_marked_and_in_sight(stage, page):
    drawn = stage("summarize/conversation")
    drawn.find(".turns").evaluate("box => { box.style.height = '120px'; }")
    show = "turn => document.dispatchEvent(new CustomEvent('dialoscope:turn', { detail: turn }))"
    for index in (4, 0):
        page.evaluate(show, index)
        expect(drawn.find(".turn.read")).to_have_count(1)
        expect(drawn.find(".turn").nth(index)).to_have_class(re.compile(r"\bread\b"))
        expect(drawn.find(".turn").nth(index)).to_be_in_viewport(ratio=0.9)
    page.evaluate(show, None)
    expect(drawn.find(".turn.read")).to_have_count(0)


def test_keys_walk_over_the_switches_and_flip_heads_and_layers(stage):
    drawn = stage("experiments/head_switches")
    first = drawn.page.get_by_role("button", name="Encoder self-attention, layer 1, head 1")
    first.focus()
    drawn.press("ArrowRight", "Enter", "ArrowDown", "Enter", "Home", "Enter")
    head = {"kind": "encoder", "layer": 0, "head": 1}
    assert drawn.sent() == [
        ["flip", head], ["flip", head | {"layer": 1}], ["flip", head | {"layer": 1, "head": None}]
    ]  # fmt: skip
    expect(drawn.find(".tip")).to_contain_text("switch all its heads off")
    drawn.press("Escape")
    expect(drawn.find(".tip")).to_be_hidden()


def test_keys_walk_over_the_bench(stage):
    drawn = stage("experiments/turn_bench")
    drawn.page.get_by_role("button", name="Delete turn 3", exact=True).focus()
    drawn.press("ArrowRight", "Enter", "End", "ArrowDown", "ArrowLeft", "ArrowDown", "Home", "Enter")
    found = [(value["turn"], value["action"]) for _, value in drawn.sent()]
    assert found[0] == (2, "mask") and len(found) == 2
    up = drawn.page.get_by_role("button", name="Move turn 3 up")
    expect(up).to_have_attribute("aria-disabled", "true")
    up.click(force=True)
    assert len(drawn.sent()) == 2  # what is not possible is not sent


def test_the_map_sends_the_token_where_the_keys_rest(clock, stage):
    drawn = stage("experiments/word_map")
    tokens = drawn.find(".token[role]")
    tokens.nth(4).focus()
    drawn.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert drawn.sent() == []
    clock.run_for(500)
    assert drawn.sent() == [["pick", {"index": 7}]]
    tokens.nth(2).click()
    assert drawn.sent()[1:] == [["pick", {"index": 2}]]
    expect(tokens.nth(2)).to_have_attribute("aria-pressed", "true")


def test_a_fork_is_asked_for_by_its_token(stage):
    drawn = stage("decoding/probability_table")
    assert drawn.find("tbody button").count() == 3  # not at the token that was written
    drawn.page.get_by_role("button", name="Write “word2” here instead").click()
    assert drawn.sent() == [["fork", {"id": 22}]]
    assert drawn.find("tbody tr").all_inner_texts()[3].strip() == "cut"
    expect(drawn.find(".label").filter(has_text="÷ 0.5")).to_be_visible()  # the temperature of its sample


def test_a_token_marks_its_place_in_the_text_and_the_other_tokens_there(stage):
    drawn = stage("tokens/token_chips")
    drawn.press("Escape")  # its sample is locked
    marked, chip = drawn.find(".segment.marked"), drawn.find(".chip[role]").nth(4)
    expect(marked).to_have_count(0)
    chip.hover()
    expect(marked).to_have_text(["<b>suitcase</b>?"])
    expect(drawn.find(".tip")).to_have_text("about <b>suitcase</b>?")
    expect(drawn.find(".chip.marked")).to_have_count(2)
    chip.click()
    drawn.page.mouse.move(5, 5)
    expect(marked).to_have_text(["<b>suitcase</b>?"])
    expect(drawn.find(".state")).to_contain_text("Locked: “<b>suitcase</b>?”, id 40")


def test_a_box_is_chosen_and_left(stage):
    drawn = stage("architecture/stack_diagram")
    drawn.page.get_by_role("button", name=re.compile("^Feed-forward")).first.click()
    (sent,) = drawn.sent()
    drawn.draw(SAMPLES["architecture/stack_diagram"]() | {"chosen": sent[1]["path"]})
    expect(drawn.find(".unit.chosen")).to_have_count(1)
    drawn.press("Escape")
    assert drawn.sent()[1:] == [["pick", {"path": ""}]]


def test_a_saved_diagram_has_every_line_and_no_hint(stage, tmp_path):
    drawn = stage("architecture/stack_diagram")
    root = ElementTree.parse(save(drawn, tmp_path, "SVG picture")[0]).getroot()
    assert "Maskedself-attention" in words(root) and "Clickabox" not in words(root)
    lines, stacks = (drawn.find(part).bounding_box() for part in (".arrows", ".stacks"))
    assert lines["height"] == stacks["height"]  # lines outside their picture would be cut off in the file
    edges = drawn.find(".arrows path").count()
    assert len(root.findall(f".//{SVG}g[@transform]/{SVG}path")) == edges > 20


def test_a_hint_is_confirmed_and_shows_its_evidence(stage):
    drawn = stage("errors/summary_check")
    drawn.find(".hint:not(.label) .body").first.click()
    expect(drawn.find(".turn.lit")).to_have_count(1)
    expect(drawn.find(".live.lit")).to_have_text("aunt")
    drawn.page.get_by_role("button", name="No, this is fine").first.click()
    drawn.find(".verdict.right").first.click()  # it is pressed already
    assert drawn.sent() == [["judged", {"fault": 0, "verdict": "wrong"}], ["judged", {"fault": 0, "verdict": ""}]]
    drawn.press("Escape")
    expect(drawn.find(".lit")).to_have_count(0)


def test_what_was_pressed_is_sent_until_it_is_heard(stage):
    drawn = stage("errors/label_bar")
    drawn.press("3", "n", "j", "7")
    ((event, sent),) = drawn.sent()[-1:]
    wanted = [
        ("tag", "Wrong number", "row-2"), ("correct", "", "row-2"), ("next", "", "row-2"), ("tag", "Invented", ""),
    ]  # fmt: skip
    assert event == "acts" and [(act["what"], act["tag"], act["row"]) for act in sent["list"]] == wanted
    expect(drawn.page.get_by_role("button", name="Wrong number")).to_have_attribute("aria-pressed", "true")
    heard = {"mount": sent["mount"], "number": 3}
    drawn.draw(SAMPLES["errors/label_bar"]() | {"row": "row-3", "heard": heard})
    drawn.press("0")
    assert [(act["number"], act["tag"]) for act in drawn.sent()[-1][1]["list"]] == [
        (4, "Invented"), (5, "Broken language"),
    ]  # fmt: skip


def test_keys_are_for_a_text_box_that_one_types_into(stage):
    drawn = stage("errors/label_bar")
    drawn.page.evaluate("() => document.body.append(Object.assign(document.createElement('input'), { id: 'typed' }))")
    drawn.page.locator("#typed").press_sequentially("1njuz")
    assert drawn.sent() == [] and drawn.page.locator("#typed").input_value() == "1njuz"
    drawn.page.locator("#typed").evaluate("node => node.remove()")
    drawn.press("Control+z", "Shift+j", "q")
    assert drawn.sent() == []
    drawn.page.get_by_role("button", name="Undo").click()
    assert [act["what"] for act in drawn.sent()[-1][1]["list"]] == ["undo"]
