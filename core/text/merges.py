"""Byte pair encoding step by step: the merges that turn the bytes of a word, or its characters, into its tokens.

The rules are those of a trained tokenizer, in the order in which training learnt them (Sennrich et al. 2016, section
3.2, algorithm 1; on bytes as in Radford et al. 2019, section 2.2).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import tokenizers

from core.config import END, TURN, UNKNOWN
from core.text.encoded import SPECIALS, AnyTokenizer, EncodedDialogue
from core.text.imported import ImportedTokenizer
from core.text.spans import byte_values, spaced, whole
from core.text.tokenizer import TAGS

_TAGS = re.compile("|".join(TAGS))


@dataclass(frozen=True, slots=True)
class MergeStep:
    """A word after one rule was applied everywhere.

    Args:
        rule: number of the rule, 1 for the one that training learnt first; None for the word before any merge.
        symbols: the bytes of each symbol, in the order of the word; the mark of a word's end is a blank.
        merged: indices of the symbols that this rule made.
    """

    rule: int | None
    symbols: tuple[bytes, ...]
    merged: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """All steps of one word.

    Args:
        pieces: from the pre-tokenizer; no merge crosses their borders.
        steps: the first has single bytes or characters, the last the word's tokens.
        ids: of the tokens.
        units: what the first step is made of.
    """

    pieces: tuple[bytes, ...]
    steps: tuple[MergeStep, ...]
    ids: tuple[int, ...]
    units: Literal["bytes", "characters"] = "bytes"

    @property
    def tokens(self) -> tuple[bytes, ...]:
        """The bytes of each token."""
        return self.steps[-1].symbols


class Merges:
    """The merge rules of a tokenizer: byte-level BPE, or an imported one's BPE of bytes or characters.

    Args:
        tokenizer: of kind "bpe", or an imported one whose pieces are of type BPE.

    Attributes:
        rules: number of rules.
        units: what the rules begin with.

    Raises:
        ValueError: the tokenizer has no merges.
    """

    def __init__(self, tokenizer: AnyTokenizer) -> None:
        if not has_merges(tokenizer):
            raise ValueError(f"only a tokenizer of kind 'bpe' has merges. Received: kind={tokenizer.kind!r}")
        self._imported = tokenizer if isinstance(tokenizer, ImportedTokenizer) else None
        if isinstance(tokenizer, ImportedTokenizer):
            model = tokenizer.pieces
        else:
            document = json.loads(tokenizer.to_json())["tokenizer"]
            self._library = tokenizers.Tokenizer.from_str(json.dumps(document))
            model = document["model"]
        self._ids: dict[str, int] = model["vocab"]
        self._names = {number: name for name, number in self._ids.items()}
        self._ranks = {(left, right): rank for rank, (left, right) in enumerate(model["merges"])}
        self._end = str(model.get("end_of_word_suffix") or "")
        self._bytes = byte_values()
        self.rules = len(self._ranks)
        self.units: Literal["bytes", "characters"] = "characters" if self._end else "bytes"

    def apply(self, word: str) -> Merged:
        """Encode a word, or several, and keep every step.

        Args:
            word: the text; like every word it gets a leading space, and our speaker tags are tokens of their own.

        Returns:
            The steps; `ids` is what the tokenizer gives.
        """
        pieces = self._pieces(word)
        cut = tuple(b"".join(map(self._raw, piece)) for piece in pieces)
        steps = [MergeStep(None, self._symbols(pieces))]
        for number in range(len(pieces)):
            before = sum(len(piece) for piece in pieces[:number])
            while (rule := self._first_rule(pieces[number])) is not None:
                rank, pair = rule
                pieces[number], places = _merge(pieces[number], pair)
                steps.append(MergeStep(rank + 1, self._symbols(pieces), tuple(before + place for place in places)))
        ids = tuple(self._id(name) for piece in pieces for name in piece)
        return Merged(cut, tuple(steps), ids, self.units)

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of a token id; none for special tokens such as [EOS], and where tokens are characters."""
        if token < len(SPECIALS) or self.units == "characters":
            return b""
        if self._imported is None:
            return self._raw(self._names[token])
        peer = self._imported.peer_id(token)
        silent = peer not in self._names or peer in self._imported.conventions.special
        return b"" if silent else self._raw(self._names[peer])

    def _id(self, name: str) -> int:
        if self._imported is None:
            return self._ids[name]
        return self._imported.our_id(self._ids[name]) if name in self._ids else UNKNOWN

    def _pieces(self, word: str) -> list[list[str]]:
        """Split into pieces of single bytes or characters, as the vocabulary writes them; a tag of ours is one."""
        if self._imported:
            return [[*piece[:-1], piece[-1] + self._end] for piece in self._imported.split(word) if piece]
        text = whole(word.strip())
        pieces, position = [], 0
        for match in [*_TAGS.finditer(text), None]:
            written = spaced(text[position : match.start() if match else len(text)].rstrip(), position == 0)
            normal = self._library.normalizer.normalize_str(written)
            pieces += [list(piece) for piece, _ in self._library.pre_tokenizer.pre_tokenize_str(normal)]
            if match:
                pieces.append([match.group()])
                position = match.end()
        return pieces

    def _first_rule(self, symbols: Sequence[str]) -> tuple[int, tuple[str, str]] | None:
        """Find the earliest rule that fits two neighbours: its rank and its pair."""
        pairs = zip(symbols[:-1], symbols[1:], strict=True)
        return min(((self._ranks[pair], pair) for pair in pairs if pair in self._ranks), default=None)

    def _symbols(self, pieces: Sequence[Sequence[str]]) -> tuple[bytes, ...]:
        return tuple(self._raw(name) for piece in pieces for name in piece)

    def _raw(self, name: str) -> bytes:
        if self._end:
            return (f"{name.removesuffix(self._end)} " if name.endswith(self._end) else name).encode()
        return name.encode() if name in TAGS else b"".join(map(self._byte, name))

    def _byte(self, character: str) -> bytes:
        """Return a byte by the character that stands for it; an added token may have others."""
        return bytes([self._bytes[character]]) if character in self._bytes else character.encode()


def has_merges(tokenizer: AnyTokenizer) -> bool:
    """Return whether a tokenizer makes its tokens by merging pairs."""
    if isinstance(tokenizer, ImportedTokenizer):
        return bool(tokenizer.pieces["type"] == "BPE")
    return tokenizer.kind == "bpe"


def pieced_words(encoded: EncodedDialogue, text: str, longest: int) -> list[str]:
    """Return the words of a text, those of the most tokens first; words beyond `longest` characters are left out."""
    marks = {TURN, END, *encoded.speakers}
    spans: dict[int, list[tuple[int, int]]] = {}
    for token in encoded.tokens:
        if token.id not in marks and token.text not in TAGS and token.end > token.start:
            spans.setdefault(token.word, []).append((token.start, token.end))
    sizes: dict[str, int] = {}
    for parts in spans.values():
        word = text[parts[0][0] : parts[-1][1]].strip()
        if word and len(word) <= longest:
            sizes.setdefault(word, len(parts))
    return sorted(sizes, key=lambda word: -sizes[word])


def _merge(symbols: Sequence[str], pair: tuple[str, str]) -> tuple[list[str], list[int]]:
    """Join every occurrence of a pair from the left; returns the new symbols and the indices of joined ones."""
    joined: list[str] = []
    places = []
    position = 0
    while position < len(symbols):
        if tuple(symbols[position : position + 2]) == pair:
            places.append(len(joined))
            joined.append("".join(pair))
            position += 2
        else:
            joined.append(symbols[position])
            position += 1
    return joined, places
