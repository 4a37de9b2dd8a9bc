"""The compiled loop around a real, small model."""

from pathlib import Path

import keras
import numpy as np
import pytest

from core import checkpoints
from core.config import END, PAD, START, DecodeSettings
from core.decoding.engine import Engine
from core.decoding.search import Limits, beam_search
from core.model.gates import HeadGate, HeadGates, all_heads
from core.model.transformer import Cache, Transformer

GREEDY = DecodeSettings(strategy="greedy", max_tokens=12, no_repeat_ngram=0)
BEAM = DecodeSettings(strategy="beam", beam_size=3, max_tokens=12, no_repeat_ngram=2)
SAMPLE = DecodeSettings(strategy="sample", max_tokens=12, seed=4, temperature=0.8, top_k=50, top_p=0.95)


@pytest.fixture(scope="module")
def engine(tiny_checkpoint: Path) -> Engine:
    checkpoint = checkpoints.read(tiny_checkpoint)
    model = Transformer(checkpoint.config)
    checkpoints.set_weights(model, checkpoint.weights)
    return Engine(model)


@pytest.fixture(scope="module")
def source() -> list[int]:
    return [int(token) for token in np.random.default_rng(0).integers(20, 500, 40)] + [END]


def ids_of(engine: Engine, source: list[int], settings: DecodeSettings, **kwargs) -> list[int]:
    result = engine.beam(engine.encode(source), settings, **kwargs)
    row = result.tokens[0, : result.lengths[0]] if result.lengths[0] else result.live_tokens[0, : int(result.steps)]
    return [int(token) for token in row]


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def test_the_loop_equals_the_replay_step_by_step(engine: Engine, source: list[int]) -> None:
    ids = ids_of(engine, source, GREEDY)
    logits = engine.replay(source, ids)["logits"].copy()
    logits[:, [PAD, START]] = -np.inf
    assert logits.argmax(axis=-1).tolist() == ids
    result = engine.beam(engine.encode(source), GREEDY)
    total = result.log_probabilities[0] if result.lengths[0] else result.live_log_probabilities[0]
    replayed = log_softmax(engine.replay(source, ids)["logits"])[np.arange(len(ids)), ids].sum()
    assert total == pytest.approx(replayed, abs=2e-3)
    # Padding to a bucket changes nothing.
    ids = ids_of(engine, source, GREEDY)
    padded = np.array([source])
    plain = engine.model.replay(padded, np.array([[START, *ids[:-1]]]))
    np.testing.assert_allclose(np.asarray(plain["logits"])[0], engine.replay(source, ids)["logits"], atol=1e-4)


def test_compiled_equals_eager(engine: Engine, source: list[int]) -> None:
    model = engine.model
    padded = np.zeros((1, 64), dtype=np.int32)
    padded[0, : len(source)] = source
    encoded = model.encode(padded)
    full = model.empty_cache(encoded, engine.length, 4)

    def step(tokens, position, moving):
        logits, cache = model.step(tokens, position, Cache(*moving, full.cross_keys, full.cross_values), encoded)
        return logits, (cache.self_keys, cache.self_values)

    limits = Limits(
        np.int32(BEAM.max_tokens),
        np.int32(0),
        np.int32(2),
        np.zeros(engine.length, dtype=np.int32),
        np.int32(0),
        np.bool_(True),
        padded,
        np.zeros(model.config.target_vocabulary, dtype=np.int32),
    )
    eager = beam_search(step, (full.self_keys, full.self_values), limits, np.int32(3), np.float32(1.0), 4).row(0)
    fast = engine.beam(engine.encode(source), BEAM)
    assert np.asarray(eager.live_tokens)[0].tolist() == fast.live_tokens[0].tolist()
    assert np.asarray(eager.tokens).tolist() == fast.tokens.tolist()
    np.testing.assert_allclose(np.asarray(eager.scores)[:3], fast.scores[:3], rtol=1e-3)


def test_each_program_is_traced_once(tiny_checkpoint: Path, source: list[int]) -> None:
    """Everything that a page varies is a tensor: only a new bucket of lengths traces again."""
    checkpoint = checkpoints.read(tiny_checkpoint)
    model = Transformer(checkpoint.config)
    fresh = Engine(model)
    for settings in (
        GREEDY,
        GREEDY.replace(max_tokens=5, min_tokens=2, no_repeat_ngram=3),
        BEAM,
        BEAM.replace(beam_size=2, length_penalty=0.3),
        BEAM.replace(beam_size=4),
        BEAM.replace(beam_size=5),
        BEAM.replace(beam_size=8),
        SAMPLE,
        SAMPLE.replace(temperature=0.3, top_k=3, top_p=0.5, seed=9),
    ):
        for ids in (source, source[:9]):
            encoded = fresh.encode(ids)
            if settings.strategy == "sample":
                written = fresh.sample(encoded, settings, prefix=(30,))
                assert written[0] == 30
            else:
                fresh.beam(encoded, settings, prefix=(30, 31))
            fresh.replay(ids, [40, 41, END])
    on = all_heads(model.config)
    off = on._replace(encoder_self=HeadGate(on.encoder_self.open * 0, on.encoder_self.fill + 1))
    fresh.beam(fresh.encode(source, off), GREEDY, gates=off)
    assert dict(fresh.traces) == {"encode": 1, "beam4": 1, "beam8": 1, "sample": 1, "replay": 1}
    fresh.encode(source * 4)
    assert fresh.traces["encode"] == 2


def test_a_seed_repeats_itself_and_another_one_differs(engine: Engine, source: list[int]) -> None:
    encoded = engine.encode(source)
    draws = [tuple(engine.sample(encoded, SAMPLE.replace(seed=seed))) for seed in (1, 1, 2, 3)]
    assert draws[0] == draws[1]
    assert len(set(draws)) >= 3


def test_greedy_writes_the_best_token_that_is_not_banned(tiny_checkpoint: Path, source: list[int]) -> None:
    checkpoint = checkpoints.read(tiny_checkpoint)
    model = Transformer(checkpoint.config)
    checkpoints.set_weights(model, checkpoint.weights)
    engine = Engine(model, checkpoint.tokenizer.word_parts())
    for rules in [
        {"min_tokens": 9, "no_repeat_ngram": 0, "whole_words": False},
        {"no_repeat_ngram": 1, "whole_words": False},
        {"no_repeat_ngram": 2, "whole_words": True},
    ]:
        settings = GREEDY.replace(**rules)
        ids = ids_of(engine, source, settings)
        logits = engine.replay(source, ids)["logits"]
        overruled = 0
        for step, token in enumerate(ids):
            banned = engine.banned(source, settings, ids[:step])
            assert banned.shape == logits[step].shape and banned[[PAD, START]].all(), rules
            assert banned[END] == (step < settings.min_tokens) or settings.min_tokens == 0, rules
            assert np.where(banned, -np.inf, logits[step]).argmax() == token, rules
            overruled += logits[step][2:].argmax() + 2 != token
        assert overruled or settings.min_tokens, rules  # the rules made a difference
        traced = dict(engine.traces)
        engine.banned(source * 4, settings.replace(no_repeat_ngram=5), ids[:3])
        assert engine.traces == traced, rules  # nothing is compiled for it


def test_gates_reach_every_kind_of_attention(engine: Engine, source: list[int]) -> None:
    target = [50, 60, 70, END]
    plain = engine.replay(source, target)["logits"]
    on = all_heads(engine.model.config)
    np.testing.assert_array_equal(engine.replay(source, target, on)["logits"], plain)
    for name in HeadGates._fields:
        gate = getattr(on, name)
        closed = [HeadGate(gate.open * np.float32([1.0, 0.0]), gate.fill + value) for value in (0, 1)]
        zero, filled = (engine.replay(source, target, on._replace(**{name: each}))["logits"] for each in closed)
        assert np.abs(zero - plain).max() > 1e-5 and np.abs(zero - filled).max() > 1e-5, name


def test_the_replay_is_whole(engine: Engine, source: list[int]) -> None:
    result = engine.replay(source, [50, 60, END])
    size, config = len(source), engine.model.config
    assert result["encoder_self"].shape == (2, 2, size, size)
    assert result["cross"].shape == (2, 2, 3, size)
    assert result["decoder_hidden"].shape == (3, 3, config.d_model)
    for name in ("encoder_self", "decoder_self", "cross", "copy"):
        np.testing.assert_allclose(result[name].sum(axis=-1), 1.0, atol=1e-5)
    np.testing.assert_allclose(np.exp(result["logits"]).sum(axis=-1), 1.0, atol=1e-4)
    assert keras.backend.backend() == "tensorflow"
    # A source that is too long is refused.
    with pytest.raises(ValueError, match="at most 192 tokens"):
        engine.encode([40] * 193)
