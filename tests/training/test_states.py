"""Frozen layers of an encoder: their weights stay, and what they return is computed once."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import SettingsError
from core.model.transformer import Transformer
from core.training.batches import Batches
from core.training.states import EncodedBatches, encode, freeze
from tests.refusals import refused


@pytest.fixture
def model(model_config) -> Transformer:
    return Transformer(model_config.replace(encoder_layers=2))


def test_layers_are_frozen_from_the_lowest(model: Transformer) -> None:
    layers = len(model.encoder.blocks)
    freeze(model, 0)
    assert all(variable.trainable for variable in model.weights)
    freeze(model, 1)
    still = {variable.path for variable in model.weights if not variable.trainable}
    assert "source_embedding/table" in still and "encoder/block1/self_attention/query/kernel" in still
    assert all(path.startswith(("source_", "encoder/block1/")) for path in still)
    freeze(model, layers)
    assert not model.encoder.trainable_variables
    assert all(variable.trainable for variable in model.decoder.weights)
    message = f"at most {layers}, the encoder's layers. Received: frozen={layers + 1}"
    refused(SettingsError, message, freeze, model, layers + 1)


@pytest.mark.parametrize("layers", [1, 2])
def test_kept_states_are_those_of_the_encoder(model: Transformer, toy, tmp_path: Path, layers: int) -> None:
    pairs = toy(9)
    path = tmp_path / "run" / "states.npy"
    made = encode(pairs, model, layers, path, tokens=60)
    assert [(each.source, each.target) for each in made] == pairs
    kept = EncodedBatches(made, 60, shuffle=False)
    plain = Batches(pairs, 60, shuffle=False)
    assert len(kept) == len(plain) > 1
    for number in range(len(plain)):
        ((source, target, states), _), ((ids, _), _) = kept[number], plain[number]
        np.testing.assert_array_equal(source, ids)
        encoded = model.encode(source)
        mask = source != 0
        expected = np.asarray(encoded.hidden[layers] if layers < 2 else encoded.states)
        np.testing.assert_allclose(states[mask], expected[mask], atol=2e-3)  # kept in float16, of numbers up to 4
        assert not states[~mask].any()
        remembered = model.remember(source, states, layers)
        found, expected = (model.logits(model.decode(target, memory), memory) for memory in (remembered, encoded))
        np.testing.assert_allclose(found, expected, atol=2e-2)  # of states that were kept in float16
    before = path.stat().st_mtime_ns
    again = encode(pairs, model, layers, path, tokens=60)
    assert path.stat().st_mtime_ns == before
    np.testing.assert_array_equal(again[3].states, made[3].states)
