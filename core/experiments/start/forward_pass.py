"""One step of a run on its way through the network: from the token that is read most to the word that is written.

S source tokens, T summary tokens, D width, L encoder layers, M decoder layers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.experiments.positions import first_input
from core.explain.shared import cross
from core.explain.shared.readings import readings, whose
from core.files import finite
from core.trace import Array, Summary

if TYPE_CHECKING:
    from core.service import Summarizer

NUMBERS = 12
"""How many of the D numbers of a vector are kept."""
BEST = 4
"""Alternatives of a step that are kept."""
DIGITS = 2
Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Network:
    """What a run went through.

    Args:
        source: S.
        width: D.
        encoder: L.
        decoder: M.
        heads: of a layer; 0 for a recurrent model.
        vocabulary: tokens that can be written.
    """

    source: int
    width: int
    encoder: int
    decoder: int
    heads: int
    vocabulary: int


@dataclass(frozen=True, slots=True)
class ForwardPass:
    """What happened at one step; of every vector the first numbers.

    Args:
        place: index of the source token that gets the largest cross-attention in the turn that is read most.
        text: of this token.
        id: of this token.
        embedding: its row of the embedding table, as the network scales it; () where it was not kept.
        position: what is added for its position; () for a model that adds none.
        encoder: [L] its state after each encoder layer.
        weight: cross-attention that the token gets.
        decoder: [M] the state of the step after each decoder layer.
        best: the most probable next tokens with their probabilities.
    """

    place: int
    text: str
    id: int
    embedding: Vector
    position: Vector
    encoder: tuple[Vector, ...]
    weight: float
    decoder: tuple[Vector, ...]
    best: tuple[tuple[str, float], ...]


def network(summarizer: "Summarizer", summary: Summary) -> Network:
    """Return the sizes of what a run went through."""
    layers = [len(states) - 1 for states in (summary.encoder_hidden, summary.decoder_hidden)]
    size = summary.encoder_hidden.shape[-1]
    weights = summary.attention.cross
    heads = 0 if weights is None or not summarizer.config.has.heads else weights.shape[1]
    vocabulary = int(summary.logits.shape[-1])
    return Network(len(summary.source), size, encoder=layers[0], decoder=layers[1], heads=heads, vocabulary=vocabulary)


def forward_passes(summarizer: "Summarizer", summary: Summary) -> tuple[ForwardPass, ...]:
    """Return every step of a summary; () for a model without cross-attention."""
    chosen = whose(summary)
    if not chosen:
        return ()
    weights = cross.weights(summary.attention, chosen)
    embedded, placed = _inputs(summarizer, summary)
    passes = []
    for row, reading, step, states in zip(
        weights, readings(summary), summary.steps, summary.decoder_hidden.swapaxes(0, 1), strict=True
    ):
        inside = np.array([token.turn == reading.turn for token in summary.source])
        place = int(np.where(inside, row, -1).argmax())
        token = summary.source[place]
        passes.append(
            ForwardPass(
                place,
                token.text,
                token.id,
                _first(embedded[place]),
                _first(placed[place]) if placed is not None else (),
                tuple(map(_first, summary.encoder_hidden[1:, place])),
                round(float(row[place]), 4),
                tuple(map(_first, states[1:])),
                tuple((each.text, round(each.probability, 4)) for each in step.alternatives[:BEST]),
            )
        )
    return tuple(passes)


def _inputs(summarizer: "Summarizer", summary: Summary) -> tuple[Array, Array | None]:
    """Return embeddings and positions, [S, D] each; without positions that are added, the first input and None."""
    if summarizer.config.has.positions not in (None, "relative"):
        vectors = first_input(summarizer, summary)
        return vectors.embedded, vectors.positions
    return summary.encoder_hidden[0], None


def _first(vector: Array) -> Vector:
    return tuple(round(float(number), DIGITS) for number in vector[:NUMBERS])


def to_dict(found: Network, passes: Sequence[ForwardPass]) -> dict[str, Any]:
    """Return plain JSON types."""
    return {"network": asdict(found), "passes": [asdict(forward_pass) for forward_pass in passes]}


def from_dict(values: Mapping[str, Any], steps: int) -> tuple[Network, tuple[ForwardPass, ...]]:
    """Build from what `to_dict` returned; `steps` is T. Raises LookupError, TypeError or ValueError."""
    sizes = Network(**{name: _count(values["network"][name]) for name in Network.__slots__})
    passes = tuple(_pass(forward_pass, sizes) for forward_pass in values["passes"])
    if len(passes) != steps:
        raise ValueError(f"passes must be {steps}, one a token. Received: {len(passes)}")
    return sizes, passes


def _pass(values: Mapping[str, Any], sizes: Network) -> ForwardPass:
    if not isinstance(values["text"], str) or len(values["best"]) > BEST:
        raise ValueError(f"a pass must have a text, and at most {BEST} alternatives")
    place, layers = _count(values["place"]), (values["encoder"], values["decoder"])
    if place >= sizes.source or tuple(map(len, layers)) != (sizes.encoder, sizes.decoder):
        raise ValueError(f"a pass must have a place below {sizes.source}, and one state a layer")
    encoder, decoder = (tuple(map(_vector, states)) for states in layers)
    best = tuple((_text(text), finite(share)) for text, share in values["best"])
    ends = (_vector(values["embedding"]), _vector(values["position"]), encoder, finite(values["weight"]), decoder, best)
    return ForwardPass(place, values["text"], _count(values["id"]), *ends)


def _vector(values: Any) -> Vector:
    if len(values) > NUMBERS:
        raise ValueError(f"a vector must have at most {NUMBERS} numbers. Received: {len(values)}")
    return tuple(map(finite, values))


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError("a size must be a whole number from 0")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a token must be a text")
    return value
