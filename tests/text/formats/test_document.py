"""docs/formats.md has the formats of the registry."""

from docs.formats import DOCUMENT, table


def test_the_table_of_formats_is_that_of_the_readers_and_their_samples() -> None:
    assert table() in DOCUMENT.read_text("utf-8")
