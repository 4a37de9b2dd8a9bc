"""The whole model: nothing leaks, the cached loop equals the plain pass, a replay returns everything."""

import keras
import numpy as np
import pytest

from core.config import END
from core.model.copying import NOT_COPIED
from core.model.gates import HeadGate, HeadGates, all_heads
from core.model.transformer import Transformer, decoder_input
from tests.closeness import near, printed, same_network
from tests.model.twin import stepped
from tests.models import FAMILIES, SHARED, randomise, small
from tests.refusals import refused

pytestmark = pytest.mark.numeric
VARIANTS = {
    "post-sinusoidal": {"norm": "post"},
    "pre-learned-copy": {"norm": "pre", "positions": "learned", "copy": True, "share_output": True},
    "post-cross-copy": {"positions": "learned", "copy": True, "copy_heads": 1, "share_embeddings": True, "speakers": 2},
    "post-learned-copy": {"norm": "post", "positions": "learned", "copy": True, "share_embeddings": True},
    "pre-sinusoidal": {"norm": "pre", "head_dim": 3, "share_embeddings": True, "share_output": True},
    "t5": FAMILIES["t5"],
    "blenderbot-small": FAMILIES["marian"] | {"embedding_norm": "before_positions", "source_positions": 20},
}


@pytest.fixture(scope="module", params=VARIANTS.values(), ids=VARIANTS.keys())
def model(request, tiny_config):
    return randomise(Transformer(tiny_config(**request.param)))


@pytest.fixture(scope="module", params=[0, 2], ids=["own head", "cross-attention"])
def copying(request, tiny_config):
    config = tiny_config(norm="pre", positions="learned", copy=True, copy_heads=request.param, share_embeddings=True)
    return randomise(Transformer(config))


def logits(model, source, target):
    return np.asarray(model((np.asarray(source), np.asarray(target))))


def random_gates(config, rows=()):
    """Factors from 0 to 2 and something random that stands in, for all or for each of some rows."""
    random = np.random.default_rng(5)
    heads = (2, *rows, config.num_heads)

    def one():
        share, fill = random.uniform(0, 2, heads), random.standard_normal((*heads, config.key_dim))
        return HeadGate(share.astype("float32"), fill.astype("float32"))

    return HeadGates(one(), one(), one())


def test_padding_future_and_the_batch_change_nothing(model, source, target):
    # A future token changes no earlier logit.
    before = logits(model, source, target)
    for position in (2, 4):
        changed = target.copy()
        changed[:, position] = 17
        after = logits(model, source, changed)
        np.testing.assert_array_equal(after[:, :position], before[:, :position])
        assert np.max(np.abs(after[0, position:] - before[0, position:])) > 1e-3
    # More padding changes nothing.
    after = logits(model, np.pad(source, ((0, 0), (0, 4))), np.pad(target, ((0, 0), (0, 2))))
    same_network(after[:, : target.shape[1]], before, model.config)
    for row in range(len(source)):
        alone = logits(model, source[row : row + 1, : np.sum(source[row] != 0)], target[row : row + 1])
        same_network(before[row], alone[0], model.config)


def test_what_padding_looks_like_does_not_matter(model, source, target):
    """The vector of the padding id, and so its whole column, reaches no logit of a token."""
    before = logits(model, source, target)
    table = model.source_embedding.table
    values = np.asarray(table).copy()
    shared = model.source_embedding is model.target_embedding and model.output_layer is None
    table.assign(np.concatenate([values[:1] + 3, values[1:]]))
    after = logits(model, source, target)
    table.assign(values)
    tokens = slice(1, None) if shared else slice(None)  # a shared output layer scores [PAD] with that vector
    keep = target != 0
    same_network(after[keep][:, tokens], before[keep][:, tokens], model.config)


def test_cached_loop_equals_full_forward(model, source, target):
    # The loop feeds a token to every row at each step; rows that ended in the plain pass are compared up to there.
    keep = target != 0
    looped = stepped(model, source, target, length=8)
    same_network(looped[keep], logits(model, source, target)[keep], model.config)


def test_cached_loop_with_gates_and_beams(copying, source, target):
    gates = random_gates(copying.config)
    encoded = copying.encode(source, gates)
    full = np.asarray(copying.logits(copying.decode(target, encoded, gates), encoded))
    keep = target != 0
    same_network(stepped(copying, source, target, gates=gates)[keep], full[keep], copying.config)
    assert np.max(np.abs(full - logits(copying, source, target))) > 1e-2
    # Beams share one source.
    beams = np.array([[1, 11, 13, 7], [1, 28, 14, 9], [1, 9, 12, 12]], dtype="int32")
    full = logits(copying, np.repeat(source[:1], 3, axis=0), beams)
    same_network(stepped(copying, source[:1], beams, batch=3), full, copying.config)


def test_each_gate_reaches_its_own_head(copying, source, target):
    plain = copying.replay(source, target)
    ones = all_heads(copying.config)
    filled = HeadGates(*(HeadGate(one.open, one.fill + 7) for one in ones))
    for gated in (copying.replay(source, target, gates) for gates in (ones, filled)):
        for name in plain:
            np.testing.assert_array_equal(plain[name], gated[name])
    for part in [0, 1, 2]:
        gates = all_heads(copying.config)
        gates[part].open[1, 0] = 0  # second layer, first head
        gated = copying.replay(source, target, gates)
        hidden = "encoder_hidden" if part == 0 else "decoder_hidden"
        same = (np.asarray(plain[hidden]) == np.asarray(gated[hidden])).all(axis=(0, 2, 3))
        assert same.tolist() == [True, True, False], part  # input, first layer, second layer


def test_rows_have_their_own_gates(model, source, target):
    gates = random_gates(model.config, rows=(3,))
    together = np.asarray(model.replay(source, target, gates)["logits"])
    for row in range(3):
        own = HeadGates(*(HeadGate(gate.open[:, row], gate.fill[:, row]) for gate in gates))
        alone = model.replay(source[row : row + 1], target[row : row + 1], own)["logits"]
        same_network(together[row], alone[0], model.config)


def test_factors_scale_token_embeddings_alone(model, source, target):
    """Twice the table is twice the factor; positions stay, and a factor of 1 is no factor."""
    table = model.source_embedding.table
    values = np.asarray(table).copy()
    half = np.full(source.shape, 0.5, "float32")
    scaled = np.asarray(model.encode(source, scale=half).hidden[0])
    table.assign(values / 2)
    same_network(scaled, model.encode(source).hidden[0], model.config)
    table.assign(values)
    encoded = model.encode(source)
    np.testing.assert_array_equal(model.encode(source, scale=half * 2).states, encoded.states)
    plain, ones = model.decode(target, encoded), np.ones(target.shape, "float32")
    np.testing.assert_array_equal(model.decode(target, encoded, scale=ones).stack.states, plain.stack.states)
    zero = model.decode(target, encoded, scale=0 * ones)
    assert (np.asarray(zero.embedded) == 0).all()
    positions = model.target_positions(np.zeros_like(zero.embedded))
    if model.target_norm is not None:  # of a zero vector it is its shift
        positions = positions + np.asarray(model.target_norm.beta)
    same_network(zero.stack.hidden[0], positions, model.config)


def test_target_scores_are_log_probabilities_of_the_targets(model, source, target):
    encoded = model.encode(source)
    decoded = model.decode(target, encoded)
    wanted = np.roll(target, -1, axis=1)
    scores = model.target_scores(decoded, source, wanted, NOT_COPIED)
    rows = np.asarray(keras.ops.log_softmax(model.logits(decoded, encoded), axis=-1))
    expected = np.take_along_axis(rows, wanted[..., None], axis=-1)[..., 0]
    same_network(scores["target"], expected, model.config)
    assert set(scores) == {"target", "smooth", *(["copy"] if model.config.copy else [])}
    if not model.config.copy:
        same_network(scores["smooth"], rows.mean(axis=-1), model.config)


def test_the_last_layer_is_the_models_own_output(model, source, target):
    encoded = model.encode(source)
    decoded = model.decode(target, encoded)
    for stack, hidden, states in (
        (model.encoder, encoded.hidden, encoded.states),
        (model.decoder, decoded.stack.hidden, decoded.stack.states),
    ):
        layers = [stack.normalised(each) for each in hidden]
        assert len(layers) == 3
        np.testing.assert_array_equal(layers[-1], states)
        if model.config.norm == "post":
            np.testing.assert_array_equal(layers[1], hidden[1])
    lens = np.asarray(model.lens(decoded, encoded))
    assert lens.shape == (3, target.shape[1], model.config.target_vocabulary)
    same_network(lens[-1], model.logits(decoded, encoded)[0], model.config)
    assert np.abs(lens[1] - lens[-1]).max() > 1e-2


def test_an_early_layer_points_for_itself(copying, source, target):
    """The logit lens of a copying model: each layer's own mixture of generating and copying, added up by hand.

    Heads of the cross-attention that copy keep their weights; each layer has its own switch.
    """
    encoded = copying.encode(source)
    decoded = copying.decode(target, encoded)
    lens = np.asarray(copying.lens(decoded, encoded))
    for layer, states in enumerate(map(copying.decoder.normalised, decoded.stack.hidden)):
        if copying.copy_head:
            pointer = copying.copy_head(states, decoded.embedded, encoded.states, source)
        else:
            pointer = copying.cross_copy(states, decoded.embedded, decoded.stack.cross_attention[-1], source)
        generate, copy = np.exp(pointer.log_generate)[0, :, None], np.exp(pointer.log_copy)[0]
        expected = generate * np.asarray(keras.ops.softmax(copying.generator_logits(states)))[0]
        for position, token in enumerate(source[0]):
            expected[:, token] += copy * np.asarray(pointer.weights)[0, :, position]
        same_network(np.exp(lens[layer]), expected, copying.config)
    result = copying.replay(source, target)  # the last layer is what is replayed
    same_network(result["p_gen"][0], generate[:, 0], copying.config)
    same_network(result["copy"][0], pointer.weights[0], copying.config)
    same_network(np.exp(result["logits"]).sum(-1), 1, copying.config)


def test_the_logit_lens_by_hand():
    """METHODS: h = (1, 5), U the identity; after the final normalisation .8808, without one .9820."""
    for norm, probability in [("pre", 0.8808), ("post", 0.9820)]:
        model = Transformer(small(2, 1, (4, 4), d_model=2, num_heads=1, feed_forward_dim=2, norm=norm, **SHARED))
        model.target_embedding.table.assign(np.eye(2))
        states = model.decoder.normalised(keras.ops.convert_to_tensor([[[1.0, 5.0]]]))
        shares = np.asarray(keras.ops.softmax(model.generator_logits(states)))[0, 0]
        printed(shares, [1 - probability, probability], 4)


def test_replay_returns_everything(model, source, target):
    result = {name: np.asarray(value) for name, value in model.replay(source, target).items()}
    batch, s = source.shape
    t, vocabulary = target.shape[1], model.config.target_vocabulary
    shapes = {
        "logits": (batch, t, vocabulary),
        "encoder_self": (batch, 2, 2, s, s),
        "decoder_self": (batch, 2, 2, t, t),
        "cross": (batch, 2, 2, t, s),
        "encoder_hidden": (batch, 3, s, 8),
        "decoder_hidden": (batch, 3, t, 8),
    }
    if model.config.copy:
        shapes |= {"p_gen": (batch, t), "copy": (batch, t, s)}
    assert {name: value.shape for name, value in result.items()} == shapes
    assert {value.dtype for value in result.values()} == {np.dtype("float32")}
    same_network(result["logits"], logits(model, source, target), model.config)
    # Attention rows are distributions over what is visible.
    names = ("encoder_self", "decoder_self", "cross", *(("copy",) if model.config.copy else ()))
    for name in names:
        same_network(np.sum(result[name], axis=-1), 1, model.config)
    encoder_self, decoder_self, cross = (result[name] for name in names[:3])
    future = np.triu(np.ones(target.shape[1:] * 2, bool), 1)
    assert np.all(decoder_self[..., future] == 0)
    for row in range(len(source)):
        pad = source[row] == 0
        for weights in (encoder_self, cross, *((result["copy"],) if model.config.copy else ())):
            assert np.all(weights[row][..., pad] == 0)
            assert np.all(weights[row][..., source[row] > 4] > 0)
        assert np.all(decoder_self[row][..., target[row] == 0] == 0)
        for position in np.flatnonzero(target[row]):
            assert np.all(decoder_self[row][:, :, position, : position + 1] > 0)


def test_dropout_in_training_only(tiny_config, source, target):
    keras.utils.set_random_seed(0)
    model = Transformer(tiny_config(dropout=0.4, attention_dropout=0.4))
    plain = logits(model, source, target)
    np.testing.assert_array_equal(plain, np.asarray(model((source, target), training=False)))
    first, second = (np.asarray(model((source, target), training=True)) for _ in range(2))
    assert np.max(np.abs(first - plain)) > 1e-2
    assert np.max(np.abs(first - second)) > 1e-2


def test_what_does_not_fit_is_refused_and_the_end_is_never_fed(copying, source, target):
    refused(ValueError, "there are 12 positions", copying.encode, np.ones((1, 13), dtype="int32"))
    encoded = copying.encode(source)
    refused(ValueError, "there are 9 positions", copying.decode, np.ones((3, 10), dtype="int32"), encoded)
    # Decoder input shifts and never feeds the end.
    targets = np.array([[11, 12, END, 0, 0], [13, 14, 15, 16, END]])
    assert np.asarray(decoder_input(targets, 1)).tolist() == [[1, 11, 12, 0, 0], [1, 13, 14, 15, 16]]


def test_two_models_of_one_process_have_the_same_weight_names(tiny_config):
    config = tiny_config(copy=True, norm="pre", positions="learned")
    names = [[variable.path for variable in Transformer(config).trainable_variables] for _ in range(2)]
    assert names[0] == names[1]
    assert len(set(names[0])) == len(names[0])
    assert "encoder/block2/self_attention/query/kernel" in names[0]
    assert not any("_1" in name for name in names[0])


def test_shared_tables_move_together(tiny_config):
    model = Transformer(tiny_config(**SHARED))
    assert model.source_embedding is model.target_embedding
    model.source_embedding.table.assign(np.arange(240, dtype="float32").reshape(30, 8))
    states = np.ones((1, 1, 8), dtype="float32")
    near(model.generator_logits(states)[0, 0], np.arange(240).reshape(30, 8).sum(1), terms=8)
