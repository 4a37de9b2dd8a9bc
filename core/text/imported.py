"""The tokenizer of an imported model, in this project's ids.

It gives the ids that the model was trained on, in the order of `core.text.vocabulary`. A dialogue is written as the
model knows dialogues and encoded as a whole; tokens find their turns by their characters.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, get_args

import tokenizers

from core.config import END, PAD, START, TURN, UNKNOWN, Truncation
from core.errors import CheckpointError, DialogueError
from core.text.dialogue import Dialogue
from core.text.encoded import SPECIALS, EncodedDialogue
from core.text.spans import byte_values, cut, fit, joins, renumber, skip_space, whole
from core.text.vocabulary import NONE, Vocabulary
from core.text.written import Style, write
from core.trace import Token
from core.words import say

SHUT = " "
"""Stands before a piece that no text may ever give: after the blanks became ▁, no text matches it."""
_ANCHOR = "x"


@dataclass(frozen=True)
class Conventions:
    """What a model expects around the pieces of a text, and what becomes of pieces that are written.

    Args:
        special: name of each special token by the peer's id; they are never read from a text, and give none.
        before: our ids in front of a source.
        after: our ids behind a source.
        first: our id that every target begins with, or None.
        dialogue: how turns are written.
        prefix: names the task in front of a dialogue.
        joint: ends a piece that goes on, "@@" for pieces that are joined with blanks; None for other pieces.
        stripped: whether a decoded text has no blanks at its ends.
        cleaned: whether blanks before punctuation are taken out of a decoded text.
    """

    special: Mapping[int, str]
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = (END,)
    first: int | None = None
    dialogue: Style = "names"
    prefix: str = ""
    joint: str | None = None
    stripped: bool = False
    cleaned: bool = False

    def __post_init__(self) -> None:
        """Validate; raises ValueError."""
        if self.dialogue not in get_args(Style):
            raise ValueError(
                say(
                    "dialogue must be one of {allowed}. Received: {value!r}",
                    allowed=", ".join(get_args(Style)),
                    value=self.dialogue,
                )
            )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self) | {"special": [[token, name] for token, name in self.special.items()]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from what `to_dict` gave; raises ValueError or TypeError."""
        sequences = {name: tuple(values[name]) for name in ("before", "after")}
        return cls(**{**values, **sequences, "special": {int(token): str(name) for token, name in values["special"]}})


class ImportedTokenizer:
    """A tokenizer of another model; its methods are those of `core.text.tokenizer.Tokenizer`.

    Args:
        source: document of the `tokenizers` library for dialogues, in the peer's ids. Ids beyond the peer's rows are
            unknown tokens. It has neither added special tokens nor a post-processor.
        target: the same for summaries, or None if it is that of the source.
        vocabulary: the two orders of ids.
        conventions: what the model expects around a text.

    Raises:
        Exception: the library refuses a document; it raises the plain class.
    """

    kind: Literal["imported"] = "imported"

    def __init__(
        self,
        source: Mapping[str, Any],
        target: Mapping[str, Any] | None,
        vocabulary: Vocabulary,
        conventions: Conventions,
    ) -> None:
        self.vocabulary = vocabulary
        self.conventions = conventions
        self._documents = (source, target)
        self._bare: dict[int, tokenizers.Tokenizer] = {}
        self._source = tokenizers.Tokenizer.from_str(json.dumps(source))
        self._target = self._source if target is None else tokenizers.Tokenizer.from_str(json.dumps(target))
        self._bytes = byte_values()

    @property
    def size(self) -> int:
        """Number of ids."""
        return self.vocabulary.size

    def peer_id(self, token: int) -> int:
        """Return the model's own id of one of ours; -1 for [TURN] and for an unknown token that it does not have."""
        return self.vocabulary.peer[token]

    def our_id(self, peer: int, surface: str = "") -> int:
        """Return our id of one of the model's own; what it has no row for, or no text may give, is unknown.

        Args:
            peer: the model's own id.
            surface: the characters of the token, if the piece of an unknown one is to be looked up again.
        """
        peer = self._others.get(surface, peer) if peer == self.vocabulary.unknown else peer
        token = self.vocabulary.ours[peer] if peer < self.vocabulary.rows else UNKNOWN
        return UNKNOWN if token in (PAD, START, END) else token

    def peer_piece(self, token: int) -> str:
        """Return the model's own name of one of our ids, such as `</s>` or `▁the`; "" where it has none."""
        peer = self.peer_id(token)
        return "" if peer == NONE else self.conventions.special.get(peer, "") or self._name(peer)

    @property
    def pieces(self) -> Mapping[str, Any]:
        """The model of the `tokenizers` library for dialogues: its type and vocabulary, in the model's own ids."""
        return dict(self._documents[0]["model"])

    def pieces_of(self, kind: str) -> Mapping[str, Any]:
        """Return `pieces`; raises ValueError if their type is not `kind`."""
        if self.pieces["type"] != kind:
            raise ValueError(f"the pieces must be of type {kind}. Received: {self.pieces['type']!r}")
        return self.pieces

    def split(self, text: str) -> list[str]:
        """Return the parts of words that stand inside a dialogue: normalised and cut; no token crosses a border."""
        text = f" {whole(text.strip())}"
        normal = self._source.normalizer.normalize_str(text) if self._source.normalizer else text
        steps = self._source.pre_tokenizer
        return [part for part, _ in steps.pre_tokenize_str(normal)] if steps else [normal]

    @cached_property
    def lowers(self) -> bool:
        """Whether it makes small letters of capitals before it looks for pieces."""
        return "abc" in "".join(self.split("ABC"))

    def encode_words(self, text: str) -> list[int]:
        """Encode words that stand inside a dialogue, after a blank, with nothing around them."""
        return self._encode(self._source, f" {whole(text.strip())}")[0]

    def encode_dialogue(
        self, dialogue: Dialogue, max_tokens: int = 512, truncation: Truncation = "middle"
    ) -> EncodedDialogue:
        """Encode a dialogue; turns are left out if it is longer than `max_tokens` with all that stands around them.

        Raises DialogueError if nothing is left to encode, or if it is too long and truncation is "error".
        """
        task, spoken = self._encode_turns(dialogue, range(len(dialogue.turns)))
        if not spoken:
            raise DialogueError("the dialogue has no words. Received: empty text or only symbols; type at least a word")
        around = len(self.conventions.before) + len(self.conventions.after) + len(task)
        room = max_tokens - around
        if room < 1:
            raise ValueError(f"max_tokens must be at least {around + 1} here. Received: max_tokens={max_tokens}")
        if len(spoken) > room and truncation == "error":
            raise DialogueError(
                "the dialogue is too long. Received: {tokens} tokens; allowed: {max_tokens}. Shorten "
                "it, or let truncation leave out turns at the start, middle or end",
                tokens=len(spoken) + around,
                max_tokens=max_tokens,
            )
        counts = Counter(token.turn for token in spoken)
        lengths = [counts[index] for index in range(len(dialogue.turns))]
        kept, limit = {index for index in counts if index is not None}, room
        shortened: tuple[int, ...] = ()
        while len(spoken) > room:
            chosen, shortened = fit(lengths, max(limit, 1), truncation)
            kept = set(chosen)
            task, spoken = self._encode_turns(dialogue, sorted(kept))
            if shortened:
                shortened = shortened if len(spoken) > room else ()
                spoken = cut(spoken, room, truncation)
            limit -= max(len(spoken) - room, 0)
        words = renumber([*self._around(self.conventions.before), *task, *spoken])
        words += self._around(self.conventions.after, words[-1])
        omitted = tuple(index for index, length in enumerate(lengths) if length and index not in kept)
        return EncodedDialogue(dialogue, tuple(words), omitted, shortened, {})

    def encode_summary(self, text: str, speakers: Mapping[int, str] | None = None) -> list[int]:
        """Encode a summary as decoder targets, [EOS] last; `speakers` change nothing, their names are text here."""
        first = self.conventions.first
        ids, _ = self._encode(self._target, whole(text.strip()))
        return [*([] if first is None else [first]), *ids, END]

    def encode_continuation(self, text: str, speakers: Mapping[int, str] | None = None) -> list[int]:
        """Encode words that continue a summary; see `core.text.tokenizer.Tokenizer.encode_continuation`."""
        text = whole(text.strip())
        joined = text.startswith("+")
        if joined and self._joining is None:
            raise DialogueError(
                "this model marks the end of every word, so no letters can be added to one. Received: {text!r}",
                text=text,
            )
        library = self._joining if joined and self._joining else self._target
        ids, _ = self._encode(library, text[1:].strip() if joined else f" {text}")
        if not ids or not text:
            raise DialogueError("there are no words to go on with. Received: empty text or only symbols; type a word")
        if UNKNOWN in ids:
            raise DialogueError("this model cannot write all of these words. Received: {text!r}", text=text)
        return ids

    def decode(self, ids: Sequence[int], speakers: Mapping[int, str] | None = None) -> tuple[str, tuple[Token, ...]]:
        """Turn target ids into the text that the model's own library makes, and tokens that point into it.

        Special tokens are kept as tokens without characters; `speakers` change nothing.
        """
        names = [self._written_name(int(token)) for token in ids]
        text = self._text([name for name in names if name])
        tokens: list[Token] = []
        written: list[str] = []
        complete, word = 0, -1
        for token, name in zip(map(int, ids), names, strict=True):
            start = end = complete
            if name:
                written.append(name)
                complete, end = _grown(self._text(written), text, complete)
                start = skip_space(text, start, end)
            shown = text[start:end] if name else self._silent_name(token)
            word += 0 if tokens and token != END and joins(tokens[-1], shown, start, end) else 1
            tokens.append(Token(shown, token, start, end, None, None, word))
        return text, tuple(tokens)

    def id_text(self, token: int, speakers: Mapping[int, str] | None = None) -> str:
        """Write one id as a label: a leading space is kept, bytes of a split character are shown as <0x..>."""
        name = self._written_name(token)
        if not name:
            return self._silent_name(token)
        text = self._joined([_ANCHOR, name])[len(_ANCHOR) :]
        if "\ufffd" not in text:
            return text
        if name.startswith("<0x") or any(character not in self._bytes for character in name):
            return name
        return "".join(f"<0x{self._bytes[character]:02X}>" for character in name)

    def word_parts(self) -> list[int]:
        """Return 0 for each id: rules about words of this project's own models do not fit."""
        return [0] * self.size

    def to_json(self) -> str:
        """Return the whole tokenizer as one JSON document."""
        source, target = self._documents
        values = {
            "kind": self.kind,
            "source": source,
            "target": target,
            "vocabulary": self.vocabulary.to_dict(),
            "conventions": self.conventions.to_dict(),
        }
        return json.dumps(values, ensure_ascii=False)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Build from the values that `to_json` wrote; raises CheckpointError for others."""
        try:
            vocabulary, conventions = Vocabulary.from_dict(values["vocabulary"]), values["conventions"]
            return cls(values["source"], values["target"], vocabulary, Conventions.from_dict(conventions))
        except Exception as error:  # the library raises plain Exception
            raise CheckpointError("tokenizer.json is damaged or no imported tokenizer: {error}", error=error) from None

    def save(self, path: Path) -> None:
        """Write the tokenizer to one JSON file."""
        path.write_text(self.to_json(), encoding="utf-8")

    @cached_property
    def _joining(self) -> tokenizers.Tokenizer | None:
        """The tokenizer of words that are joined to the one before, or None where every word is closed."""
        document = self._documents[1] or self._documents[0]
        opened = _without_leading_space(document.get("pre_tokenizer"))
        if opened is None:
            return None
        return tokenizers.Tokenizer.from_str(json.dumps({**document, "pre_tokenizer": opened}))

    @cached_property
    def _others(self) -> dict[str, int]:
        """The peer's ids by name, where source and target have pieces of their own.

        What is unknown to one of the two may be a piece of the other: Marian looks its whole characters up again.
        """
        if self._documents[1] is None:
            return {}
        names = ((peer, self._name(peer)) for peer in range(self.vocabulary.rows))
        return {name: peer for peer, name in names if peer not in self.conventions.special}

    @cached_property
    def _suffix(self) -> str:
        """The mark of a word's last piece, for pieces whose end has a mark inside the library and none in a name."""
        return str(self._documents[0]["model"].get("end_of_word_suffix") or "") if self.conventions.joint else ""

    def _encode_turns(self, dialogue: Dialogue, kept: Sequence[int]) -> tuple[list[Token], list[Token]]:
        """Encode some turns as one text; returns the tokens of the task's prefix and those of the turns."""
        written = write(dialogue, self.conventions.dialogue, self.conventions.prefix, kept)
        tokens: list[Token] = []
        span, first, text = (-1, -1), 0, ""
        for token, (begin, last) in zip(*self._encode(self._source, written.text), strict=True):
            if (begin, last) != span:  # all bytes of thousands of unknown letters have one span
                span, first = (begin, last), min(skip_space(written.text, begin, last), len(written.text) - 1)
                text = written.text[first:last]
            start, turn = written.spans[first][0], written.turns[first]
            end = max(start, written.spans[last - 1][1]) if last > first else start
            shown = text or self._silent_name(token)
            if shown.strip() and not self.id_text(token).strip():  # a blank that stands in no text
                shown, end = " ", start
            joined = bool(tokens) and tokens[-1].turn == turn is not None and joins(tokens[-1], shown, start, end)
            speaker = None if turn is None else dialogue.turns[turn].speaker
            tokens.append(Token(shown, token, start, end, turn, speaker, 0 if joined else 1))
        return [token for token in tokens if token.turn is None], [token for token in tokens if token.turn is not None]

    def _around(self, ids: Sequence[int], last: Token | None = None) -> list[Token]:
        """Make the special tokens in front of a dialogue, or those behind its last token; [EOS] has its turn."""
        place, word = (last.end, last.word) if last else (0, -1)
        turn = last.turn if last else None
        return [
            Token(self._silent_name(token), token, place, place, turn if token == END else None, None, word + number)
            for number, token in enumerate(ids, 1)
        ]

    def _encode(self, library: tokenizers.Tokenizer, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return our ids and their character spans; what the model has no row for, or no text may give, is unknown."""
        encoding = library.encode(text, add_special_tokens=False)
        surfaces = self._surfaces(library, text) if self._others else [""] * len(encoding)
        return list(map(self.our_id, encoding.ids, surfaces)), encoding.offsets

    def _surfaces(self, library: tokenizers.Tokenizer, text: str) -> list[str]:
        """Return the normalised characters of each token."""
        if id(library) not in self._bare:
            self._bare[id(library)] = tokenizers.Tokenizer.from_str(library.to_str())
            self._bare[id(library)].normalizer = None
        normal = library.normalizer.normalize_str(text) if library.normalizer else text
        encoding = self._bare[id(library)].encode(normal, add_special_tokens=False)
        return [normal[start:end] for start, end in encoding.offsets]

    def _name(self, peer: int) -> str:
        """Return the model's own name of a piece, by its own id."""
        name = self._source.id_to_token(peer) or ""
        if name and self._suffix:
            return name.removesuffix(self._suffix) if name.endswith(self._suffix) else f"{name}{self.conventions.joint}"
        return name.removeprefix(SHUT) if len(name) > 1 else name

    def _written_name(self, token: int) -> str:
        """Return the piece that an id writes; "" if it gives no text."""
        peer = self.peer_id(token)
        if token in (PAD, START, END, TURN) or peer == NONE or peer in self.conventions.special:
            return ""
        return self._name(peer)

    def _silent_name(self, token: int) -> str:
        """Return the label of an id that gives no text; the end token, which stands in texts, has the model's name."""
        if token < len(SPECIALS) and token != END:
            return SPECIALS[token]
        return self.peer_piece(token) or f"<{self.peer_id(token)}>"

    def _joined(self, names: Sequence[str]) -> str:
        if self.conventions.joint:
            return " ".join(names).replace(f"{self.conventions.joint} ", "")
        return str(self._source.decoder.decode(list(names))) if self._source.decoder else " ".join(names)

    def _text(self, names: Sequence[str]) -> str:
        """Join pieces to a text as the model's own library does."""
        text = self._joined(names) if names else ""
        text = text.strip() if self.conventions.stripped else text
        return _cleaned(text) if self.conventions.cleaned else text


def _grown(part: str, text: str, complete: int) -> tuple[int, int]:
    """Count the characters of a text that its first pieces give for certain, and those that they have begun."""
    whole = part.rstrip("\ufffd")  # bytes of a character whose other bytes follow
    same = len(whole)
    if not text.startswith(whole):
        same = next(place for place, character in enumerate(whole) if character != text[place : place + 1])
    begun = len(whole) < len(part) and same < len(text)
    return max(complete, same), max(complete, same + begun)


def _cleaned(text: str) -> str:
    """Take out the blanks that the WordPiece convention puts before punctuation and English endings."""
    for mark in (".", "?", "!", ",", " ' ", "n't", "'m", "'s", "'ve", "'re"):
        text = text.replace(" ' ", "'") if mark == " ' " else text.replace(f" {mark}", mark)
    return text


def _without_leading_space(step: Any) -> Any:
    """Return a pre-tokenizer that puts no blank before the first word, or None if it never puts one."""
    if not isinstance(step, dict):
        return None
    if step["type"] == "Metaspace":
        return {**step, "prepend_scheme": "never"}
    if step["type"] == "ByteLevel":
        return {**step, "add_prefix_space": False}
    if step["type"] == "Sequence":
        steps = [_without_leading_space(part) for part in step["pretokenizers"]]
        if any(steps):
            pairs = zip(steps, step["pretokenizers"], strict=True)
            return {**step, "pretokenizers": [opened or part for opened, part in pairs]}
    return None
