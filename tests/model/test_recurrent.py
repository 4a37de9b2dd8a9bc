"""The recurrent model: its size, its states, its attention by hand, its steps, and both backends."""

import os
from typing import get_args

import numpy as np
import pytest
from keras import ops
from keras.optimizers import Adam

from core.config import PRESETS, RecurrentConfig, Scoring, TrainConfig
from core.explain.architecture.recurrent_stacks import total
from core.model import families
from core.model.masks import padding_mask
from core.model.recurrent import RecurrentModel
from core.model.sequence_attention import SequenceAttention
from core.training.loss import TeacherForcing
from tests.closeness import network_spread, same_network
from tests.model.twin import stepped
from tests.models import randomise
from tests.refusals import refused

pytestmark = pytest.mark.numeric
SCORINGS = get_args(Scoring)
TINY = RecurrentConfig(
    source_vocabulary=30, target_vocabulary=30, embedding_dim=5, units=6, attention_dim=4, dropout=0.0,
    max_source_length=12, max_target_length=9,
)  # fmt: skip


@pytest.fixture(scope="module", params=SCORINGS)
def model(request) -> RecurrentModel:
    return randomise(RecurrentModel(TINY.replace(attention=request.param)))


def test_the_slides_model_has_the_slides_parameters(worked):
    printed, model = worked["lstm_seq2seq"], RecurrentModel(PRESETS["slides-lstm"].model)
    ours = {"source_embedding": model.source_embedding, "target_embedding": model.target_embedding, "total": model}
    ours |= {"encoder_lstm": model.encoder, "decoder_lstm": model.decoder, "dense": model.output_layer}
    assert printed["parameters"]["total"] == 20_715_928
    assert {name: layer.count_params() for name, layer in ours.items()} == printed["parameters"]
    assert model.attention is None
    # Parameters are counted without building.
    for scoring in SCORINGS:
        config = TINY.replace(attention=scoring, target_vocabulary=17)
        assert RecurrentModel(config).count_params() == total(config)
    shared = TINY.replace(share_embeddings=True)
    assert RecurrentModel(shared).count_params() == total(shared) == total(TINY) - 30 * 5
    # Presets that ship fit into nine megabytes.
    lstm, attention = (PRESETS[name].model for name in ("lstm", "lstm-attention"))
    assert attention == lstm.replace(attention="additive") and lstm.attention == "none"
    assert 2 * total(lstm) < 2 * total(attention) < 8_500_000


def test_the_final_state_is_that_of_the_last_token(model, source):
    encoded = model.encode(source)
    for row, ids in enumerate(source):
        alone = model.encode(ids[ids != 0][None])
        same_network(encoded.states[row, -1], alone.states[0, -1], TINY)
        same_network(encoded.cell[row], alone.cell[0], TINY)
    # Padding between tokens is passed over.
    whole, holed = (model.replay(np.array([ids]), np.array([[1, 9, 4]]))["logits"] for ids in ([7, 8, 2], [7, 0, 8, 2]))
    same_network(whole, holed, TINY)


def test_every_step_is_a_row_of_the_replay(model, source, target):
    keep = target != 0
    expected = np.asarray(model.replay(source, target)["logits"])
    same_network(stepped(model, source, target)[keep], expected[keep], TINY)
    assert np.abs(np.diff(expected, axis=1)).max() > 1e-2
    # Rows of one source stand side by side.
    encoded = model.encode(source)
    cache = model.empty_cache(encoded, 9, 6)
    tokens = np.array([4, 5, 6, 7, 8, 9])
    logits, after = model.step(tokens, 0, cache, encoded)
    for row, token in enumerate(tokens):
        alone = model.encode(source[row // 2][None])
        expected, _ = model.step(np.array([token]), 0, model.empty_cache(alone, 9), alone)
        same_network(logits[row], expected[0], TINY)
    assert after.hidden.shape == (6, 6) and families.moving(after) == ("hidden", "cell")


def test_the_replay_is_whole(model, source, target):
    result = model.replay(source, target)
    assert result["encoder_hidden"].shape == (3, 1, 7, 6) and result["decoder_hidden"].shape == (3, 1, 6, 6)
    assert ("cross" in result) == (model.config.attention != "none")
    if "cross" in result:
        cross = np.asarray(result["cross"])
        assert cross.shape == (3, 1, 1, 6, 7)
        same_network(cross.sum(axis=-1), 1, TINY)
        assert not cross[1, 0, 0, :, 3:].any() and cross[1, 0, 0, :, :3].min() > 0


def test_attention_by_hand():
    for scoring, scores in [("dot", [3.0, 1.0]), ("multiplicative", [6.0, 2.0]), ("additive", np.tanh([5.0, 4.0]))]:
        layer = SequenceAttention(2, scoring, 1)
        layer.build((1, 1, 2))
        if scoring == "multiplicative":
            layer.key_map.kernel.assign(2 * np.eye(2))
        if scoring == "additive":
            layer.key_map.kernel.assign(np.ones((2, 1)))
            layer.query_map.kernel.assign(np.ones((2, 1)))
            layer.vector.assign([1.0])
        layer.join.kernel.assign([[1, 0], [0, 1], [0, 0], [0.5, 0]])
        memory = np.array([[[1, 1], [1, 0], [9, 9]]], dtype="float32")
        mask = padding_mask(np.array([[5, 6, 0]]))
        output, weights = layer(np.array([[[1, 2]]], dtype="float32"), layer.project(memory), memory, mask)
        expected = np.exp(scores) / np.exp(scores).sum()
        same_network(np.asarray(weights)[0, 0], [*expected, 0], TINY)
        context = expected @ memory[0, :2]  # (1, weight of the first)
        same_network(np.asarray(output)[0, 0], np.tanh([context[0] + 1, context[1]]), TINY)
    message = f"scoring must be one of {', '.join(SCORINGS[1:])}. Received.*'none'"
    refused(ValueError, message, SequenceAttention, 2, "none", 1)


def test_without_attention_one_vector_is_all_that_arrives(source, target):
    """Other states of the encoder do not matter; with attention they do."""
    for scoring, same in (("none", True), ("additive", False)):
        model = randomise(RecurrentModel(TINY.replace(attention=scoring)))
        encoded = model.encode(source)
        other = encoded._replace(states=ops.concatenate([encoded.states[:, :-1] * 0, encoded.states[:, -1:]], axis=1))
        first, second = (np.asarray(model.logits(model.decode(target, each))) for each in (encoded, other))
        assert (np.abs(first - second).max() < network_spread(TINY, first)) == same


@pytest.mark.slow
@pytest.mark.parametrize(("precision", "attention"), [("float32", "none"), ("mixed_bfloat16", "additive")])
def test_the_loss_falls(source, target, precision, attention):
    """`fit` in graph mode with both precisions: what TeacherForcing asks of any model."""
    if precision != "float32" and "ONEDNN_MAX_CPU_ISA" in os.environ:
        pytest.skip("TensorFlow asks the processor itself for bfloat16, and oneDNN, held back, ends the process")
    ids = np.where(target == 1, 2, target)
    transformer = families.build(TINY.replace(attention=attention, dropout=0.1), dtype=precision)
    trained = TeacherForcing(transformer, TrainConfig(label_smoothing=0.1))
    trained.compile(optimizer=Adam(0.01), jit_compile=False)
    before = trained.evaluate((source, ids), ids, verbose=0, return_dict=True)["token_loss"]
    trained.fit((source, ids), ids, epochs=12, verbose=0, shuffle=False)
    # The loss without dropout, whose noise is larger than what a few steps gain.
    assert trained.evaluate((source, ids), ids, verbose=0, return_dict=True)["token_loss"] < before - 0.1
    assert {variable.dtype for variable in transformer.trainable_variables} == {"float32"}


def test_heads_cannot_be_switched_off(model, source):
    gates = families.open_gates(PRESETS["tutorial-encoder"].model)
    refused(ValueError, "no attention heads", model.encode, source, gates=gates)
