"""The same questions to the same weights in a process that computes with JAX."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np

from core.model.families import Network

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import importlib
import json
import sys

import numpy as np

from core import backend
from core.model import families

assert backend.NAME == "jax"
given = dict(np.load(sys.argv[1], allow_pickle=False))
source, target = given.pop("source"), given.pop("target")
model = families.build(families.read(json.loads(sys.argv[3])))
for variable in model.trainable_variables:
    variable.assign(given.pop(variable.path))
assert not given
np.savez(sys.argv[2], **importlib.import_module(sys.argv[4]).ask(model, source, target))
"""


def in_jax(model: Network, source: np.ndarray, target: np.ndarray, folder: Path, module: str) -> dict[str, np.ndarray]:
    """What `module`.ask(model, source, target) gives there; `folder` takes the files between the processes."""
    given, got = folder / "given.npz", folder / "got.npz"
    weights = {variable.path: np.asarray(variable.value) for variable in model.trainable_variables}
    np.savez(given, source=source, target=target, **weights)
    command = [sys.executable, "-c", SCRIPT, str(given), str(got), json.dumps(model.config.to_dict()), module]
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
