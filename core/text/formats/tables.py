"""A conversation as a table: CSV with a column of speakers and one of texts, with or without a heading."""

import csv
import io
from collections.abc import Sequence

from core.text.formats.cleaning import clean
from core.text.formats.content import Content
from core.text.formats.transcript import Said, Transcript, transcript

_SPEAKERS = frozenset(
    "speaker,speaker name,speaker_name,speaker_id,name,sender,sender name,sender_name,from,author,role,who,participant,"
    "user,username".split(",")
)
_TEXTS = frozenset("text,message,utterance,content,body,transcript,line,sentence,words,said,message text".split(","))
_CORPUS = frozenset({"dialogue", "summary", "article", "highlights", "section_text", "reference"})
_MOST_SPEAKERS = 60


def _rows(text: str) -> list[list[str]]:
    """Return the rows of a table; its separator is the one of four that most lines have alike."""
    text = text.lstrip("\ufeff")
    lines = [line for line in text[:4000].splitlines() if line.strip()]
    if lines and lines[0].lower().startswith("sep=") and len(lines[0]) == 5:
        text, lines = text.partition("\n")[2], lines[1:]
    separator = max(
        ",;\t|", key=lambda sign: (sum(sign in line for line in lines), lines[0].count(sign) if lines else 0)
    )
    try:
        return [
            row
            for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
            if any(cell.strip() for cell in row)
        ]
    except csv.Error:
        return []


def _columns(rows: Sequence[Sequence[str]]) -> tuple[int, int, int] | None:
    """Return the columns of speakers and texts, and the first row under the heading; None for another table."""
    if not rows:
        return None
    heading = [cell.strip().casefold() for cell in rows[0]]
    speaker = next((place for place, cell in enumerate(heading) if cell in _SPEAKERS), None)
    text = next((place for place, cell in enumerate(heading) if cell in _TEXTS), None)
    if _CORPUS & set(heading):
        return None
    if speaker is not None and text is not None and speaker != text:
        return speaker, text, 1
    names = {row[0].strip() for row in rows}
    two = all(len(row) == 2 for row in rows) and len(rows) > 1
    short = all(0 < len(name) <= 48 and len(name.split()) <= 4 and not name.isdigit() for name in names)
    return (0, 1, 0) if two and short and len(names) <= min(_MOST_SPEAKERS, max(2, len(rows) // 2)) else None


def _is_table(content: Content) -> bool:
    if not content.name.lower().endswith((".csv", ".tsv")):
        lines = [line for line in content.head.splitlines() if line.strip()]
        copied = len(lines) > 2 and all(line.count("\t") == 1 for line in lines)  # two columns of a spreadsheet
        first = content.head.partition("\n")[0].casefold()
        cells = {cell.strip('\ufeff "\r') for sign in ",;\t" for cell in first.split(sign)}
        if not copied and not (cells & _SPEAKERS and cells & _TEXTS and len(first) < 400):
            return False
    return _columns(_rows(content.head)) is not None


def _read(content: Content) -> Transcript:
    rows = _rows(content.text)
    columns = _columns(rows) or (0, 1, 0)
    speaker, text, first = columns
    entries = [
        Said(row[speaker], row[text], "", number)
        if len(row) > max(speaker, text)
        else Said(None, "", "unreadable", number)
        for number, row in enumerate(rows[first:], first + 1)
    ]
    return transcript("table", entries, "row", clean)


FORMATS = {"table": (_is_table, _read)}
