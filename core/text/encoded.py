"""What every tokenizer gives: a dialogue as token ids, and texts from ids."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from core.config import END, PAD, Truncation
from core.text.dialogue import Dialogue
from core.trace import Token

AnyKind = Literal["bpe", "wordpiece", "word", "imported"]
SPECIALS = ("[PAD]", "[SOS]", "[EOS]", "[UNK]", "[TURN]")
"""Names of the ids 0 to 4."""

_TAG = re.compile(r"#Person([1-9]\d{0,3})#")


@dataclass(frozen=True, slots=True)
class EncodedDialogue:
    """A dialogue as the encoder reads it.

    Args:
        dialogue: the pasted text and its turns.
        tokens: source tokens, [EOS] last; their spans point into the pasted text. An imported tokenizer may put
            special tokens of its own before and after them, which belong to no turn.
        omitted: indices of the turns that truncation left out completely.
        shortened: indices of the turns that truncation cut.
        speakers: for each tag id of this dialogue, the name of its speaker.
        masked: indices of the turns that no attention may see.
    """

    dialogue: Dialogue
    tokens: tuple[Token, ...]
    omitted: tuple[int, ...]
    shortened: tuple[int, ...]
    speakers: Mapping[int, str]
    masked: frozenset[int] = frozenset()

    @property
    def ids(self) -> list[int]:
        """The token ids; a masked turn is padding that keeps its positions."""
        return [PAD if token.turn in self.masked and token.id != END else token.id for token in self.tokens]


def speaker_numbers(speakers: Sequence[str]) -> dict[str, int]:
    """Number speakers from 1: one whose name is a tag such as #Person2# keeps its number, others take the next free."""
    tagged = {name: int(match.group(1)) for name in speakers if (match := _TAG.fullmatch(name))}
    free = (number for number in range(1, len(speakers) + 1) if number not in tagged.values())
    return tagged | {name: next(free) for name in speakers if name not in tagged}


class AnyTokenizer(Protocol):
    """A tokenizer of this project's own or of an imported model; see `core.text.tokenizer.Tokenizer`."""

    @property
    def kind(self) -> AnyKind:
        """How it cuts words; "imported" as another model's tokenizer does."""

    @property
    def size(self) -> int:
        """Number of ids."""

    def encode_dialogue(
        self, dialogue: Dialogue, max_tokens: int = 512, truncation: Truncation = "middle"
    ) -> EncodedDialogue:
        """Encode a dialogue; turns are left out if it is longer than `max_tokens`."""

    def encode_summary(self, text: str, speakers: Mapping[int, str] | None = None) -> list[int]:
        """Encode a summary as decoder targets, [EOS] last."""

    def encode_continuation(self, text: str, speakers: Mapping[int, str] | None = None) -> list[int]:
        """Encode words that continue a summary."""

    def decode(self, ids: Sequence[int], speakers: Mapping[int, str] | None = None) -> tuple[str, tuple[Token, ...]]:
        """Turn target ids into text and tokens whose spans point into that text."""

    def id_text(self, token: int, speakers: Mapping[int, str] | None = None) -> str:
        """Write one id as a label."""

    def word_parts(self) -> list[int]:
        """Return for each id its position in a word."""

    def to_json(self) -> str:
        """Return the whole tokenizer as one JSON document."""

    def save(self, path: Path) -> None:
        """Write the tokenizer to one JSON file."""
