"""The summary that is written token by token: it plays, can be paused and stepped by keys, and is still on request.

The page's clock stands still: time passes only where a test lets it.
"""

import pytest
from playwright.sync_api import expect

from tests.components.samples import SAMPLES

PLAY_EVERY = 1600


@pytest.fixture
def writing(clock, stage):
    return stage("start/writing")


def at(writing, number):
    """Wait until a step is shown: in the sentence, at the token, and by the turn that it reads."""
    expect(writing.find(".line")).to_contain_text(f"Step {number} of 16: ")
    expect(writing.find(".token.coming")).to_have_count(16 - number)
    expect(writing.find(".token").nth(number - 1)).to_have_attribute("aria-current", "step")
    expect(writing.find(".turn").nth((number - 1) % 5)).to_have_class("turn most")


def test_it_plays_by_itself_to_the_end_and_from_there_anew(writing, clock):
    at(writing, 1)
    for number in range(2, 17):
        clock.run_for(PLAY_EVERY)
        at(writing, number)
    play = writing.find(".play")
    expect(play).to_have_text("Play")
    clock.run_for(3 * PLAY_EVERY)
    at(writing, 16)
    play.click()
    at(writing, 1)
    expect(play).to_have_text("Pause")


def test_keys_pause_and_step_and_a_rerun_changes_nothing(writing, clock, page):
    line = writing.find(".line")
    expect(line).to_have_attribute("aria-live", "off")
    page.keyboard.press("Space")
    clock.run_for(2 * PLAY_EVERY)
    at(writing, 1)
    expect(line).to_have_attribute("aria-live", "polite")
    for key, number in (("ArrowRight", 2), ("End", 16), ("ArrowLeft", 15), ("Home", 1), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        at(writing, number)
    page.keyboard.press("ArrowRight")
    writing.draw(SAMPLES["start/writing"]())
    clock.run_for(2 * PLAY_EVERY)
    at(writing, 2)
    page.keyboard.press("Space")
    clock.run_for(PLAY_EVERY)
    at(writing, 3)


def test_how_far_it_can_be_trusted_stands_below_it_as_large_as_text(writing):
    warning = writing.find(".text + p")
    expect(warning).to_have_text(SAMPLES["start/writing"]()["warning"])
    expect(warning).to_have_css("font-size", "16px")


def test_a_token_opens_its_step_and_a_button_leads_to_it_elsewhere(writing, clock):
    token = writing.find(".token").nth(5)
    token.click()
    at(writing, 6)
    clock.run_for(2 * PLAY_EVERY)
    at(writing, 6)
    writing.find(".see").nth(1).click()
    assert writing.sent() == [["see", {"part": "cross", "step": 5}]]
    share = writing.find(".share").nth(0)
    expect(share).to_have_text("60\u00a0%")


def test_whoever_wants_no_motion_steps(clock, stage, page):
    page.emulate_media(reduced_motion="reduce")
    try:
        writing = stage("start/writing")
        clock.run_for(4 * PLAY_EVERY)
        at(writing, 1)
        expect(writing.find(".play")).to_be_hidden()
        page.keyboard.press("Space")
        clock.run_for(2 * PLAY_EVERY)
        at(writing, 1)
        page.get_by_role("button", name="Next step").click()
        at(writing, 2)
    finally:
        page.emulate_media(reduced_motion="no-preference")
    writing.find(".play").click()
    clock.run_for(PLAY_EVERY)
    at(writing, 3)
