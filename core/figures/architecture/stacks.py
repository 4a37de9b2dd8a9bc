"""The two stacks of a model as a diagram: its boxes and lines as plain values, their table and a sentence."""

import re
from typing import Any

from core.config import ModelConfig, NetworkConfig, RecurrentConfig
from core.explain.architecture import blueprint, recurrent_stacks
from core.explain.architecture.blueprint import Box, Stack
from core.explain.shared.recomputing import check_blocks
from core.figures.shared.wording import count, listed
from core.words import later, say

_LAYER = re.compile(r"(encoder|decoder)/block([1-9]\d{0,3})(?:/|$)")
KINDS = {
    "embeddings": later("embeddings"),
    "bias": later("bias by distance"),
    "attention": later("attention"),
    "feed-forward": later("feed-forward"),
    "norms": later("layer normalisation"),
    "output": later("output"),
}
TITLES = {"encoder": later("Encoder"), "decoder": later("Decoder")}
NAMES = {"encoder": later("encoder"), "decoder": later("decoder")}
"""Kinds of boxes and the two stacks, marked with `later`."""


def stacks(config: NetworkConfig, part: str = "") -> tuple[Stack, Stack]:
    """Return encoder and decoder with the layer that a part names; otherwise the first."""
    if cells := config.has.cells:
        return recurrent_stacks.stacks(cells)
    match = _LAYER.match(part)
    layers = {match[1]: int(match[2])} if match else {}
    return blueprint.stacks(check_blocks(config), layers.get("encoder", 1), layers.get("decoder", 1))


def known(config: NetworkConfig, part: str, layers: int) -> bool:
    """Return whether a part is "", a box, or a layer as a whole, up to so many layers of a stack."""
    drawn = stacks(config, part)
    paths = {box.path for stack in drawn for box in stack.boxes} | {""}
    if config.has.blocks:
        paths |= {stack.path for stack in drawn}
    return part in paths and all(stack.layer <= min(stack.layers, layers) for stack in drawn)


def title(config: NetworkConfig, part: str) -> str:
    """Return a part in words: Self-attention of encoder layer 1."""
    for stack in stacks(config, part):
        if part == stack.path:
            encoder = stack.name == "encoder"
            layer = {"layer": stack.layer}
            return say("Encoder layer {layer}", **layer) if encoder else say("Decoder layer {layer}", **layer)
        for box in stack.boxes:
            if box.path == part:
                if not part.startswith(stack.path):
                    return box.name
                values = {"box": box.name, "layer": stack.layer}
                if stack.name == "encoder":
                    return say("{box} of encoder layer {layer}", **values)
                return say("{box} of decoder layer {layer}", **values)
    return say("The whole pass") if config.has.blocks else say("Every layer")


def diagram_data(config: NetworkConfig, part: str, layers: int) -> dict[str, Any]:
    """Return what the diagram's script draws; an edge is its kind and the paths of two boxes.

    Args:
        config: the model's shape.
        part: path of the box or layer that is chosen, or "".
        layers: how many layers of each stack can be looked at.
    """
    drawn = stacks(config, part)
    if cells := config.has.cells:
        one_vector = cells.attention == "none"
        kinds = KINDS | {"feed-forward": "LSTM"}
        memory = say("the last state: one vector") if one_vector else say("every state of the encoder")
        lines = [["memory", memory]]
        edges, hint = recurrent_stacks.edges(cells), say("Click a box for its layers; Esc shows all again.")
    else:
        blocks = check_blocks(config)
        kinds = KINDS | ({"norms": later("RMS normalisation")} if blocks.normalization == "rms" else {})
        lines = [
            ["memory", say("encoder states: keys and values")],
            ["residual", say("residual connection")],
            ["mask", say("mask and bias") if blocks.positions == "relative" else say("mask")],
        ]
        edges = _edges(blocks, *drawn)
        hint = say("Click a box for its tensors and source lines, a number for another layer. Esc shows all again.")
    shared = [["shared", say("one table for both")]] if config.share_embeddings else []
    used = {box.kind for stack in drawn for box in stack.boxes}
    return {
        "stacks": [_stack(stack, layers) for stack in drawn],
        "edges": edges,
        "chosen": part,
        "kinds": [[kind, say(name)] for kind, name in kinds.items() if kind in used],
        "lines": lines + shared,
        "hint": hint,
    }


def table(config: NetworkConfig) -> dict[str, list[Any]]:
    """Return the boxes as a table, one layer of each stack."""
    rows = [(stack, box) for stack in stacks(config) for box in stack.boxes]
    return {
        later("Stack"): [say(NAMES[stack.name]) for stack, _ in rows],
        later("Box"): [box.name for _, box in rows],
        later("Sizes"): [box.detail for _, box in rows],
        later("Parameters"): [box.parameters for _, box in rows],
        later("Layers"): [stack.layers if box.path.startswith(stack.path) else 1 for stack, box in rows],
        later("Path"): [box.path for _, box in rows],
    }


def caption(name: str, config: NetworkConfig) -> str:
    """Return the diagram in one sentence; `name` is the model's."""
    cells = config.has.cells
    if cells:
        return f"“{name}”: {_recurrent(cells)}."
    other = differences(check_blocks(config))
    whole = f"“{name}”: {_transformer(check_blocks(config))}."
    return f"{whole} {say('Not as in the paper: {differences}.', differences=listed(other))}" if other else whole


def _recurrent(config: RecurrentConfig) -> str:
    values = {"units": f"{config.units:,}", "parameters": count(recurrent_stacks.total(config), "parameter")}
    if config.attention == "none":
        return say(
            "two LSTMs of {units} units, no attention: one vector carries the source to the decoder; {parameters}",
            **values,
        )
    return say(
        "two LSTMs of {units} units, {kind} to every state of the encoder, where the decoder begins with the last one; "
        "{parameters}",
        kind=say(recurrent_stacks.SCORES[config.attention].name),
        **values,
    )


def _transformer(config: ModelConfig) -> str:
    shared = {
        (True, True): later("source, target and output share one table"),
        (True, False): later("source and target share one table"),
        (False, True): later("the output layer shares the target's table"),
        (False, False): later("no table is shared"),
    }[config.share_embeddings, config.share_output]
    parts = [
        count(config.encoder_layers, "encoder layer"),
        count(config.decoder_layers, "decoder layer"),
        say("width {width:,}", width=config.d_model),
        blueprint.heads(config.num_heads, config.key_dim),
        say("the norm before each sub-layer (pre-norm)")
        if config.norm == "pre"
        else say("the norm after each sum (post-norm)"),
    ]
    return f"{', '.join(parts)}; {_copying(config, say(shared))}"


def _copying(config: ModelConfig, shared: str) -> str:
    """Add to what is shared who points at tokens to copy, if anything does."""
    if not config.copy:
        return shared
    if not config.copy_heads:
        return say("{shared}, and a copy head points at source tokens to copy", shared=shared)
    return say(
        "{shared}, and {heads} of the last cross-attention point at source tokens to copy",
        shared=shared,
        heads=count(config.copy_heads, "head"),
    )


def differences(config: ModelConfig) -> list[str]:
    """List what a model does otherwise than Vaswani et al. 2017, apart from the place of the norm and copying."""
    positions = {
        "learned": say("learned positions"),
        "halves": say("all sines of the positions before the cosines"),
        "relative": say("a bias by distance in self-attention in place of positions"),
    }
    inner = say("{activation} in the feed-forward networks", activation=blueprint.activation(config))
    deviations = {
        positions.get(config.positions, ""): config.positions in positions,
        say("embeddings that are not multiplied by √D"): not config.embedding_scale,
        say("a vector of its speaker at each token of the source"): config.speakers > 0,
        say("a norm of the embeddings"): config.embedding_norm != "none",
        say("RMS norms"): config.normalization == "rms",
        inner: config.gated or config.activation != "relu",
        say("scores that are not divided by √K"): not config.score_scale,
        say("maps without biases"): not config.biases,
        say("states divided by √D before the output"): config.output_scale,
        say("a bias of each token at the output"): config.share_output and config.output_bias,
        say("a forced first token, id {id}", id=config.forced_first): config.forced_first is not None,
        say("a forced end token at the longest length"): config.forced_last,
        say("{tokens} never written", tokens=count(len(config.suppressed), "token")): bool(config.suppressed),
    }
    return [words for words, holds in deviations.items() if holds]


def _edges(config: ModelConfig, encoder: Stack, decoder: Stack) -> list[list[str]]:
    """Return the lines between the boxes of a Transformer."""
    edges = [edge for stack in (encoder, decoder) for edge in _within(stack)]
    last = encoder.boxes[-1].path
    edges.append(["memory", last, f"{decoder.path}/cross_attention"])
    if config.copy_heads:
        edges.append(["memory", f"{decoder.path}/cross_attention", "cross_copy"])
    elif config.copy:
        edges.append(["memory", last, "copy_head"])
    if config.share_embeddings:
        edges.append(["shared", "source_embedding", "target_embedding"])
    return edges


def _within(stack: Stack) -> list[list[str]]:
    """Return the way down, past mask and bias; around each sub-layer; from mask and bias to the self-attention."""
    aside = [box.path for box in stack.before if box.kind in ("mask", "bias")]
    last = [box.path for box in stack.before if box.path not in aside][-1]
    boxes = [box.path for box in stack.boxes if box.path not in aside]
    edges = [["past" if one == last else "down", one, other] for one, other in zip(boxes, boxes[1:], strict=False)]
    for place, group in enumerate(stack.block):
        kind = "residual" if place else "residual first"  # it leaves the line that passes mask and bias
        edges.append([kind, group[0].path, next(box.path for box in group if box.kind == "add")])
    return edges + [["mask", path, f"{stack.path}/self_attention"] for path in aside]


def _stack(stack: Stack, layers: int) -> dict[str, Any]:
    """Return a stack as the script draws it; `layers` of its blocks can be looked at."""
    amount = count(stack.layers, "layer")
    return {
        "name": stack.name,
        "title": say(TITLES[stack.name]),
        "count": say("{layers}, all alike", layers=amount) if layers == 1 < stack.layers else amount,
        "numbered": min(stack.layers, layers),
        "layer": stack.layer,
        "before": [_box(box) for box in stack.before],
        "block": [[_box(box) for box in group] for group in stack.block],
        "after": [_box(box) for box in stack.after],
    }


def _box(box: Box) -> dict[str, str]:
    amount = count(box.parameters, "parameter") if box.parameters else ""
    return {
        "path": box.path,
        "name": box.name,
        "detail": box.detail,
        "kind": box.kind,
        "count": f"{box.parameters:,}" if box.parameters else "",
        "tip": ", ".join(filter(None, [f"{box.name}: {box.detail}", amount])),
    }
