"""Links without the name of a page: those that Summarize understands lead there, all others to the start page."""

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from streamlit import config

from core.text import links
from pages.shared.place.redirects import Redirects, target

PACKED = links.pack("Anna: A goat & a hat = 2?\nBen: Yes.")


@pytest.mark.parametrize(
    "query",
    [
        "example=cat-sitter", f"t={PACKED}", "input=paste", "strategy=greedy&beam=2", "checkpoint=",
        "embed=true&seed=3", "projector=on&example=cat-sitter", "projector=on&step=1&example=cat-sitter",
    ],
)  # fmt: skip
def test_what_summarize_understands_leads_there_unchanged(query):
    assert target(query) == f"summarize?{query}"


@pytest.mark.parametrize(
    "query",
    [
        "", "embed=true", "step=4", "view=branches&see=head", "unknown=1", "&&=&;", "%ff=%", "projector=on",
        "projector=on&step=1",
    ],
)  # fmt: skip
def test_anything_else_is_for_the_start_page(query):
    assert target(query) is None


def answered(path: str, query: str) -> tuple[int, str]:
    """The status of an answer, and where it leads."""
    client = TestClient(Redirects(PlainTextResponse()), follow_redirects=False)
    answer = client.get(f"{path}?{query}")
    return answer.status_code, answer.headers.get("location", "")


@pytest.mark.parametrize(("base", "root"), [("", "/"), ("class", "/class/")])
def test_the_server_sends_the_browser_on_wherever_the_app_is(base, root):
    before = config.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", base)
    try:
        assert answered(root, "example=cat-sitter") == (307, f"{root}summarize?example=cat-sitter")
        assert answered(root, "") == answered(f"{root}tokens", "example=cat-sitter") == (200, "")
    finally:
        config.set_option("server.baseUrlPath", before)
