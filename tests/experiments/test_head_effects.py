"""What is lost without heads, layers and kinds of attention is that of the ablations, weighted by tokens."""

import pytest

from core.errors import CorpusError
from core.experiments import ablations, head_effects
from core.experiments.interventions import Condition, forced
from core.explain.attention.head_outputs import Head, part_name
from tests.closeness import same_network

DIALOGUES = [
    "Maya: I lost my suitcase.\nTom: Did you call the airline?",
    " ",
    "A: Hello, how are you?",
    "B: Never read.",
]


def test_losses_are_those_of_the_ablations_a_token(tiny) -> None:
    done: list[int] = []
    found = head_effects.measure(tiny, DIALOGUES, 3, done.append)
    assert found.dialogues == 2 and done == [1, 2]  # the blank one counts among the three
    lost, tokens = 0.0, 0
    for dialogue in (DIALOGUES[0], DIALOGUES[2]):
        encoded = tiny.encode(dialogue)
        ids = tiny.write(encoded)[1]
        gates = ablations.gates(tiny.config, [Head("cross", 1, 0), Head("cross", 1, 1)])
        whole, without = forced(tiny, [Condition(encoded), Condition(encoded, gates)], ids)
        lost, tokens = lost + float((whole - without).sum()), tokens + len(ids)
    assert found.tokens == tokens
    same_network(found.of("cross", 1), lost / tokens, tiny.config)
    assert found.nats.keys() == head_effects.parts(tiny.config).keys() and len(set(found.nats.values())) > 12
    assert found.of("cross", 7) is None
    with pytest.raises(CorpusError, match="no head was switched off"):
        head_effects.measure(tiny, [" "], 5)


def test_parts_are_kinds_layers_and_heads(tiny) -> None:
    found = head_effects.parts(tiny.config)
    assert found["decoder2"] == (Head("decoder", 1, 0), Head("decoder", 1, 1))
    assert len(found["encoder"]) == 4 and found["encoder1.2"] == (Head("encoder", 0, 1),)
    assert [part_name("cross"), part_name("cross", 0), part_name("cross", 0, 1)] == ["cross", "cross1", "cross1.2"]
