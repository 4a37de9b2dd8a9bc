"""Links without the name of a page: those that Summarize understands lead there, all others to the start page."""

import pytest
from streamlit import config

from core.text import links
from pages.shared.place.redirects import Redirects, target
from tests.loops import run

PACKED = links.pack("Anna: A goat & a hat = 2?\nBen: Yes.")


@pytest.mark.parametrize(
    "query",
    ["example=cat-sitter", f"t={PACKED}", "input=paste", "strategy=greedy&beam=2", "checkpoint=", "embed=true&seed=3"],
)
def test_what_summarize_understands_leads_there_unchanged(query):
    assert target(query) == f"summarize?{query}"


@pytest.mark.parametrize("query", ["", "embed=true", "step=4", "view=branches&see=head", "unknown=1", "&&=&;", "%ff=%"])
def test_anything_else_is_for_the_start_page(query):
    assert target(query) is None


def answered(path: str, query: str) -> tuple[int, str]:
    """The status of an answer, and where it leads."""
    sent: list[dict] = []

    async def behind(scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def keep(message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": []}
    run(Redirects(behind)(scope, None, keep))
    return sent[0]["status"], dict(sent[0]["headers"]).get(b"location", b"").decode()


@pytest.mark.parametrize(("base", "root"), [("", "/"), ("class", "/class/")])
def test_the_server_sends_the_browser_on_wherever_the_app_is(base, root):
    before = config.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", base)
    try:
        assert answered(root, "example=cat-sitter") == (307, f"{root}summarize?example=cat-sitter")
        assert answered(root, "") == answered(f"{root}tokens", "example=cat-sitter") == (200, "")
    finally:
        config.set_option("server.baseUrlPath", before)
