"""Leave out turns: the effect of each, compared with random stretches of the same length."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.errors import SettingsError
from core.experiments.effects import Condition, Effect, Untouched, forced, measure_effects
from core.text.arrangement import Arrangement, arrange, in_a_turn, plain
from core.text.encoded import EncodedDialogue
from core.text.spans import renumber
from core.trace import Token
from core.words import first_few

if TYPE_CHECKING:
    from core.service import Summarizer

DRAWS = 3
"""Random stretches for each turn."""


def turns_read(encoded: EncodedDialogue) -> tuple[int, ...]:
    """Return the indices of the turns that the model reads, in order."""
    return plain(encoded).order


def leave_out(summarizer: "Summarizer", base: Untouched, turns: Sequence[int], rewrite: bool = True) -> list[Effect]:
    """Delete each of some turns on its own; deleting the only turn is not possible.

    Raises:
        SettingsError: a turn is not read, or it is the only one.
    """
    encoded = base.condition.encoded
    read = turns_read(encoded)
    if len(read) < 2:
        raise SettingsError("the only turn of a dialogue cannot be left out. Add another turn")
    _check_read(turns, read)
    whole = Arrangement(read, encoded.masked)
    changes = [Condition(arrange(encoded, whole.without(turn)), base.condition.gates) for turn in turns]
    return measure_effects(summarizer, base, changes, rewrite)


def random_cuts(
    summarizer: "Summarizer", base: Untouched, turns: Sequence[int], draws: int = DRAWS, seed: int = 0
) -> list[tuple[float, ...]]:
    """Measure the noise floor of each turn: nats that the summary loses when random stretches as long are cut.

    Args:
        summarizer: the model.
        base: the original run.
        turns: indices of turns.
        draws: number of stretches for each turn, cut out of the other turns.
        seed: of the draws; a turn's draws do not depend on the others'.

    Returns:
        `draws` drops for each turn; none if the other visible turns have no more tokens than the turn.

    Raises:
        SettingsError: a turn is not read.
    """
    encoded = base.condition.encoded
    _check_read(turns, turns_read(encoded))
    cuts = [_cuts(encoded, turn, draws, seed) for turn in turns]
    conditions = [Condition(dialogue, base.condition.gates) for cut in cuts for dialogue in cut]
    scored = iter(forced(summarizer, conditions, base.ids))
    return [tuple(Effect(base.log_probabilities, next(scored)).drop for _ in cut) for cut in cuts]


def _check_read(turns: Sequence[int], read: Sequence[int]) -> None:
    strange = [turn for turn in turns if turn not in read]
    if strange:
        raise SettingsError(
            "only turns that the model read can be left out. Received: turn {turn}; read were {turns}",
            turn=strange[0] + 1,
            turns=first_few(each + 1 for each in read),
        )


def _cuts(encoded: EncodedDialogue, turn: int, draws: int, seed: int) -> list[EncodedDialogue]:
    """Cut random stretches as long as the turn out of the other turns; masked turns are not cut."""
    spoken = [(place, token) for place, token in enumerate(encoded.tokens) if in_a_turn(token)]
    size = sum(token.turn == turn for _, token in spoken)
    hidden = encoded.masked | {turn}
    others = [place for place, token in spoken if token.turn not in hidden]
    if len(others) <= size:
        return []
    generator = random.Random(f"{seed}.{turn}")
    dialogues = []
    for _ in range(draws):
        first = generator.randrange(len(others) - size + 1)
        gone = set(others[first : first + size])
        kept = [token for place, token in enumerate(encoded.tokens) if place not in gone]
        dialogues.append(replace(encoded, tokens=tuple(_renumbered(kept))))
    return dialogues


def _renumbered(tokens: Sequence[Token]) -> list[Token]:
    before = [None, *(token.word for token in tokens[:-1])]
    return renumber([replace(token, word=int(token.word != word)) for token, word in zip(tokens, before, strict=True)])
