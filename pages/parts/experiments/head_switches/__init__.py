"""Every head as a switch, coloured by its effect when it is ablated alone.

Layers and heads are counted from 0 here and from 1 on screen.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from core.explain.attention.inside import Kind
from core.figures.experiments.effect_scale import COLORS, MEANING, largest, share, ticks
from core.figures.shared.wording import KIND_NAMES, figures, head_name, number
from core.words import later, say
from pages.shared.components import component

head_switches = component(__file__, flip={"kind": str, "layer": int, "head": (int, None)})
"""`st.session_state[key].flip` is {kind, layer, head} inside `on_flip_change`, when a head should be flipped. Without a
head the whole layer is meant: all its heads go off, or on again if all are off."""
Place = tuple[Kind, int, int]
"""A head: its kind of attention, layer and head."""
GRIDS: dict[Kind, str] = {
    "encoder": later("Encoder self"),
    "decoder": later("Decoder self"),
    "cross": later("Cross"),
}


def switches_data(
    damage: Mapping[Place, float | None],
    off: Collection[Place],
    shape: Mapping[Kind, tuple[int, int]],
    tags: Mapping[Any, str] | None,
) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        damage: effect of ablating a head, in nats a token; None or missing: not measured yet.
        off: heads that are switched off.
        shape: layers and heads of each kind that the model has.
        tags: what the catalogue says of a head ("copy · 1st"), or None.

    Raises:
        ValueError: a head is named that the model does not have.
    """
    kinds = [kind for kind in GRIDS if kind in shape]
    places = [(kind, layer, head) for kind in kinds for layer, head in np.ndindex(*shape[kind])]
    strange = [place for place in (*damage, *off) if place not in places]
    if strange:
        raise ValueError(f"heads must be inside {dict(shape)}. Received: {strange[0]}")
    limit = largest(damage.values())
    measured = [place for place in places if damage.get(place) is not None]

    def cell(place: Place) -> dict[str, Any]:
        value = damage.get(place)
        return {
            "on": place not in off,
            "share": share(value, limit),
            "text": "·" if value is None else number(value),
            "tip": _head_tip(place, place not in off, value, (tags or {}).get(place)),
        }

    def row(kind: Kind, layer: int) -> dict[str, Any]:
        heads = [(kind, layer, head) for head in range(shape[kind][1])]
        dark = sum(place in off for place in heads)
        where = {"attention": say(KIND_NAMES[kind]), "layer": layer + 1}
        return {
            "name": say("Layer {layer}", layer=layer + 1),
            "pressed": "false" if dark == len(heads) else "mixed" if dark else "true",
            "tip": say("{attention}, layer {layer}: switch all its heads on again", **where)
            if dark == len(heads)
            else say("{attention}, layer {layer}: switch all its heads off", **where),
            "cells": [cell(place) for place in heads],
        }

    def grid(kind: Kind) -> dict[str, Any]:
        rows = [row(kind, layer) for layer in range(shape[kind][0])]
        return {"kind": kind, "title": say(GRIDS[kind]), "heads": shape[kind][1], "rows": rows}

    alone = say("Each head ablated alone, a token; the same scale for all heads.")
    return {
        "grids": [grid(kind) for kind in kinds],
        "colors": COLORS,
        "scale": ticks(limit) if measured else None,
        "meaning": f"{say(MEANING)} {alone}" if measured else "",
        "unmeasured": say("not measured yet") if len(measured) < len(places) else "",
        "crossed": say("with a cross: switched off"),
    }


def _head_tip(place: Place, on: bool, value: float | None, tag: str | None) -> str:
    kind, layer, head = place
    where = {"attention": say(KIND_NAMES[kind]), "head": head_name(layer, head)}
    sentences = [say("{attention}, {head}: on.", **where) if on else say("{attention}, {head}: off.", **where)]
    if value is None:
        sentences.append(say("Its effect is not measured yet."))
    elif value < 0:
        size = f"−{figures(-value)}"
        sentences.append(say("Effect {size}\u00a0nats a token: without it the summary is more probable.", size=size))
    else:
        size = figures(value)
        sentences.append(say("Effect {size}\u00a0nats a token: without it the summary is less probable.", size=size))
    if tag:
        sentences.append(say("In the catalogue: {tag}.", tag=tag))
    return " ".join(sentences)
