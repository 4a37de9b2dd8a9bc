"""The Training page in a real browser: curves, the time-lapse, and a tiny copier that is trained until it copies."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from core import checkpoints
from core.training import snapshots
from tests.browser.attention import address, press
from tests.browser.helpers import FIRST_TOKENS, caption, wait_for_app

SLOW = 180_000
"""Milliseconds: Keras starts, the step is compiled, and two minutes of training at most."""


def arrive(page: Page, **link: str | int) -> None:
    """Open the page by a link and wait for its view, not for the model."""
    page.goto(f"/training?{urlencode(link)}")
    expect(page.get_by_role("radio", name="Time-lapse")).to_be_visible(timeout=60_000)
    wait_for_app(page)


def test_a_file_stands_beside_the_shipped_checkpoint_and_the_time_lapse_moves(page: Page) -> None:
    epochs = [snapshot.epoch for snapshot in snapshots.read(checkpoints.locate("dialoscope") / snapshots.FILE)]
    arrive(page)
    caption(page, "The lowest validation loss is .* of “dialoscope” after epoch", FIRST_TOKENS)
    lines = page.locator(".st-key-train_curves_picture .scatterlayer .trace")
    expect(lines.first).to_be_attached()
    before = lines.count()
    page.get_by_role("button", name="Bring a history.csv").click()
    content = b"epoch,train_loss,validation_loss\n1,5,5.5\n2,4,1.25\n"
    page.locator("input[type=file]").set_input_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": content})
    expect(lines).to_have_count(before + 3)
    page.keyboard.press("Escape")
    press(page, "train_view", "Time-lapse")
    written = page.locator(".st-key-train_diff").locator("span, ins")
    expect(written.first).to_be_attached()
    first = written.all_text_contents()
    slider = page.get_by_role("slider", name="Snapshot")
    slider.focus()
    slider.press("End")
    wait_for_app(page)
    caption(page, rf"After epoch {epochs[-1]} ROUGE-1 of this dialogue is")
    address(page, f"train_epoch={epochs[-1]:g}")
    assert written.all_text_contents() != first
    page.reload()
    caption(page, rf"After epoch {epochs[-1]} ROUGE-1 of this dialogue is")


@pytest.mark.slow
def test_a_copier_is_trained_until_it_copies_and_its_attention_is_seen(page):
    arrive(page, train_view="tiny", train_task="copy", train_length=6, train_letters=5)
    page.get_by_role("button", name="Train it").click()
    expect(page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True)).to_be_visible()
    expect(page.locator(".st-key-train_live_picture .scatterlayer .trace").first).to_be_visible(timeout=SLOW)
    page.get_by_text(re.compile("It is the checkpoint tiny-copy-")).wait_for(timeout=SLOW)
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
