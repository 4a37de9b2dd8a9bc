"""Ablate attention heads: zero, mean and resampling ablation (Michel et al. 2019; Wang et al. 2023)."""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from core.config import ModelConfig
from core.errors import CorpusError, DialogueError, SettingsError
from core.experiments.effects import Condition, forced
from core.explain.attention.catalogue import Effects
from core.explain.attention.head_outputs import Head, part_name
from core.explain.attention.inside import Kind
from core.explain.shared.recomputing import check_blocks
from core.model.gates import HeadGates, all_heads
from core.trace import Array

if TYPE_CHECKING:
    from core.service import Summarizer

_FIELDS: Mapping[Kind, str] = {"encoder": "encoder_self", "decoder": "decoder_self", "cross": "cross"}


def shape(config: ModelConfig) -> dict[Kind, tuple[int, int]]:
    """Return the numbers of layers and heads of each kind of attention."""
    decoder = (config.decoder_layers, config.num_heads)
    return {"encoder": (config.encoder_layers, config.num_heads), "decoder": decoder, "cross": decoder}


def every_head(config: ModelConfig) -> tuple[Head, ...]:
    """Return all heads: encoder self-attention, decoder self-attention, cross-attention, layer by layer."""
    return tuple(
        Head(kind, layer, head)
        for kind, (layers, heads) in shape(config).items()
        for layer in range(layers)
        for head in range(heads)
    )


def gates(
    config: ModelConfig, off: Collection[Head], means: Mapping[Head, Array] | None = None, copies: bool = False
) -> HeadGates:
    """Return gates that ablate some heads.

    Args:
        config: the model's shape.
        off: the heads to ablate.
        means: output [K] of every head before the output projection that stands for its own: its mean, or that in
            another dialogue; None: zero ablation.
        copies: whether heads that copy still point at their tokens.

    Raises:
        SettingsError: the model has no such head.
    """
    known = every_head(config)
    strange = [head for head in off if head not in known]
    if strange:
        kind, layer, head = strange[0]
        raise SettingsError(
            "this model has no such head. Received: {kind}, layer {layer}, head {head}; allowed: {allowed}",
            kind=kind,
            layer=layer + 1,
            head=head + 1,
            allowed=", ".join(f"{name} {layers} × {heads}" for name, (layers, heads) in shape(config).items()),
        )
    result: HeadGates = all_heads(config)
    for kind, layer, head in off:
        gate = getattr(result, _FIELDS[kind])
        gate.open[layer, head], gate.copies[layer, head] = 0, copies
    for place, mean in (means or {}).items():
        getattr(result, _FIELDS[place.kind]).fill[place.layer, place.head] = mean
    return result


def write(off: Collection[Head]) -> str:
    """Write heads for a link: `cross3.2` is layer 3, head 2."""
    return "-".join(part_name(*head) for head in sorted(off))


def read(text: str, config: ModelConfig) -> frozenset[Head]:
    """Read what `write` wrote; raises SettingsError for other text and for heads that the model does not have."""
    names = {write([head]): head for head in every_head(config)}
    parts = [part for part in text.split("-") if part]
    strange = [part for part in parts if part not in names]
    if strange:
        raise SettingsError(
            "a head is written like cross1.1, and this model must have it. Received: {received}; the last one is "
            "{last}",
            received=repr(strange[0][:20]),
            last=write(list(names.values())[-1:]),
        )
    return frozenset(names[part] for part in parts)


def parts(config: ModelConfig) -> dict[str, tuple[Head, ...]]:
    """Return every part that is switched off, and its heads: "cross", "cross3", "cross3.2" and so on."""
    heads: dict[str, tuple[Head, ...]] = {}
    for head in every_head(config):
        for name in (part_name(head.kind), part_name(head.kind, head.layer), part_name(*head)):
            heads[name] = (*heads.get(name, ()), head)
    return heads


def measure(
    summarizer: "Summarizer",
    dialogues: Iterable[str],
    count: int,
    report: Callable[[int], None] | None = None,
) -> Effects:
    """Score the model's own summaries under teacher forcing with each part off (zero ablation, Michel et al. 2019).

    Args:
        summarizer: a checkpoint with attention heads.
        dialogues: their texts; those that cannot be summarized are left out.
        count: dialogues that are measured at most.
        report: called with the number of finished dialogues.

    Returns:
        For each part the mean loss of log-probability, in nats a token.

    Raises:
        CorpusError: no dialogue could be summarized.
        SettingsError: the model is not a Transformer.
    """
    config = check_blocks(summarizer.config)
    named = parts(config)
    changes = [None, *(gates(config, heads) for heads in named.values())]
    lost, tokens, measured = dict.fromkeys(named, 0.0), 0, 0
    for dialogue in islice(dialogues, count):
        try:
            encoded = summarizer.encode(dialogue)
        except DialogueError:
            continue
        _, ids = summarizer.write(encoded)
        whole, *without = forced(summarizer, [Condition(encoded, change) for change in changes], ids)
        for name, row in zip(named, without, strict=True):
            lost[name] += float((whole - row).sum())
        tokens, measured = tokens + len(ids), measured + 1
        if report:
            report(measured)
    if not measured:
        raise CorpusError("no dialogue could be summarized: no head was switched off")
    return Effects(measured, tokens, {name: value / tokens for name, value in lost.items()})
