"""Read another system's summaries of a corpus."""

import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import CorpusError
from core.files import fault, mistaken, read_bytes
from core.limits import limits
from core.text.corpora.columns import columns_of
from core.text.corpora.encodings import encoding_of
from core.text.corpora.files import Reading, ending_of, reading
from core.text.corpus import Corpus
from core.words import count

_AGAIN = "take another copy of the file"
_NUMBERED = re.compile(r"(.+)[_-]\d{1,2}")
MOST_BYTES = 2_000_000_000
"""Most bytes of a file of predictions, unpacked."""


def with_predictions(corpus: Corpus, path: Path) -> Corpus:
    """Add the summaries of a file to a corpus as its predictions.

    Args:
        corpus: the dialogues that they summarize.
        path: plain lines in the order of the usable rows; or JSONL, JSON, CSV or another form of a corpus, with an id
            and a summary, or without ids as many summaries as dialogues.

    Returns:
        The corpus; its notes say what is to be said of the file, too.

    Raises:
        CorpusError: the file cannot be read, the number of summaries differs, an id has none or two different ones.
    """
    summaries, notes = read_predictions(path, corpus)
    dataset = corpus.dataset.remove_columns("prediction").add_column("prediction", summaries)
    return replace(corpus, dataset=dataset, notes=(*corpus.notes, *notes))


def read_predictions(path: Path, corpus: Corpus) -> tuple[list[str], list[str]]:
    """Return a summary for each row of the corpus, and notes; arguments and errors as in `with_predictions`."""
    if not path.is_file() or (reason := mistaken(path)):
        reason = reason if path.is_file() else fault(path, FileNotFoundError(2, "No such file or directory"), _AGAIN)
        raise CorpusError(f"the predictions {path.name!r} cannot be read: {reason}")
    if not ending_of(path.name):
        return _in_order(path, _plain_lines(path), corpus)
    pairs, notes = _bare(path) or _pairs(path)
    if not any(id for _, id, _ in pairs):
        summaries, more = _in_order(path, [text for _, _, text in pairs], corpus)
        return summaries, notes + more
    summaries, more = _by_id(path, pairs, corpus)
    return summaries, notes + more


def heads_table(cells: Sequence[str]) -> bool:
    """Return whether the cells of a first line are the headings of a table of summaries, rather than a summary."""
    columns = columns_of(cells, {})
    return bool(columns.prediction or columns.summary) and bool(columns.id or len(cells) == 1)


def _plain_lines(path: Path) -> list[str]:
    try:
        data = read_bytes(path, MOST_BYTES)
        text = data.decode(encoding_of(io.BytesIO(data)).name)
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"the predictions {path.name!r} cannot be read: {fault(path, error, _AGAIN)}") from None
    lines = text.removesuffix("\n").split("\n") if text else []
    return [line.removesuffix("\r") for line in lines]


def _in_order(path: Path, texts: list[str], corpus: Corpus) -> tuple[list[str], list[str]]:
    """Give each dialogue the summary at its place, of rows that were joined the one at the place of the first."""
    size = len(corpus.dataset)
    if len(texts) == size:
        return texts, []
    if len(texts) != len(corpus.sources):
        rows = f"; rows of the file that can be used: {len(corpus.sources)}" if corpus.joined else ""
        raise CorpusError(
            f"plain predictions need one line a usable row. Received: {count(len(texts), 'line')}; rows: {size}{rows}. "
            f"Look at the end of {path.name!r}: is it whole?"
        )
    summaries: dict[int, str] = {}
    other = 0
    for text, (_, place) in zip(texts, corpus.sources, strict=True):
        other += summaries.setdefault(place, text) != text
    return [summaries[place] for place in range(size)], _others(path, other)


def _others(path: Path, other: int) -> list[str]:
    left = count(other, "other summary")
    note = f"{path.name}: {left} of dialogues that stand in several rows left out: the first counts"
    return [note] if other else []


def _pairs(path: Path) -> tuple[list[tuple[int, str, str]], list[str]]:
    """Return the line, the id, "" if there is none, and the summary of each row of a file."""
    with reading(path, MOST_BYTES, plain=True) as file:
        return _pairs_of(path, file), [f"{path.name}: {note}" for note in file.notes]


def _pairs_of(path: Path, file: Reading) -> list[tuple[int, str, str]]:
    what = "a row" if file.names else "a JSON object"
    pairs = []
    for line, row in file.rows:
        if row == "":
            continue
        for id, text in _of_row(row):
            if text is None:
                got = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False, default=str))[:60]
                raise CorpusError(
                    f"predictions {file.unit} {line} must be {what} with id and summary. Received: {got!r}. "
                    f"Correct the {file.unit} of {path.name!r}, or {_AGAIN}"
                )
            pairs.append((line, id, text))
    return pairs


def _bare(path: Path) -> tuple[list[tuple[int, str, str]], list[str]] | None:
    """Return the summaries of a JSON file that has nothing else, in a list or by id; None of any other file."""
    if ending_of(path.name) != ".json" or path.stat().st_size > limits().unpacked_file:
        return None
    try:
        document = json.loads("\n".join(_plain_lines(path)).removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    listed = document if isinstance(document, list) else ()
    pairs = document.items() if isinstance(document, dict) else (("", summary) for summary in listed)
    texts = [(number, id, text) for number, (id, text) in enumerate(pairs, 1)]
    return (texts, []) if texts and all(isinstance(text, str) for _, _, text in texts) else None


def _of_row(row: Mapping[str, Any] | str) -> list[tuple[str, str | None]]:
    if isinstance(row, str):
        return [("", None)]
    columns = columns_of(list(row), {})
    id, text = row.get(columns.id), row.get(columns.prediction, row.get(columns.summary))
    valid = isinstance(text, str) and not isinstance(id, bool) and isinstance(id, str | int | None)
    return [("" if id is None else str(id), str(text) if valid else None)]


def _by_id(path: Path, pairs: list[tuple[int, str, str]], corpus: Corpus) -> tuple[list[str], list[str]]:
    """Give each dialogue the summary with its id, or with that of another row of it."""
    texts: dict[str, str] = {}
    for line, id, text in pairs:
        if texts.setdefault(id, text) != text:
            raise CorpusError(
                f"the predictions {path.name!r} have two summaries of the id {id!r}, the second in line {line}. "
                "Keep one of them"
            )
    ids = list(corpus.dataset["id"])
    names: list[list[str]] = [[id] for id in ids]
    for id, place in corpus.sources:
        names[place].append(id)
    for own in names:  # DialogSum of the hub: test_0_1 to test_0_3 are test_0
        stems = Counter(match[1] for id in set(own) if (match := _NUMBERED.fullmatch(id)))
        own += [stem for stem, times in stems.items() if times > 1]
    summaries = [next((texts[id] for id in own if id in texts), None) for own in names]
    missing = [id for id, text in zip(ids, summaries, strict=True) if text is None]
    if missing:
        raise CorpusError(
            f"the predictions {path.name!r} lack {len(missing)} of {len(ids)} ids, {missing[0]!r} for instance. "
            "Predict these, too, or take the data that they were made from"
        )
    other = sum(len({texts[id] for id in own if id in texts}) - 1 for own in names)
    notes = _others(path, other)
    if unknown := texts.keys() - {id for own in names for id in own}:
        notes.append(f"{path.name}: {count(len(unknown), 'summary')} of ids that the corpus lacks left out")
    return [text or "" for text in summaries], notes
