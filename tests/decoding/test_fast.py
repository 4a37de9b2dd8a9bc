"""The fast decoder against the network itself: every setting of a Transformer, and every strategy."""

import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

from core.config import END, FIRST_TAG, PAD, TURN, DecodeSettings
from core.decoding import engine
from core.decoding.decoders import KerasDecoder
from core.decoding.engine import Engine
from core.decoding.fast import GraphDecoder
from core.model.gates import HeadGate, HeadGates, all_heads
from core.model.transformer import Transformer
from tests.closeness import same_network, same_search
from tests.models import operator_by_operator, randomise, small

PLAIN = small(160, 2, (48, 24), d_model=24, num_heads=3, copy=False)
T5 = {"norm": "pre", "normalization": "rms", "positions": "relative", "relative_buckets": 8, "biases": False}
CONFIGS: dict[str, dict[str, Any]] = {
    "post-norm": {"norm": "post"},
    "pre-norm, own copy head": {"norm": "pre", "copy": True},
    "heads that copy, speakers": {"norm": "post", "copy": True, "copy_heads": 2, "speakers": 4, "activation": "gelu"},
    "T5": {**T5, "score_scale": False, "output_scale": True, "gated": True, "activation": "gelu_tanh"},
    "BART": {
        "norm": "post", "positions": "learned", "embedding_norm": "with_positions", "activation": "gelu",
        "output_bias": True, "embedding_scale": False, "source_positions": 50, "target_positions": 30,
    },
    "two vocabularies": {
        "target_vocabulary": 90, "share_embeddings": False, "share_output": False, "positions": "halves",
        "activation": "silu", "embedding_norm": "before_positions", "head_dim": 5,
    },
    "forced and suppressed": {"norm": "pre", "forced_first": 9, "forced_last": True, "suppressed": (20, 21, 22)},
}  # fmt: skip
STRATEGIES = [
    DecodeSettings(strategy="greedy", max_tokens=20, no_repeat_ngram=0, whole_words=False),
    DecodeSettings(beam_size=3, max_tokens=18, no_repeat_ngram=2, length_penalty=0.8, min_tokens=4),
    DecodeSettings(beam_size=8, max_tokens=9, early_stopping=True),
    DecodeSettings(strategy="sample", max_tokens=20, seed=2, temperature=0.7, top_k=40, top_p=0.9),
]
FEW = ["post-norm", "heads that copy, speakers", "T5"]
NUMERIC = pytest.mark.numeric
PARTS = [0] * 20 + [2, 1] * 60


def sources(count: int) -> list[list[int]]:
    random = np.random.default_rng(count)
    rows = [random.integers(TURN + 3, 88, size).tolist() for size in random.integers(4, 40, count)]
    return [[FIRST_TAG + number % 3, *row, TURN, FIRST_TAG, *row[:3], END] for number, row in enumerate(rows)]


@cache
def pair(name: str) -> tuple[Engine, Engine]:
    """The same network behind both decoders."""
    config = PLAIN.replace(**CONFIGS[name])
    model = randomise(Transformer(config))
    parts = PARTS[: config.target_vocabulary]
    with operator_by_operator():
        fast, slow = Engine(model, parts), Engine(model, parts, training=True)
    assert isinstance(fast.decoder, GraphDecoder) and isinstance(slow.decoder, KerasDecoder)
    return fast, slow


@pytest.mark.parametrize("name", [pytest.param(name, marks=NUMERIC if name in FEW else ()) for name in CONFIGS])
def test_every_network_writes_the_same(name: str, subtests: pytest.Subtests) -> None:
    fast, slow = pair(name)
    lengths, clear = set(), []
    for count, strategies in ((1, STRATEGIES[:2]), (5, STRATEGIES if name in FEW else STRATEGIES[1:3])):
        rows = sources(count)
        found, expected = fast.decoder.encode(rows), slow.decoder.encode(rows)
        size = found.source.shape[1]
        np.testing.assert_array_equal(found.source, expected.source[:, :size])
        real = found.source != PAD
        same_network(found.states[real], expected.states[:, :size][real], fast.model.config)
        for settings in strategies:
            with subtests.test(count=count, settings=settings):
                if settings.strategy == "sample":  # noise of 1e-4 changes none of these draws
                    assert fast.sample_rows(found, settings) == slow.sample_rows(expected, settings)
                    continue
                for one, other in zip(fast.beam_rows(found, settings), slow.beam_rows(expected, settings), strict=True):
                    clear.append(same_search(one, other, fast.model.config))
                    lengths.add(len(one.tokens))
    assert len(lengths) > 2, "dialogues end at different steps"
    assert np.mean(clear) > 0.8, "few searches tie"


@pytest.mark.parametrize("name", FEW)
def test_heads_that_are_off_are_off(name: str) -> None:
    fast, slow = pair(name)
    row, settings = sources(1), STRATEGIES[1]
    on = all_heads(fast.model.config)
    plain = fast.beam_rows(fast.encode(row[0]), settings)[0]
    for kind in HeadGates._fields:
        gate = getattr(on, kind)
        opened = gate.open.copy()
        opened[-1, :2] = 0, 0.5
        for copies in (gate.copies, opened):
            gates = on._replace(**{kind: HeadGate(opened, gate.fill + 0.7, copies)})
            one, other = (each.beam_rows(each.encode(row[0], gates), settings, gates=gates)[0] for each in (fast, slow))
            assert same_search(one, other, fast.model.config), kind
            assert one.scores.shape != plain.scores.shape or np.abs(one.scores - plain.scores).max() > 1e-3, kind


def test_a_memory_from_elsewhere_is_read() -> None:
    fast, slow = pair("heads that copy, speakers")
    row = sources(1)
    memory = slow.decoder.encode(row)  # padded, and of the other decoder
    changed = memory._replace(states=memory.states[..., ::-1])
    for each in (memory, changed):
        one, other = (decoding.beam_rows(each, STRATEGIES[1])[0] for decoding in (fast, slow))
        assert same_search(one, other, fast.model.config)


def test_half_precision_and_large_networks_are_left_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(Engine(Transformer(PLAIN, dtype="mixed_bfloat16")).decoder, KerasDecoder)
    model = Transformer(PLAIN)
    monkeypatch.setattr(engine, "LARGEST_GRAPH", 4 * model.count_params())
    assert isinstance(Engine(model).decoder, GraphDecoder)
    monkeypatch.setattr(engine, "LARGEST_GRAPH", 4 * model.count_params() - 1)
    assert isinstance(Engine(model).decoder, KerasDecoder)


def test_without_onnx_runtime_the_network_decodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "core.decoding.fast", None)
    with operator_by_operator():
        fresh = Engine(randomise(Transformer(PLAIN)))
    assert isinstance(fresh.decoder, KerasDecoder)
    assert fresh.beam_rows(fresh.encode(sources(1)[0]), STRATEGIES[0])[0].hypotheses
