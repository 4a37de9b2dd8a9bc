"""Leaving a turn out is the dialogue without it; the noise floor cuts as many tokens elsewhere."""

from dataclasses import replace

import numpy as np
import pytest

from core.config import END
from core.errors import SettingsError
from core.experiments import turn_effects
from core.experiments.effects import Condition, Effect, Untouched, forced, untouched
from core.experiments.turn_effects import leave_out, random_cuts, turns_read
from core.model.gates import all_heads
from core.service import Summarizer
from core.text.arrangement import Arrangement, arrange, plain
from core.text.diff import changed_share
from tests.closeness import same_network
from tests.models import TURNS, script
from tests.refusals import refused


def spoken(encoded) -> dict[int, int]:
    """Tokens of each turn, [EOS] in none."""
    turns = [token.turn for token in encoded.tokens[:-1]]
    return {turn: turns.count(turn) for turn in dict.fromkeys(turns)}


def on(summarizer: Summarizer, base: Untouched, text: str) -> Untouched:
    """The same summary scored on another dialogue."""
    return untouched(summarizer, Condition(summarizer.encode(text)), base.ids, base.settings, base.text)


def test_leaving_a_turn_out_is_the_dialogue_without_it(summarizer: Summarizer, base: Untouched) -> None:
    """First, middle and last turn: the score and the summary of the shorter text, pasted."""
    found = leave_out(summarizer, base, [0, 1, 2, 3])
    assert turns_read(base.condition.encoded) == (0, 1, 2, 3)
    for turn, each in enumerate(found):
        text = script([*TURNS[:turn], *TURNS[turn + 1 :]])
        shorter = summarizer.encode(text)
        same_network(each.after, summarizer.probes.score([shorter.ids], [base.ids])[0], summarizer.config)
        assert each.text == summarizer.summarize(text).text
        assert each.changed == changed_share(base.text, each.text)
        np.testing.assert_array_equal(each.before, base.log_probabilities)
    assert len({round(each.drop, 3) for each in found}) == 4


def test_what_is_masked_stays_masked_and_gates_stay_closed(
    summarizer: Summarizer, base: Untouched, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = arrange(base.condition.encoded, Arrangement((2, 0, 1, 3), frozenset({0})))
    gates = all_heads(summarizer.config)
    start = replace(base, condition=Condition(encoded, gates))
    asked = []
    monkeypatch.setattr(turn_effects, "measure_effects", lambda *call: asked.append(call) or [])
    leave_out(summarizer, start, [1, 0], rewrite=False)
    ((_, _, changes, rewrite),) = asked
    assert rewrite is False and all(change.gates is gates for change in changes)
    assert changes[0].encoded == arrange(base.condition.encoded, Arrangement((2, 0, 3), frozenset({0})))
    assert changes[1].encoded.ids == arrange(base.condition.encoded, Arrangement((2, 1, 3))).ids


def test_what_truncation_left_out_stays_out(summarizer: Summarizer, base: Untouched) -> None:
    turns = [(f"#Person{1 + turn % 2}#", f"We go to party number {turn} tomorrow, thank you.") for turn in range(20)]
    start = on(summarizer, base, script(turns))
    encoded = start.condition.encoded
    read = turns_read(encoded)
    assert encoded.omitted and len(read) + len(encoded.omitted) == 20
    place = len(read) // 2
    found = leave_out(summarizer, start, [read[place]], rewrite=False)[0]
    kept = summarizer.encode(script([turns[turn] for turn in read if turn != read[place]]))
    same_network(found.after, summarizer.probes.score([kept.ids], [base.ids])[0], summarizer.config)
    omitted = encoded.omitted[0]
    refused(SettingsError, f"Received: turn {omitted + 1}; read were 1, 2", leave_out, summarizer, start, [omitted])


def test_turns_that_cannot_be_left_out(summarizer: Summarizer, base: Untouched) -> None:
    for text in ["#Person1#: Hello, how are you?", "We go to the party."]:
        start = on(summarizer, base, text)
        refused(SettingsError, "the only turn of a dialogue cannot be left", leave_out, summarizer, start, [0])
        assert random_cuts(summarizer, start, [0]) == [()]
    for ask in (leave_out, random_cuts):
        for turn in (4, -1, 99):
            refused(SettingsError, f"Received: turn {turn + 1}; read were 1, 2, 3, 4", ask, summarizer, base, [0, turn])


@pytest.fixture
def cuts(monkeypatch: pytest.MonkeyPatch, base: Untouched) -> list[Condition]:
    """The conditions that `random_cuts` asks for; they are not scored."""
    asked: list[Condition] = []
    nothing = np.zeros(len(base.ids), dtype=np.float32)
    monkeypatch.setattr(turn_effects, "forced", lambda _, each, ids: asked.extend(each) or [nothing] * len(each))
    return asked


def test_a_cut_takes_as_many_tokens_from_the_other_turns(summarizer: Summarizer, base: Untouched, cuts) -> None:
    encoded = base.condition.encoded
    sizes = spoken(encoded)
    turns = [0, 2, 3]
    found = random_cuts(summarizer, base, turns, draws=5)
    assert [len(each) for each in found] == [5, 5, 5] and len(cuts) == 15
    for turn, condition in zip(np.repeat(turns, 5), cuts, strict=True):
        tokens, size = condition.encoded.tokens, sizes[turn]
        assert len(tokens) == len(encoded.tokens) - size and tokens[-1].id == END
        left, whole = (
            [(token.turn, token.start, token.end, token.id) for token in each if token.turn != turn]
            for each in (tokens[:-1], encoded.tokens[:-1])
        )
        own, before = ([token.id for token in each if token.turn == turn] for each in (tokens, encoded.tokens))
        stretches = [whole[:first] + whole[first + size :] for first in range(len(whole) - size + 1)]
        assert own == before
        assert left in stretches  # one stretch is gone, nothing else
        words = [token.word for token in tokens]
        assert words[0] == 0 and all(after - before in (0, 1) for before, after in zip(words, words[1:], strict=False))
    for first in (0, 5, 10):
        assert len({tuple(condition.encoded.ids) for condition in cuts[first : first + 5]}) > 1


def test_the_draws_repeat_themselves(summarizer: Summarizer, base: Untouched, cuts) -> None:
    def drawn(turns: list[int], **kwargs) -> list[tuple[int, ...]]:
        cuts.clear()
        random_cuts(summarizer, base, turns, **kwargs)
        return [tuple(condition.encoded.ids) for condition in cuts]

    first = drawn([0, 2])
    assert len(first) == 6 and drawn([0, 2]) == first
    assert drawn([2, 0]) == first[3:] + first[:3] and drawn([2]) == first[3:]  # a turn's draws are its own
    assert drawn([0, 2], seed=1) != first and drawn([0], draws=1) == first[:1]


def test_a_cut_needs_more_tokens_than_the_turn_has(summarizer: Summarizer, base: Untouched, cuts) -> None:
    start = on(summarizer, base, script([("#Person1#", "Hello."), ("#Person2#", TURNS[1][1])]))
    sizes = spoken(start.condition.encoded)
    assert sizes[0] < sizes[1]
    assert [len(each) for each in random_cuts(summarizer, start, [0, 1])] == [3, 0] and len(cuts) == 3
    same = on(summarizer, base, script([("#Person1#", "Hello, you.")] * 2))
    marked = summarizer.tokenizer.kind == "bpe"  # then the first turn has a token more, the mark at its end
    assert [len(each) for each in random_cuts(summarizer, same, [0, 1])] == [0, 3 if marked else 0]
    # Masked turns are not cut.
    encoded = arrange(base.condition.encoded, plain(base.condition.encoded).flipped_mask(1))
    cuts.clear()
    random_cuts(summarizer, replace(base, condition=Condition(encoded)), [0, 2], draws=6)
    assert len(cuts) == 12
    for condition in cuts:
        assert spoken(condition.encoded)[1] == spoken(encoded)[1] and condition.encoded.masked == {1}


def test_the_floor_is_what_the_summary_loses(
    summarizer: Summarizer, base: Untouched, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Condition] = []
    monkeypatch.setattr(turn_effects, "forced", lambda model, each, ids: asked.extend(each) or forced(model, each, ids))
    gates = all_heads(summarizer.config)
    gates.cross.open[1, 1] = 0
    start = replace(base, condition=Condition(base.condition.encoded, gates))
    found = random_cuts(summarizer, start, [0, 2], draws=2)
    expected = [Effect(base.log_probabilities, forced(summarizer, [each], base.ids)[0]).drop for each in asked]
    same_network([*found[0], *found[1]], expected, summarizer.config)
    assert all(each.gates is gates for each in asked) and len(set(expected)) == 4
