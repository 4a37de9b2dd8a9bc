"""The two stacks as a diagram: boxes that can be clicked, and the lines between them."""

import re
from collections.abc import Callable
from typing import Any

from core.config import ModelConfig
from core.explain import blueprint
from core.explain.blueprint import Box, Stack
from core.figures.wording import count
from pages.shared.components import component

_DIAGRAM = component(__file__)
_LAYER = re.compile(r"(encoder|decoder)/block([1-9]\d{0,3})(?:/|$)")
KINDS = (
    ("embeddings", "embeddings"),
    ("attention", "attention"),
    ("feed-forward", "feed-forward"),
    ("norms", "layer normalisation"),
    ("output", "output"),
)
LINES = (
    ("memory", "encoder states: keys and values"),
    ("residual", "residual connection"),
    ("mask", "mask"),
)
SHARED_LINE = ("shared", "one table for both")
HINT = "Click a box for its tensors and source lines, a number for another layer. Esc shows all again."


def stacks(config: ModelConfig, part: str) -> tuple[Stack, Stack]:
    """Encoder and decoder with the layer that a part names; otherwise the first."""
    found = _LAYER.match(part)
    layers = {found[1]: int(found[2])} if found else {}
    return blueprint.stacks(config, layers.get("encoder", 1), layers.get("decoder", 1))


def known(config: ModelConfig, layers: int, part: str) -> bool:
    """Whether a part is a box, or a layer as a whole, up to so many layers of a stack."""
    drawn = stacks(config, part)
    paths = {box.path for stack in drawn for box in stack.boxes} | {stack.path for stack in drawn} | {""}
    return part in paths and all(stack.layer <= min(stack.layers, layers) for stack in drawn)


def title(config: ModelConfig, part: str) -> str:
    """A part in words: Self-attention of encoder layer 1."""
    for stack in stacks(config, part):
        if part == stack.path:
            return f"{stack.name.capitalize()} layer {stack.layer}"
        for box in stack.boxes:
            if box.path == part:
                return f"{box.name} of {stack.name} layer {stack.layer}" if part.startswith(stack.path) else box.name
    return "The whole pass"


def draw(config: ModelConfig, part: str, layers: int, *, key: str, on_pick: Callable[[], None]) -> None:
    """Draw the diagram.

    Args:
        config: the model's shape.
        part: path of the box or layer that is chosen, or "".
        layers: how many layers of each stack can be looked at.
        key: of the component; `st.session_state[key].pick` is {path} inside `on_pick`, "" for nothing.
        on_pick: called when a box or a layer was clicked.
    """
    show(diagram_data(config, part, layers), key=key, on_pick=on_pick)


def show(data: dict[str, Any], *, key: str, on_pick: Callable[[], None]) -> None:
    """Draw what `diagram_data` gives, or the like."""
    _DIAGRAM(key=key, data=data, on_pick_change=on_pick)


def diagram_data(config: ModelConfig, part: str, layers: int) -> dict[str, Any]:
    """What the diagram's script draws; an edge is its kind and the paths of two boxes."""
    drawn = stacks(config, part)
    return {
        "stacks": [stack_data(stack, layers) for stack in drawn],
        "edges": edges(config, *drawn),
        "chosen": part,
        "kinds": [list(kind) for kind in KINDS],
        "lines": [list(line) for line in (*LINES, *([SHARED_LINE] if config.share_embeddings else []))],
        "hint": HINT,
    }


def table(config: ModelConfig) -> dict[str, list[Any]]:
    """The boxes as a table, one layer of each stack."""
    rows = [(stack, box) for stack in blueprint.stacks(config) for box in stack.boxes]
    return {
        "Stack": [stack.name for stack, _ in rows],
        "Box": [box.name for _, box in rows],
        "Sizes": [box.detail for _, box in rows],
        "Parameters": [box.parameters for _, box in rows],
        "Layers": [stack.layers if box.path.startswith(stack.path) else 1 for stack, box in rows],
        "Path": [box.path for _, box in rows],
    }


def caption(name: str, config: ModelConfig) -> str:
    """The diagram in one sentence."""
    order = "before each sub-layer (pre-norm)" if config.norm == "pre" else "after each sum (post-norm)"
    shared = {
        (True, True): "source, target and output share one table",
        (True, False): "source and target share one table",
        (False, True): "the output layer shares the target's table",
        (False, False): "no table is shared",
    }[config.share_embeddings, config.share_output]
    copying = ", and a copy head points at source tokens" if config.copy else ""
    layers = f"{count(config.encoder_layers, 'encoder layer')}, {count(config.decoder_layers, 'decoder layer')}"
    heads = f"{count(config.num_heads, 'head')} of width {config.key_dim:,}"
    return f"“{name}”: {layers}, width {config.d_model:,}, {heads}, the norm {order}; {shared}{copying}."


def edges(config: ModelConfig, encoder: Stack, decoder: Stack) -> list[list[str]]:
    """The lines between the boxes."""
    found = [edge for stack in (encoder, decoder) for edge in _within(stack)]
    last = encoder.boxes[-1].path
    found.append(["memory", last, f"{decoder.path}/cross_attention"])
    if config.copy:
        found.append(["memory", last, "copy_head"])
    if config.share_embeddings:
        found.append(["shared", "source_embedding", "target_embedding"])
    return found


def _within(stack: Stack) -> list[list[str]]:
    """The way down, past the mask; around each sub-layer; from the mask to the self-attention."""
    *_, positions, mask = (box.path for box in stack.before)
    boxes = [box.path for box in stack.boxes if box.path != mask]
    found = [["past" if one == positions else "down", one, other] for one, other in zip(boxes, boxes[1:], strict=False)]
    for place, group in enumerate(stack.block):
        kind = "residual" if place else "residual first"  # it leaves the line that passes the mask
        found.append([kind, group[0].path, next(box.path for box in group if box.kind == "add")])
    found.append(["mask", mask, f"{stack.path}/self_attention"])
    return found


def stack_data(stack: Stack, layers: int) -> dict[str, Any]:
    """A stack as the script draws it; `layers` of its blocks can be looked at."""
    return {
        "name": stack.name,
        "title": stack.name.capitalize(),
        "count": count(stack.layers, "layer") + (", all alike" if layers == 1 < stack.layers else ""),
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
