"""TensorFlow and JAX, compiled and eager, give the same numbers for the same weights."""

import runpy

import keras
import numpy as np
import pytest

from core import backend
from core.config import ModelConfig
from core.decoding.probes import Probes
from core.errors import BackendError
from core.model.gates import HeadGate, all_heads
from core.model.transformer import Transformer
from tests.model.twin import in_jax, stepped
from tests.models import randomise

CHANGES = {"norm": "pre", "copy": True, "share_embeddings": True, "share_output": True, "encoder_layers": 1}


def ask(model: Transformer, source: np.ndarray, target: np.ndarray) -> dict[str, np.ndarray]:
    """What decoding and the experiments ask of a model, the latter twice, so that a second trace would be counted."""
    result = {name: np.asarray(value) for name, value in model.replay(source, target).items()}
    run = backend.compiled(lambda *ids: model.replay(*ids)["logits"], model.variables)
    result |= {"compiled": np.asarray(run(source, target)), "stepped": stepped(model, source, target)}
    probes = Probes(model)
    sources, targets = [[9, 11, 0, 23, 11, 5, 2], [28, 6, 2]], [[11, 13, 7, 2], [28, 2]]
    gates = all_heads(model.config)
    cross = HeadGate(np.ones((2, 2, 2), dtype=np.float32), gates.cross.fill + np.float32(0.5))
    cross.open[:, 1, 1] = 0  # in the second row only
    by_row = gates._replace(cross=cross)
    weights = np.zeros(30, dtype=np.float32)
    weights[[7, 13]] = 1, -1
    for factor in (1.0, 0.5):
        scales = (np.full(7, factor, dtype=np.float32), np.full(4, factor, dtype=np.float32))
        value, by_source, by_target = probes.gradient(sources[0], targets[0], 2, weights, scales)
        result |= {f"value{factor}": np.float32(value), f"source{factor}": by_source, f"target{factor}": by_target}
        scored = {
            "plain": probes.score(sources, targets),
            "gated": probes.score(sources, targets, by_row),
            "layer": probes.score_states(probes.encode_layers(sources[0]), targets[0]),
        }
        result |= {f"{name}{number}": row for name, rows in scored.items() for number, row in enumerate(rows)}
        result["lens"] = probes.lens(sources[0], targets[0])
    names = ("score", "score_states", "layers", "lens", "gradient")
    result["traces"] = np.array([probes.traces[name] for name in names])
    return result


@pytest.fixture(scope="module")
def model(tiny_config):
    return randomise(Transformer(tiny_config(**CHANGES)))


@pytest.mark.slow
def test_tensorflow_equals_jax(model, source, target, tmp_path):
    pytest.importorskip("jax")
    stored, expected = in_jax(model, source, target, tmp_path, __name__), ask(model, source, target)
    assert expected["traces"].tolist() == [1] * 5 and np.abs(expected["gated1"] - expected["plain1"]).max() > 1e-3
    assert np.abs(expected["source1.0"]).max() > 1e-2 and (expected["source1.0"][2], expected["target1.0"][3]) == (0, 0)
    assert set(stored) == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(stored[name], values, rtol=0, atol=1e-4, err_msg=name)
    np.testing.assert_allclose(stored["compiled"], expected["logits"], rtol=0, atol=1e-4)
    keep = target != 0
    np.testing.assert_allclose(stored["stepped"][keep], expected["logits"][keep], rtol=0, atol=1e-4)


def test_compiled_equals_eager(model, source, target):
    traced = []

    def replay(source, target):
        traced.append(source.shape)
        return model.replay(source, target)["logits"]

    run = backend.compiled(replay, model.variables)
    expected = model.replay(source, target)["logits"]
    np.testing.assert_allclose(run(source, target), expected, rtol=0, atol=1e-4)
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
