"""One block of a loaded model computed again: equal to what the model itself gave."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import SettingsError
from core.explain.attention_lab.token_block import token_block
from tests.closeness import near, same_network
from tests.refusals import refused

pytestmark = pytest.mark.numeric


def test_a_block_gives_the_models_own_output(run):
    summarizer, summary = run
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
    refused(SettingsError, "from 0 to 1 here. Received: layer=2", token_block, summarizer, summary, "encoder", 2, 0)
    refused(SettingsError, "Received: row=-1", token_block, summarizer, summary, "encoder", 0, -1)
    other = replace(summary, checkpoint="other@0123")
    refused(SettingsError, "a summary of other@0123", token_block, summarizer, other, "encoder", 0, 0)


def test_states_of_a_model_may_be_larger_than_numbers_that_are_typed(tiny):
    summary = tiny.summarize("Maya: I lost my suitcase in Madrid.")
    large = replace(summary, encoder_hidden=summary.encoder_hidden * np.float32(1e5))
    assert np.isfinite(token_block(tiny, large, "encoder", 0, 1).steps[-1].values).all()
