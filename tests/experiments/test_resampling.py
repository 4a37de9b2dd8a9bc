"""Resampling ablation: drawn states are those of other dialogues, effects are means over them, and copying goes on."""

import numpy as np
import pytest

from core.errors import SettingsError
from core.experiments import resampling
from core.experiments.ablations import every_head
from core.experiments.effects import Condition, forced
from core.explain.attention.head_outputs import Head
from core.text.examples import load_examples
from tests.closeness import same_network
from tests.refusals import refused

pytestmark = pytest.mark.numeric
HEADS = [Head("cross", 1, 0), Head("encoder", 0, 1)]


def test_states_are_those_of_other_dialogues_and_always_the_same(summarizer) -> None:
    dialogue = load_examples()[0].dialogue
    done: list[int] = []
    drawn = resampling.draw(summarizer, dialogue, 2, lambda count, _: done.append(count))
    again = resampling.draw(summarizer, dialogue, 2)
    assert done == [1, 2] and [set(each) for each in drawn] == [set(every_head(summarizer.config))] * 2
    for one, other in zip(drawn, again, strict=True):
        same_network(list(one.values()), list(other.values()), summarizer.config)
    assert any((drawn[0][head] != drawn[1][head]).any() for head in drawn[0])


def test_an_effect_is_the_mean_over_the_draws_and_copying_goes_on(summarizer, base) -> None:
    states = resampling.draw(summarizer, "", 2)
    found = resampling.measure_effects(summarizer, base, HEADS, states)
    for head, effect in zip(HEADS, found, strict=True):
        gates = resampling.gates(summarizer, [head], states)
        assert all((gate.copies == 1).all() for own in gates for gate in own)
        rows = forced(summarizer, [Condition(base.condition.encoded, each) for each in gates], base.ids)
        same_network(effect.after, np.mean(rows, axis=0), summarizer.config)
        assert effect.text == summarizer.write(base.condition.encoded, base.settings, gates[0])[0]
        value, half = resampling.lost(summarizer, base, [head], states)
        same_network(value, effect.drop_per_token, summarizer.config)
        assert half >= 0
    refused(SettingsError, "at least one draw", resampling.measure_effects, summarizer, base, HEADS, ())
