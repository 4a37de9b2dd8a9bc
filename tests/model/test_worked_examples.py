"""Every number and shape of the course's worked examples."""

import math

import numpy as np

from core.config import PRESETS
from core.model.attention import attention_weights, scaled_dot_product_attention
from core.model.masks import look_ahead_mask, padding_mask, target_mask
from core.model.positional import PositionalEncoding, sinusoidal_encoding
from core.model.transformer import attention_maps
from tests.closeness import near, printed


def array(values):
    return np.array(values, dtype="float32")


def test_attention_of_the_material(worked):
    example = worked["masked_attention"]
    output, weights = scaled_dot_product_attention(
        array(example["q"]), array(example["k"]), array(example["v"]), array(example["keep_mask"])
    )
    printed(output, example["printed_output"], 2)
    printed(weights, example["printed_weights"], 2)
    assert np.all(np.asarray(weights)[array(example["keep_mask"]) == 0] == 0)
    # Self attention of a 5x4 matrix.
    example = worked["self_attention_5x4"]
    x = array(example["x"])
    scaled = x @ x.T / math.sqrt(4)
    near(scaled, example["printed_scores_scaled"], terms=4, depth=4)
    output, weights = scaled_dot_product_attention(x, x, x)
    near(weights, example["printed_weights"], terms=4, depth=4)
    near(output, example["printed_output"], terms=4, depth=4)
    # The scores are inside: the differences of the weights' logarithms along a row are those of the scores.
    logs = np.log(np.asarray(weights))
    near(logs - logs[:, :1], scaled - scaled[:, :1], terms=4, depth=4)
    example = worked["masked_softmax"]
    size = len(example["scores_lower_triangle"])
    scores = np.full((size, size), 9.0, dtype="float32")  # what the mask has to hide
    for row, values in enumerate(example["scores_lower_triangle"]):
        scores[row, : len(values)] = values
    # Unit keys and queries times sqrt(width): Q K^T / sqrt(width) are the scores.
    weights = np.asarray(
        attention_weights(scores * np.float32(size**0.5), np.eye(size, dtype="float32"), look_ahead_mask(size))
    )
    for row, values in enumerate(example["softmax"]):
        near(weights[row, : row + 1], values, terms=4, depth=4)
        assert np.all(weights[row, row + 1 :] == 0)
    for row, values in example["printed_rows"].items():
        printed(weights[int(row), : len(values)], values, 2)
    example = worked["masks"]
    tokens = np.array(example["tokens"])
    padding, target = np.asarray(padding_mask(tokens)), np.asarray(target_mask(tokens))
    assert list(padding.shape) == example["padding_mask_shape"]
    assert list(target.shape) == example["target_mask_shape"]
    assert padding.dtype == target.dtype == bool
    np.testing.assert_array_equal(padding[:, 0, 0], tokens != 0)
    lower = np.tril(np.ones((7, 7), dtype=bool))
    np.testing.assert_array_equal(look_ahead_mask(7), lower)
    np.testing.assert_array_equal(target[:, 0], lower & (tokens != 0)[:, None, :])


def test_positional_encodings(worked):
    example = worked["positional_encoding_d5_n100"]
    table = sinusoidal_encoding(example["length"], example["dim"], example["base"])
    near(table, example["printed"], terms=4, depth=4)
    layer = PositionalEncoding(example["length"], "sinusoidal", example["base"])
    summed = np.asarray(layer(array(example["word_embedding"])[None]))[0]
    near(summed[1], example["printed_sum_row_1"], terms=4, depth=4)
    near(summed - array(example["word_embedding"]), example["printed"], terms=4, depth=4)


def test_presets_have_the_sizes_of_the_documents(worked):
    """The shapes that they give are those of `core.experiments.architecture.printed_shapes`, which has tests."""
    shape, preset = worked["shapes"]["encoder"], PRESETS["tutorial-encoder"].model
    sizes = (preset.d_model, preset.num_heads, preset.feed_forward_dim, preset.encoder_layers)
    assert sizes == (shape["d_model"], shape["heads"], shape["d_ff"], shape["layers"])
    assert (preset.source_vocabulary, preset.max_source_length) == (shape["vocab"], shape["max_positions"])
    shape, preset = worked["shapes"]["transformer"], PRESETS["tutorial-transformer"].model
    assert (preset.encoder_layers, preset.decoder_layers) == (shape["layers"],) * 2
    assert (preset.d_model, preset.num_heads, preset.feed_forward_dim) == (13, 19, 8)
    assert (preset.source_vocabulary, preset.target_vocabulary) == (shape["source_vocab"], shape["target_vocab"])
    lengths = (preset.max_source_length, preset.max_target_length)
    assert lengths == (shape["max_positions_source"], shape["max_positions_target"])


def test_attention_matrices_have_the_documents_names(worked):
    replay = {"decoder_self": np.arange(12).reshape(1, 2, 6), "cross": -np.arange(12).reshape(1, 2, 6)}
    maps = attention_maps(replay)
    first, second = worked["shapes"]["attention_names"]
    assert set(maps) == {name.format(i=i) for i in (1, 2) for name in (first, second)}
    for i in (1, 2):
        np.testing.assert_array_equal(maps[first.format(i=i)], replay["decoder_self"][:, i - 1])
        np.testing.assert_array_equal(maps[second.format(i=i)], replay["cross"][:, i - 1])
