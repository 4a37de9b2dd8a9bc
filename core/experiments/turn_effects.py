"""Leaving turns out: what each was worth, and what a random stretch of the same length would have been worth."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.errors import SettingsError
from core.experiments.interventions import Condition, Knockout, Untouched, forced, knock_out
from core.text.arrangement import Arrangement, arrange, plain
from core.text.spans import renumber
from core.text.tokenizer import EncodedDialogue
from core.trace import Token

if TYPE_CHECKING:
    from core.service import Summarizer

DRAWS = 3
"""Random stretches for each turn."""


def turns_read(encoded: EncodedDialogue) -> tuple[int, ...]:
    """Indices of the turns that the model reads, in its order."""
    return plain(encoded).order


def leave_out(
    summarizer: "Summarizer", base: Untouched, turns: Sequence[int], rewrite: bool = True
) -> list[Knockout]:
    """Delete each of some turns on its own; deleting the only turn is not possible.

    Raises:
        SettingsError: a turn is not read, or it is the only one.
    """
    encoded = base.condition.encoded
    read = turns_read(encoded)
    if len(read) < 2:
        raise SettingsError("a dialogue of one turn has no turn that could be left out. Add another one")
    _check_read(turns, read)
    whole = Arrangement(read, encoded.masked)
    changes = [Condition(arrange(encoded, whole.without(turn)), base.condition.gates) for turn in turns]
    return knock_out(summarizer, base, changes, rewrite)


def random_cuts(
    summarizer: "Summarizer", base: Untouched, turns: Sequence[int], draws: int = DRAWS, seed: int = 0
) -> list[tuple[float, ...]]:
    """The noise floor of each turn: nats that the summary loses without a random stretch of as many tokens.

    Args:
        summarizer: the model.
        base: the untouched run.
        turns: indices of turns.
        draws: stretches for each, cut out of the other turns.
        seed: of the draws; a turn's draws do not depend on the others'.

    Returns:
        `draws` drops a turn; none where the other visible turns have no more tokens than the turn.

    Raises:
        SettingsError: a turn is not read.
    """
    encoded = base.condition.encoded
    _check_read(turns, turns_read(encoded))
    cuts = [_cuts(encoded, turn, draws, seed) for turn in turns]
    conditions = [Condition(each, base.condition.gates) for cut in cuts for each in cut]
    scored = iter(forced(summarizer, conditions, base.ids))
    return [tuple(Knockout(base.log_probabilities, next(scored)).drop for _ in cut) for cut in cuts]


def _check_read(turns: Sequence[int], read: Sequence[int]) -> None:
    strange = [turn for turn in turns if turn not in read]
    if strange:
        raise SettingsError(
            f"only turns that the model read can be left out. Received: turn {strange[0] + 1}; "
            f"read were {', '.join(str(turn + 1) for turn in read)}"
        )


def _cuts(encoded: EncodedDialogue, turn: int, draws: int, seed: int) -> list[EncodedDialogue]:
    """The dialogue without random stretches of the other turns, as long as the turn; masked ones are left alone."""
    size = sum(token.turn == turn for token in encoded.tokens[:-1])
    hidden = encoded.masked | {turn}
    others = [place for place, token in enumerate(encoded.tokens[:-1]) if token.turn not in hidden]
    if len(others) <= size:
        return []
    generator = random.Random(f"{seed}.{turn}")  # noqa: S311
    found = []
    for _ in range(draws):
        first = generator.randrange(len(others) - size + 1)
        gone = set(others[first : first + size])
        kept = [token for place, token in enumerate(encoded.tokens) if place not in gone]
        found.append(replace(encoded, tokens=tuple(_renumbered(kept))))
    return found


def _renumbered(tokens: Sequence[Token]) -> list[Token]:
    """Words counted anew."""
    before = [None, *(token.word for token in tokens[:-1])]
    return renumber([replace(token, word=int(token.word != word)) for token, word in zip(tokens, before, strict=True)])
