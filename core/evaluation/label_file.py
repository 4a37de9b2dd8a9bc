"""Labels as a file, and from one: JSONL, a line for each summary and reader; CSV, a line for each thing that was said.

docs/labels.md describes the fields. What is written is read again without loss, in either form.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.errors import CorpusError, SettingsError
from core.evaluation import verdicts as labels
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import ERROR_TAGS, LABEL_OF, Book, Books, Entry, Mark, Subject, name_of, subject
from core.faults.fault import Fault
from core.faults.labels import LABELS
from core.files import csv_of, mistaken, parsed, plain_of
from core.text.dialogue import Turn, parse_dialogue
from core.words import say

FORMAT = 2
"""Of a line; 1, which was not written, had neither readers nor the words of a reader's own labels."""
IN_FILES: dict[labels.Verdict, str] = {"right": "confirmed", "wrong": "rejected"}
FROM_FILES = {name: verdict for verdict, name in IN_FILES.items()}
OF_ALL = ("format", "annotator", "id", "checkpoint", "summary", "note", "correct")
OF_ONE = ("type", "text", "occurrence", "start", "end", "dialogue", "kind", "verdict", "turns", "evidence", "value")
COLUMNS = (*OF_ALL, "what", *OF_ONE, "reason")
"""Of a CSV file; `what` is label, hint or tag, or "" where the summary has none of them."""
NESTED = ("dialogue", "turns", "reason", "value")
"""Columns that hold JSON."""


class ChangedError(ValueError):
    """A label is about words of a dialogue that stand in it no more."""


def to_lines(book: Book, annotator: str = "") -> list[dict[str, Any]]:
    """Return what `to_jsonl` writes of a reader, a dictionary for each summary, in the order of the labels."""
    return [
        {
            "format": FORMAT,
            "annotator": annotator,
            "id": id,
            "checkpoint": entry.writer,
            "summary": summary,
            "labels": _labels(entry, summary, dialogue),
            "hints": [
                hint.to_dict() | {"text": summary[hint.start : hint.end], "verdict": IN_FILES[verdict]}
                for hint, verdict in entry.verdicts.items()
            ],
            "tags": list(entry.tags),
            "note": entry.note,
            "correct": entry.correct,
        }
        for (id, dialogue, summary), entry in book.items()
    ]


def to_jsonl(books: Books) -> str:
    """Return a line for each summary and reader, in the form of the labelled set that ships."""
    lines = (line for name, book in books.items() for line in to_lines(book, name))
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def to_csv(books: Books) -> str:
    """Return a line for each label, judged hint and tag, and for each summary with a note alone or without error."""
    rows: list[Sequence[object]] = [COLUMNS]
    for line in (line for name, book in books.items() for line in to_lines(book, name)):
        said = [
            *({"what": "label", **each} for each in line["labels"] if "start" in each and "hint" not in each),
            *({"what": "hint", **each} for each in line["hints"]),
            *({"what": "tag", "text": each} for each in line["tags"]),
        ]
        for each in said or [{}]:
            cells = {"value": None} | {name: line[name] for name in OF_ALL} | each
            rows.append([_cell(name, cells.get(name, "")) for name in COLUMNS])
    return csv_of(rows)


def _cell(name: str, value: Any) -> object:
    if isinstance(value, bool):
        return "yes" if value else ""
    return json.dumps(value, ensure_ascii=False) if name in NESTED and value not in ("", None) else value


def rows_to_jsonl(rows: Iterable[tuple[ScoredSummary, Sequence[Fault], Entry]], annotator: str = "") -> str:
    """Return a line for each row, with all its hints and what a reader said of it."""
    lines = []
    for row, hints, entry in rows:
        faults = [hint.to_dict() | {"verdict": IN_FILES.get(entry.verdict(hint), "")} for hint in hints]
        more = {"faults": faults, "tags": list(entry.tags), "note": entry.note, "correct": entry.correct}
        more |= {"annotator": annotator, "labels": _labels(entry, row.summary, row.dialogue)}
        lines.append(json.dumps(row.to_dict() | more | {"checkpoint": entry.writer}, ensure_ascii=False) + "\n")
    return "".join(lines)


def _labels(said: Entry, summary: str, dialogue: str) -> list[dict[str, Any]]:
    """Return the labels of the labelled set: confirmed hints, words of the reader's own, tags of the whole summary."""
    confirmed = [hint for hint, verdict in said.verdicts.items() if verdict == "right" and hint.kind in LABEL_OF]
    spans = [
        {"type": LABEL_OF[hint.kind], **_words(summary, hint.start, hint.end), "hint": hint.kind} for hint in confirmed
    ]
    turns = parse_dialogue(dialogue).turns if any(mark.passages for mark in said.marks) else ()
    for mark in said.marks:
        passages = [
            {"turn": turn, "start": start, "end": end, "text": turns[turn].text[start:end]}
            for turn, start, end in mark.passages
        ]
        words = _words(summary, mark.start, mark.end)
        spans.append({"type": ERROR_TAGS[mark.tag], **words, "dialogue": passages})
    whole = [tag for tag in said.tags if tag in ERROR_TAGS and not any(mark.tag == tag for mark in said.marks)]
    return spans + [{"type": ERROR_TAGS[tag], "text": ""} for tag in whole]


def _words(summary: str, start: int, end: int) -> dict[str, Any]:
    """Return words with their place; `occurrence`, from 1, is left out where it is 1."""
    words = summary[start:end]
    before = sum(summary.startswith(words, place) for place in range(start)) if words else 0
    return {"text": words, **({"occurrence": before + 1} if before else {}), "start": start, "end": end}


def read(content: str, rows: Iterable[ScoredSummary] | None) -> tuple[dict[str, dict[Subject, Entry]], int, list[str]]:
    """Return the labels that a file gives to some summaries.

    A line of JSON is one that `to_jsonl` or `rows_to_jsonl` wrote, or one of the labelled set; the summary is found by
    its id and its words.

    Args:
        content: of the file.
        rows: the summaries; None: any, of a dialogue that is not known.

    Returns:
        The labels by reader, how many lines label other summaries, and a note on each whose words have changed.

    Raises:
        CorpusError: a line is something else.
    """
    if content and (reason := mistaken(content[:64].encode("utf-8", "replace"))):
        raise CorpusError("the file holds no labels: {reason}", reason=reason)
    known = {(row.id, row.summary): row for row in rows or ()}
    ids = {id for id, _ in known}
    books: dict[str, dict[Subject, Entry]] = {}
    others, changed = 0, []
    for number, values in _lines(content):
        try:
            id, summary = str(values["id"]), str(values["summary"])
            row, annotator = known.get((id, summary)), annotator_of(values)
            entry = entry_of(values, summary, row.dialogue if row else None)
            if entry.empty:
                continue
            if row or rows is None:
                books.setdefault(annotator, {})[subject(row) if row else (id, "", summary)] = entry
            elif id in ids:
                changed.append(say("{id}: the summary is another one here", id=id[:40]))
            else:
                others += 1
        except ChangedError as error:
            changed.append(f"{id[:40]}: {error}")
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, SettingsError) as error:
            raise _refusal(number, error) from None
    return books, others, changed


def _refusal(number: int, error: Exception) -> CorpusError:
    reason = " ".join(str(error).split())[:200]
    if isinstance(error, KeyError):
        reason = say("it lacks {field}", field=reason)
    elif not isinstance(error, ValueError | SettingsError):
        reason = f"{type(error).__name__} {reason}"
    return CorpusError(
        "line {number} is no line of labels: {reason}. Correct it, or save the labels again",
        number=number,
        reason=reason,
    )


def _lines(content: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield what a file holds of each summary and reader, with its line, the last one where it has several."""
    content = content.removeprefix("\ufeff")
    head = content.lstrip().partition("\n")[0]
    if head[:1] not in ("{", "[") and {"id", "summary"} <= set(re.findall(r"\w+", head)):
        yield from _of_csv(content, max(",;\t", key=head.count))
        return
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            try:
                values = parsed(line)
                if not isinstance(values, dict):
                    raise TypeError(say("it must be a JSON object"))
            except (ValueError, TypeError, RecursionError) as error:
                raise _refusal(number, error) from None
            yield number, values


def _of_csv(content: str, delimiter: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Put the lines of each summary and reader together: they may have been sorted in a spreadsheet."""
    lines: dict[tuple[str, ...], tuple[int, dict[str, Any]]] = {}
    reader = csv.DictReader(io.StringIO(content, newline=""), strict=True, delimiter=delimiter)
    try:
        for cells in reader:
            if None in cells or None in cells.values():
                raise ValueError(say("it has another number of cells than the first line"))
            row = {name: plain_of(cells[name]) for name in COLUMNS}
            of_all: dict[str, Any] = {name: row[name] for name in OF_ALL}
            of_all |= {"format": int(row["format"]), "correct": row["correct"] == "yes"}
            about = tuple(row[name] for name in ("annotator", "id", "summary"))
            line = lines.setdefault(about, (0, of_all | {"labels": [], "hints": [], "tags": []}))[1]
            if of_all.items() - {name: line[name] for name in OF_ALL}.items():
                raise ValueError(say("an earlier line says something else of the same summary"))
            of_one = {name: json.loads(row[name]) if name in NESTED else row[name] for name in COLUMNS[8:] if row[name]}
            if row["what"] == "tag":
                line["tags"].append(row["text"])
            elif row["what"]:
                kept = {"label": "labels", "hint": "hints"}[row["what"]]
                line[kept].append(of_one | {"text": row["text"], "evidence": row["evidence"]})
            lines[about] = (reader.line_num, line)
    except (ValueError, LookupError, RecursionError, csv.Error) as error:
        known = isinstance(error, ValueError | LookupError)
        raise _refusal(reader.line_num, error if known else ValueError(str(error))) from None
    yield from lines.values()


def annotator_of(values: Mapping[str, Any]) -> str:
    """Return the reader of a line, "" of an older one; raises ValueError for a name that nobody can choose."""
    name = values.get("annotator", "")
    if not isinstance(name, str) or name_of(name) != name:
        raise ValueError(say("no reader can have this name: {name}", name=repr(name)[:60]))
    return name


def entry_of(values: Mapping[str, Any], summary: str, dialogue: str | None) -> Entry:
    """Return the labels of a line.

    Args:
        values: of the line.
        summary: that it is about: its words must be those of the labels.
        dialogue: of the summary; None where it is not known, and passages of it cannot be compared.

    Raises:
        ChangedError: a passage has other words in the dialogue.
        ValueError, LookupError, TypeError, AttributeError, SettingsError: it is no such line.
    """
    version = values.get("format", 1)
    if type(version) is not int or not 1 <= version <= FORMAT:
        got = {"most": FORMAT, "got": repr(version)[:40]}
        raise ValueError(say("its format must be 1 to {most}; a newer app writes others. Received: {got}", **got))
    judged = [each for each in (values.get("hints") or values.get("faults") or ()) if each.get("verdict")]
    verdicts: dict[Fault, labels.Verdict] = {}
    for each in judged:
        hint = Fault.from_dict(each)
        _check_words(summary, hint.start, hint.end, str(each.get("text", summary[hint.start : hint.end])))
        verdicts[hint] = FROM_FILES[each["verdict"]]
    hinted = {(LABEL_OF.get(hint.kind), summary[hint.start : hint.end]) for hint in verdicts}
    turns = parse_dialogue(dialogue).turns if dialogue is not None else None
    tags, marks = [str(tag) for tag in values.get("tags", ())], []
    for each in values.get("labels", ()):
        words = str(each.get("text", ""))
        of_hint = "start" not in each and (each.get("type"), words) in hinted  # of format 1
        if not of_hint and "hint" not in each:
            mark = _mark(each, summary, words, turns)
            tags += [mark.tag] if mark.tag not in tags else []
            marks += [mark] if mark != Mark(mark.tag) else []
    if len(marks) > labels.MOST_MARKS:
        raise ValueError(
            say("a summary has at most {most} marked words. Received: {got}", most=labels.MOST_MARKS, got=len(marks))
        )
    correct = (
        values.get("correct", not values.get("labels", True) and not values.get("todo")) is True
    )  # or an older set
    entry = Entry(verdicts, writer=str(values.get("checkpoint", "")), correct=correct)
    entry = entry.worded(tags, values.get("note", ""))
    return Entry(entry.verdicts, entry.tags, entry.note, entry.writer, entry.correct, tuple(dict.fromkeys(marks)))


def _mark(each: Mapping[str, Any], summary: str, words: str, turns: Sequence[Turn] | None) -> Mark:
    kind = each["type"]
    if kind not in LABELS:
        raise ValueError(
            say("there is no label {kind}; allowed: {allowed}", kind=repr(kind)[:40], allowed=", ".join(LABELS))
        )
    start = int(each["start"]) if "start" in each else 0
    for _ in range(0 if "start" in each or not words else int(each.get("occurrence", 1))):
        start = summary.find(words, start + bool(_))
    end = int(each["end"]) if "start" in each else start + len(words)
    _check_words(summary, start, end, words)
    passages: list[labels.Passage] = []
    for one in each.get("dialogue", ()):
        turn, first, last = (int(one[name]) for name in ("turn", "start", "end"))
        if not (0 <= turn and 0 <= first < last and len(one["text"]) == last - first):
            raise ValueError(say("no words can stand at {place} of a turn", place=f"{first}–{last}"))
        if turns is not None and (turn >= len(turns) or turns[turn].text[first:last] != one["text"]):
            got = {"turn": turn + 1, "words": one["text"][:40], "place": f"{first}–{last}"}
            raise ChangedError(say("turn {turn} has other words than “{words}” at {place}", **got))
        passages.append((turn, first, last))
    return Mark(LABELS[kind].label, start if words else 0, end if words else 0, tuple(passages))


def _check_words(summary: str, start: int, end: int, words: str) -> None:
    if not 0 <= start <= end <= len(summary) or summary[start:end] != words:
        got = {"words": words[:40], "place": f"{start}–{end}", "length": len(summary)}
        raise ValueError(
            say("“{words}” does not stand at {place} of the summary, which has {length} characters", **got)
        )
