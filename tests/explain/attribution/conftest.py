"""The networks of random weights that the experiments use, too."""

from tests.experiments.conftest import built, made, pair

__all__ = ["built", "made", "pair"]
