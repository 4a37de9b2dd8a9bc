"""Imported networks compute and write what transformers does: logits, every attention, greedy and beam search."""

from pathlib import Path

import numpy as np
import pytest

from core.config import START
from tests.closeness import near_as
from tests.importing.networks import NETWORKS, save, sources
from tests.importing.parity import WAYS, compare_encoder, compare_network, pairs, read

pytestmark = pytest.mark.numeric
TEXTS = (
    "Maya lost her suitcase in Madrid.",
    "Tom: Did you call the airline?\nMaya: Yes, it comes tomorrow.",
    "ok",
    "An unbelievably incomprehensible straw-hat café: 1,234.5 % of 😀 & ζωή!",
    "They will meet at seven in front of the cinema, unless it rains; then they stay at home and play chess. " * 6,
)


@pytest.mark.parametrize("network", NETWORKS)
def test_logits_and_every_attention_matrix(network: str, tmp_path: Path) -> None:
    for name, found in compare_network(network, tmp_path).items():
        near_as(*found, name)


def test_hidden_states_and_attention_of_minilm() -> None:
    for name, found in compare_encoder(TEXTS).items():
        near_as(*found, name)


def test_what_the_peer_does_not_have_is_never_written(tmp_path: Path) -> None:
    save("bart", tmp_path)
    logits = np.asarray(read(tmp_path).model.replay(sources(1, 5), np.array([[START]]))["logits"])
    assert (logits[0, 0, [1, 4]] < -2e4).all()


@pytest.mark.slow
@pytest.mark.parametrize("network", NETWORKS)
def test_what_is_written(network: str, tmp_path: Path) -> None:
    found = [each for way in WAYS for each in pairs(network, way, tmp_path / way)]
    assert np.mean([each.same() for each in found]) > 0.8, "few searches tie"
    assert len({len(each.theirs) for each in found}) > 2, "not all of them run to the longest length"
