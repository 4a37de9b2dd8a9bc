"""Heads switched off: zero and mean ablation against changed weights, the choice of heads, and links."""

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from core import checkpoints
from core.config import START, ModelConfig
from core.errors import CorpusError, SettingsError
from core.experiments.ablations import Head, every_head, gates, measure, parts, read, shape, write
from core.experiments.effects import Condition, Untouched, forced
from core.explain.attention.head_outputs import part_name
from core.model.transformer import Transformer
from core.service import Summarizer
from tests.closeness import same_network
from tests.models import attention_of
from tests.refusals import refused

pytestmark = pytest.mark.numeric

CONFIG = ModelConfig(encoder_layers=3, decoder_layers=2, num_heads=2, d_model=8)
HEADS = [Head("encoder", 0, 1), Head("decoder", 1, 0), Head("cross", 0, 2), Head("cross", 1, 1)]


def test_every_head_and_its_gate_by_hand() -> None:
    assert shape(CONFIG) == {"encoder": (3, 2), "decoder": (2, 2), "cross": (2, 2)}
    heads = every_head(CONFIG)
    assert len(heads) == len(set(heads)) == 14
    assert heads[:3] == (("encoder", 0, 0), ("encoder", 0, 1), ("encoder", 1, 0)) and heads[-1] == ("cross", 1, 1)
    means = {head: np.full(4, number, dtype=np.float32) for number, head in enumerate(every_head(CONFIG))}
    found = gates(CONFIG, [Head("encoder", 2, 1), Head("cross", 0, 0), Head("cross", 0, 0)], means)
    assert found.encoder_self.open.tolist() == [[1, 1], [1, 1], [1, 0]]
    assert found.decoder_self.open.tolist() == [[1, 1], [1, 1]] and found.cross.open.tolist() == [[0, 1], [1, 1]]
    assert found.encoder_self.fill[2, 1].tolist() == [5] * 4 and found.cross.fill[0, 0].tolist() == [10] * 4
    zero = gates(CONFIG, [Head("cross", 0, 0)])
    assert not any(gate.fill.any() for gate in zero) and zero.cross.fill.shape == (2, 2, 4)
    untouched = gates(CONFIG, [])
    assert all((gate.open == 1).all() for gate in untouched)  # the call before left no mark
    for head, name in [
        (Head("encoder", 3, 0), "encoder, layer 4, head 1"),
        (Head("cross", 0, 2), "cross, layer 1, head 3"),
        (Head("decoder", -1, 0), "decoder, layer 0, head 1"),
        (Head("self", 0, 0), "self, layer 1, head 1"),
    ]:
        message = f"no such head. Received: {name}; allowed: encoder 3 × 2, decoder 2 × 2, cross 2 × 2"
        refused(SettingsError, message, gates, CONFIG, [Head("cross", 0, 0), head])


def eager(model: Transformer, base: Untouched, found=None) -> np.ndarray:
    source, target = np.array([base.condition.encoded.ids]), np.array([[START, *base.ids[:-1]]])
    return np.asarray(model.replay(source, target, found)["logits"])[0]


def test_an_ablation_is_a_model_without_those_rows_of_the_output_projection(
    summarizer: Summarizer, base: Untouched
) -> None:
    """Zero: the rows that meet the head's output are 0. Mean: what they would have given goes into the bias."""
    for mean in [None, 0.7]:
        means = None if mean is None else {head: np.full(5, mean, dtype=np.float32) for head in HEADS}
        found = gates(summarizer.config, HEADS, means)
        cut = Transformer(summarizer.config)
        checkpoints.set_weights(cut, checkpoints.weights_of(summarizer.model))
        for kind, layer, head in HEADS:
            projection = attention_of(cut, kind, layer).output_projection
            kernel, bias = (np.asarray(weight).copy() for weight in projection.weights)
            rows = slice(5 * head, 5 * head + 5)
            bias += (mean or 0) * kernel[rows].sum(axis=0)
            kernel[rows] = 0
            projection.set_weights([kernel, bias])
        expected = eager(cut, base)
        same_network(eager(summarizer.model, base, found), expected, summarizer.config)
        replayed = summarizer.engine.replay(base.condition.encoded.ids, base.ids, found)["logits"]
        same_network(replayed, expected, summarizer.config)
        assert np.abs(expected - eager(summarizer.model, base)).max() > 0.05, mean


def test_links_by_hand() -> None:
    heads = [Head("encoder", 2, 1), Head("cross", 0, 1), Head("cross", 0, 0)]
    assert write(heads) == "cross1.1-cross1.2-encoder3.2"
    assert read("cross1.1-cross1.2-encoder3.2", CONFIG) == frozenset(heads)
    assert write([]) == "" and read("", CONFIG) == read("-", CONFIG) == frozenset()
    for text in [
        "cross", "cross0.1", "cross1.3", "encoder4.1", "self1.1", "cross1.1.1", "1.1", "cross01.1", "cross1.1,x", " ",
        "x" * 5000,  # not repeated in full
    ]:  # fmt: skip
        message = f"^a head is written like cross1.1, .* Received: '{text[:9]}.{{,99}}; the last one is cross2.2$"
        refused(SettingsError, message, read, text, CONFIG)


@hypothesis.given(st.sets(st.sampled_from(every_head(CONFIG))))
def test_links_come_back(off: set[Head]) -> None:
    assert read(write(off), CONFIG) == off


def test_losses_are_those_of_the_ablations_a_token(tiny) -> None:
    done: list[int] = []
    one, other = "Maya: I lost my suitcase.\nTom: Did you call the airline?", "A: Hello, how are you?"
    found = measure(tiny, [one, " ", other, "B: Never read."], 3, done.append)
    assert found.dialogues == 2 and done == [1, 2]  # the blank one counts among the three
    lost, tokens = 0.0, 0
    for dialogue in (one, other):
        encoded = tiny.encode(dialogue)
        ids = tiny.write(encoded)[1]
        off = gates(tiny.config, [Head("cross", 1, 0), Head("cross", 1, 1)])
        whole, without = forced(tiny, [Condition(encoded), Condition(encoded, off)], ids)
        lost, tokens = lost + float((whole - without).sum()), tokens + len(ids)
    assert found.tokens == tokens
    same_network(found.of("cross", 1), lost / tokens, tiny.config)
    assert found.nats.keys() == parts(tiny.config).keys() and len(set(found.nats.values())) > 12
    assert found.of("cross", 7) is None
    refused(CorpusError, "no head was switched off", measure, tiny, [" "], 5)


def test_parts_are_kinds_layers_and_heads(tiny) -> None:
    found = parts(tiny.config)
    assert found["decoder2"] == (Head("decoder", 1, 0), Head("decoder", 1, 1))
    assert len(found["encoder"]) == 4 and found["encoder1.2"] == (Head("encoder", 0, 1),)
    assert [part_name("cross"), part_name("cross", 0), part_name("cross", 0, 1)] == ["cross", "cross1", "cross1.2"]
