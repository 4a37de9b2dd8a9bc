"""A list of visits as a file: whole again, refused in words, and read by a browser as text."""

import html
import json
from dataclasses import replace

import pytest

from core.errors import VisitedError
from core.limits import limits
from core.visited import file, listing
from core.visited.visit import Visited
from tests.visited.visits import MASKS, NOON, STEP


def test_what_is_saved_is_read_again():
    visits = (STEP, replace(STEP, subject="branches", named=True), MASKS)
    assert file.from_bytes(file.to_bytes(visits)) == visits


def test_a_file_holds_each_dialogue_once_and_says_what_a_reader_needs():
    document = json.loads(file.to_bytes([STEP, replace(STEP, subject="branches"), MASKS]))
    assert document["format"] == 1 and document["dialogues"] == [STEP.dialogue]
    first = document["visits"][0]
    assert (first["link"], first["dialogue"], first["summary"]) == ("/decoding?step=3", 0, "Ann greets Bo.")
    assert first["settings"]["beam_size"] == 4 and document["visits"][2]["dialogue"] is None


def test_the_largest_list_can_be_opened_again():
    most = limits().visits
    texts = [f"{n} " + "\x01" * (limits().visited_characters // most - 500) for n in range(most)]
    visits = Visited().merge(replace(STEP, dialogue=text) for text in texts).items
    data = file.to_bytes(visits)
    assert len(visits) == most and len(file.from_bytes(data)) == most
    assert len(data) < limits().visited_file


def changed(**values: object) -> bytes:
    """A file whose second entry has other values; None takes one out."""
    document = json.loads(file.to_bytes([STEP, MASKS]))
    document["visits"][1].update(values)
    document["visits"][1] = {name: value for name, value in document["visits"][1].items() if value != "gone"}
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"name": ""}, "entry 2: an entry needs a name. Received: 0 characters"),
        ({"name": 7}, "entry 2: name must be a text. Received: 7"),
        ({"name": "gone"}, "entry 2 lacks 'name'"),
        ({"link": "https://elsewhere/decoding"}, "entry 2: link must be an address of the app"),
        ({"link": "//elsewhere/decoding"}, "entry 2: link must be an address of the app"),
        ({"link": "/../decoding"}, "entry 2: link must be an address of the app"),
        ({"dialogue": 9}, "entry 2: dialogue must be null or below 1. Received: 9"),
        ({"dialogue": True}, "entry 2: dialogue must be null or below 1"),
        ({"time": "noon"}, "entry 2: Invalid isoformat string"),
        ({"time": "2026-03-01T12:00:00"}, "entry 2: time must be from 1970 on, with its offset"),
        ({"time": "0001-01-01T00:00:00+00:00"}, "entry 2: time must be from 1970 on"),
        ({"summary": "x" * 10_001}, "Received: 10,001 characters; allowed: 10,000"),
        ({"references": ["x"] * 11}, "entry 2: 11 references; allowed: 10"),
        ({"settings": {"a": [1]}}, "entry 2: the setting 'a' must be a text"),
        ({"settings": {"a": float("inf")}}, "entry 2: a number must be finite"),
        ({"settings": []}, "entry 2: settings must be an object"),
    ],
)
def test_a_wrong_entry_is_refused_with_its_number_and_a_remedy(values, reason):
    with pytest.raises(VisitedError) as refused:
        file.from_bytes(changed(**values), "mine.json")
    assert reason in str(refused.value) and "'mine.json'" in str(refused.value)
    assert "save the list again" in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[]", "no list of visits"),
        (b"{}", "it lacks 'format'"),
        (b'{"format": 2}', "its format is 2; allowed: 1"),
        (b"\xff", "no list of visits"),
    ],
)
def test_another_file_is_refused(data, reason):
    with pytest.raises(VisitedError, match=reason):
        file.from_bytes(data)


def test_the_page_to_read_shows_texts_as_they_are_and_leads_to_the_app():
    page = listing.to_html([replace(STEP, name="</li><script>")], "https://host/app", NOON.tzinfo).decode()
    assert "<script" not in page and "&lt;/li&gt;&lt;script&gt;" in page
    assert "Bo: &lt;b&gt;" in page and "Ann greets Bo." in page and "beam_size 4" in page
    assert 'href="https://host/app/decoding?step=3"' in page and "2026-03-01 12:00" in page
    assert listing.POLICY in html.unescape(page)
