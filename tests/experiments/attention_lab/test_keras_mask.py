"""Where Keras heeds a mask, and where it does not."""

import numpy as np
import pytest

from core.experiments.attention_lab.keras_mask import keras_weights
from core.explain.attention_lab.lab import attention, step
from core.explain.attention_lab.presets import PRESETS
from tests.closeness import near


@pytest.mark.numeric
def test_keras_ignores_a_mask_in_fourth_place_and_heeds_it_by_name():
    for inputs in [PRESETS["reports"].inputs, PRESETS["masked"].inputs, PRESETS["one"].inputs]:
        fourth, named = keras_weights(inputs)
        without = step(attention(inputs.keeping(np.ones_like(inputs.keep))), "weights").values
        near(fourth, without, terms=4, depth=4)
        near(named, step(attention(inputs), "weights").values, terms=4, depth=4)
