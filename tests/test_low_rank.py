"""Weights as their difference from others: the nearest of its rank, and nothing that fits no weight."""

import json
import shutil

import numpy as np
import pytest

from core import checkpoints, low_rank
from core.errors import CheckpointError
from tests.models import rehash
from tests.refusals import refusals, refused

RANDOM = np.random.default_rng(3)
BASE = {"a/kernel": RANDOM.normal(size=(9, 6)), "a/bias": RANDOM.normal(size=6), "tiny": RANDOM.normal(size=(2, 2))}
OTHER = {path: values + RANDOM.normal(size=values.shape) for path, values in BASE.items()}


def test_the_product_is_the_nearest_of_its_rank_and_what_it_would_not_shrink_is_kept():
    kept = low_rank.differences(BASE, OTHER, 2)
    assert {name: values.shape for name, values in kept.items()} == {
        "a/kernel/B": (9, 2),
        "a/kernel/A": (2, 6),
        "a/bias": (6,),
        "tiny": (2, 2),
    }
    back = low_rank.added(BASE, kept)
    assert all(np.array_equal(back[path], OTHER[path]) for path in ("a/bias", "tiny"))
    lost = np.linalg.norm(OTHER["a/kernel"] - back["a/kernel"])
    singular = np.linalg.svd(OTHER["a/kernel"] - BASE["a/kernel"], compute_uv=False)
    assert lost == pytest.approx(np.linalg.norm(singular[2:]), rel=1e-5)  # factors in float32, Eckart and Young


def test_differences_that_fit_no_weight_are_refused(snapshot):
    kernel, rows, columns = np.ones((9, 6)), np.ones((9, 2)), np.ones((2, 6))
    inputs = {
        "another path": {"b": kernel},
        "one factor alone": {"a/kernel/B": rows},
        "the other alone": {"a/kernel/A": columns},
        "factors and a whole": {"a/kernel": kernel, "a/kernel/B": rows, "a/kernel/A": columns},
        "ranks that differ": {"a/kernel/B": rows, "a/kernel/A": np.ones((3, 6))},
        "a product of another size": {"a/kernel/B": rows, "a/kernel/A": np.ones((2, 10**9), bool)},
        "another size": {"a/kernel": rows},
        "numbers for factors": {"a/bias/B": np.ones(6), "a/bias/A": np.ones(6)},
    }
    assert refusals(CheckpointError, lambda kept: low_rank.added(BASE, kept), inputs) == snapshot


@pytest.fixture
def pair(tiny_checkpoint, tmp_path):
    """A checkpoint, and another one that is kept as its difference from it."""
    shutil.copytree(tiny_checkpoint, tmp_path / "tiny")
    base = checkpoints.read(tmp_path / "tiny")
    other = {path: values + np.float16(0.125) for path, values in base.weights.items()}
    named = {"name": "tiny", "weights": base.card["sha256"]["weights.safetensors"]}
    card = {**base.card, "base": named}
    kept = low_rank.differences(base.weights, other, 1)
    checkpoints.write(tmp_path / "other", base.config, base.tokenizer, kept, [], card)
    return base, other, tmp_path / "other"


def test_a_checkpoint_is_read_from_its_base_which_lies_beside_it(pair):
    base, other, folder = pair
    weights = checkpoints.read(folder).weights
    assert weights.keys() == other.keys()
    for path, values in other.items():  # what was added is the same everywhere, so of rank one
        assert weights[path].dtype == base.weights[path].dtype == np.float16
        close = np.abs(weights[path] - values) <= 4 * np.finfo(np.float16).eps * np.maximum(1, np.abs(values))
        assert close.all(), path
    size = (folder / "weights.safetensors").stat().st_size
    assert size < 0.6 * (folder.parent / "tiny" / "weights.safetensors").stat().st_size


def test_a_base_that_is_gone_or_another_is_refused(pair, snapshot):
    _, _, folder = pair
    card = json.loads((folder / "card.json").read_text())

    def read(base):
        (folder / "card.json").write_text(json.dumps({**card, "base": base}))
        checkpoints.read(folder)

    inputs = (
        None,
        "tiny",
        {},
        {"name": "../tiny"},
        {"name": ["tiny"]},
        {**card["base"], "weights": "0" * 64},
        {"name": "other", "weights": "1" * 64},
    )
    assert refusals(CheckpointError, read, inputs) == snapshot
    (folder / "card.json").write_text(json.dumps(card))
    shutil.rmtree(folder.parent / "tiny")
    refused(CheckpointError, "no such checkpoint.*'tiny'", checkpoints.read, folder)


def test_a_difference_that_makes_a_weight_no_number_is_refused(pair):
    from safetensors.numpy import load_file, save_file

    _, _, folder = pair
    kept = load_file(folder / "weights.safetensors")
    name = next(name for name in kept if name.endswith(low_rank.ROWS))
    large = {
        other: np.full_like(kept[other], 1000) for other in (name, name.removesuffix(low_rank.ROWS) + low_rank.COLUMNS)
    }
    save_file({**kept, **large}, folder / "weights.safetensors")
    rehash(folder)
    refused(CheckpointError, "not finite numbers", checkpoints.read, folder)


def test_a_difference_that_fits_no_weight_is_refused_with_its_file(pair):
    from safetensors.numpy import load_file, save_file

    _, _, folder = pair
    kept = load_file(folder / "weights.safetensors")
    save_file({**kept, "more": np.zeros(2)}, folder / "weights.safetensors")
    rehash(folder)
    refused(CheckpointError, "other/weights.safetensors: the difference 'more' fits no", checkpoints.read, folder)
