"""Read another system's summaries of a corpus."""

import json
from dataclasses import replace
from pathlib import Path

from core.errors import CorpusError
from core.text.corpus import Corpus


def with_predictions(corpus: Corpus, path: Path) -> Corpus:
    """Add the summaries of a file to a corpus as its predictions.

    Args:
        corpus: the dialogues that they summarise.
        path: plain lines in the order of the usable rows, or JSONL with `id` and `summary`.

    Raises:
        CorpusError: the file cannot be read, the number of plain lines differs, or an id has no summary.
    """
    summaries = read_predictions(path, corpus)
    dataset = corpus.dataset.remove_columns("prediction").add_column("prediction", summaries)
    return replace(corpus, dataset=dataset)


def read_predictions(path: Path, corpus: Corpus) -> list[str]:
    """Read one summary for each row of the corpus; arguments and errors as in `with_predictions`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"the predictions cannot be read: {error}") from None
    lines = text.removesuffix("\n").split("\n") if text else []
    ids = list(corpus.dataset["id"])
    if path.suffix != ".jsonl":
        if len(lines) != len(ids):
            raise CorpusError(
                f"plain predictions need one line a usable row. Received: {len(lines)} lines; rows: {len(ids)}"
            )
        return [line.removesuffix("\r") for line in lines]
    found = _by_id(lines)
    missing = [each for each in ids if each not in found]
    if missing:
        raise CorpusError(f"the predictions lack {len(missing)} of {len(ids)} ids, {missing[0]!r} for instance")
    return [found[each] for each in ids]


def _by_id(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            found[str(row["id"])] = str(row["summary"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise CorpusError(
                f"predictions line {number} must be a JSON object with id and summary. Received: {line[:60]!r}"
            ) from None
    return found
