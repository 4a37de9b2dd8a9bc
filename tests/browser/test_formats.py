"""Exports of three tools from the file to the pictures: what is said, another reading, parts, Attention and Back."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attention import shown
from tests.browser.helpers import FIRST_TOKENS, SLOW, choose, click, go, wait_for_app

WHATSAPP = (
    "14/10/2025, 15:34 - Messages and calls are end-to-end encrypted.\n"
    "14/10/2025, 15:35 - Mira Holt: Two jobs for Saturday:\n1. turn the compost\n2. water the leeks\n"
    "14/10/2025, 15:36 - Joss: I can do the leeks, until 11:30\n14/10/2025, 15:36 - Joss: <Media omitted>\n"
)
CUE = "{0}/{1}-0\n00:00:0{1}.000 --> 00:00:0{1}.900\n<v {2}>{3}</v>\n\n"
ID = "c0ffee00-1234-4321-8888-0123456789ab"
TEAMS = "WEBVTT\r\n\r\n" + "".join(
    CUE.format(ID, *each) for each in ((1, "Anna Lee", "Shall we"), (2, "Anna Lee", "start?"), (3, "Ben Fox", "Yes."))
)
SLACK = json.dumps(
    [
        {"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1742207500.1", "text": "joined"},
        {
            "type": "message",
            "user": "U1",
            "ts": "1742207520.1",
            "text": "Lunch?",
            "user_profile": {"real_name": "Anna"},
        },
        {"type": "message", "user": "U2", "ts": "1742207530.1", "text": "Yes, <@U1>"},
    ]
)
EXPORTS = {
    "WhatsApp Chat.txt": (WHATSAPP, "WhatsApp chat, 2 speakers, 2 turns; left out: 1 notice and 1 attachment.", 2),
    "teams.vtt": (TEAMS, "Teams transcript, 2 speakers, 3 cues joined into 2 turns.", 2),
    "2025-03-17.json": (SLACK, "Slack channel, 2 speakers, 2 turns; left out: 1 notice.", 2),
}


def bring(page: Page, name: str, text: str) -> None:
    """Upload a file on the front page."""
    page.goto("/summarize?input=upload")
    wait_for_app(page)
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": text.encode()}
    page.locator("input[type=file]").set_input_files(file)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_said_changed_and_survives_back_and_reload(page: Page, name: str) -> None:
    text, said, turns = EXPORTS[name]
    bring(page, name, text)
    expect(page.get_by_text(said, exact=True)).to_be_visible(timeout=SLOW)
    expect(page.locator(".bubble")).to_have_count(turns)
    expect(page.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    choose(page, "reading", "Plain text")
    expect(page.get_by_text("Plain text, no named speakers")).to_be_visible()
    choose(page, "reading", said.partition(",")[0])
    expect(page.locator(".bubble")).to_have_count(turns)
    go(page, "Attention")
    shown(page, "turns", SLOW)
    page.go_back()
    expect(page.get_by_text(said, exact=True)).to_be_visible(timeout=SLOW)  # how it was read is not forgotten
    wait_for_app(page)
    page.reload()
    expect(page.locator(".bubble")).to_have_count(turns, timeout=SLOW)


@pytest.mark.slow
def test_a_long_meeting_is_summarized_part_by_part_with_times(page: Page) -> None:
    words = ("The goat ate the timetable of the ferry again.", "Then nobody knows when the ferry leaves today.")
    cue = "00:{0:02d}:{1:02d}.000 --> 00:{0:02d}:{1:02d}.900\n{2}: {3}\n\n"
    cues = (cue.format(n // 60, n % 60, ("Nora", "Pim")[n % 2], words[n % 2]) for n in range(120))
    bring(page, "meeting.vtt", "WEBVTT\n\n" + "".join(cues))
    expect(page.get_by_text("WebVTT transcript, 2 speakers, 120 turns.")).to_be_visible(timeout=SLOW)
    expect(page.locator(".token").first).to_be_visible(timeout=FIRST_TOKENS)
    page.get_by_text("A summary of every part").click()
    click(page, "Summarize every part")
    expect(page.get_by_text("Made from the summaries of these parts alone")).to_be_visible(timeout=SLOW)
    box = page.locator(".st-key-part").get_by_role("combobox")
    box.scroll_into_view_if_needed()
    wait_for_app(page)  # at rest: else the list does not stay open
    box.click()
    expect(page.get_by_role("option").nth(1)).to_contain_text("1 · 0:00:00–")
