"""Decoding and replay of a real, small model."""

import itertools
from typing import Any

import numpy as np
import pytest

from core.config import END, PAD, START, DecodeSettings
from core.decoding import engine as engine_module
from core.decoding.engine import Engine
from core.decoding.search import BeamResult
from core.decoding.shapes import check_length
from core.model.gates import all_heads
from core.model.transformer import Transformer
from core.service import Summarizer
from tests.closeness import best_within_a_tie, near, same_network, same_search
from tests.models import FAMILIES, log_softmax, randomise, small
from tests.refusals import refused

GREEDY = DecodeSettings(strategy="greedy", max_tokens=12, no_repeat_ngram=0, whole_words=False)
BEAM = DecodeSettings(strategy="beam", beam_size=3, max_tokens=12, no_repeat_ngram=2, whole_words=False)
SAMPLE = DecodeSettings(strategy="sample", max_tokens=12, seed=4, temperature=0.8, top_k=50, top_p=0.95)
SOURCE = [*np.random.default_rng(0).integers(20, 500, 40).tolist(), END]


@pytest.fixture
def engine(tiny: Summarizer) -> Engine:
    return tiny.engine


def search(engine: Engine, settings: DecodeSettings = GREEDY, **options: Any) -> BeamResult:
    return engine.beam_rows(engine.encode(SOURCE, options.get("gates")), settings, **options)[0]


def ids_of(engine: Engine, settings: DecodeSettings) -> list[int]:
    return list(search(engine, settings).hypotheses[0].ids)


def greedy(engine: Engine) -> tuple[list[int], np.ndarray]:
    """What greedy decoding writes, and the logits of its replay, in which each token is the best one."""
    ids = ids_of(engine, GREEDY)
    logits = engine.replay(SOURCE, ids)["logits"]
    allowed = logits.copy()
    allowed[:, [PAD, START]] = -np.inf
    best_within_a_tie(allowed, ids)
    return ids, logits


def test_the_loop_equals_the_replay_step_by_step(engine: Engine) -> None:
    ids, logits = greedy(engine)
    total = log_softmax(logits)[np.arange(len(ids)), ids].sum()
    same_network(search(engine).hypotheses[0].log_probability, total, engine.model.config)
    plain = engine.model.replay(np.array([SOURCE]), np.array([[START, *ids[:-1]]]))
    same_network(np.asarray(plain["logits"])[0], logits, engine.model.config)
    refused(ValueError, "at most 192 tokens", engine.encode, [40] * 193)


@pytest.mark.slow
def test_each_program_is_traced_once(engine: Engine) -> None:
    """Nothing that a page varies makes a new one; only where the network itself decodes, a bucket of lengths does."""
    model = Transformer(engine.model.config)
    fresh, training = Engine(model), Engine(model, training=True)
    for each, settings in itertools.product(
        (fresh, training),
        (
            GREEDY,
            GREEDY.replace(max_tokens=5, min_tokens=2, no_repeat_ngram=3, early_stopping=True),
            *(BEAM.replace(beam_size=size, length_penalty=size / 4) for size in (2, 3, 4, 5, 8)),
            SAMPLE,
            SAMPLE.replace(temperature=0.3, top_k=3, top_p=0.5, seed=9),
        ),
    ):
        for ids in (SOURCE, SOURCE[:9]):
            encoded = each.encode(ids)
            if settings.strategy == "sample":
                assert each.sample_rows(encoded, settings, prefix=(30,))[0][0] == 30
            else:
                each.beam_rows(encoded, settings, prefix=(30, 31))
            each.replay(ids, [40, 41, END])
    on = all_heads(model.config)
    off = on._replace(
        encoder_self=on.encoder_self._replace(open=on.encoder_self.open * 0, fill=on.encoder_self.fill + 1)
    )
    for each in (fresh, training):
        search(each, gates=off)
    assert dict(fresh.traces) == {"replay": 2}  # the first call runs without a program
    assert dict(training.traces) == {"encode": 1, "cache": 3, "step": 3, "replay": 2}  # 1, 4 and 8 beams
    training.encode(SOURCE * 4)
    assert training.traces["encode"] == 2


def test_new_weights_reach_the_next_summary_while_training_or_when_they_are_told(engine: Engine) -> None:
    model = randomise(Transformer(engine.model.config))
    fresh, training = Engine(model), Engine(model, training=True)
    before = search(fresh)
    same_search(search(training), before, model.config)
    model.target_embedding.table.assign(-model.target_embedding.table.value)
    changed = search(training)
    assert search(fresh).hypotheses == before.hypotheses != changed.hypotheses
    fresh.weights_changed()
    same_search(search(fresh), changed, model.config)
    assert search(fresh).hypotheses != before.hypotheses


@pytest.mark.slow
def test_long_targets_have_room(engine: Engine) -> None:
    model = randomise(Transformer(engine.model.config.replace(max_target_length=150)))
    for fresh in (Engine(model), Engine(model, training=True)):
        greedy(fresh)
        short, long = (SAMPLE.replace(max_tokens=most, min_tokens=12) for most in (20, 140))
        encoded = fresh.encode(SOURCE)
        assert fresh.sample_rows(encoded, short)[0][:12] == fresh.sample_rows(encoded, long)[0][:12]
        assert len(fresh.sample_rows(encoded, long.replace(min_tokens=135))[0]) >= 135


def test_a_seed_repeats_itself_and_another_one_differs(engine: Engine) -> None:
    encoded = engine.encode(SOURCE)
    draws = [tuple(engine.sample_rows(encoded, SAMPLE.replace(seed=seed))[0]) for seed in (1, 1, 2, 3)]
    assert draws[0] == draws[1] and len(set(draws)) >= 3


def test_greedy_writes_the_best_token_that_is_not_banned(engine: Engine) -> None:
    for rules in [
        {"min_tokens": 9, "no_repeat_ngram": 0, "whole_words": False},
        {"no_repeat_ngram": 1, "whole_words": False},
        {"no_repeat_ngram": 2, "whole_words": True},
    ]:
        settings = GREEDY.replace(**rules)
        ids = ids_of(engine, settings)
        logits = engine.replay(SOURCE, ids)["logits"]
        overruled = 0
        for step, token in enumerate(ids):
            banned = engine.banned(SOURCE, settings, ids[:step])
            assert banned.shape == logits[step].shape and banned[[PAD, START]].all(), rules
            assert banned[END] == (step < settings.min_tokens) or settings.min_tokens == 0, rules
            best_within_a_tie(np.where(banned, -np.inf, logits[step])[None], [token])
            overruled += logits[step][2:].argmax() + 2 != token
        assert overruled or settings.min_tokens, rules  # the rules made a difference
        traced = dict(engine.traces)
        engine.banned(SOURCE * 4, settings.replace(no_repeat_ngram=5), ids[:3])
        assert engine.traces == traced, rules  # nothing is compiled for it
    whole, pieces = (engine.banned(SOURCE, GREEDY.replace(whole_words=each), SOURCE[:1]) for each in (True, False))
    assert (whole & ~pieces).any() and not (pieces & ~whole).any()  # the words of the source are written whole


def test_attention_that_is_too_large_is_computed_layer_by_layer(engine: Engine, monkeypatch: Any) -> None:
    target, sizes = [50, 60, PAD, 70, END], {"d_model": 12, "num_heads": 3, "feed_forward_dim": 16}
    families = [small(500, 2, (60, 9), **sizes, **FAMILIES[name]) for name in ("t5", "bart")]
    for model in (engine.model, *(randomise(Transformer(config)) for config in families)):
        gates = all_heads(model.config)
        gates.decoder_self.open[:, 1] = 0
        gates.encoder_self.open[0, 0] = 0.5
        kept = Engine(model).replay(SOURCE, target, gates)
        assert Engine(model).layers(kept, target, gates) == {}
        monkeypatch.setattr(engine_module, "KEPT_ATTENTION", 1)
        fresh = Engine(model)
        replay = fresh.replay(SOURCE, target, gates)
        layers = fresh.layers(replay, target, gates)
        assert set(layers) == {"encoder_self", "decoder_self", "cross"} == set(kept) - set(replay)
        for kind, found in layers.items():
            assert found.shape == kept[kind].shape
            for layer in range(2):
                same_network(found[layer], kept[kind][layer], model.config, kind)
        monkeypatch.undo()


def test_the_replay_is_that_of_one_row_without_padding(engine: Engine) -> None:
    result, size = engine.replay(SOURCE, [50, 60, END]), len(SOURCE)
    assert (result["encoder_self"].shape, result["cross"].shape) == ((2, 2, size, size), (2, 2, 3, size))
    assert result["decoder_hidden"].shape == (3, 3, engine.model.config.d_model)
    for name in ("encoder_self", "decoder_self", "cross", "copy"):
        near(result[name].sum(axis=-1), np.ones(result[name].shape[:-1]), terms=size)


def test_a_reading_looks_where_the_copy_head_does(engine: Engine) -> None:
    """Without one it is the mean over the heads of the last layer."""
    plain = Engine(randomise(Transformer(engine.model.config.replace(copy=False))))
    target = [50, 60, 70, END]
    for each in (engine, plain):
        (found,) = each.read_rows(each.encode_rows([SOURCE]), [SOURCE], [target])
        replay = each.replay(SOURCE, target)
        expected = replay["copy"] if each is engine else replay["cross"][-1].mean(axis=0)
        near(found.attention, expected, terms=len(SOURCE), depth=20)


def test_the_longest_length_is_allowed_and_one_more_is_not() -> None:
    assert check_length(5, 5) == 5
    refused(ValueError, "at most 5 tokens are possible here. Received: 6", check_length, 6, 5)
