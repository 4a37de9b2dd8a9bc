"""Each token of a turn gets the vector of the tag that the turn begins with."""

import numpy as np
import pytest

from core.config import END, FIRST_TAG, PAD, TURN, ModelConfig
from core.errors import SettingsError
from core.model.speakers import SpeakerEmbedding

ONE, TWO, THREE, WORD = FIRST_TAG, FIRST_TAG + 1, FIRST_TAG + 2, FIRST_TAG + 9


@pytest.fixture(scope="module")
def layer():
    layer = SpeakerEmbedding(2, 4)
    layer.build(None)
    return layer


@pytest.mark.parametrize(
    ("ids", "speakers"),
    [
        ([ONE, WORD, TURN, TWO, WORD, TURN, ONE, END], [1, 1, 1, 2, 2, 2, 1, 1]),
        ([ONE, TWO, WORD, TURN, TWO, ONE], [1, 1, 1, 1, 2, 2]),  # a tag inside a turn is a word like others
        ([WORD, WORD, TURN, TWO], [0, 0, 0, 2]),  # nobody is named
        ([ONE, TURN, THREE, WORD], [1, 1, 1, 1]),  # this speaker has no vector
        ([ONE, WORD, PAD, PAD, PAD, TWO, WORD], [1, 1, 1, 1, 1, 2, 2]),  # a turn hidden as padding
    ],
)
def test_the_speaker_of_each_token(layer, ids, speakers):
    assert np.asarray(layer.numbers(np.array([ids]))).tolist() == [speakers]


def test_vectors_are_added_and_are_zero_at_first(layer):
    embedded = np.ones((1, 3, 4), dtype="float32")
    source = np.array([[ONE, TURN, TWO]])
    np.testing.assert_array_equal(np.asarray(layer(embedded, source)), embedded)
    layer.table.assign(np.arange(12, dtype="float32").reshape(3, 4))
    added = np.asarray(layer(embedded, source)) - 1
    assert added[0, :, 0].tolist() == [4, 4, 8]


def test_too_many_speakers_are_refused():
    with pytest.raises(SettingsError, match="speakers"):
        ModelConfig(source_vocabulary=20, speakers=16)
