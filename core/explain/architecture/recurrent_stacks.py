"""A recurrent model as boxes, with its parameters and the cost of a pass, from its configuration.

Letters of the formulas: B batch, S source, T target, E width of embeddings, U units, A inner width of the additive
score, V vocabulary. A term without a product is a bias.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.config import RecurrentConfig
from core.explain.architecture.blueprint import EMBEDDING, IDS, Box, Stack
from core.words import later, say


@dataclass(frozen=True)
class Score:
    """How the score of an attention is named and counted.

    Args:
        title: of its box, marked with `later`.
        name: in a sentence, marked with `later`.
        parameters: the numbers that it learns, from U and A.
        formula: of the multiply–adds of one row.
        products: these multiply–adds, from S, T, U and A.
    """

    title: str
    name: str
    parameters: Callable[[int, int], int]
    formula: str
    products: Callable[[int, int, int, int], int]


SCORES = {
    "dot": Score(later("Dot attention"), later("dot attention"), lambda u, a: 0, "T·S·U", lambda s, t, u, a: t * s * u),
    "multiplicative": Score(
        later("Multiplicative attention"),
        later("multiplicative attention"),
        lambda u, a: u * u,
        "S·U² + T·S·U",
        lambda s, t, u, a: s * u * u + t * s * u,
    ),
    "additive": Score(
        later("Additive attention"),
        later("additive attention"),
        lambda u, a: 2 * u * a + a,
        "(S + T)·U·A + T·S·A",
        lambda s, t, u, a: (s + t) * u * a + t * s * a,
    ),
}
"""The values of `core.config.Scoring` but for "none"."""


def stacks(config: RecurrentConfig) -> tuple[Stack, Stack]:
    """Return the encoder and the decoder; paths are those of the model's layers."""
    return (
        Stack("encoder", 1, 1, _inputs(config, "source"), ((_lstm(config, "encoder"),),), ()),
        Stack("decoder", 1, 1, _inputs(config, "target"), (_decoder(config),), (_output(config),)),
    )


def edges(config: RecurrentConfig) -> list[list[str]]:
    """Return the lines between the boxes: down each stack, and from the encoder to the decoder."""
    lines = [
        ["past" if below.path == stack.name else "down", above.path, below.path]  # past the title of the layer
        for stack in stacks(config)
        for above, below in zip(stack.boxes, stack.boxes[1:], strict=False)
    ]
    lines.append(["memory", "encoder", "decoder" if config.attention == "none" else "cross_attention"])
    if config.share_embeddings:
        lines.append(["shared", "source_embedding", "target_embedding"])
    return lines


def total(config: RecurrentConfig) -> int:
    """Return the number of parameters of the whole model."""
    return sum(box.parameters for stack in stacks(config) for box in stack.boxes)


def work(config: RecurrentConfig, batch: int, source: int, target: int) -> dict[str, tuple[str, int]]:
    """Count the multiply–adds of one pass with teacher forcing, by part: formula of one row, number for the batch.

    Args:
        config: the model's shape.
        batch: B.
        source: S.
        target: T.
    """
    width, units, inner, s, t = config.embedding_dim, config.units, config.attention_dim, source, target
    parts = {
        say("Encoder: LSTM"): ("4·S·(E + U)·U", 4 * s * (width + units) * units),
        say("Decoder: LSTM"): ("4·T·(E + U)·U", 4 * t * (width + units) * units),
    }
    if config.attention != "none":
        score = SCORES[config.attention]
        parts[say("Attention: scores")] = (score.formula, score.products(s, t, units, inner))
        parts[say("Attention: weighted sums, and the map that joins")] = (
            "T·S·U + 2·T·U²",
            t * s * units + 2 * t * units * units,
        )
    parts[say("Output: scores of the vocabulary")] = ("T·U·V", t * units * config.target_vocabulary)
    return {name: (formula, count * batch) for name, (formula, count) in parts.items()}


def _inputs(config: RecurrentConfig, side: str) -> tuple[Box, ...]:
    shared = side == "target" and config.share_embeddings
    vocabulary = config.source_vocabulary if side == "source" else config.target_vocabulary
    table = say("the source's table") if shared else f"{vocabulary:,} × {config.embedding_dim:,}"
    return (
        Box(f"{side}_ids", say(IDS[side]), say("numbers of tokens"), "ids", 0),
        Box(
            f"{side}_embedding",
            say(EMBEDDING[side]),
            table,
            "embeddings",
            0 if shared else vocabulary * config.embedding_dim,
        ),
    )


def _lstm(config: RecurrentConfig, side: str) -> Box:
    units = config.units
    count = 4 * (config.embedding_dim + units + 1) * units
    return Box(side, "LSTM", say("{units:,} units, one token after the other", units=units), "feed-forward", count)


def _decoder(config: RecurrentConfig) -> tuple[Box, ...]:
    lstm = _lstm(config, "decoder")
    if config.attention == "none":
        return (lstm,)
    score, units = SCORES[config.attention], config.units
    learnt = score.parameters(units, config.attention_dim) + 2 * units * units
    return (lstm, Box("cross_attention", say(score.title), say("to every encoder state"), "attention", learnt))


def _output(config: RecurrentConfig) -> Box:
    size = f"{config.units:,} → {config.target_vocabulary:,}"
    return Box("output_layer", say("Output layer"), size, "output", (config.units + 1) * config.target_vocabulary)
