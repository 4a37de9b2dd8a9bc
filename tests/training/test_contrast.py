"""Wrong summaries beside references, and a checkpoint that keeps some layers of its encoder."""

import json

import numpy as np
import pytest

from core import checkpoints
from core.config import Preset
from core.errors import SettingsError
from core.model import families
from core.text.corpus import load_corpus
from core.training.recipes.contrast import WRONG, contrasted
from core.training.recipes.refining import with_layers
from core.training.risk import ABSENT

ROWS = [
    {"dialogue": "#Person1#: Did you buy bread?\n#Person2#: No.", "summary": "#Person1# asks #Person2# about bread."},
    {"dialogue": "#Person1#: Look at the dog.\n#Person2#: Oh.", "summary": "A dog."},
]


def test_wrong_summaries_stand_beside_the_reference(tiny_checkpoint, tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    begun = checkpoints.read(tiny_checkpoint)
    about_bread, about_dog = contrasted(load_corpus(str(path)), begun.tokenizer, Preset("A test.", begun.config))
    decoded = [begun.tokenizer.decode(ids)[0] for ids in (about_bread.target, *about_bread.candidates)]
    assert decoded == [
        "#Person1# asks #Person2# about bread.",
        "#Person2# asks #Person1# about bread.",
        "#Person2# asks #Person2# about bread.",
    ]
    assert about_bread.merit == 1 and list(about_bread.merits) == [0.0] * WRONG
    preset = Preset("A test.", begun.config)
    assert [len(row.candidates) for row in contrasted(load_corpus(str(path)), begun.tokenizer, preset, 1)] == [1, 0]
    # Nobody and nothing is named: there is nothing to exchange, and the reference is no candidate.
    assert not about_dog.candidates and about_dog.merit == ABSENT


def test_layers_that_stay_keep_their_weights_and_order(tiny_checkpoint):
    begun = checkpoints.read(tiny_checkpoint)
    upper = with_layers(begun, [2])
    assert upper.config == begun.config.replace(encoder_layers=1) and upper.identity != begun.identity
    checkpoints.set_weights(families.build(upper.config), upper.weights)  # raises unless every weight fits
    for path, value in upper.weights.items():
        np.testing.assert_array_equal(value, begun.weights[path.replace("encoder/block1/", "encoder/block2/")])
    assert with_layers(begun, [1, 2]).weights.keys() == begun.weights.keys()


@pytest.mark.parametrize("layers", [[0, 1], [3], [2, 1], [1, 1]])
def test_layers_that_are_not_there_are_refused(layers, tiny_checkpoint):
    with pytest.raises(SettingsError, match="layers must be numbers from 1 to 2"):
        with_layers(checkpoints.read(tiny_checkpoint), layers)
