"""An export of a chat from the file to the pictures: what is said, another reading, Attention and Back."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attention import shown
from tests.browser.helpers import FIRST_TOKENS, SLOW, choose, go, wait_for_app

CHAT = (
    "14/10/2025, 15:34 - Messages and calls are end-to-end encrypted.\n"
    "14/10/2025, 15:35 - Mira Holt: Two jobs for Saturday:\n1. turn the compost\n2. water the leeks\n"
    "14/10/2025, 15:36 - Joss: I can do the leeks, until 11:30\n14/10/2025, 15:36 - Joss: <Media omitted>\n"
)
SAID = "WhatsApp chat, 2 speakers, 2 turns; left out: 1 notice and 1 attachment."


@pytest.mark.slow
def test_an_export_is_read_said_changed_and_survives_back_and_reload(page: Page) -> None:
    page.goto("/summarize?input=upload")
    wait_for_app(page)
    file = {"name": "WhatsApp Chat.txt", "mimeType": "application/octet-stream", "buffer": CHAT.encode()}
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text(SAID, exact=True)).to_be_visible()
    expect(page.locator(".bubble")).to_have_count(2)
    expect(page.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    choose(page, "reading", "Plain text")
    expect(page.get_by_text("Plain text, no named speakers")).to_be_visible()
    choose(page, "reading", "WhatsApp chat")
    expect(page.locator(".bubble")).to_have_count(2)
    go(page, "Attention")
    shown(page, "turns", SLOW)
    page.go_back()
    expect(page.get_by_text(SAID, exact=True)).to_be_visible()  # how it was read is not forgotten
    wait_for_app(page)
    page.reload()
    expect(page.locator(".bubble")).to_have_count(2)
