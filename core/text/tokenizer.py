"""Text to token ids and back: byte-level BPE (ours) and the reports' word-level preprocessing.

Ids 0 to 4 are [PAD], [SOS], [EOS], [UNK] and [TURN] (core.config). The BPE kind adds #Person1# to
#Person9# as atomic tokens: every speaker of a dialogue is written as one of them, whatever the name in
the text, and a decoded summary has the name again. Typed special tokens such as "[EOS]" stay plain text.
"""

import difflib
import json
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, trainers

from core.config import END, FIRST_TAG, PAD, START, TURN, UNKNOWN, Truncation
from core.errors import CheckpointError, DialogueError
from core.files import fault, mistaken, read_text
from core.text.dialogue import Dialogue
from core.text.encoded import SPECIALS, AnyKind, AnyTokenizer, EncodedDialogue, speaker_numbers
from core.text.imported import ImportedTokenizer
from core.text.spans import byte_values, character_positions, cut, fit, joins, renumber, skip_space, spaced, whole
from core.trace import Token
from core.words import say

Kind = Literal["bpe", "wordpiece", "word"]
MAX_TAGS = 9
TAGS = tuple(f"#Person{number}#" for number in range(1, MAX_TAGS + 1))
_TAG = re.compile(r"#Person([1-9])#")
GOES_ON = "##"
"""Stands before a WordPiece that goes on with a word."""
LONGEST_WORD = 60
"""Characters of a word that WordPiece cuts as a whole; the rest is another word without a blank."""
_WORD = rf" ?[\p{{L}}\p{{M}}\p{{N}}]{{1,{LONGEST_WORD}}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]"

_ABBREVIATED = "".join(rf"(?<!\b{each})" for each in ("Mr", "Mrs", "Ms", "Dr", "St", "Prof", "[A-Z]"))
_BEGINNING = re.compile(rf"""(?:\A|{_ABBREVIATED}[.!?…]["”’')]*\s)["“‘'(]*([^\W\d_]{{2,}})\b(?!,)""")
"""The word that begins a sentence; not one before a comma, which may be the name of who is spoken to."""

_MODELS = {"bpe": models.BPE, "wordpiece": models.WordPiece, "word": models.WordLevel}


class Tokenizer:
    """A trained tokenizer of one of three kinds.

    Args:
        kind: "bpe" (cased, byte-level, atomic speaker tags, [TURN] between turns), "wordpiece" (the same, but each
            word is cut into the longest pieces) or "word" (lower case, symbols filtered, one flat sequence, unknown
            words become [UNK]).
        library: the trained `tokenizers.Tokenizer` behind it.
        truecase: whether words that begin a sentence of a dialogue are read in their commoner spelling (`truecased`).
    """

    def __init__(self, kind: Kind, library: tokenizers.Tokenizer, truecase: bool = False) -> None:
        self.kind = kind
        self.truecase = truecase
        self._library = library
        self._bytes = byte_values() if kind != "word" else {}

    @classmethod
    def train_bpe(cls, texts: Iterable[str], size: int = 8000) -> "Tokenizer":
        """Learn byte-level BPE of `size` ids, including special tokens, tags and all 256 bytes."""
        library = tokenizers.Tokenizer(models.BPE())
        library.normalizer = normalizers.Replace(Regex(r"\s+"), " ")
        library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=[*SPECIALS, *TAGS],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        pieces = (spaced(piece, number == 0) for text in texts for number, piece in enumerate(_TAG.split(text)[::2]))
        library.train_from_iterator(pieces, trainer)
        return cls("bpe", _without_added_tokens(library))

    @classmethod
    def train_words(cls, texts: Iterable[str], min_frequency: int = 3, size: int = 100_000) -> "Tokenizer":
        """Learn the words that occur at least `min_frequency` times, lower-cased, symbols filtered."""
        library = tokenizers.Tokenizer(models.WordLevel(unk_token=SPECIALS[UNKNOWN]))
        library.normalizer = normalizers.Sequence(
            [normalizers.Lowercase(), normalizers.Replace(Regex(r"[^\p{L}\p{M}\p{N}' \t\n\r]"), " ")]
        )
        library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        trainer = trainers.WordLevelTrainer(
            vocab_size=size, min_frequency=min_frequency, special_tokens=list(SPECIALS), show_progress=False
        )
        library.train_from_iterator(texts, trainer)
        return cls("word", _without_added_tokens(library))

    @classmethod
    def of_pieces(cls, pieces: Iterable[str], truecase: bool = False) -> "Tokenizer":
        """Make a WordPiece tokenizer of pieces in byte-level letters, "##" in front of those that go on with a word.

        Every byte is added, alone and after "##"; a symbol, which is a word of its own, after a blank instead. So no
        text has an unknown piece. For `truecase` the commoner pieces stand first.
        """
        letters = sorted(pre_tokenizers.ByteLevel.alphabet())
        later = (" " + letter if letter in string.punctuation else GOES_ON + letter for letter in letters)
        names = dict.fromkeys([*SPECIALS, *TAGS, *letters, *(letter.replace(" ", "Ġ") for letter in later), *pieces])
        library = tokenizers.Tokenizer(
            models.WordPiece(
                {name: number for number, name in enumerate(names)},
                unk_token=SPECIALS[UNKNOWN],
                max_input_chars_per_word=4 * LONGEST_WORD + 1,
                continuing_subword_prefix=GOES_ON,
            )
        )
        library.normalizer = normalizers.Replace(Regex(r"\s+"), " ")
        library.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(_WORD), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        return cls("wordpiece", library, truecase)

    @property
    def size(self) -> int:
        """Number of ids."""
        return int(self._library.get_vocab_size())

    def encode_dialogue(
        self, dialogue: Dialogue, max_tokens: int = 512, truncation: Truncation = "middle"
    ) -> EncodedDialogue:
        """Encode a dialogue; turns are left out if it is longer than `max_tokens` ([EOS] included).

        Raises DialogueError if nothing is left to encode, or if it is too long and truncation is "error".
        """
        if max_tokens < 2:
            raise ValueError(f"max_tokens must be at least 2. Received: max_tokens={max_tokens}")
        tags = self._tags(dialogue.speakers)
        turns = [self._encode_turn(dialogue, index, tags) for index in range(len(dialogue.turns))]
        if not any(turns):
            raise DialogueError("the dialogue has no words. Received: empty text or only symbols; type at least a word")
        room = max_tokens - 1
        length = sum(len(turn) for turn in turns)
        if length > room and truncation == "error":
            raise DialogueError(
                "the dialogue is too long. Received: {tokens} tokens; allowed: {max_tokens}. Shorten "
                "it, or let truncation leave out turns at the start, middle or end",
                tokens=length + 1,
                max_tokens=max_tokens,
            )
        kept, shortened = fit([len(turn) for turn in turns], room, truncation)
        tokens = [token for index, count in kept.items() for token in cut(turns[index], count, truncation)]
        if self.kind != "word" and tokens[-1].id == TURN:
            tokens.pop()
        words = renumber(tokens)
        last = words[-1]
        words.append(Token(SPECIALS[END], END, last.end, last.end, last.turn, None, last.word + 1))
        speakers = {tag: name for name, tag in tags.items()}
        omitted = tuple(index for index, turn in enumerate(turns) if turn and index not in kept)
        return EncodedDialogue(dialogue, tuple(words), omitted, shortened, speakers)

    def encode_summary(self, text: str, speakers: Mapping[int, str] | None = None) -> list[int]:
        """Encode a summary as decoder targets, [EOS] last; names of `speakers` become their tags."""
        return [token for token, _, _ in self._encode_text(self._tagged(text.strip(), speakers))] + [END]

    def encode_continuation(self, text: str, speakers: Mapping[int, str] | None = None) -> list[int]:
        """Encode words that continue a summary; names of `speakers` become their tags, no [EOS] follows.

        Args:
            text: the words; "+" in front joins the first one to the word before, so "walk" and "+ing" give "walking".
            speakers: the name of each tag id.

        Returns:
            The ids.

        Raises:
            DialogueError: there are no words, or words that this tokenizer cannot write.
        """
        text = text.strip()
        joined = text.startswith("+")
        if joined and self.kind == "word":
            raise DialogueError(
                "this model writes whole words: nothing can be joined to one. Received: {text!r}", text=text
            )
        text = text[1:].strip() if joined else text
        spans = self._encode_text(self._tagged(text, speakers, int(joined)), joined)
        if not spans:
            raise DialogueError("there are no words to go on with. Received: empty text or only symbols; type a word")
        if unknown := [text[start:end] for token, start, end in spans if token == UNKNOWN]:
            raise DialogueError(self._no_such_word(unknown[0]))
        return [token for token, _, _ in spans]

    def decode(self, ids: Sequence[int], speakers: Mapping[int, str] | None = None) -> tuple[str, tuple[Token, ...]]:
        """Turn target ids into text and tokens whose spans point into that text.

        Padding and [SOS] give no text; [EOS] is kept as a token without characters. Speaker tags are
        written as the names in `speakers`. The text has no leading space.
        """
        pieces = [self._piece(token, speakers or {}) for token in ids]
        raw = b"".join(pieces)
        lead = len(raw) - len(raw.lstrip(b" "))
        offsets, position = [], 0
        for piece in pieces:
            offsets.append((max(position, lead), max(position + len(piece), lead)))
            position += len(piece)
        text = raw[lead:].decode("utf-8", errors="replace")
        starts, ends = character_positions(raw[lead:])
        tokens: list[Token] = []
        word = -1
        for token, piece, (first, last) in zip(ids, pieces, offsets, strict=True):
            start, end = starts[first - lead], ends[last - lead]
            start = skip_space(text, start, end)
            shown = text[start:end] if piece else SPECIALS[token]
            word += 0 if tokens and joins(tokens[-1], shown, start, end) else 1
            tokens.append(Token(shown, int(token), start, end, None, None, word))
        return text, tuple(tokens)

    def id_text(self, token: int, speakers: Mapping[int, str] | None = None) -> str:
        """Write one id as a label: a leading space is kept, bytes of a split character are shown as <0x..>."""
        if token < len(SPECIALS):
            return SPECIALS[token]
        piece = self._piece(token, speakers or {})
        try:
            return piece.decode("utf-8")
        except UnicodeDecodeError:
            return "".join(f"<0x{value:02X}>" for value in piece)

    def piece_name(self, token: int) -> str:
        """Return the name of an id inside the vocabulary: byte-level letters, or a whole word."""
        return str(self._library.id_to_token(token))

    def our_id(self, token: int) -> int:
        """Return an id of the vocabulary as it is; an imported tokenizer has two orders of ids."""
        return token

    def pieces_of(self, kind: str) -> Mapping[str, Any]:
        """Return the model of the `tokenizers` library; raises ValueError if its type is not `kind`."""
        model: Mapping[str, Any] = json.loads(self._library.to_str())["model"]
        if model["type"] != kind:
            raise ValueError(f"the pieces must be of type {kind}. Received: {model['type']!r}")
        return model

    def truecased(self, text: str) -> str:
        """Write words that begin a sentence with a small letter where that piece comes earlier in the vocabulary.

        So a copied word has a small letter inside a sentence, and a name keeps its capital (after Lita et al. 2003,
        "tRuEcasIng"). The length of the text stays.
        """

        def written(match: re.Match[str]) -> str:
            word = match[1]
            low = word[0].lower() + word[1:]
            if len(low) != len(word) or low == word:
                return match[0]
            own, other = (self._library.token_to_id("Ġ" + spelling) for spelling in (word, low))
            common = other is not None and (own is None or other < own)
            return match[0][: -len(word)] + low if common else match[0]

        return _BEGINNING.sub(written, text)

    def split(self, text: str) -> list[str]:
        """Return the words of a text in byte-level letters: no token crosses their borders."""
        text = spaced(self._library.normalizer.normalize_str(text.strip()), True)
        return [part for part, _ in self._library.pre_tokenizer.pre_tokenize_str(text)]

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of an id, its leading blank included; none for special tokens and whole words."""
        if self.kind == "word" or token < len(SPECIALS):
            return b""
        piece = self._piece(token, {})
        return piece.lstrip() if token < FIRST_TAG + len(TAGS) else piece

    def text_of(self, letters: str) -> str:
        """Write byte-level letters as text; a byte that is no whole character becomes �."""
        return bytes(self._bytes[letter] for letter in letters).decode("utf-8", errors="replace")

    def word_parts(self) -> list[int]:
        """Return for each id 1 if it continues a word, 2 if it begins a word or is a tag, 0 otherwise.

        Parts of a split character continue the text before them.
        """
        if self.kind == "word":
            return [0] * len(SPECIALS) + [2] * (self.size - len(SPECIALS))
        return [_word_part(self._piece(token, {})) for token in range(self.size)]

    def to_json(self) -> str:
        """Return the whole tokenizer as one JSON document."""
        values = {"kind": self.kind, **({"truecase": True} if self.truecase else {})}
        return json.dumps({**values, "tokenizer": json.loads(self._library.to_str())}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> AnyTokenizer:
        """Read what the `to_json` of a tokenizer of any kind wrote; raises CheckpointError for other text."""
        try:
            values: Any = json.loads(text)
            kind = values["kind"]
            if kind == "imported":
                return ImportedTokenizer.from_values(values)
            library = tokenizers.Tokenizer.from_str(json.dumps(values["tokenizer"]))
            truecase = values.get("truecase", False) is True
        except CheckpointError:
            raise
        except Exception as error:  # the library raises plain Exception
            raise CheckpointError(
                "tokenizer.json is damaged or no tokenizer of this project: {error}; copy the "
                "checkpoint's folder again",
                error=error,
            ) from None
        if kind not in _MODELS:
            raise CheckpointError(
                "tokenizer.json names an unknown kind. Received: {kind!r}; allowed: {allowed}",
                kind=kind,
                allowed=", ".join(get_args(AnyKind)),
            )
        if not isinstance(library.model, _MODELS[kind]):
            raise CheckpointError(
                "tokenizer.json is no {kind} tokenizer: its model is a {model}",
                kind=kind,
                model=type(library.model).__name__,
            )
        for number, name in enumerate([*SPECIALS, *(TAGS if kind != "word" else ())]):
            if library.token_to_id(name) != number:
                raise CheckpointError(
                    "tokenizer.json is no {kind} tokenizer of ours: id {number} is not {name}",
                    kind=kind,
                    number=number,
                    name=name,
                )
        return cls(kind, library, truecase)

    def save(self, path: Path) -> None:
        """Write the tokenizer to one JSON file."""
        path.write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> AnyTokenizer:
        """Read the file of a tokenizer of any kind; raises CheckpointError."""
        try:
            text = read_text(path)
            if reason := mistaken(path):
                raise CheckpointError(
                    "the tokenizer {folder}/{file} is none: {reason}",
                    folder=path.parent.name,
                    file=path.name,
                    reason=reason,
                )
            return cls.from_json(text)
        except (OSError, UnicodeDecodeError) as error:
            reason = fault(path, error, say("copy the checkpoint's folder again"))
            raise CheckpointError(
                "the tokenizer {folder}/{file} cannot be read: {reason}",
                folder=path.parent.name,
                file=path.name,
                reason=reason,
            ) from None

    def _tags(self, speakers: Sequence[str]) -> dict[str, int]:
        """Give each speaker an atomic tag id: its own if it is one, else the next free one."""
        if self.kind == "word":
            return {}
        numbers = speaker_numbers(speakers)
        return {name: FIRST_TAG + number - 1 for name, number in numbers.items() if number <= MAX_TAGS}

    def _tagged(self, text: str, speakers: Mapping[int, str] | None, start: int = 0) -> str:
        """Write names of `speakers` that begin at `start` or later as their tags."""
        if self.kind == "word" or not speakers:
            return text
        tags = {name: TAGS[tag - FIRST_TAG] for tag, name in speakers.items()}
        names = "|".join(re.escape(name) for name in sorted(tags, key=len, reverse=True))
        pattern = re.compile(rf"(?<!\w)(?:{names})(?!\w)")
        return pattern.sub(lambda match: tags[match.group()] if match.start() >= start else match.group(), text)

    def _no_such_word(self, word: str) -> str:
        """Write the error for a word that is not in the vocabulary, with similar words."""
        known = sorted(set(self._library.get_vocab()) - set(SPECIALS))
        similar = ", ".join(map(repr, difflib.get_close_matches(word.lower(), known)))
        if not similar:
            return say("this model has no such word. Received: {word!r}; none of its words is like it", word=word)
        return say(
            "this model has no such word. Received: {word!r}; like it: {similar}",
            word=word,
            similar=similar,
        )

    def _encode_turn(self, dialogue: Dialogue, index: int, tags: Mapping[str, int]) -> list[Token]:
        turn = dialogue.turns[index]
        spans: list[tuple[int, int, int]] = []
        text = self.truecased(turn.text) if self.truecase else turn.text
        body = [(token, turn.start + first, turn.start + last) for token, first, last in self._encode_text(text)]
        if not body:
            return []
        if turn.speaker is not None and turn.label is not None:
            first, last = turn.label
            if turn.speaker in tags:
                spans.append((tags[turn.speaker], first, last))
            else:
                name = self._encode_text(dialogue.text[first:last] + (":" if self.kind != "word" else ""))
                spans += [(token, first + start, min(first + end, last)) for token, start, end in name]
        spans += body
        if self.kind != "word":
            spans.append((TURN, turn.end, turn.end))
        tokens: list[Token] = []
        for token, start, end in spans:
            shown = dialogue.text[start:end] or (SPECIALS[token] if token < len(SPECIALS) else " ")
            joined = bool(tokens) and joins(tokens[-1], shown, start, end)
            tokens.append(Token(shown, token, start, end, index, turn.speaker, 0 if joined else 1))
        return tokens

    def _encode_text(self, text: str, joined: bool = False) -> list[tuple[int, int, int]]:
        """Encode text to token ids with their character spans in `text`, without leading spaces.

        The first word gets a leading space like every other, unless it is `joined` to a word before.
        """
        text = whole(text)
        if self.kind == "word":
            encoding = self._library.encode(text, add_special_tokens=False)
            return [(token, start, end) for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)]
        result, position = [], 0
        for match in [*_TAG.finditer(text), None]:
            piece = text[position : match.start() if match else len(text)]
            written = spaced(piece.rstrip(), position == 0 and not joined)
            added = int(len(written) > len(piece.rstrip()))
            encoding = self._library.encode(written, add_special_tokens=False)
            for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
                start = skip_space(written, start, end)
                result.append((token, max(position + start - added, 0), position + end - added))
            if match:
                result.append((FIRST_TAG + int(match.group(1)) - 1, match.start(), match.end()))
                position = match.end()
        return result

    def _piece(self, token: int, speakers: Mapping[int, str]) -> bytes:
        """Return the UTF-8 bytes of one target id, its leading space included."""
        if token in (PAD, START, END):
            return b""
        if token == TURN:
            return b"\n"
        if self.kind != "word" and FIRST_TAG <= token < FIRST_TAG + len(TAGS):
            return b" " + speakers.get(token, TAGS[token - FIRST_TAG]).encode()
        word = self._library.id_to_token(token) or SPECIALS[UNKNOWN]
        if self.kind == "word":
            return b" " + word.encode()
        if token == UNKNOWN:
            return b" [UNK]"
        letters = word.removeprefix(GOES_ON) if self.kind == "wordpiece" else word
        if not self._bytes.keys() >= set(letters):  # no tokenizer of ours; a damaged one is shown as it is
            return letters.encode("utf-8", "replace")
        return bytes(self._bytes[character] for character in letters)


def _word_part(piece: bytes) -> int:
    """See `Tokenizer.word_parts`."""
    if piece.startswith(b" "):
        rest = piece[1:].decode("utf-8", errors="ignore")
        return 2 if rest[:1].isalpha() or _TAG.fullmatch(rest) else 0
    try:
        return int(piece.decode("utf-8")[:1].isalnum())
    except UnicodeDecodeError:
        return 1


def _without_added_tokens(library: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Keep special tokens as plain vocabulary entries, so that typed ones are not matched in text."""
    values = json.loads(library.to_str())
    values["added_tokens"] = []
    return tokenizers.Tokenizer.from_str(json.dumps(values))
