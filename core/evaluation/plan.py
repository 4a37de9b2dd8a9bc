"""Plan the batches of a corpus.

The plan depends on the corpus and the settings only, not on finished batches or workers: a continued run and a run on
many workers give the same numbers as a plain one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.config import Truncation
from core.decoding.shapes import BATCH, SOURCE_BUCKETS, bucket
from core.errors import CorpusError, DialogueError
from core.text.corpus import Corpus, SkippedRow
from core.text.size import parse_checked

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


@dataclass(frozen=True, slots=True)
class Plan:
    """Batches of rows.

    Args:
        batches: indices of the rows of each batch.
        skipped: rows that the model cannot read.
    """

    batches: tuple[tuple[int, ...], ...]
    skipped: tuple[SkippedRow, ...] = ()

    @property
    def rows(self) -> int:
        """Rows in all batches."""
        return sum(map(len, self.batches))


def plan_by_length(corpus: Corpus, checkpoint: "Checkpoint", truncation: Truncation) -> Plan:
    """Sort dialogues by length into batches that are padded to one length.

    Args:
        corpus: the dialogues.
        checkpoint: for its tokenizer and the model's longest source.
        truncation: of a too long dialogue.

    Raises:
        CorpusError: the model can read none of the dialogues.
    """
    longest = checkpoint.config.max_source_length
    buckets: dict[int, list[tuple[int, int]]] = {}
    skipped = []
    for place, item in enumerate(items_of(corpus)):
        try:
            encoded = checkpoint.tokenizer.encode_dialogue(parse_checked(item["dialogue"]), longest, truncation)
        except DialogueError as error:
            skipped.append(SkippedRow(item["line"], str(error), corpus.unit))
            continue
        length = len(encoded.tokens)
        buckets.setdefault(bucket(length, SOURCE_BUCKETS, longest), []).append((length, place))
    if not buckets:
        raise CorpusError(f"no row could be summarized: {skipped[0].reason}")
    batches = []
    for _, rows in sorted(buckets.items()):
        batches += _cut([place for _, place in sorted(rows)])
    return Plan(tuple(batches), tuple(skipped))


def plan_in_order(corpus: Corpus) -> Plan:
    """Make batches of rows in the order of the corpus, for given summaries."""
    return Plan(tuple(_cut(range(len(corpus.dataset)))))


def items_of(corpus: Corpus, places: Sequence[int] | None = None) -> Iterator[dict[str, Any]]:
    """Yield rows of a corpus, all or those with the given indices."""
    yield from corpus.dataset if places is None else (corpus.dataset[place] for place in places)


def _cut(places: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple(places[first : first + BATCH]) for first in range(0, len(places), BATCH)]
