"""The stepper moves by itself at once and tells Python where a walk rests, one message at a time."""

import pytest
from playwright.sync_api import expect

from pages.parts.decoding.stepper import stepper_data
from tests.components.samples import summary

STEPPER = "decoding/stepper"
REST = 250


@pytest.fixture
def stepper(stage):
    """A stepper on the first of sixteen steps."""
    return stage(STEPPER, stepper_data(summary(), 0, 0))


def line(drawn):
    return drawn.find(".line")


def wait(drawn, count, timeout=3000):
    """Wait for so many messages and return their steps."""
    drawn.page.wait_for_function("count => window.sent.length >= count", arg=count, timeout=timeout)
    return [value["step"] for _, value in drawn.sent()]


def answer(drawn, **options):
    """Python has run after the last message."""
    heard = drawn.sent()[-1][1]["time"]
    drawn.draw(stepper_data(summary(), 0, 0, heard) | options)


def test_a_key_moves_at_once_and_only_the_last_step_is_sent(stepper):
    for _ in range(9):
        stepper.page.keyboard.press("ArrowRight")
    expect(line(stepper)).to_have_text("Step 10 of 16: deciding “that”")
    assert stepper.sent() == []
    assert wait(stepper, 1) == [9]


def test_the_next_message_waits_for_the_answer(stepper):
    stepper.page.keyboard.press("ArrowRight")
    assert wait(stepper, 1) == [1]
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        stepper.page.keyboard.press(key)
        stepper.page.wait_for_timeout(REST + 60)
    assert wait(stepper, 1) == [1]
    answer(stepper)
    assert wait(stepper, 2) == [1, 14]
    expect(line(stepper)).to_contain_text("Step 15 of 16")
    answer(stepper)
    stepper.page.wait_for_timeout(2 * REST)
    assert len(stepper.sent()) == 2


def test_a_jump_of_python_counts_with_a_new_version_only(stepper):
    stepper.page.keyboard.press("ArrowRight")
    stepper.draw(stepper_data(summary(), 7, 0))
    expect(line(stepper)).to_contain_text("Step 2 of 16")
    stepper.draw(stepper_data(summary(), 7, 1))
    expect(line(stepper)).to_contain_text("Step 8 of 16")
    stepper.page.wait_for_timeout(2 * REST)
    assert stepper.sent() == []  # what was still to be sent is out of date


def test_keys_work_as_soon_as_it_is_drawn_and_from_anywhere(page, stage):
    drawn = stage(STEPPER, stepper_data(summary(), 0, 0))
    for key, step in (("ArrowRight", 2), ("ArrowLeft", 1), ("End", 16), ("Home", 1)):
        page.keyboard.press(key)
        expect(line(drawn)).to_contain_text(f"Step {step} of 16")
    page.evaluate("() => document.querySelector('main').append(document.createElement('textarea'))")
    page.locator("textarea").fill("two words")
    for key in ("ArrowLeft", "Home", "Space"):
        page.keyboard.press(key)
    expect(line(drawn)).to_contain_text("Step 1 of 16")
    expect(drawn.find(".play")).to_have_text("Play")


def test_buttons_tokens_and_slider_step(stepper):
    for name, step in (("Forward", 2), ("Last step", 16), ("Back", 15), ("First step", 1)):
        stepper.page.get_by_role("button", name=name, exact=True).click()
        expect(line(stepper)).to_contain_text(f"Step {step} of 16")
    slider = stepper.find("input")
    slider.fill("7")
    expect(line(stepper)).to_contain_text("Step 7 of 16")
    slider.press("ArrowRight")
    expect(line(stepper)).to_contain_text("Step 8 of 16")
    stepper.find(".token").nth(4).click()
    expect(line(stepper)).to_contain_text("Step 5 of 16")
    assert stepper.find(".token.coming").count() == 11
    expect(stepper.find(".token").nth(4)).to_have_attribute("aria-current", "step")


def test_play_walks_to_the_end_and_a_person_stops_it(stepper):
    stepper.page.clock.install()
    stepper.draw(stepper_data(summary(), 0, 1))
    stepper.page.keyboard.press("Space")
    expect(stepper.find(".play")).to_have_text("Pause")
    for step in (2, 3):
        stepper.page.clock.run_for(1200)
        expect(line(stepper)).to_contain_text(f"Step {step} of 16")
    stepper.page.keyboard.press("ArrowRight")
    expect(stepper.find(".play")).to_have_text("Play")
    stepper.page.keyboard.press("Space")
    stepper.page.clock.run_for(1200 * 20)
    expect(line(stepper)).to_contain_text("Step 16 of 16")
    expect(stepper.find(".play")).to_have_text("Play")
    stepper.page.clock.resume()


def test_other_tokens_begin_at_their_own_step(stepper):
    stepper.page.keyboard.press("End")
    other = stepper_data(summary(), 2, 0)
    other["tokens"] = other["tokens"][:5]
    stepper.draw(other)
    expect(line(stepper)).to_contain_text("Step 3 of 5")
    stepper.draw(stepper_data(summary(), 0, 0) | {"tokens": []})
    expect(stepper.find(".hint")).to_contain_text("The model wrote nothing")
    stepper.page.wait_for_timeout(2 * REST)
    assert stepper.sent() == []


def test_forced_tokens_are_marked(stage):
    drawn = stage(STEPPER, stepper_data(summary(), 1, 0) | {"forced": 3})
    assert drawn.find(".token.forced").count() == 3
    expect(line(drawn)).to_contain_text("forced “misses”")
    expect(drawn.find(".legend")).to_contain_text("not the model's choice")
