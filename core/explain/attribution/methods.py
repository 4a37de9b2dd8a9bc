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


MAPS: Mapping[str, Map] = {
    "weights": Map(
        later("Looks at"),
        later("weights"),
        later("**Looks at**: the weight with which a token is taken in. The weights of a row sum to 1."),
        later(
            "{what}: over all rows “{best}” gets most, {share} of the attention; the strongest single cell is "
            "“{query}” → “{key}” with {weight}."
        ),
    ),
    "norms": Map(
        later("Norms"),
        later("vector norms"),
        later(
            "**Carries**: the length of the vector that arrives from each token, as a share of its row (Kobayashi et "
            "al. 2020). A large weight on a short vector brings little."
        ),
        later(
            "{what}: over all rows “{best}” sends most, {share} of the lengths that arrive; the strongest single cell "
            "is “{query}” ← “{key}” with {weight}."
        ),
    ),
    "contributions": Map(
        later("Carries"),
        later("contributions"),
        later(
            "**Carries**: what the output of this attention is made of, its direction counted (ALTI, Ferrando et al. "
            "2022). In self-attention a token's own state is in its own cell; in cross-attention what is missing to 1 "
            "is the state that was there before."
        ),
        later(
            "{what}: over all rows “{best}” brings most, {share} of what comes out; the strongest single cell is "
            "“{query}” ← “{key}” with {weight}."
        ),
        heads=False,
    ),
    "zeroing": Map(
        later("Value zeroing"),
        later("value zeroing"),
        later(
            "**Depends on**: how far the layer's output turns without the value of a token, as a share of its row "
            "(Mohebbi et al. 2023). The weights stay."
        ),
        later(
            "{what}: over all rows “{best}” changes most, {share} of all changes; the strongest single cell is "
            "“{query}” ← “{key}” with {weight}."
        ),
        heads=False,
    ),
}
"""What the maps of an attention can show; `core.explain.attribution.maps` computes all but its weights."""
