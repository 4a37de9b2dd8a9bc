"""Read another system's summaries of a corpus."""

from dataclasses import replace
from pathlib import Path

from core.errors import CorpusError
from core.evaluation.rows import MOST_BYTES
from core.files import fault, mistaken, parsed, read_text
from core.text.corpus import Corpus

_AGAIN = "take another copy of the file"


def with_predictions(corpus: Corpus, path: Path) -> Corpus:
    """Add the summaries of a file to a corpus as its predictions.

    Args:
        corpus: the dialogues that they summarize.
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
        text = read_text(path, MOST_BYTES).removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"the predictions {path.name!r} cannot be read: {fault(path, error, _AGAIN)}") from None
    if reason := mistaken(path):
        raise CorpusError(f"the predictions {path.name!r} cannot be read: {reason}")
    lines = text.removesuffix("\n").split("\n") if text else []
    ids = list(corpus.dataset["id"])
    if path.suffix != ".jsonl":
        if len(lines) != len(ids):
            raise CorpusError(
                f"plain predictions need one line a usable row. Received: {len(lines)} lines; rows: {len(ids)}. "
                f"Look at the end of {path.name!r}: is it whole?"
            )
        return [line.removesuffix("\r") for line in lines]
    found = _by_id(path, lines)
    missing = [each for each in ids if each not in found]
    if missing:
        raise CorpusError(
            f"the predictions {path.name!r} lack {len(missing)} of {len(ids)} ids, {missing[0]!r} for instance. "
            "Predict these, too, or take the data that they were made from"
        )
    return [found[each] for each in ids]


def _by_id(path: Path, lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = parsed(line)
            found[str(row["id"])] = str(row["summary"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise CorpusError(
                f"predictions line {number} must be a JSON object with id and summary. Received: {line[:60]!r}. "
                f"Correct the line of {path.name!r}, or {_AGAIN}"
            ) from None
    return found
