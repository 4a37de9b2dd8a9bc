"""The Training page in a real browser: a tiny copier is trained until it copies, and a time-lapse plays."""

import re

import pytest
from playwright.sync_api import expect

from core.training import snapshots
from pages.parts.training import lapse
from tests.browser.attention import address
from tests.browser.helpers import FIRST_TOKENS, wait_for_app

SLOW = 180_000
"""Milliseconds: Keras starts, the step is compiled, and two minutes of training at most."""


@pytest.mark.slow
def test_a_copier_is_trained_until_it_copies_and_its_attention_is_seen(page):
    page.goto("/training?train_view=tiny&train_task=copy&train_length=6&train_letters=5")
    page.get_by_role("button", name="Train it").click(timeout=60_000)
    expect(page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True)).to_be_visible()
    expect(page.locator(".st-key-train_live_picture .scatterlayer .trace").first).to_be_visible(timeout=SLOW)
    page.get_by_text(re.compile("It is the checkpoint tiny-copy-")).wait_for(timeout=SLOW)
    wait_for_app(page)
    said = page.get_by_test_id("stMain").locator("p", has_text=re.compile("it answers .* rightly")).first.inner_text()
    right = int(re.search(r"it answers (\d+) of 32", said)[1])
    assert right >= 31, said
    page.get_by_role("button", name="See its attention").click()
    expect(page.locator(".st-key-head_lines .side.row .token").first).to_be_visible(timeout=FIRST_TOKENS)
    address(page, r"checkpoint=tiny-copy-\w{6}")
    written, read = (
        page.locator(f".st-key-head_lines .side.{side} .token").all_inner_texts() for side in ("row", "column")
    )
    assert len(written) > 3 and written == read  # a copy, letter by letter
    page.goto(page.url)  # the link opens the same checkpoint, while the app runs
    expect(page.locator(".st-key-head_lines .side.row .token").first).to_be_visible(timeout=FIRST_TOKENS)
    address(page, r"checkpoint=tiny-copy-\w{6}")


def test_a_time_lapse_plays_on_when_answers_come_late(page, slow_answers):
    """Meanwhile its timer sends the snapshot of before: whoever chooses one by hand stops the time-lapse."""
    page.goto("/training?train_view=lapse")
    wait_for_app(page)
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True)).to_be_visible()
    wait_for_app(page)  # the timer is there
    with slow_answers():
        page.wait_for_timeout(2_500 * lapse.SECONDS)
    last = snapshots.lapse("dialoscope").epochs[-1]
    expect(page).to_have_url(re.compile(rf"train_epoch={last:g}$"), timeout=SLOW)
