"""One head computed again: equal to the trace, to numpy by hand, and to the attention layer of the model."""

from dataclasses import replace

import numpy as np
import pytest
from keras import ops

from core.errors import SettingsError
from core.explain.attention.inside import stages
from core.model.attention import attention_weights
from core.service import Summarizer
from tests.closeness import near, same_network
from tests.explain.conftest import DIALOGUE
from tests.refusals import refusals, refused

pytestmark = pytest.mark.numeric
KINDS = ("cross", "encoder", "decoder")


def matrices(summary) -> dict:
    attention = summary.attention
    return {"cross": attention.cross, "encoder": attention.encoder_self, "decoder": attention.decoder_self}


def test_the_stages_of_a_head(run) -> None:
    summarizer, summary = run
    width = summarizer.config.key_dim
    for kind, matrix in matrices(summary).items():
        for layer, head, row in np.ndindex(*matrix.shape[:3]):
            if row == (0, matrix.shape[2] - 1)[head % 2]:
                found = stages(summarizer, summary, kind, layer, head, row)
                assert (found.kind, found.layer, found.head, found.row) == (kind, layer, head, row)
                same_network(found.weights, matrix[layer, head, row], summarizer.config)
        # The steps of the lab stand where they belong.
        row, keys = matrix.shape[2] - 2, matrix.shape[3]
        found = stages(summarizer, summary, kind, 1, 1, row)
        assert found.query.shape == (width,) and found.keys.shape == found.values.shape == (keys, width), kind
        relative = summarizer.config.positions == "relative" and kind != "cross"
        assert (found.bias is not None) == relative and found.divides == summarizer.config.score_scale, kind
        assert found.mask.sum() == (row + 1 if kind == "decoder" else keys) and found.mask[: row + 1].all(), kind
        assert (found.weights[~found.mask] == 0).all(), kind
        near(found.weighted, found.weights @ found.values, terms=keys)
        assert found.output.shape == (summarizer.config.d_model,), kind
        assert found.output.dtype == found.weights.dtype == np.float32, kind
        # A head is scaled dot-product attention, in the family's variant.
        given, scale = (found.keys, found.mask[None], found.bias), summarizer.config.score_scale
        weights = attention_weights(found.query[None], *given, scale)
        same_network(ops.convert_to_numpy(weights)[0], found.weights, summarizer.config)


def test_the_heads_add_up_to_the_attention_layer(run) -> None:
    """Run the whole first block as the model does and compare one row of the sub-layer's output."""
    summarizer, summary = run
    model, row = summarizer.model, 2
    for kind in KINDS:
        block = (model.encoder if kind == "encoder" else model.decoder).blocks[0]
        x = (summary.encoder_hidden if kind == "encoder" else summary.decoder_hidden)[0][None]
        states = block.self_residual.before(x)
        mask = None if kind == "encoder" else np.tril(np.ones((x.shape[1],) * 2))
        layer = block.self_attention
        length = x.shape[1]
        bias = model.encoder.bias(length) if kind == "encoder" else model.decoder.bias(length, length)
        output, _ = layer(states, states, attention_mask=mask, bias=bias)
        if kind == "cross":
            memory = summary.encoder_hidden[-1][None]
            memory = model.encoder.final_norm(memory) if model.encoder.final_norm else memory
            layer = block.cross_attention
            output, _ = layer(block.cross_residual.before(block.self_residual.after(x, output)), memory)
        heads = [stages(summarizer, summary, kind, 0, head, row).output for head in range(model.config.num_heads)]
        bias = np.asarray(layer.output_projection.bias) if layer.biases else 0
        same_network(sum(heads) + bias, np.asarray(output)[0, row], model.config)


def test_places_that_are_not_there_are_refused(snapshot, tiny: Summarizer) -> None:
    summary = tiny.summarize(DIALOGUE)
    cases = [("self", 0, 0, 0), ("cross", 2, 0, 0), ("cross", 0, 2, 0), ("cross", 0, -1, 0), ("encoder", 0, 0, -1)]
    assert refusals(SettingsError, lambda *place: stages(tiny, summary, *place), cases) == snapshot
    refused(SettingsError, "Received: row=99", stages, tiny, summary, "decoder", 0, 0, 99)
    others = f"a summary of other@0123 and the checkpoint {tiny.checkpoint.identity}"
    refused(SettingsError, others, stages, tiny, replace(summary, checkpoint="other@0123"), "cross", 0, 0, 0)


@pytest.mark.slow
def test_the_shipped_checkpoint_on_a_long_dialogue(shipped: Summarizer) -> None:
    long = "\n".join(DIALOGUE.replace("Madrid", f"city number {number}") for number in range(14))
    summary = shipped.force(long, "Maya lost her suitcase and Tom asks whether she called the airline.")
    assert 300 < len(summary.source) <= 512
    for kind, matrix in matrices(summary).items():
        for layer, head in np.ndindex(*matrix.shape[:2]):
            found = stages(shipped, summary, kind, layer, head, matrix.shape[2] - 1)
            same_network(found.weights, matrix[layer, head, -1], shipped.config)
