"""The methods by their names: what each is called and says. `core.experiments.attribution` has what answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.explain.attribution.attribution import Word
from core.words import later


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


METHODS: Mapping[str, Method] = {
    "attention": Method(later("Attention"), "looks at", later("where the last layer looks")),
    "norms": Method(later("Norms"), "carries", later("how much vector travels in the last layer")),
    "contributions": Method(
        later("Contributions (ALTI+)"),
        "carries",
        later("which tokens of dialogue and summary a token is made of, through all layers"),
    ),
    "value-zeroing": Method(
        later("Value zeroing"), "depends on", later("what changes in the last state without a token's value")
    ),
    "gradient": Method(
        later("Gradient × input"), "depends on", later("effect of each embedding, to first order"), foil=True
    ),
    "integrated": Method(
        later("Integrated gradients"),
        "depends on",
        later("effect of each embedding, along a path from nothing"),
        foil=True,
    ),
    "occlusion": Method(
        later("Leave one out"), "depends on", later("what is lost when a part is hidden alone"), foil=True, whole=True
    ),
    "shapley": Method(
        later("Shapley values"),
        "depends on",
        later("share of each turn, with what turns say twice divided between them"),
        foil=True,
        whole=True,
    ),
    "reliance": Method(
        later("Reliance on the dialogue"),
        "depends on",
        later("what the words owe to the content of the dialogue"),
        foil=True,
        whole=True,
    ),
    "random": Method(later("Random"), "chance", later("nothing: drawn values, which every method must beat")),
}
