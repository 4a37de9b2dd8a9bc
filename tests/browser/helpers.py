"""Helpers of the browser tests: `from tests.browser.helpers import wait_for_app`."""

from playwright.sync_api import Page, expect

APP = "[data-testid='stApp']"
NOISE = (
    "fonts.gstatic.com",  # the icon of a page is fetched as a favicon; without a network it fails, harmlessly
    "/_stcore/health",  # a page at /x first asks /x/_stcore/…, then /_stcore/…
    "/_stcore/host-config",
)


def wait_for_app(page: Page, timeout: float = 120.0) -> None:
    """Wait until the script run that the last action started has ended.

    Args:
        page: The page that shows the app.
        timeout: Seconds for each of the two states; the first visitor waits for TensorFlow.
    """
    page.wait_for_timeout(155)  # the front end gathers changes for up to 150 ms before it asks for a run
    for state in ("[data-test-connection-state='CONNECTED']", "[data-test-script-state='notRunning']"):
        expect(page.locator(APP + state)).to_be_attached(timeout=1000 * timeout)


def is_noise(text: str) -> bool:
    """Whether a line of the console is known and harmless."""
    return any(part in text for part in NOISE)
