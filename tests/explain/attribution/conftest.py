"""The networks of random weights that the experiments use, too."""

from tests.experiments.conftest import built, other, pair

__all__ = ["built", "other", "pair"]
