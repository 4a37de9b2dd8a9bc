"""The stepper moves by itself and tells Python at once, then where a walk rests, one message at a time.

The page's clock stands still: time passes only where a test lets it.
"""

import pytest
from playwright.sync_api import expect

from pages.parts.decoding.stepper import stepper_data
from tests.components.samples import summary

REST, PLAY_EVERY = 250, 1200


def sixteen(step=0, version=0, heard=0, **other):
    """What the script gets for a summary of sixteen tokens."""
    return stepper_data(summary(), step, version, heard) | other


@pytest.fixture
def stepper(clock, stage):
    return stage("decoding/stepper", sixteen())


def at(stepper, text):
    expect(stepper.find(".line")).to_contain_text(text)


def told(stepper):
    """The steps that Python was told."""
    return [value["step"] for _, value in stepper.sent()]


def test_messages_tell_the_first_step_and_where_a_walk_rests_and_wait_for_the_answer(stepper, clock):
    press = stepper.press
    press("ArrowRight")
    assert told(stepper) == [1]
    stepper.draw(sixteen(heard=stepper.sent()[-1][1]["time"]))
    for _ in range(8):
        press("ArrowRight")
        clock.run_for(REST - 1)
    expect(stepper.find(".line")).to_have_text("Step 10 of 16: deciding “that”")
    assert told(stepper) == [1]
    clock.run_for(1)
    assert told(stepper) == [1, 9]
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        press(key)
        clock.run_for(REST)
    assert told(stepper) == [1, 9]
    stepper.draw(sixteen(heard=stepper.sent()[-1][1]["time"]))
    clock.run_for(REST)
    assert told(stepper) == [1, 9, 14]
    at(stepper, "Step 15 of 16")
    stepper.draw(sixteen(heard=stepper.sent()[-1][1]["time"]))
    clock.run_for(2 * REST)
    assert told(stepper) == [1, 9, 14]


def test_a_jump_of_python_counts_with_a_new_version_or_other_tokens(stepper, clock):
    stepper.press("ArrowRight", "ArrowRight")
    stepper.draw(sixteen(7))
    at(stepper, "Step 3 of 16")
    stepper.draw(sixteen(7, 1))
    at(stepper, "Step 8 of 16")
    clock.run_for(2 * REST)
    assert told(stepper) == [1]  # what was still to be sent is out of date
    stepper.press("ArrowRight", "ArrowRight")
    stepper.draw(sixteen(2, 1, tokens=sixteen()["tokens"][:5]))
    at(stepper, "Step 3 of 5")
    clock.run_for(2 * REST)
    assert told(stepper) == [1]
    stepper.draw(sixteen(tokens=[]))
    expect(stepper.find(".hint")).to_contain_text("The model wrote nothing")
    stepper.draw(sixteen(1, forced=3))
    assert stepper.find(".token.forced").count() == 3
    at(stepper, "forced “misses”")
    expect(stepper.find(".legend")).to_contain_text("not the model's choice")
    stepper.draw(sixteen(15, 1, forcedEnd=True))
    assert stepper.find(".token.forced").count() == 1
    at(stepper, "Step 16 of 16: forced")


def test_it_is_moved_by_keys_buttons_tokens_and_slider(stepper):
    for key, step in (("ArrowRight", 2), ("ArrowLeft", 1), ("End", 16), ("Home", 1)):  # from anywhere, at once
        stepper.press(key)
        at(stepper, f"Step {step} of 16")
    for name, step in (("Forward", 2), ("Last step", 16), ("Back", 15), ("First step", 1)):
        stepper.page.get_by_role("button", name=name, exact=True).click()
        at(stepper, f"Step {step} of 16")
    slider = stepper.find("input")
    slider.fill("7")
    at(stepper, "Step 7 of 16")
    slider.press("ArrowRight")
    at(stepper, "Step 8 of 16")
    token = stepper.find(".token").nth(4)
    token.click()
    at(stepper, "Step 5 of 16")
    assert stepper.find(".token.coming").count() == 11
    expect(token).to_have_attribute("aria-current", "step")
    # Where keys mean something else they do.
    stepper.page.evaluate("() => document.querySelector('main').append(document.createElement('textarea'))")
    stepper.page.locator("textarea").fill("two words")
    stepper.press("ArrowLeft", "Home", "Space")
    at(stepper, "Step 5 of 16")
    expect(stepper.find(".play")).to_have_text("Play")


def test_play_walks_to_the_end_and_a_person_stops_it(stepper, clock):
    play = stepper.find(".play")
    stepper.press("Space")
    expect(play).to_have_text("Pause")
    for step in (2, 3):
        clock.run_for(PLAY_EVERY)
        at(stepper, f"Step {step} of 16")
    stepper.press("ArrowRight")
    expect(play).to_have_text("Play")
    stepper.press("Space")
    clock.run_for(PLAY_EVERY * 20)
    at(stepper, "Step 16 of 16")
    expect(play).to_have_text("Play")
