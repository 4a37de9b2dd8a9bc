"""A text as tokenizers read it: tokens with ids and tips, the fates of its characters, and the tokens of each turn."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.config import END, TURN, UNKNOWN
from core.figures.shared.wording import count, listed, number, percent, plain
from core.figures.tokens.conventions import SPECIAL
from core.figures.tokens.pieces import dotted
from core.figures.tokens.tokens import readable
from core.text.dialogue import Dialogue, Turn
from core.text.encoded import SPECIALS, AnyTokenizer, EncodedDialogue
from core.text.fates import Fates, fates
from core.text.imported import ImportedTokenizer
from core.text.merges import Merges
from core.text.tokenizer import MAX_TAGS, TAGS, Tokenizer
from core.text.vocabulary import NONE
from core.trace import Token
from core.words import later, say

Table = dict[str, list[Any]]


@dataclass(frozen=True)
class Chip:
    """One token to be drawn.

    Args:
        text: of the token.
        id: of the token; the model's own one if its tokenizer was imported.
        kind: "mark" for [TURN] and the like, "tag" for a speaker, "unknown", "part" for bytes that are no whole
            character, or "" for any other.
        tip: the text when the pointer rests on it.
    """

    text: str
    id: int
    kind: Literal["", "mark", "tag", "unknown", "part"]
    tip: str


@dataclass(frozen=True)
class Tokenized:
    """What one tokenizer makes of a text: a line of the picture.

    Args:
        name: of the tokenizer.
        encoded: the tokens with their places in the text and their turns.
        chips: one for each token.
        fates: of the characters.
        prefix: what an imported model reads in front of the dialogue, in words.
    """

    name: str
    encoded: EncodedDialogue
    chips: Sequence[Chip]
    fates: Fates
    prefix: str = ""

    @property
    def tokens(self) -> Sequence[Token]:
        """Return the tokens."""
        return self.encoded.tokens


def label(tokenizer: AnyTokenizer, rules: Merges | None, token: int) -> str:
    """Return a readable text for a token id: its bytes, a blank as a dot; special tokens and words by their names.

    Args:
        tokenizer: of any kind; special tokens and pieces of an imported one have the model's own names.
        rules: its merges, None if it has none.
        token: the id.
    """
    raw = _bytes(tokenizer, rules, token)
    if raw:
        return readable(raw)
    own = dotted(tokenizer.peer_piece(token)) if isinstance(tokenizer, ImportedTokenizer) else ""
    return own or tokenizer.id_text(token).strip()


def describe(name: str, tokenizer: AnyTokenizer, rules: Merges | None, encoded: EncodedDialogue) -> Tokenized:
    """Describe every token of a text and count the fates of its characters; arguments as of `Tokenized` and `label`."""
    chips = []
    imported = tokenizer if isinstance(tokenizer, ImportedTokenizer) else None
    for place, token in enumerate(encoded.tokens, 1):
        text = label(tokenizer, rules, token.id)
        number = imported.peer_id(token.id) if imported else token.id
        where = [say("token {place}, id {id}", place=place, id=number)]
        if token.end > token.start:
            where.append(say("characters {first}–{last}", first=token.start + 1, last=token.end))
        raw = _bytes(tokenizer, rules, token.id)
        if imported:
            where.append(say("in the model's own numbering; on other pages {id}", id=token.id))
        kind, meaning = _meaning(token, text, raw, encoded, imported)
        if raw and kind in ("", "part"):
            digits = raw[:12].hex(" ").upper() + ("…" if len(raw) > 12 else "")
            where.append(f"{count(len(raw), 'byte')} {digits}")
        chips.append(Chip(text, number, kind, " · ".join([meaning, *where])))
    prefix = imported.conventions.prefix if imported else ""
    lowers = imported is not None and imported.lowers
    read = tokenizer.truecased if isinstance(tokenizer, Tokenizer) and tokenizer.truecase else None
    return Tokenized(name, encoded, chips, fates(encoded, tokenizer.kind, lowers, read), prefix)


def _bytes(tokenizer: AnyTokenizer, rules: Merges | None, token: int) -> bytes:
    """Return the bytes of a token id where tokens are made of bytes."""
    if rules:
        return rules.token_bytes(token)
    return tokenizer.token_bytes(token) if isinstance(tokenizer, Tokenizer) else b""


def _meaning(
    token: Token, text: str, raw: bytes, encoded: EncodedDialogue, imported: ImportedTokenizer | None
) -> tuple[Literal["", "mark", "tag", "unknown", "part"], str]:
    if token.id == UNKNOWN:
        return "unknown", say("“{token}” is not in the vocabulary", token=token.text)
    if token.id in (TURN, END):
        return "mark", f"{text}: {say(SPECIAL[SPECIALS[token.id]])}"
    if imported and imported.peer_id(token.id) in imported.conventions.special:
        return "mark", say("{token}: this model expects it around every dialogue", token=text)
    if imported and token.turn is None:
        return "", say("“{token}”, of the prefix “{prefix}”", token=text, prefix=imported.conventions.prefix)
    if raw and text in TAGS:
        return "tag", say("the tag of “{speaker}”", speaker=encoded.speakers.get(token.id, text))
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return "part", say("part of “{character}”", character=plain(token.text))
    return "", f"“{text}”"


def token_counts(text: str, lines: Sequence[Tokenized]) -> str:
    """Say how many tokens each tokenizer makes of a text, and how many of them are unknown."""
    parts = []
    for tokenized in lines:
        size, unknown = len(tokenized.tokens), tokenized.fates.unknown_words
        known = {"name": tokenized.name, "tokens": count(size, "token"), "length": number(len(text) / size)}
        parts.append(
            say(
                "{name}: {tokens}, {length} characters each, {unknown:,} of them [UNK] ({share})",
                **known,
                unknown=unknown,
                share=percent(unknown / size),
            )
            if unknown
            else say("{name}: {tokens}, {length} characters each, none unknown", **known)
        )
    return "; ".join(parts) + "."


def table(lines: Sequence[Tokenized]) -> Table:
    """List every token of each tokenizer."""
    rows = [
        (tokenized.name, place, chip, token)
        for tokenized in lines
        for place, (chip, token) in enumerate(zip(tokenized.chips, tokenized.tokens, strict=True), 1)
    ]
    return {
        later("Tokenizer"): [name for name, _, _, _ in rows],
        later("Position"): [place for _, place, _, _ in rows],
        later("Token"): [chip.text for _, _, chip, _ in rows],
        later("Id"): [chip.id for _, _, chip, _ in rows],
        later("Stands for"): [token.text if token.end > token.start else "" for _, _, _, token in rows],
        later("From character"): [token.start + 1 for _, _, _, token in rows],
        later("To character"): [token.end for _, _, _, token in rows],
        later("Turn"): [None if token.turn is None else token.turn + 1 for _, _, _, token in rows],
        later("Speaker"): [token.speaker or "" for _, _, _, token in rows],
    }


def fates_table(lines: Sequence[Tokenized], imported: bool = False) -> tuple[Table, str]:
    """Return what becomes of the visible characters, by tokenizer, and a sentence about it."""
    names = {
        later("come back as they were"): "kept",
        later("are capitals that became small"): "lowered",
        later("are filtered: symbols"): "filtered",
        later("are in unknown words"): "unknown",
        later("are in names that became a tag"): "tagged",
    }
    columns: Table = {later("Visible characters that …"): [say(name) for name in names]}
    columns |= {tokenized.name: [getattr(tokenized.fates, name) for name in names.values()] for tokenized in lines}
    kept = [
        f"{tokenized.name} {percent(tokenized.fates.kept / max(tokenized.fates.characters, 1))}" for tokenized in lines
    ]
    return columns, " ".join(
        [
            say("Come back unchanged: {shares} of the visible characters.", shares=listed(kept)),
            say(
                "In this app's own two tokenizers white space is never kept as it was: any run of it is one blank, and "
                "lines become turns."
            )
            if imported
            else say("White space is never kept as it was: any run of it is one blank, and lines become turns."),
            say("The colon after a name belongs to no token."),
            say(
                "Names that became a tag come back because the app remembers whose tag it is; the model sees the tag "
                "alone."
            ),
        ]
    )


def special_tokens(lines: Sequence[Tokenized], own: ImportedTokenizer | None = None) -> Table:
    """List the ids that every vocabulary begins with, what they are for, and how often they stand in the text.

    Args:
        lines: what each tokenizer makes of the text.
        own: the tokenizer of an imported model, whose own names and ids are listed beside.
    """
    tags = range(len(SPECIALS), len(SPECIALS) + MAX_TAGS)
    columns: Table = {
        later("Id"): [*map(str, range(len(SPECIALS))), f"{tags[0]} … {tags[-1]}"],
        later("Token"): [*SPECIALS, f"{TAGS[0]} … {TAGS[-1]}"],
        later("Why"): [
            *(say(why) for why in SPECIAL.values()),
            say(
                "One for each speaker, by first turn, whatever the name: the model can learn what a speaker is and "
                "copy the tag; names it never saw are no problem. Only ours has them."
            ),
        ],
    }
    if own:
        numbers = [own.peer_id(token) for token in range(len(SPECIALS))]
        none = say("none")
        columns[later("Its own name")] = [*(own.peer_piece(token) or none for token in range(len(SPECIALS))), none]
        columns[later("Its own id")] = [none if number == NONE else str(number) for number in (*numbers, NONE)]
    for tokenized in lines:
        ids, tagged = tokenized.encoded.ids, sum(chip.kind == "tag" for chip in tokenized.chips)
        here = say("Here, {tokenizer}", tokenizer=tokenized.name)
        columns[here] = [*(str(ids.count(mark)) for mark in range(len(SPECIALS))), str(tagged)]
    return columns


def turns(dialogue: Dialogue, lines: Sequence[Tokenized], end: int) -> list[dict[str, Any]]:
    """Cut the turns of a text wherever a token begins or ends.

    Args:
        dialogue: the text.
        lines: what each tokenizer makes of the text.
        end: character at which the picture ends.

    Returns:
        For each turn its number, its speaker (-1: nobody), the segments of label and body, and the chips of each line
        as [place, text, id, kind, tip]; a segment is a text and, for each line, the places of the tokens that hold it.
        What a model reads before the first turn is a turn of number 0; what it reads behind the last one is in that.
    """
    speakers = {name: place for place, name in enumerate(dialogue.speakers)}
    members: list[dict[int, list[int]]] = [{} for _ in lines]
    front: list[list[int]] = [[] for _ in lines]
    for tokenized, of_turn, before in zip(lines, members, front, strict=True):
        last: int | None = None
        for place, token in enumerate(tokenized.tokens):
            last = token.turn if token.turn is not None else last
            if last is None:
                before.append(place)
            elif token.start <= end:
                of_turn.setdefault(last, []).append(place)
    rows = []
    if any(front):
        prefixes = {tokenized.prefix for tokenized in lines if tokenized.prefix}
        spoken = [
            [place for place in places if tokenized.chips[place].kind != "mark"]
            for tokenized, places in zip(lines, front, strict=True)
        ]
        body = [[prefix, *spoken] for prefix in prefixes]
        rows.append(_row(0, -1, [], body, lines, front))
    for turn in dialogue.turns:
        if turn.index and min(turn.label or (turn.start,)) >= end:
            break
        places = [of_turn.get(turn.index, []) for of_turn in members]
        label, body = _segments(dialogue, turn, lines, places, end)
        speaker = -1 if turn.speaker is None else speakers[turn.speaker]
        rows.append(_row(turn.index + 1, speaker, label, body, lines, places))
    return rows


def _row(
    number: int,
    speaker: int,
    label: list[Any],
    body: list[Any],
    lines: Sequence[Tokenized],
    places: Sequence[Sequence[int]],
) -> dict[str, Any]:
    rows = [
        [(place, tokenized.chips[place]) for place in there] for tokenized, there in zip(lines, places, strict=True)
    ]
    chips = [[[place, chip.text, chip.id, chip.kind, chip.tip] for place, chip in row] for row in rows]
    return {"number": number, "speaker": speaker, "label": label, "body": body, "chips": chips}


def _segments(
    dialogue: Dialogue, turn: Turn, lines: Sequence[Tokenized], places: Sequence[Sequence[int]], end: int
) -> tuple[list[Any], list[Any]]:
    """The speaker's name and the spoken text, cut wherever a token of any line begins or ends."""
    parts = []
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
        parts.append([[text, *holder] for text, holder in zip(texts, holders, strict=True)])
    return parts[0], parts[1]
