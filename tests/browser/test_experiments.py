"""Ablations, left out turns, gradients and lenses in a real browser, by mouse and by keys."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attention import address, choose, press
from tests.browser.experiments import (
    SLOW,
    compared,
    dark,
    expect_diff,
    held,
    measured,
    open_experiments,
    order,
    row,
    see,
    shown,
    switch,
    tool,
)
from tests.browser.helpers import click_mark, paste_here, wait_for_app

DIALOGUE = "Mira: The parrot ate my passport.\nTom: Did you call the airport?\nMira: They will wait until Friday."
MARKUP = "Eve: <img src=x onerror=alert(1)> **x** :red[y] 🦜\nDov: # שלום [a](http://b) $x$ <b>z</b>"


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def untouched(page: Page) -> str:
    """The summary before the change."""
    card = page.get_by_test_id("stColumn").filter(has=page.get_by_text("Untouched", exact=True))
    return card.get_by_test_id("stText").inner_text()


def caption(page: Page, part: str) -> str:
    """The sentence with these words."""
    return page.get_by_text(re.compile(part)).last.inner_text()


def test_a_sweep_is_stopped_half_way_and_finished_later(page):
    open_experiments(page, "?experiment=heads&example=cat-sitter")  # no other test has measured its heads
    expect(page.get_by_text("No head has been ablated alone yet")).to_be_visible()
    assert measured(page) == {}
    page.get_by_role("button", name="Ablate each head alone").click()
    expect(page.locator(".st-key-head_switches .switch:not(.unmeasured)").first).to_be_visible(timeout=SLOW)
    page.locator(".st-key-stop_heads").get_by_role("button").click()
    go_on = page.get_by_role("button", name=re.compile(r"Go on with the other \d+"))
    expect(go_on).to_be_visible(timeout=SLOW)
    wait_for_app(page)
    kept = measured(page)
    assert 4 <= len(kept) < 36
    expect(page.get_by_text(f"{len(kept)} of 36 heads", exact=True)).to_be_visible()
    page.wait_for_timeout(1500)
    assert measured(page) == kept  # nothing goes on behind the page's back
    see(page, "lenses")
    see(page, "heads")
    assert measured(page) == kept
    go_on.click()
    expect(page.get_by_text("All 36 heads are measured.")).to_be_visible(timeout=SLOW)
    wait_for_app(page)
    found = measured(page)
    assert len(found) == 36 and kept.items() <= found.items()
    worst = r"largest effect has head (\d) of layer (\d) \((.+?)-attention\): (−?[\d.]+)\snats"
    said = re.search(worst, caption(page, "36 of 36"))
    kind = {"encoder self": "encoder", "decoder self": "decoder", "cross": "cross"}[said[3]]
    worst = found[f"{kind}.{int(said[2]) - 1}.{int(said[1]) - 1}"]
    assert worst == max(found.values()) == float(said[4])


def test_a_head_is_ablated_and_its_effect_seen(page):
    open_experiments(page, "?experiment=heads")
    expect(page.get_by_text("All heads are on.")).to_be_visible()
    switch(page, "Encoder self-attention, layer 1, head 1: on")
    address(page, "off=encoder1.1")
    assert dark(page) == ["encoder.0.0"]
    before = untouched(page)
    after = expect_diff(page, "ablation_diff", before)
    assert after
    one = compared(page)
    assert one[0][2] > 0  # a trained model needs this head
    for old, new, effect in one:
        assert old - new == pytest.approx(effect, abs=1e-5)
    total = float(re.search(r"summary is \+([\d.]+) nats", caption(page, "In all, the effect on the untouched"))[1])
    assert f"loses {total:.2f} nats ({one[0][2]:.2f} a token)" in caption(page, "Without head 1 of layer 1").replace(
        "\xa0", " "
    )
    switch(page, "Cross-attention, layer 3: switch all its heads off")
    address(page, "off=cross3.1-cross3.2-cross3.3-cross3.4-encoder1.1")
    assert len(dark(page)) == 5 and untouched(page) == before
    expect(page.get_by_text("Without 5 heads").first).to_be_visible()
    assert compared(page)[0][1] < one[0][1]
    press(page, "ablation", "Mean: its usual output")
    address(page, "ablation=mean")
    expect(page.get_by_text(re.compile(r"Mean output over all positions of \d+ dialogues"))).to_be_visible()
    assert compared(page)[0][1] != one[0][1]
    page.get_by_role("button", name="Switch all on").click()
    expect(page.get_by_text("All heads are on.")).to_be_visible()
    wait_for_app(page)
    assert dark(page) == [] and "off=" not in page.url


def test_keys_switch_heads_and_layers(page):
    open_experiments(page, "?experiment=heads")
    page.locator(".st-key-head_switches").get_by_role("button", name="Cross-attention, layer 1, head 1").focus()
    for key, place in (("ArrowRight", "cross.0.1"), ("ArrowDown", "cross.1.1")):
        page.keyboard.press(key)
        assert held(page) == place
    page.keyboard.press("Enter")
    address(page, "off=cross2.2")
    assert (held(page), dark(page)) == ("cross.1.1", ["cross.1.1"])  # the focus stays
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    address(page, "off=cross2.1-cross2.2-cross2.3-cross2.4")
    assert held(page) == "cross.1"
    page.keyboard.press("Space")
    expect(page).not_to_have_url(re.compile("off="))


def test_a_turn_is_knocked_out_and_the_difference_read(page):
    open_experiments(page)
    values = [float(text.replace("−", "-")) for text in page.locator(".st-key-turn_bench .number").all_inner_texts()]
    worst = values.index(max(values)) + 1
    assert f"depends most on turn {worst} " in caption(page, "The summary depends most")
    tool(page, f"Delete turn {worst}")
    expect(row(page, worst)).to_contain_text("deleted")
    rest = ".".join(str(number) for number in range(1, 11) if number != worst)
    address(page, f"turns={rest}")
    before = untouched(page)
    assert expect_diff(page, "turn_diff", before)
    points = page.locator(".st-key-turn_changes .barlayer .trace").first.locator(".point")
    expect(points.first).to_be_attached()
    drop = compared(page)[0][2] * points.count()
    assert drop == pytest.approx(max(values), abs=0.05)  # the same effect as among all of them
    expect(page.get_by_text(f"Without turn {worst}", exact=True)).to_be_visible()
    tool(page, f"Bring turn {worst} back")
    expect(page).not_to_have_url(re.compile("turns="))
    expect(page.get_by_text("With the change", exact=True)).to_have_count(0)
    assert order(page) == list(range(1, 11))


def test_turns_are_masked_swapped_and_moved(page):
    open_experiments(page)
    paste_here(page, DIALOGUE)
    expect(page.get_by_text("All 3 turns are measured")).to_be_visible(timeout=SLOW)
    wait_for_app(page)
    tool(page, "Mask turn 1: it keeps its place, unseen")
    expect(row(page, 1)).to_contain_text("masked")
    tool(page, "Let Mira say turn 2")
    expect(row(page, 2)).to_contain_text("said by Mira")
    tool(page, "Move turn 3 up")
    address(page, "turns=1m.3.2s1")
    assert order(page) == [1, 3, 2]
    title = "With turn 1 masked, with turn 2 said by Mira and with the turns in another order"
    expect(page.get_by_text(title, exact=True)).to_be_visible()
    assert untouched(page) and len(compared(page)) == 2
    up = page.locator(".st-key-turn_bench").get_by_role("button", name="Move turn 1 up")
    expect(up).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Put everything back").click()
    expect(page).not_to_have_url(re.compile("turns="))
    wait_for_app(page)
    assert order(page) == [1, 2, 3]


def test_keys_walk_over_the_bench(page):
    open_experiments(page)
    page.locator(".st-key-turn_bench").get_by_role("button", name="Delete turn 1", exact=True).focus()
    for key, place in (("ArrowDown", "1.delete"), ("ArrowRight", "1.mask"), ("ArrowDown", "2.mask")):
        page.keyboard.press(key)
        assert held(page) == place
    page.keyboard.press("Enter")
    address(page, "turns=1.2.3m.4.5.6.7.8.9.10")
    assert held(page) == "2.mask"
    page.keyboard.press("Tab")
    assert held(page) == "3.delete"
    page.keyboard.press("Space")
    address(page, "turns=1.2.3m.5.6.7.8.9.10")
    page.keyboard.press("Space")  # the same place brings it back
    address(page, "turns=1.2.3m.4.5.6.7.8.9.10")


def test_a_bar_is_clicked_again_and_again(page):
    open_experiments(page)
    for mark, turns in ((1, "1.3.4.5.6.7.8.9.10"), (1, ""), (1, "1.3.4.5.6.7.8.9.10"), (3, "1.3.5.6.7.8.9.10")):
        page.wait_for_timeout(500)  # the chart is drawn anew after each
        click_mark(page, "turn_drops", mark)
        expect(page).to_have_url(re.compile(rf"turns={re.escape(turns)}$" if turns else "experiments$"))
        wait_for_app(page)
    expect(page.get_by_text(re.compile(r"Turns 2 and 4: alone [\d.]+ and [\d.]+ nats, together"))).to_be_visible()


def test_a_summary_token_has_its_gradient_map(page):
    open_experiments(page, "?experiment=words")
    tokens = page.locator(".st-key-word_map .summary .token[role=button]")
    tokens.filter(has_text="suitcase").first.click()
    chosen = page.locator(".st-key-word_map .summary .chosen")
    expect(chosen).to_have_text("suitcase")
    expect(page).to_have_url(re.compile(r"word=\d+"))
    wait_for_app(page)
    first = caption(page, "counts most in the dialogue")
    assert first.startswith("Log p of “suitcase” is −") and "“suitcase” in turn" in first
    value, check = re.search(r"it: ([+−][\d.]+) \(check.*slope of ([+−][\d.]+)\)", first).groups()
    assert value[0] == check[0]
    colors = page.locator(".st-key-word_map .word").evaluate_all(
        "nodes => nodes.map(n => [n.textContent, n.style.backgroundColor, n.dataset.tip])"
    )
    strongest = [text for text, color, _ in colors if "75.0%" in color]
    assert strongest == ["suitcase"] and all("nats" in tip for _, _, tip in colors)
    expect(page.locator(".st-key-word_map .ticks span").nth(2)).to_have_text(re.compile(r"\+\d"))
    number = int(re.search(r"word=(\d+)", page.url)[1])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    address(page, f"word={number + 2}")
    expect(chosen).to_have_attribute("data-place", str(number + 1))
    page.keyboard.press("ArrowLeft")
    address(page, f"word={number + 1}")
    assert caption(page, "counts most in the dialogue") != first
    page.locator(".st-key-instead").get_by_role("combobox").click()
    page.get_by_role("option").nth(1).click()
    expect(page).to_have_url(re.compile(r"instead=\d+"))
    expect(page.get_by_text("minus log p of the other token")).to_be_visible()
    wait_for_app(page)
    assert re.search(r"attention and gradient .+ \(ρ = ", caption(page, "over 10 turns").replace("\xa0", " "))


def test_lenses_show_every_layer(page):
    open_experiments(page, "?experiment=lenses")
    layers = page.locator("[class*='st-key-lens_'][class*='stVerticalBlock']")
    expect(layers).to_have_count(4)
    last = layers.nth(3).get_by_test_id("stText").inner_text()
    for layer in range(3):
        text = layers.nth(layer).get_by_test_id("stText").inner_text()
        assert expect_diff(page, f"lens_diff_{layer}", text) == re.sub(r"\s", "", last)
        score = re.compile(r"forced: −[\d.]+ nats a token \(effect of reading early")
        expect(layers.nth(layer)).to_contain_text(score)
    picture = page.locator(".st-key-logit_lens_picture")
    expect(picture).to_contain_text("probability of the written token")
    press(page, "lens_color", "Rank")
    expect(picture).to_contain_text("rank of the written token (log scale)")
    address(page, "lens_color=rank")


def test_unusual_dialogues_are_shown_literally(page):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    open_experiments(page)
    paste_here(page, MARKUP)
    expect(page.get_by_text("All 2 turns are measured")).to_be_visible(timeout=SLOW)
    tool(page, "Let Dov say turn 1")
    assert page.locator(".st-key-turn_bench .text").all_inner_texts() == [
        line.split(": ", 1)[1] for line in MARKUP.splitlines()
    ]
    for view in ("heads", "words", "lenses"):
        see(page, view)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    assert dialogs == [] and page.locator(".stPlotlyChart img, .stPlotlyChart foreignObject").count() == 0
    paste_here(page, "hello")
    for view in ("words", "lenses", "heads"):
        see(page, view)
    press(page, "experiment", "Turns")
    expect(page.get_by_text("leaving it out would leave nothing (n/a)")).to_be_visible(timeout=SLOW)


def test_the_untrained_network_answers_the_same_question(page):
    open_experiments(page, "?experiment=words&word=3")
    trained = caption(page, "counts most in the dialogue")
    press(page, "control", "Untrained network")
    expect(page.get_by_text("in the untrained network")).to_be_visible(timeout=2 * SLOW)
    shown(page, "words")
    assert caption(page, "counts most in the dialogue") != trained
    expect(page.get_by_text("Control: the same network before training")).to_be_visible()
    address(page, "control=untrained")
    press(page, "control", "The model")
    expect(page.get_by_text("in the model dialoscope@")).to_be_visible(timeout=SLOW)
    assert caption(page, "counts most in the dialogue") == trained
    choose(page, "instead", "anything else")
