"""TensorFlow and JAX, compiled and eager, give the same numbers for the same weights."""

import runpy

import keras
import numpy as np
import pytest

from core.config import ModelConfig
from core.errors import BackendError
from core.model.recurrent import RecurrentModel
from core.model.transformer import Transformer
from core.runtime import backend
from tests.closeness import same_network
from tests.model.test_recurrent import TINY
from tests.model.twin import ask, in_jax
from tests.models import randomise

CHANGES = {"norm": "pre", "copy": True, "share_embeddings": True, "share_output": True, "encoder_layers": 1}


@pytest.fixture(scope="module")
def model(tiny_config):
    return randomise(Transformer(tiny_config(**CHANGES)))


@pytest.mark.slow
@pytest.mark.parametrize("family", ["transformer", "recurrent"])
def test_tensorflow_equals_jax(model, family, source, target, tmp_path):
    asked = model if family == "transformer" else randomise(RecurrentModel(TINY))
    stored, expected = in_jax(asked, source, target, tmp_path), ask(asked, source, target)
    assert asked is not model or np.abs(expected["gated1"] - expected["plain1"]).max() > 1e-3
    assert np.abs(expected["source1.0"]).max() > 1e-2 and (expected["source1.0"][2], expected["target1.0"][3]) == (0, 0)
    assert set(stored) == set(expected)
    for name, values in expected.items():
        same_network(stored[name], values, asked.config, name)
    same_network(stored["compiled"], expected["logits"], asked.config)
    keep = target != 0
    same_network(stored["stepped"][keep], expected["logits"][keep], asked.config)


def test_compiled_equals_eager(model, source, target):
    traced = []

    def replay(source, target):
        traced.append(source.shape)
        return model.replay(source, target)["logits"]

    run = backend.compiled(replay, model.variables)
    expected = model.replay(source, target)["logits"]
    same_network(run(source, target), expected, model.config)
    run(source[::-1].copy(), target)
    assert len(traced) == 1


def test_torch_is_refused(monkeypatch):
    monkeypatch.setattr(keras.backend, "backend", lambda: "torch")
    with pytest.raises(BackendError, match="KERAS_BACKEND=torch; allowed: tensorflow, jax"):
        runpy.run_path(backend.__file__)


def test_mixed_precision_keeps_float32_results(tiny_config, source, target):
    """Training may run in bfloat16; what leaves the model does not."""
    config: ModelConfig = tiny_config(**CHANGES)
    half = randomise(Transformer(config, dtype="mixed_bfloat16"))
    result = half.replay(source, target)
    assert {np.asarray(value).dtype for value in result.values()} == {np.dtype("float32")}
    assert {variable.dtype for variable in half.trainable_variables} == {"float32"}
    full = randomise(Transformer(config)).replay(source, target)
    # bfloat16 has 8 bits: a probability is rounded by 2^-9, in each of some twenty operations
    np.testing.assert_allclose(np.exp(result["logits"]), np.exp(full["logits"]), rtol=0, atol=0.1)


def test_processors_without_bfloat16_are_known(monkeypatch, tmp_path):
    for told, imitated in [
        ("processor : 0\nflags\t\t: fpu avx2 avx512f\n", True),
        ("flags\t\t: fpu avx512_bf16\n", False),
        ("flags\t\t: fpu amx_bf16\nflags : fpu\n", False),
        ("Features : asimd\n", False),  # another kind of processor: it does not tell
        (None, False),
    ]:
        if told is not None:
            (tmp_path / "cpuinfo").write_text(told)
        monkeypatch.setattr(backend, "PROCESSOR", tmp_path / "cpuinfo")
        assert backend.imitates_bfloat16() is imitated, told
