"""A list of visits as a file: whole again, refused in words, and read by a browser as text."""

import html
import json
from dataclasses import replace

from core.errors import VisitedError
from core.limits import limits
from core.visited import file, listing
from core.visited.visit import Visited
from tests.refusals import refusals
from tests.visited.visits import MASKS, NOON, STEP, of


def test_what_is_saved_is_read_again():
    visits = (STEP, replace(STEP, subject="branches", named=True), MASKS)
    assert file.from_bytes(file.to_bytes(visits)) == visits


def test_a_file_holds_each_dialogue_once_and_says_what_a_reader_needs():
    document = json.loads(file.to_bytes([STEP, replace(STEP, subject="branches"), MASKS]))
    assert document["format"] == 1 and document["dialogues"] == [STEP.place.dialogue]
    first = document["visits"][0]
    assert (first["link"], first["dialogue"], first["summary"]) == ("/decoding?step=3", 0, "Ann greets Bo.")
    assert first["settings"]["beam_size"] == 4 and document["visits"][2]["dialogue"] is None


def test_the_largest_list_can_be_opened_again():
    most = limits().visits
    texts = [f"{n} " + "\x01" * (limits().visited_characters // most - 500) for n in range(most)]
    visits = Visited().merge(of(STEP, dialogue=text) for text in texts).items
    data = file.to_bytes(visits)
    assert len(visits) == most and len(file.from_bytes(data)) == most
    assert len(data) < limits().visited_file


def changed(**values: object) -> bytes:
    """A file whose second entry has other values; None takes one out."""
    document = json.loads(file.to_bytes([STEP, MASKS]))
    document["visits"][1].update(values)
    document["visits"][1] = {name: value for name, value in document["visits"][1].items() if value != "gone"}
    return json.dumps(document).encode()


WRONG = [
    {"name": ""}, {"name": 7}, {"name": "gone"}, {"link": "https://elsewhere/decoding"},
    {"link": "//elsewhere/decoding"}, {"link": "/../decoding"}, {"dialogue": 9}, {"dialogue": True}, {"time": "noon"},
    {"time": "2026-03-01T12:00:00"}, {"time": "0001-01-01T00:00:00+00:00"}, {"summary": "x" * 10_001},
    {"references": ["x"] * 11}, {"settings": {"a": [1]}}, {"settings": {"a": float("inf")}}, {"settings": []},
]  # fmt: skip


def test_another_file_and_a_wrong_entry_are_refused_with_a_remedy(snapshot):
    cases = {str(data): data for data in (b"[]", b"{}", b'{"format": 2}', b"\xff")}
    cases |= {str(values)[:40]: changed(**values) for values in WRONG}
    assert refusals(VisitedError, lambda data: file.from_bytes(data, "mine.json"), cases) == snapshot


def test_the_page_to_read_shows_texts_as_they_are_and_leads_to_the_app():
    page = listing.to_html([replace(STEP, name="</li><script>")], "https://host/app", NOON.tzinfo).decode()
    assert "<script" not in page and "&lt;/li&gt;&lt;script&gt;" in page
    assert "Bo: &lt;b&gt;" in page and "Ann greets Bo." in page and "beam_size 4" in page
    assert 'href="https://host/app/decoding?step=3"' in page and "2026-03-01 12:00" in page
    assert listing.POLICY in html.unescape(page)
