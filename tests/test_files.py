"""Files are read with the memory that they need, and JSON holds what can be shown."""

import tracemalloc

from core.files import parsed, read_bytes
from tests.refusals import refusals, refused


def test_reading_takes_the_memory_of_the_file_not_of_the_largest_one(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        assert read_bytes(tmp_path / "a", 50_000_000) == b"x" * 1000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    refused(OSError, "it has 1,000 bytes; allowed: 999", read_bytes, tmp_path / "a", 999)


def test_json_with_half_of_a_character_pair_is_refused(snapshot):
    assert parsed(r'["\ud83d\ude00", "\\ud800", 1]') == ["\U0001f600", r"\ud800", 1]
    assert refusals(ValueError, parsed, [r'["\ud800"]', r'{"\uDC00": 1}', "{"]) == snapshot
