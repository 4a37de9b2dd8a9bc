"""One head for one query as six stages side by side: what stands in every cell, and the arithmetic behind it.

N keys, R rows drawn, K width of a head, D width of the model.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.attention.inside import HeadStages
from core.figures.attention.stage_derivations import (
    key_derivations,
    length,
    others_derivations,
    output_derivation,
    query_derivation,
    total_derivations,
)
from core.figures.attention.stages import FEW, SHOWN, check_labels, numbered, scoring_steps, shown_keys
from core.figures.shared.wording import KIND_NAMES, count, figures, head_name, plain
from core.words import later, say

MOST = 128
"""Most keys that have a row. The table of `stages_picture` has all."""
LARGEST = 5
"""Numbers of q and of the output that are named."""


def stage_cells(
    stages: HeadStages, query_label: str, key_labels: Sequence[str], chosen: int | None, shown: int
) -> dict[str, Any]:
    """Return the cells of all stages as plain values, their vectors as arrays.

    Args:
        stages: one head for one query.
        query_label: text of the query token.
        key_labels: texts of the N keys, in their order; they may repeat.
        chosen: a key that has a row in any case; a number outside the keys means none.
        shown: keys with the largest weights that get a row, if there are more than 24; at most 128.

    Raises:
        ValueError: there is not one label a key.
    """
    check_labels(stages, key_labels)
    names = numbered(key_labels)
    shown = min(max(shown, FEW), MOST)
    chosen = chosen if chosen is not None and 0 <= chosen < len(names) else None
    top = shown_keys(stages.weights, shown)
    apart = sorted({*top, *([] if chosen is None else [chosen])})
    others = sorted(set(range(len(names))) - set(apart))
    ends = [0.0, *stages.scores[apart][stages.mask[apart]].tolist()]
    axis = min(ends), max(ends)  # the scale of the scores that are drawn
    query = f"“{plain(query_label)}”"
    return {
        "title": say(
            "{attention}, {head}, query {query}",
            attention=say(KIND_NAMES[stages.kind]),
            head=head_name(stages.layer, stages.head),
            query=query,
        ),
        "headings": _headings(stages, query),
        "rows": [_row(stages, key, names[key], axis) for key in apart],
        "others": _others(stages, others) if others else None,
        "total": {"weight": figures(float(stages.weights.sum()), 3), "sums": total_derivations(stages)},
        "query": _card(stages.query) | {"sums": [query_derivation(stages)]},
        "output": _card(stages.output) | {"sums": [output_derivation(stages)]},
        "vectors": _vectors(stages, apart, others),
        "axis": [figures(end) if end else "0" for end in axis],
        "largest": figures(float(stages.weights.max()), 3),
        "best": int(np.argmax(stages.weights)),
        "counted": _counted(len(names), len(apart), len(apart) > len(top)),
        "shown": shown,
        "more": max(0, min(SHOWN, len(others), MOST - shown)),
        "fewest": SHOWN,
        "chosen": chosen,
    }


def _headings(stages: HeadStages, query: str) -> list[list[str]]:
    """Return heading and meaning of each stage; the query of a decoder is the place where a token is written."""
    scored = {
        say("made smaller"): stages.divides,
        say("moved by its distance"): stages.bias is not None,
        say("the future hidden"): not stages.mask.all(),
    }
    meaning = "; ".join(text for text, holds in scored.items() if holds)
    looks, writes = say("what {query} looks for", query=query), say("the step that writes {query}", query=query)
    return [
        [say("1 · query q"), looks if stages.kind == "encoder" else writes],
        [say("2 · keys k, q · k"), say("what each token offers, and how well it fits")],
        [f"3 · {', '.join([*scoring_steps(stages), say('mask')])}", meaning or say("taken as they are")],
        ["4 · softmax", say("shares that add up to 1")],
        [say("5 · × values v"), say("what each token hands over")],
        [say("6 · output W_O"), say("what this head adds")],
    ]


def _row(stages: HeadStages, key: int, name: str, axis: tuple[float, float]) -> dict[str, Any]:
    """Return one key; `bar` is start and length on the axis, and whether it goes to the left."""
    score, weight, visible = float(stages.scores[key]), float(stages.weights[key]), bool(stages.mask[key])
    span = (axis[1] - axis[0]) or 1.0
    return {
        "index": key,
        "name": name,
        "masked": not visible,
        "dot": figures(float(stages.dots[key])),
        "score": figures(score) if visible else say("masked"),
        "bar": [(min(score, 0.0) - axis[0]) / span, abs(score) / span, score < 0] if visible else None,
        "weight": f"{weight:.3f}" if weight >= 0.001 else "< 0.001" if weight else "0",
        "share": weight / float(stages.weights.max()),
        "sums": key_derivations(stages, key),
    }


def _others(stages: HeadStages, others: Sequence[int]) -> dict[str, Any]:
    """Return the row of all keys without a row of their own."""
    return {
        "index": -1,
        "name": say("{tokens} together", tokens=count(len(others), "other token")),
        "masked": not stages.mask[others].any(),
        "weight": figures(float(stages.weights[others].sum()), 3) if stages.mask[others].any() else "0",
        "sums": others_derivations(stages, others),
    }


def _card(vector: NDArray[Any]) -> dict[str, Any]:
    """Return size, length and largest numbers of q or of the output; dimensions from 1."""
    places = np.argsort(-np.abs(vector), kind="stable")[:LARGEST]
    return {
        "facts": [count(len(vector), "number"), say("length {length}", length=length(vector))],
        "largest": [[str(int(place) + 1), figures(float(vector[place]))] for place in places],
    }


def _vectors(stages: HeadStages, apart: Sequence[int], others: Sequence[int]) -> dict[str, NDArray[Any]]:
    """Return all that is drawn as strips; `parts` are weight × v of the rows, the others' sum last."""
    parts = stages.weights[apart, None] * stages.values[apart]  # [R, K]
    if others:
        parts = np.vstack([parts, stages.weights[others] @ stages.values[others]])
    vectors = {"query": stages.query, "keys": stages.keys[apart], "parts": parts}
    return vectors | {"total": stages.weighted, "output": stages.output}


def _counted(keys: int, apart: int, locked: bool) -> str:
    """Say how many keys have a row."""
    if keys == 1:
        return say("There is one key.")
    if apart == keys:
        return say("All {keys} are shown, in their order.", keys=count(keys, "key"))
    message = {
        (True, True): later(
            "{shown} of {all} keys are shown, those with the largest weights and the locked one, in their order; "
            "the other one has one row together."
        ),
        (True, False): later(
            "{shown} of {all} keys are shown, those with the largest weights, in their order; the other one has one "
            "row together."
        ),
        (False, True): later(
            "{shown} of {all} keys are shown, those with the largest weights and the locked one, in their order; "
            "the other {rest} have one row together."
        ),
        (False, False): later(
            "{shown} of {all} keys are shown, those with the largest weights, in their order; the other {rest} have "
            "one row together."
        ),
    }[keys - apart == 1, locked]
    return say(message, shown=apart, all=keys, rest=keys - apart)
