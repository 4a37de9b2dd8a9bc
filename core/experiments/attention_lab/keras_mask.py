"""Run Keras' own attention layer with a mask passed as its fourth argument."""

import numpy as np

from core.explain.attention_lab.lab import Inputs
from core.explain.attention_lab.steps import Matrix


def keras_weights(inputs: Inputs) -> tuple[Matrix, Matrix]:
    """Return the weights [T, S] of `keras.layers.MultiHeadAttention`, the mask given by position and by name.

    All its projections are set to the identity, so that it computes scaled dot-product attention of the given
    matrices. In Keras 3 the fourth argument is `query_mask`.

    Args:
        inputs: queries and keys of one width.

    Returns:
        With the mask as fourth argument, and with it as `attention_mask`.
    """
    from core.runtime.backend import keras

    width, out = inputs.query.shape[1], inputs.value.shape[1]
    layer = keras.layers.MultiHeadAttention(1, width, value_dim=out, output_shape=out, use_bias=False)
    query, value, key = (np.asarray(each, dtype=np.float32)[None] for each in (inputs.query, inputs.value, inputs.key))
    layer.build(query.shape, value.shape, key.shape)
    for variable in layer.trainable_variables:
        first = variable.shape[0] if len(variable.shape) == 3 and variable.shape[0] > 1 else variable.shape[-1]
        variable.assign(np.eye(first).reshape(variable.shape))
    keep = inputs.keep[None].astype(bool)
    _, fourth = layer(query, value, key, keep, return_attention_scores=True)
    _, named = layer(query, value, key, attention_mask=keep, return_attention_scores=True)
    return tuple(np.asarray(each, dtype=np.float64)[0, 0] for each in (fourth, named))
