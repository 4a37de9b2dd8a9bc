"""A batch that somebody types: short texts, or rows of ids; and what stands at each place of it."""

from collections.abc import Callable
from dataclasses import dataclass

from core.config import PAD, START
from core.errors import DialogueError
from core.explain.masks.masks import Batch, check_rows, filled, read_rows
from core.figures.shared.wording import plain
from core.text.dialogue import parse_dialogue
from core.text.encoded import AnyTokenizer
from core.text.imported import ImportedTokenizer
from core.words import say

WHOLE = 10**9
"""A length into which every text fits."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A batch with its words.

    Args:
        batch: the ids.
        source: [B][S] what stands at each place of the source.
        target: [B][T] the same of the target.
    """

    batch: Batch
    source: list[list[str]]
    target: list[list[str]]


def rows_of_ids(text: str, pads: tuple[int, ...]) -> Rows:
    """Read rows of ids, the same for encoder and decoder; raises SettingsError."""
    table = filled(read_rows(text), pads[0])
    labels = [[str(token) for token in row] for row in table]
    return Rows(Batch(table, table, pads), labels, labels)


def rows_of_texts(text: str, pads: tuple[int, ...], tokenizer: AnyTokenizer) -> Rows:
    """Encode short texts, a line each, for encoder and decoder; raises SettingsError or DialogueError."""
    lines = [line for line in text.splitlines() if line.strip()]
    encoded = [_encoded(tokenizer, line, number) for number, line in enumerate(lines, 1)]
    sources, targets = [source for source, _, _ in encoded], [target for _, target, _ in encoded]
    for rows in (sources, targets):
        check_rows(rows, texts=True)
    batch = Batch(filled(sources, pads[0]), filled(targets, pads[0]), pads)
    source, target = (
        [[name(int(token)) for token in row] for (_, _, name), row in zip(encoded, table, strict=True)]
        for table in (batch.source, batch.target)
    )
    return Rows(batch, source, target)


def own_ids(tokenizer: AnyTokenizer) -> str:
    """Say which id is padding in an imported model's own vocabulary, and what its decoder starts with; "" for ours."""
    if not isinstance(tokenizer, ImportedTokenizer):
        return ""
    own = tokenizer.vocabulary
    sentence = say(
        "In this model's own vocabulary padding is id {own:,}; here all vocabularies are numbered so that it is id "
        "{id}.",
        own=own.pad,
        id=PAD,
    )
    if own.start != own.pad:
        return sentence
    start = say(
        "Its decoder starts with the padding token; here with a copy of it, id {id}, which no mask hides.", id=START
    )
    return f"{sentence} {start}"


def _encoded(tokenizer: AnyTokenizer, line: str, number: int) -> tuple[list[int], list[int], Callable[[int], str]]:
    """A text as the encoder and as the decoder reads it, and what its ids are called."""
    try:
        encoded = tokenizer.encode_dialogue(parse_dialogue(line), WHOLE)
    except DialogueError:
        raise DialogueError(
            "text {number} has no words for this tokenizer. Received: {text!r}; allowed: at least a word",
            number=number,
            text=line[:40],
        ) from None

    def name(token: int) -> str:
        return plain(tokenizer.id_text(token, encoded.speakers)) if token < tokenizer.size else str(token)

    return encoded.ids, [START, *tokenizer.encode_summary(line, encoded.speakers)[:-1]], name
