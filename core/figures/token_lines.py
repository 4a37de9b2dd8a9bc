"""A text as tokenizers read it: tokens with their ids and tips, what is lost, and which piece of text is whose."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.config import END, TURN, UNKNOWN
from core.figures.tokens import readable
from core.figures.wording import count, listed, number, percent, plain
from core.text.dialogue import Dialogue, Turn
from core.text.encoded import SPECIALS, AnyTokenizer, EncodedDialogue
from core.text.imported import ImportedTokenizer
from core.text.losses import Losses, losses
from core.text.merges import Merges
from core.text.tokenizer import MAX_TAGS, TAGS
from core.trace import Token

SPECIAL = {
    "[PAD]": "Fills a short sequence up to the length of its batch. Masks hide it; it has no loss.",
    "[SOS]": "Start of sequence: the first thing that the decoder reads. It is never predicted.",
    "[EOS]": "End of sequence: the last token of the dialogue, and what the decoder writes to stop.",
    "[UNK]": "Stands for every word that a word-level vocabulary does not have. Bytes never need it.",
    "[TURN]": "Between two turns, so that the model can see where one ends. The reports' tokenizer has none.",
}
"""What the special tokens are for, in the order of their ids."""
Table = dict[str, list[Any]]


@dataclass(frozen=True)
class Chip:
    """One token to be drawn.

    Args:
        text: of the token.
        id: of the token.
        kind: "mark" for [TURN] and the like, "tag" for a speaker, "unknown", "part" for bytes that are no whole
            character, or "" for any other.
        tip: what is said about it.
    """

    text: str
    id: int
    kind: Literal["", "mark", "tag", "unknown", "part"]
    tip: str


@dataclass(frozen=True)
class Line:
    """What one tokenizer makes of a text.

    Args:
        name: of the tokenizer.
        encoded: the tokens with their places in the text and their turns.
        chips: one for each token.
        lost: the characters by their fate.
    """

    name: str
    encoded: EncodedDialogue
    chips: Sequence[Chip]
    lost: Losses

    @property
    def tokens(self) -> Sequence[Token]:
        """Return the tokens."""
        return self.encoded.tokens


def label(tokenizer: AnyTokenizer, rules: Merges | None, token: int) -> str:
    """Return a readable text for a token id: its bytes, a blank as a dot; special tokens and words by their names.

    Args:
        tokenizer: either kind.
        rules: its merges, None for whole words.
        token: the id.
    """
    raw = rules.token_bytes(token) if rules else b""
    return readable(raw) if raw else tokenizer.id_text(token).strip()


def line(name: str, tokenizer: AnyTokenizer, rules: Merges | None, encoded: EncodedDialogue) -> Line:
    """Describe every token of a text and count what is lost; arguments as of `Line` and `label`."""
    chips = []
    for place, token in enumerate(encoded.tokens, 1):
        text = label(tokenizer, rules, token.id)
        where = f"token {place}, id {token.id}"
        if token.end > token.start:
            where += f" · characters {token.start + 1}–{token.end}"
        raw = rules.token_bytes(token.id) if rules else b""
        if isinstance(tokenizer, ImportedTokenizer):
            where += f" · its own id {tokenizer.peer_id(token.id)}, its own name {tokenizer.peer_piece(token.id)}"
        kind, said = _said(token, text, raw, encoded)
        if raw and kind in ("", "part"):
            where += f" · {count(len(raw), 'byte')} {raw[:12].hex(' ').upper()}{'…' if len(raw) > 12 else ''}"
        chips.append(Chip(text, token.id, kind, f"{said} · {where}"))
    return Line(name, encoded, chips, losses(encoded, tokenizer.kind))


def _said(
    token: Token, text: str, raw: bytes, encoded: EncodedDialogue
) -> tuple[Literal["", "mark", "tag", "unknown", "part"], str]:
    if token.id == UNKNOWN:
        return "unknown", f"“{token.text}” is not in the vocabulary"
    if token.id in (TURN, END):
        return "mark", f"{text}: {SPECIAL[text]}"
    if token.turn is None:
        return "mark", f"{text}: this model expects it around every dialogue"
    if raw and text in TAGS:
        return "tag", f"the tag of “{encoded.speakers.get(token.id, text)}”"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return "part", f"part of “{plain(token.text)}”"
    return "", f"“{text}”"


def sentence(text: str, lines: Sequence[Line]) -> str:
    """Say how many tokens each tokenizer makes of a text, and how many of them are unknown."""
    parts = []
    for each in lines:
        size, unknown = len(each.tokens), each.lost.unknown_words
        rest = f"{unknown:,} of them [UNK] ({percent(unknown / size)})" if unknown else "none unknown"
        parts.append(f"{each.name}: {count(size, 'token')}, {number(len(text) / size)} characters each, {rest}")
    return "; ".join(parts) + "."


def table(lines: Sequence[Line]) -> Table:
    """List every token of all lines."""
    rows = [
        (each.name, place, chip, token)
        for each in lines
        for place, (chip, token) in enumerate(zip(each.chips, each.tokens, strict=True), 1)
    ]
    return {
        "Tokenizer": [name for name, _, _, _ in rows],
        "Position": [place for _, place, _, _ in rows],
        "Token": [chip.text for _, _, chip, _ in rows],
        "Id": [chip.id for _, _, chip, _ in rows],
        "Stands for": [token.text if token.end > token.start else "" for _, _, _, token in rows],
        "From character": [token.start + 1 for _, _, _, token in rows],
        "To character": [token.end for _, _, _, token in rows],
        "Turn": [None if token.turn is None else token.turn + 1 for _, _, _, token in rows],
        "Speaker": [token.speaker or "" for _, _, _, token in rows],
    }


def fates(lines: Sequence[Line]) -> tuple[Table, str]:
    """Return what becomes of the visible characters, by tokenizer, and a sentence about it."""
    names = {
        "come back as they were": "kept",
        "are capitals that became small": "lowered",
        "are filtered: symbols": "filtered",
        "are in unknown words": "unknown",
        "are in names that became a tag": "tagged",
    }
    found: Table = {"Visible characters that …": list(names)}
    found |= {each.name: [getattr(each.lost, name) for name in names.values()] for each in lines}
    kept = [f"{each.name.lower()} {percent(each.lost.kept / max(each.lost.characters, 1))}" for each in lines]
    return found, (
        f"Come back unchanged: {listed(kept)} of the visible characters. White space is never kept as it was: "
        "any run of it is one blank, and lines become turns. The colon after a name belongs to no token. Names "
        "that became a tag come back because the app remembers whose tag it is; the model sees the tag alone."
    )


def special_tokens(lines: Sequence[Line]) -> Table:
    """List the ids that every vocabulary begins with, what they are for, and how often they stand in the text."""
    tags = range(len(SPECIALS), len(SPECIALS) + MAX_TAGS)
    found: Table = {
        "Id": [*map(str, range(len(SPECIALS))), f"{tags[0]} … {tags[-1]}"],
        "Token": [*SPECIALS, f"{TAGS[0]} … {TAGS[-1]}"],
        "Why": [
            *SPECIAL.values(),
            "One for each speaker, by first turn, whatever the name: the model can learn what a speaker is and "
            "copy the tag; names it never saw are no problem. Only ours has them.",
        ],
    }
    for each in lines:
        ids, tagged = each.encoded.ids, sum(chip.kind == "tag" for chip in each.chips)
        found[f"Here, {each.name.lower()}"] = [*(str(ids.count(mark)) for mark in range(len(SPECIALS))), str(tagged)]
    return found


def turns(dialogue: Dialogue, lines: Sequence[Line], end: int) -> list[dict[str, Any]]:
    """Cut the turns of a text wherever a token begins or ends.

    Args:
        dialogue: the text.
        lines: of the tokenizers.
        end: character at which the picture ends.

    Returns:
        For each turn its number, its speaker (-1: nobody), the segments of label and body, and the chips of each line
        as [place, text, id, kind, tip]; a segment is a text and, for each line, the places of the tokens that hold it.
    """
    speakers = {name: place for place, name in enumerate(dialogue.speakers)}
    members: list[dict[int, list[int]]] = [{} for _ in lines]
    for each, of_turn in zip(lines, members, strict=True):
        for place, token in enumerate(each.tokens):
            if token.turn is not None and token.start <= end:
                of_turn.setdefault(token.turn, []).append(place)
    found = []
    for turn in dialogue.turns:
        if turn.index and min(turn.label or (turn.start,)) >= end:
            break
        places = [of_turn.get(turn.index, []) for of_turn in members]
        label, body = _segments(dialogue, turn, lines, places, end)
        rows = [[(place, each.chips[place]) for place in there] for each, there in zip(lines, places, strict=True)]
        found.append(
            {
                "number": turn.index + 1,
                "speaker": -1 if turn.speaker is None else speakers[turn.speaker],
                "label": label,
                "body": body,
                "chips": [[[place, chip.text, chip.id, chip.kind, chip.tip] for place, chip in row] for row in rows],
            }
        )
    return found


def _segments(
    dialogue: Dialogue, turn: Turn, lines: Sequence[Line], places: Sequence[Sequence[int]], end: int
) -> tuple[list[Any], list[Any]]:
    """The speaker's name and the spoken text, cut wherever a token of any line begins or ends."""
    found = []
    for first, last in (turn.label or (0, 0), (turn.start, min(turn.end, end))):
        inside = [
            (row, place, lines[row].tokens[place])
            for row, there in enumerate(places)
            for place in there
            if first <= lines[row].tokens[place].start < lines[row].tokens[place].end <= last
        ]
        cuts = sorted({first, last, *(edge for _, _, token in inside for edge in (token.start, token.end))})
        holders: list[list[list[int]]] = [[[] for _ in lines] for _ in cuts[1:]]
        for row, place, token in inside:
            for segment in range(bisect_left(cuts, token.start), bisect_left(cuts, token.end)):
                holders[segment][row].append(place)
        texts = [dialogue.text[start:stop] for start, stop in zip(cuts, cuts[1:], strict=False)]
        found.append([[text, *held] for text, held in zip(texts, holders, strict=True)])
    return found[0], found[1]
