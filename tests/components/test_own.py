"""What single components do beside reading and locking: editing, switching, moving, choosing, walking."""

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.components.harness import Stage, folder
from tests.components.samples import SAMPLES, WORDS
from tests.figures.test_palette import luminance

SVG = "{http://www.w3.org/2000/svg}"


def press(drawn: Stage, *keys: str) -> None:
    for key in keys:
        drawn.page.keyboard.press(key)


def contrast(one: str, two: str) -> float:
    """The ratio of two colours as the browser writes them, as in WCAG."""
    lights = []
    for color in (one, two):
        if color.startswith("color(srgb"):
            parts = [round(255 * float(part)) for part in re.findall(r"[\d.]+", color.removeprefix("color(srgb"))[:3]]
        else:
            parts = [int(part) for part in re.findall(r"\d+", color)[:3]]
        lights.append(luminance("#" + bytes(parts).hex()))
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("amount", ["0%", "50%", "100%"])
def test_every_shade_of_a_token_leaves_its_text_readable(stage, theme, amount):
    token = stage("shared/token_strip", theme=theme).find(".token").first
    colors = token.evaluate(
        """(node, amount) => {
          node.style.setProperty("--amount", amount);
          const style = getComputedStyle(node);
          return [style.color, style.backgroundColor];
        }""",
        amount,
    )
    assert contrast(*colors) >= 4.5


def test_the_shading_can_show_what_was_copied(stage):
    drawn = stage("shared/token_strip")
    amounts = "nodes => nodes.map(node => node.style.getPropertyValue('--amount'))"
    before = drawn.find(".token").evaluate_all(amounts)
    drawn.page.get_by_role("button", name="Copied").click()
    after = drawn.find(".token").evaluate_all(amounts)
    assert after != before and set(after) == {"40.0%", "0.0%"}
    drawn.draw(SAMPLES["shared/token_strip"]())
    assert drawn.find(".token").evaluate_all(amounts) == after


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


def test_markup_is_text(stage):
    drawn = stage("summarize/conversation")
    expect(drawn.find(".bubble").first).to_contain_text("<b>suitcase</b>")
    assert drawn.find("b, i, img, script").count() == 0


def test_keys_walk_over_the_switches_and_flip_heads_and_layers(stage):
    drawn = stage("experiments/head_switches")
    first = drawn.page.get_by_role("button", name="Encoder self-attention, layer 1, head 1")
    first.focus()
    press(drawn, "ArrowRight", "Enter", "ArrowDown", "Enter", "Home", "Enter")
    head = {"kind": "encoder", "layer": 0, "head": 1}
    assert drawn.sent() == [
        ["flip", head], ["flip", head | {"layer": 1}], ["flip", head | {"layer": 1, "head": None}]
    ]  # fmt: skip
    expect(drawn.find(".tip")).to_contain_text("switch all its heads off")
    press(drawn, "Escape")
    expect(drawn.find(".tip")).to_be_hidden()


def test_keys_walk_over_the_bench(stage):
    drawn = stage("experiments/turn_bench")
    drawn.page.get_by_role("button", name="Delete turn 3", exact=True).focus()
    press(drawn, "ArrowRight", "Enter", "End", "ArrowDown", "ArrowLeft", "ArrowDown", "Home", "Enter")
    found = [(value["turn"], value["action"]) for _, value in drawn.sent()]
    assert found[0] == (2, "mask") and len(found) == 2
    up = drawn.page.get_by_role("button", name="Move turn 3 up")
    expect(up).to_have_attribute("aria-disabled", "true")
    up.click(force=True)
    assert len(drawn.sent()) == 2  # what is not possible is not sent


def test_the_map_sends_the_token_where_the_keys_rest(stage):
    drawn = stage("experiments/word_map")
    tokens = drawn.find(".token[role]")
    tokens.nth(4).focus()
    press(drawn, "ArrowRight", "ArrowRight", "ArrowRight")
    drawn.page.wait_for_function("() => window.sent.length > 0")
    drawn.page.wait_for_timeout(300)
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


def test_a_box_is_chosen_and_left(stage):
    drawn = stage("architecture/stack_diagram")
    drawn.page.get_by_role("button", name=re.compile("^Feed-forward")).first.click()
    (sent,) = drawn.sent()
    drawn.draw(SAMPLES["architecture/stack_diagram"]() | {"chosen": sent[1]["path"]})
    expect(drawn.find(".unit.chosen")).to_have_count(1)
    press(drawn, "Escape")
    assert drawn.sent()[1:] == [["pick", {"path": ""}]]
    assert drawn.find(".arrows path").count() > 10


def test_a_hint_is_confirmed_and_shows_its_evidence(stage):
    drawn = stage("errors/summary_check")
    drawn.find(".hint .body").first.click()
    expect(drawn.find(".turn.lit")).to_have_count(1)
    expect(drawn.find(".live.lit")).to_have_text("aunt")
    drawn.page.get_by_role("button", name="No, this is fine").first.click()
    drawn.find(".verdict.right").first.click()  # it is pressed already
    assert drawn.sent() == [["judged", {"fault": 0, "verdict": "wrong"}], ["judged", {"fault": 0, "verdict": ""}]]
    press(drawn, "Escape")
    expect(drawn.find(".lit")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_component_is_saved_as_a_picture(page, stage, tmp_path, theme):
    drawn = stage("shared/token_strip", theme=theme)
    page.evaluate("() => { const box = document.createElement('div'); box.id = 'saver'; document.body.append(box); }")
    ground = drawn.mount("#saver", folder("shared/save_view"), {"view": "it", "name": "strip", "caption": "A caption"})
    before = drawn.find(".root").bounding_box()
    with page.expect_download() as download:
        page.locator("#saver").get_by_role("button", name="SVG picture").click()
    assert download.value.suggested_filename == "strip.svg"
    download.value.save_as(tmp_path / "strip.svg")
    root = ElementTree.parse(tmp_path / "strip.svg").getroot()
    assert root.tag == f"{SVG}svg" and int(root.get("width")) >= 1000
    assert root.find(f"{SVG}rect").get("fill") == ground
    words = re.sub(r"\s", "", "".join(root.itertext()))
    assert re.sub(r"\s", "", WORDS) in words and "Acaption" in words and "Point" not in words
    assert drawn.find(".root").bounding_box() == before
    expect(drawn.find(".saved-caption")).to_have_count(0)
