"""A dialogue in a link comes back as it was, and a link cannot fill the memory."""

import base64
import zlib
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DialogueError
from core.limits import FULL
from core.text import links
from tests.refusals import refusals


@given(st.text(max_size=200))
def test_a_text_survives_the_link(text):
    packed = links.pack(text)
    assert packed is not None and links.unpack(packed) == text.encode("utf-8", "replace").decode()


def test_a_link_holds_about_a_page_and_no_more():
    lines = "".join(f"Anna: {number * 7919 % 100003} goats.\n" for number in range(1000))
    assert len(links.pack(lines[:2500])) < FULL.link_characters
    assert links.pack(lines) is None


def bomb(size: int) -> str:
    return base64.urlsafe_b64encode(zlib.compress(b"a" * size, 9)).rstrip(b"=").decode()


def test_a_damaged_or_oversized_link_is_refused(snapshot):
    cut = links.pack("a dialogue")[:-6]
    cases = ["@@@", "AAAA", "é", cut, bomb(300_000), bomb(2_500_000), "A" * 5000]
    assert refusals(DialogueError, links.unpack, cases) == snapshot


def test_an_oversized_link_is_never_unpacked_whole(monkeypatch):
    grown = []

    class Spy:
        def __init__(self):
            self.inner = zlib.decompressobj()

        def decompress(self, data, limit=0):
            out = self.inner.decompress(data, limit)
            grown.append(len(out))
            return out

        @property
        def eof(self):
            return self.inner.eof

    monkeypatch.setattr(links, "zlib", SimpleNamespace(decompressobj=Spy, error=zlib.error))
    with pytest.raises(DialogueError):
        links.unpack(bomb(2_500_000))
    assert max(grown) <= 4 * FULL.dialogue_characters
