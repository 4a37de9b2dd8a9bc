"""The same questions to the same weights in a process that computes with JAX."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np

from core.decoding.probes import Probes
from core.model.families import Network
from core.model.gates import HeadGate, all_heads
from core.runtime import backend

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import json
import sys

import numpy as np

from core.runtime import backend
from core.model import families
from tests.model.twin import ask

assert backend.NAME == "jax"
given = dict(np.load(sys.argv[1], allow_pickle=False))
source, target = given.pop("source"), given.pop("target")
model = families.build(families.read(json.loads(sys.argv[3])))
for variable in model.trainable_variables:
    variable.assign(given.pop(variable.path))
assert not given
np.savez(sys.argv[2], **ask(model, source, target))
"""


def in_jax(model: Network, source: np.ndarray, target: np.ndarray, folder: Path) -> dict[str, np.ndarray]:
    """Return what `ask` gives there; `folder` takes the files between the processes."""
    given, got = folder / "given.npz", folder / "got.npz"
    weights = {variable.path: np.asarray(variable.value) for variable in model.trainable_variables}
    np.savez(given, source=source, target=target, **weights)
    command = [sys.executable, "-c", SCRIPT, str(given), str(got), json.dumps(model.config.to_dict())]
    environment = os.environ | {"KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    with np.load(got, allow_pickle=False) as stored:
        return dict(stored)


def stepped(
    model: Network, source: np.ndarray, target: np.ndarray, length: int = 0, gates: Any = None, batch: int | None = None
) -> np.ndarray:
    """Logits of every position, decoded one after the other by the cached loop that is fed with `target`."""
    encoded = model.encode(source, gates)
    cache, rows = model.empty_cache(encoded, length or target.shape[1], batch), []
    options = {} if gates is None else {"gates": gates}
    for position in range(target.shape[1]):
        place = keras.ops.convert_to_tensor(position)
        row, cache = model.step(target[:, position], place, cache, encoded, **options)
        rows.append(np.asarray(row))
    return np.stack(rows, axis=1)


def ask(model: Network, source: np.ndarray, target: np.ndarray) -> dict[str, np.ndarray]:
    """What decoding and the experiments ask of a model, the latter twice, so that a second trace would be counted."""
    result = {name: np.asarray(value) for name, value in model.replay(source, target).items()}
    run = backend.compiled(lambda *ids: model.replay(*ids)["logits"], model.variables)
    result |= {"compiled": np.asarray(run(source, target)), "stepped": stepped(model, source, target)}
    probes = Probes(model)
    sources, targets = [[9, 11, 0, 23, 11, 5, 2], [28, 6, 2]], [[11, 13, 7, 2], [28, 2]]
    select = np.eye(4, dtype=np.float32)[[2]]
    for factor in (1.0, 0.5):
        factors, foils = np.full((1, 1), factor, dtype=np.float32), [11, 13, 13, 2]
        for name, found in zip(
            ("value", "source", "target"), probes.gradients(sources[0], targets[0], select, foils, factors), strict=True
        ):
            result[f"{name}{factor}"] = found[0]
        scored = {"plain": probes.score(sources, targets)}
        if model.config.has.heads:
            gates = all_heads(model.config)
            cross = HeadGate(np.ones((2, 2, 2), dtype=np.float32), gates.cross.fill + np.float32(0.5))
            cross.open[:, 1, 1] = 0  # in the second row only
            scored["gated"] = probes.score(sources, targets, gates._replace(cross=cross))
            scored["layer"] = probes.score_states(probes.encode_layers(sources[0]), targets[0])
            result["lens"] = probes.lens(sources[0], targets[0])
        result |= {f"{name}{number}": row for name, rows in scored.items() for number, row in enumerate(rows)}
    return result
