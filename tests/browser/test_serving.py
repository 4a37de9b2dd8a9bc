"""The running app answers its own name, to its own pages, with its headers."""

import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from pages.shared.guard.server_access import HEADERS
from tests.pages.test_server_access import opened


def test_a_foreign_name_gets_neither_a_page_nor_a_connection(app_url: str) -> None:
    own = urlsplit(app_url)
    with urllib.request.urlopen(f"{app_url}/tokens") as page:
        assert page.status == 200 and {name: page.headers[name] for name in HEADERS} == HEADERS
    foreign = urllib.request.Request(f"{app_url}/tokens", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(foreign)
    answers = {
        (host, origin): opened(own.port, host, origin, "/_stcore/stream")
        for host in (own.netloc, "evil.example")
        for origin in (app_url, "http://evil.example", None)
    }
    assert [pair for pair, line in answers.items() if "101" in line] == [(own.netloc, app_url), (own.netloc, None)]
    assert all("403" in line for line in answers.values() if "101" not in line)
