"""One block of a loaded model computed again: equal to what the model itself gave; and Keras' masks."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import SettingsError
from core.experiments.attention_lab.keras_mask import keras_weights
from core.experiments.attention_lab.token_block import token_block
from core.explain.attention_lab.lab import attention, step
from core.explain.attention_lab.presets import PRESETS
from tests.closeness import near, same_network

pytestmark = pytest.mark.numeric

DIALOGUE = "Maya: I lost my suitcase in Madrid.\nTom: Did you call the airline?\nMaya: Yes, it comes tomorrow."


def test_a_block_gives_the_models_own_output(tiny):
    check(tiny, tiny.summarize(DIALOGUE))


def test_a_block_of_a_family_gives_the_models_own_output(other):
    check(other[0], other[0].summarize(DIALOGUE))


def check(summarizer, summary):
    attention, row = summary.attention, 3
    for stack, layer in [(stack, layer) for stack in ("encoder", "decoder") for layer in (0, 1)]:
        found = token_block(summarizer, summary, stack, layer, row)
        hidden, weights = summary.encoder_hidden, {"self": attention.encoder_self}
        if stack == "decoder":
            hidden, weights = summary.decoder_hidden, {"self": attention.decoder_self, "cross": attention.cross}
        output = found.steps[-1].values
        same_network(output[0], hidden[layer + 1][row], summarizer.config)
        np.testing.assert_array_equal(found.steps[0].values[0], hidden[layer][row])
        near(found.difference, np.abs(output[0] - hidden[layer + 1][row]).max())
        for group, expected in weights.items():
            ours = [each.values for each in found.steps if each.stage == "weights" and each.group == group]
            same_network(np.squeeze(ours, 1), expected[layer][:, row], summarizer.config)
    with pytest.raises(SettingsError, match="layer must be from 0 to 1 here. Received: layer=2"):
        token_block(summarizer, summary, "encoder", 2, 0)
    with pytest.raises(SettingsError, match="row must be from 0 to .* here. Received: row=-1"):
        token_block(summarizer, summary, "encoder", 0, -1)
    with pytest.raises(SettingsError, match="a summary of other@0123"):
        token_block(summarizer, replace(summary, checkpoint="other@0123"), "encoder", 0, 0)


def test_keras_ignores_a_mask_in_fourth_place_and_heeds_it_by_name():
    for inputs in [PRESETS["reports"].inputs, PRESETS["masked"].inputs, PRESETS["one"].inputs]:
        fourth, named = keras_weights(inputs)
        without = step(attention(inputs.keeping(np.ones_like(inputs.keep))), "weights").values
        near(fourth, without, terms=4, depth=4)
        near(named, step(attention(inputs), "weights").values, terms=4, depth=4)
