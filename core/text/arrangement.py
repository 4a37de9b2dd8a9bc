"""Arrange the turns of an encoded dialogue: leave out, mask, reorder, or change the speaker.

This works on the tokens that the model would have read: no turn is parsed or cut again, speakers keep their tags, and
turns that truncation left out stay out. So nothing but the requested change happens.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from core.config import END, TURN
from core.errors import SettingsError
from core.text.dialogue import Dialogue
from core.text.encoded import EncodedDialogue
from core.text.spans import renumber
from core.trace import Token
from core.words import first_few, say

_PLACE = re.compile(r"(\d{1,4})(m?)(?:s(\d{1,4}))?")


@dataclass(frozen=True)
class Arrangement:
    """An arrangement of turns.

    Args:
        order: indices of the turns in the order in which they are read; missing ones are deleted.
        masked: those of them that are hidden from all attention, like padding, but keep their positions.
        speakers: for a turn, the name of its new speaker.
    """

    order: tuple[int, ...]
    masked: frozenset[int] = frozenset()
    speakers: Mapping[int, str] = field(default_factory=dict)

    def without(self, turn: int) -> "Arrangement":
        """Return the arrangement without a turn."""
        return replace(self, order=tuple(other for other in self.order if other != turn))

    def restored(self, turn: int, order: Sequence[int]) -> "Arrangement":
        """Bring a deleted turn back, after the nearest one that stands before it in the untouched order."""
        before = [other for other in order[: order.index(turn)] if other in self.order]
        place = self.order.index(before[-1]) + 1 if before else 0
        return replace(self, order=(*self.order[:place], turn, *self.order[place:]))

    def flipped_mask(self, turn: int) -> "Arrangement":
        """Mask a turn, or unmask it."""
        return replace(self, masked=self.masked ^ {turn})

    def said_by(self, turn: int, speaker: str | None) -> "Arrangement":
        """Give a turn another speaker; None restores its own."""
        others = {index: name for index, name in self.speakers.items() if index != turn}
        return replace(self, speakers=others if speaker is None else others | {turn: speaker})

    def moved(self, turn: int, steps: int) -> "Arrangement":
        """Move a turn up (-1) or down (1), at most to the end; raises SettingsError if it is deleted."""
        if turn not in self.order:
            raise SettingsError("only turns that are read can be moved. Received: turn {turn}", turn=turn + 1)
        place = self.order.index(turn)
        goal = min(max(place + steps, 0), len(self.order) - 1)
        rest = [other for other in self.order if other != turn]
        return replace(self, order=(*rest[:goal], turn, *rest[goal:]))


@dataclass(frozen=True)
class ArrangedTurn:
    """A turn of the dialogue as it is arranged now.

    Args:
        index: of the turn in the original dialogue.
        speaker: who says it there, or None.
        text: what is said.
        state: "deleted", "masked", or "" for neither.
        moved: whether it stands in another place than in the original.
        said_by: who says it instead, or None.
        read: False for a turn that truncation left out; nothing can be done with it.
    """

    index: int
    speaker: str | None
    text: str
    state: Literal["", "deleted", "masked"] = ""
    moved: bool = False
    said_by: str | None = None
    read: bool = True


def next_speaker(turn: ArrangedTurn, speakers: Sequence[str]) -> str | None:
    """Return who says a turn after a swap: the speaker after the one who says it now; None if there is no other."""
    name = turn.said_by or turn.speaker
    return None if name is None or len(speakers) < 2 else speakers[(speakers.index(name) + 1) % len(speakers)]


def arranged_turns(encoded: EncodedDialogue, now: Arrangement, *, as_read: bool) -> list[ArrangedTurn]:
    """Return all turns of the dialogue: those that are read in their order, others after the one before them.

    Args:
        encoded: the dialogue before any change.
        now: how it is arranged.
        as_read: whether the one before is meant in the order of reading, unread ones last; or in that of the dialogue.
    """
    read, turns = plain(encoded).order, encoded.dialogue.turns
    whole = list(range(len(turns)))
    if as_read:
        whole = [*read, *(turn for turn in whole if turn not in read)]
    order = list(now.order)
    for place, turn in enumerate(whole):
        if turn not in order:
            order.insert(order.index(whole[place - 1]) + 1 if place else 0, turn)
    kept = [turn for turn in read if turn in now.order]
    return [
        ArrangedTurn(
            index=turn,
            speaker=turns[turn].speaker,
            text=turns[turn].text,
            state="deleted" if turn not in now.order else "masked" if turn in now.masked else "",
            moved=turn in now.order and kept.index(turn) != now.order.index(turn),
            said_by=now.speakers.get(turn),
            read=turn in read,
        )
        for turn in order
    ]


def plain(encoded: EncodedDialogue) -> Arrangement:
    """Return the arrangement that changes nothing: every turn that was read."""
    return Arrangement(tuple(dict.fromkeys(token.turn for token in encoded.tokens if token.turn is not None)))


def shuffled(encoded: EncodedDialogue, seed: int) -> Arrangement:
    """Return the turns in a random order, different from their own if possible."""
    order = list(plain(encoded).order)
    generator = random.Random(seed)
    result = list(order)
    while len(order) > 1 and result == order:
        generator.shuffle(result)
    return Arrangement(tuple(result))


def arrange(encoded: EncodedDialogue, arrangement: Arrangement) -> EncodedDialogue:
    """Arrange the tokens of a dialogue; their spans still point into its text.

    Args:
        encoded: from the tokenizer.
        arrangement: of its turns.

    Raises:
        SettingsError: a turn that was not read or is named twice, an unknown speaker, or no visible turn.
    """
    turns = _turns(encoded)
    starts = {turn: encoded.dialogue.turns[turn].start for turn in turns}
    labels = {turn: [token for token in tokens if token.start < starts[turn]] for turn, tokens in turns.items()}
    _check(turns, labels, arrangement)
    mark = next((tokens[-1] for tokens in turns.values() if _ends(tokens[-1])), None)
    tokens: list[Token] = []
    for turn in arrangement.order:
        if tokens and mark:  # after every turn but the last
            end = tokens[-1]
            tokens.append(replace(mark, start=end.end, end=end.end, turn=end.turn, speaker=end.speaker))
        tokens += _said_by(turn, turns[turn], labels, arrangement.speakers.get(turn))
    last = tokens[-1]
    spoken = [place for place, token in enumerate(encoded.tokens) if in_a_turn(token)]
    front = [replace(token, word=1) for token in encoded.tokens[: spoken[0]]]
    back = [
        replace(token, start=last.end, end=last.end, turn=last.turn if token.id == END else None, word=1)
        for token in encoded.tokens[spoken[-1] + 1 :]
    ]
    return replace(encoded, tokens=tuple(renumber([*front, *tokens, *back])), masked=arrangement.masked)


def in_a_turn(token: Token) -> bool:
    """Return whether a token belongs to a turn; [EOS] and what an imported tokenizer puts around a text do not."""
    return token.turn is not None and token.id != END


def write(arrangement: Arrangement, dialogue: Dialogue) -> str:
    """Write the arrangement for a link: turns from 1 in order, `m` masked, `s2` said by the second speaker."""
    parts = []
    for turn in arrangement.order:
        name = arrangement.speakers.get(turn)
        speaker = "" if name is None else f"s{dialogue.speakers.index(name) + 1}"
        parts.append(f"{turn + 1}{'m' if turn in arrangement.masked else ''}{speaker}")
    return ".".join(parts)


def read(text: str, dialogue: Dialogue) -> Arrangement:
    """Read what `write` wrote; raises SettingsError for other text."""
    order, masked, speakers = [], [], {}
    for part in text.split("."):
        match = _PLACE.fullmatch(part)
        if match is None or not 0 < int(match[1]) <= len(dialogue.turns):
            raise SettingsError(
                "turns must be numbers from 1, as in 1.2m.4s2. Received: {part!r}; this dialogue has {turns} turns",
                part=part[:20],
                turns=len(dialogue.turns),
            )
        turn = int(match[1]) - 1
        order.append(turn)
        if match[2]:
            masked.append(turn)
        if match[3]:
            if not 0 < int(match[3]) <= len(dialogue.speakers):
                raise SettingsError(
                    "this dialogue has {speakers} speakers. Received: s{number}",
                    speakers=len(dialogue.speakers),
                    number=match[3],
                )
            speakers[turn] = dialogue.speakers[int(match[3]) - 1]
    return Arrangement(tuple(order), frozenset(masked), speakers)


def _turns(encoded: EncodedDialogue) -> dict[int, list[Token]]:
    """Return the tokens of each turn with the mark at its end; `word` is 1 where a word begins, for `renumber`."""
    turns: dict[int, list[Token]] = {}
    word = -1
    for token in encoded.tokens:
        if token.turn is not None and in_a_turn(token):
            turns.setdefault(token.turn, []).append(replace(token, word=int(token.word != word)))
        word = token.word
    return turns


def _ends(token: Token) -> bool:
    """Return whether a token marks the end of a turn: [TURN], or the line end of an imported tokenizer."""
    return token.id == TURN or (token.text == "\n" and token.start == token.end)


def _said_by(
    turn: int, tokens: Sequence[Token], labels: Mapping[int, Sequence[Token]], speaker: str | None
) -> list[Token]:
    """Return the tokens of a turn without the mark at its end, with another speaker's label if one is given."""
    own = [token for token in tokens if not _ends(token)]
    if speaker is None or speaker == own[0].speaker:
        return own
    label = next(candidate for candidate in labels.values() if candidate and candidate[0].speaker == speaker)
    named = [replace(token, start=own[0].start, end=own[0].start, turn=turn) for token in label]
    return [replace(token, speaker=speaker) for token in (*named, *own[len(labels[turn]) :])]


def _check(
    turns: Mapping[int, Sequence[Token]], labels: Mapping[int, Sequence[Token]], arrangement: Arrangement
) -> None:
    """Refuse an impossible arrangement; see `arrange`."""
    order = arrangement.order
    if not order or len(set(order)) < len(order):
        raise SettingsError(
            "at least one turn must be left, each once. Received: turns {turns}", turns=_from_one(order)
        )
    strange = [turn for turn in (*order, *arrangement.masked, *arrangement.speakers) if turn not in turns]
    if strange:
        raise SettingsError(
            "only turns that the model read can be arranged. Received: {turns}; read were {read}",
            turns=_from_one(strange),
            read=_from_one(list(turns)),
        )
    if arrangement.masked >= set(order):
        raise SettingsError("at least one turn must stay visible. Received: all of them masked")
    known = {label[0].speaker for label in labels.values() if label}
    unknown = [name for name in arrangement.speakers.values() if name not in known]
    if unknown:
        raise SettingsError("nobody of that name speaks here. Received: {name!r}", name=unknown[0])


def _from_one(turns: Sequence[int]) -> str:
    return first_few(turn + 1 for turn in turns) or say("none")
