"""From a folder to a summary: a wrong folder, and a right one; test_labels goes on to the model's attention."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import app_log
from tests.browser.helpers import FIRST_TOKENS, sideways, wait_for_app
from tests.importing import peers

LABEL = "A folder on the computer of this app, or a name on the Hugging Face hub"


@pytest.fixture
def imported(request: pytest.FixtureRequest, app_url: str):
    """The app's folder of imported models, empty again afterwards."""
    folder = request.config.stash[app_log].parent / "imported"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def look(page: Page, text: str) -> None:
    page.get_by_label(LABEL).fill(text)
    page.get_by_role("button", name="Look").click()
    wait_for_app(page)


@pytest.mark.slow
def test_a_folder_becomes_a_model_that_writes(open_page, app_url, imported: Path, tmp_path: Path):
    peer = peers.save("bart", tmp_path / "bart-samsum")
    page = open_page(app_url, width=390, height=844, color_scheme="dark")
    page.goto("/summarize")
    wait_for_app(page)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("button", name="Add a model").click()
    dialog = page.get_by_role("dialog").filter(has_text="Add a model")
    look(page, str(tmp_path / "<i>nothing</i>"))
    expect(dialog.get_by_role("alert")).to_contain_text("<i>nothing</i>")
    look(page, str(peer))
    expect(dialog.get_by_text("bart-samsum: BART,")).to_be_visible()
    expect(dialog.get_by_role("alert")).to_have_count(0)
    assert violations(page, "[role='dialog']") == [] and sideways(page) == []
    dialog.get_by_role("button", name="Add it", exact=True).click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text("Licence of the weights: apache-2.0")).to_be_visible(timeout=FIRST_TOKENS)
    expect(page).to_have_url(re.compile(r"checkpoint=bart-samsum"))
    assert (imported / "bart-samsum" / "card.json").is_file()
    expect(page.locator(".st-key-summary_tokens .token").first).to_be_attached(timeout=FIRST_TOKENS)
