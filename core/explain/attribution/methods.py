"""The methods by their names: what each is called and says. `core.experiments.attribution` has what answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.explain.attribution.attribution import Word
from core.files import table


@dataclass(frozen=True)
class Method:
    """A method.

    Args:
        title: what it is called.
        says: one of the three words, which are never mixed.
        about: what it says, in a sentence.
        foil: whether it can contrast a token with another one.
        whole: whether it takes parts of the dialogue away, so that the parts are chosen before and not added up.
    """

    title: str
    says: Word
    about: str
    foil: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Map:
    """What a map of one attention shows in its cells.

    Args:
        title: what it is called on a control.
        name: inside a sentence: "layer 1, head 2, norms".
        about: what its numbers say, in a sentence.
        caption: the sentence about its largest numbers; see `core.figures.attention.maps.matrix_caption`.
        heads: whether each head has a map of its own.
    """

    title: str
    name: str
    about: str
    caption: str
    heads: bool = True


_TABLE = table(__file__)
METHODS: Mapping[str, Method] = {name: Method(**each) for name, each in _TABLE["methods"].items()}
MAPS: Mapping[str, Map] = {name: Map(**each) for name, each in _TABLE["maps"].items()}
"""What the maps of an attention can show; `core.explain.attribution.maps` computes all but its weights."""
