"""Imported networks compute and write what transformers does: logits, every attention, greedy and beam search."""

from pathlib import Path

import numpy as np
import pytest

from core.config import START
from tests.importing.networks import NETWORKS, save, sources
from tests.importing.parity import WAYS, encoder_differences, network_differences, pairs, read

TEXTS = (
    "Maya lost her suitcase in Madrid.",
    "Tom: Did you call the airline?\nMaya: Yes, it comes tomorrow.",
    "ok",
    "An unbelievably incomprehensible straw-hat café: 1,234.5 % of 😀 & ζωή!",
    "They will meet at seven in front of the cinema, unless it rains; then they stay at home and play chess. " * 6,
)


@pytest.mark.parametrize("network", NETWORKS)
def test_logits_and_every_attention_matrix(network: str, tmp_path: Path) -> None:
    found = network_differences(network, tmp_path)
    assert found.pop("logits") < 1e-4
    assert max(found.values()) < 1e-5, found


def test_what_the_peer_does_not_have_is_never_written(tmp_path: Path) -> None:
    save("bart", tmp_path)
    logits = np.asarray(read(tmp_path).model.replay(sources(1, 5), np.array([[START]]))["logits"])
    assert (logits[0, 0, [1, 4]] < -2e4).all()


@pytest.mark.slow
@pytest.mark.parametrize("network", NETWORKS)
def test_what_is_written(network: str, tmp_path: Path) -> None:
    lengths = set()
    for way in WAYS:
        for theirs, ours in pairs(network, way, tmp_path / way):
            assert ours == theirs, (way, theirs, ours)
            lengths.add(len(theirs))
    assert len(lengths) > 2, lengths  # not all of them run to the longest length


def test_hidden_states_and_attention_of_minilm() -> None:
    states, attention = encoder_differences(TEXTS)
    assert states < 1e-4
    assert attention < 1e-5
