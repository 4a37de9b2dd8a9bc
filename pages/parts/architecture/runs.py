"""Run networks for the page, and cache what comes of it: tensors of a forward pass, and the printed tables."""

import gc
from threading import Lock
from typing import TYPE_CHECKING

from core.config import ModelConfig, RecurrentConfig
from pages.parts.architecture.chosen import Chosen
from pages.shared.model.cache import cached

if TYPE_CHECKING:
    from core.experiments.architecture.describe import LayerFact, TensorFact
    from core.experiments.architecture.printed_shapes import Table

_ONE_AT_A_TIME = Lock()
"""A network that is built here lives until its pass is over: never two at once."""


def facts(chosen: Chosen) -> "tuple[TensorFact, ...]":
    """Return every tensor of one forward pass; the first call builds the network and runs it."""
    return _facts(chosen.run, chosen.batch, chosen.source, chosen.target)


@cached(24, worded=True)
def _facts(config: ModelConfig, batch: int, source: int, target: int) -> "tuple[TensorFact, ...]":
    with _ONE_AT_A_TIME:
        from core.experiments.architecture.describe import forward_pass

        tensor_facts = tuple(forward_pass(config, batch, source, target))
        gc.collect()  # Keras' layers refer to each other: without this the weights would stay for a while
        return tensor_facts


@cached(8)
def layers(config: RecurrentConfig) -> "tuple[LayerFact, ...]":
    """Return every layer of a recurrent model; the first call builds it."""
    with _ONE_AT_A_TIME:
        from core.experiments.architecture.describe import describe

        layer_facts, _ = describe(config)
        gc.collect()
        return tuple(layer_facts)


@cached(3, worded=True)
def printed(name: str) -> "Table":
    """Return a printed table with our shapes."""
    with _ONE_AT_A_TIME:
        from core.experiments.architecture.printed_shapes import reproduce

        return reproduce(name)
