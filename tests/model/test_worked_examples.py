"""Every number and shape of the course's worked examples."""

import math

import numpy as np

from core.config import PRESETS, ModelConfig
from core.model.attention import attention_weights, scaled_dot_product_attention
from core.model.blocks import Decoder, Encoder
from core.model.masks import look_ahead_mask, padding_mask, target_mask
from core.model.positional import PositionalEncoding, sinusoidal_encoding
from core.model.transformer import Transformer, attention_maps
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


def test_encoder_and_decoder_shapes(worked):
    shape = worked["shapes"]["encoder"]
    preset = PRESETS["tutorial-encoder"].model
    assert (preset.d_model, preset.num_heads, preset.feed_forward_dim, preset.encoder_layers) == (
        shape["d_model"], shape["heads"], shape["d_ff"], shape["layers"],
    )  # fmt: skip
    assert (preset.source_vocabulary, preset.max_source_length) == (shape["vocab"], shape["max_positions"])
    model = Transformer(preset)
    encoded = model.encode(np.arange(1, 1 + shape["input"][1])[None])
    assert list(encoded.mask.shape) == shape["mask"]
    assert list(encoded.states.shape) == shape["output"]
    assert [list(weights.shape) for weights in encoded.attention] == [[1, 4, 10, 10]] * shape["layers"]
    assert len(encoded.hidden) == shape["layers"] + 1
    encoder = Encoder(PRESETS["tutorial-encoder"].model)
    output = encoder(np.zeros(shape["output"], dtype="float32"), attention_mask=np.ones(shape["mask"]))
    assert list(output.states.shape) == shape["output"]
    shape = worked["shapes"]["decoder"]
    config = ModelConfig(
        target_vocabulary=shape["vocab"], d_model=shape["d_model"], num_heads=shape["heads"],
        head_dim=shape["d_model"], feed_forward_dim=shape["d_ff"], decoder_layers=shape["layers"],
        max_target_length=shape["max_positions"],
    )  # fmt: skip
    decoder = Decoder(config)
    tokens = np.ones(shape["input"], dtype="int32")
    memory = np.random.default_rng(0).standard_normal(shape["encoder_output"]).astype("float32")
    memory_mask = np.ones((3, 1, 1, 7), dtype=bool)
    output = decoder(np.ones(shape["output"], dtype="float32"), memory, target_mask(tokens), memory_mask)
    assert list(output.states.shape) == shape["output"]
    assert [list(x.shape) for x in output.self_attention] == [shape["self_attention"]] * shape["layers"]
    assert [list(x.shape) for x in output.cross_attention] == [shape["cross_attention"]] * shape["layers"]


def test_transformer_preset_shapes_and_names(worked):
    shape, preset = worked["shapes"]["transformer"], PRESETS["tutorial-transformer"].model
    assert (preset.encoder_layers, preset.decoder_layers) == (shape["layers"],) * 2
    assert (preset.d_model, preset.num_heads, preset.feed_forward_dim) == (13, 19, 8)
    assert (preset.source_vocabulary, preset.target_vocabulary) == (shape["source_vocab"], shape["target_vocab"])
    assert preset.max_source_length == shape["max_positions_source"]
    assert preset.max_target_length == shape["max_positions_target"]
    source, target = (np.full(shape[name], 7, dtype="int32") for name in ("source", "target"))
    transformer_replay = Transformer(preset).replay(source, target)
    assert list(transformer_replay["logits"].shape) == shape["output"]
    batch, heads, rows, columns = shape["self_attention"]
    assert transformer_replay["encoder_self"].shape == (batch, shape["layers"], heads, rows, columns)
    assert transformer_replay["decoder_self"].shape == (batch, shape["layers"], heads, rows, columns)
    assert list(transformer_replay["cross"].shape) == [batch, shape["layers"], *shape["cross_attention"][1:]]
    maps = attention_maps(transformer_replay)
    layers = range(1, shape["layers"] + 1)
    first, second = worked["shapes"]["attention_names"]
    assert set(maps) == {name.format(i=i) for i in layers for name in (first, second)}
    for i in layers:
        assert list(maps[first.format(i=i)].shape) == shape["self_attention"]
        np.testing.assert_array_equal(maps[first.format(i=i)], transformer_replay["decoder_self"][:, i - 1])
        np.testing.assert_array_equal(maps[second.format(i=i)], transformer_replay["cross"][:, i - 1])
