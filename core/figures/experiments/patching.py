"""Patching: how much of the difference of a dialogue and its twin one state brings back, and where it is kept."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.figures.experiments.attribution import cells, turn_label, verdict
from core.figures.shared.files import MatrixTable
from core.figures.shared.picture import Picture
from core.figures.shared.wording import KIND_NAMES, capital, cut, head_name, kind_text, percent, plain, signed, small
from core.trace import Array
from core.words import later, say

PUT = {
    "turns": later("States of a turn"),
    "preview": later("States, first order"),
    "cross": later("Cross-attention heads"),
    "encoder": later("Encoder heads"),
    "decoder": later("Decoder heads"),
    "positions": later("Decoder positions"),
}
"""What is put into the twin."""
HALF, LEAST = 0.5, 0.1
"""The share from which on the difference counts as present, and the least end of the scale."""


def patched(patching: Any, put: str, inputs: Sequence[str], answer: str, foil: str) -> Picture:
    """Draw what each state brings back, layers down; see `core.experiments.attribution.patching.Patched`.

    Args:
        patching: what each state brings back.
        put: a key of `PUT`.
        inputs: labels of the decoder's inputs, [SOS] first.
        answer: text of the token that was written.
        foil: text of the one that names the other.
    """
    values, rows, columns, names = _matrix(patching, put, [plain(text) for text in inputs])
    figure = cells(values, rows, columns, names, say("share of the difference"), LEAST)
    row, column = np.unravel_index(int(np.argmax(values)), values.shape)
    best = say(
        "{column}, {row}, brings back most: {share} of the difference between the dialogue, where the log odds of "
        "“{answer}” against “{foil}” are {first}, and its twin, where they are {second}.",
        column=capital(columns[column]), row=small(rows[row]), share=percent(float(values[row, column])),
        answer=plain(answer), foil=plain(foil), first=signed(patching.log_odds[0]), second=signed(patching.log_odds[1]),
    )  # fmt: skip
    table = MatrixTable(({names[0]: rows}, {names[1]: columns}), {later("Share of the difference"): values})
    return Picture(f"patching-{put}", figure, f"{best} {verdict(patching.check)}", table)


def _matrix(patching: Any, put: str, inputs: Sequence[str]) -> tuple[Array, list[str], list[str], tuple[str, str]]:
    """Return values [R, C], labels of rows and columns, and what these are."""
    if put in ("turns", "preview"):
        values, columns = getattr(patching, {"turns": "layers"}.get(put, put)), list(map(turn_label, patching.turns))
        depths = [say("Embedding"), *(say("After layer {layer}", layer=layer) for layer in range(1, len(values)))]
        return values, depths, columns, (say("Encoder"), say("Turn"))
    if put == "positions":
        values = patching.positions
        depths = [say("After layer {layer}", layer=layer + 1) for layer in range(len(values))]
        return values, depths, [cut(text, 20) for text in inputs[: values.shape[1]]], (say("Decoder"), say("Position"))
    kind = next(name for name in KIND_NAMES if name == put)
    values = patching.heads[kind]
    columns = [say("Head {number}", number=head + 1) for head in range(values.shape[1])]
    depths = [say("Layer {layer}", layer=layer + 1) for layer in range(len(values))]
    return values, depths, columns, (say(KIND_NAMES[kind]), say("Head"))


def kept(patching: Any) -> str:
    """Say where the network keeps what tells the two dialogues apart: in the encoder, in heads, in the decoder."""
    best = patching.layers.argmax(axis=1).tolist()
    names = [turn_label(patching.turns[turn]) for turn in best]
    places: dict[str, Any] = {
        "turn": names[0],
        "other": names[-1],
        "share": percent(float(patching.layers[-1, best[-1]])),
    }
    places["layer"] = max((layer for layer in range(1, len(best)) if best[layer] != best[layer - 1]), default=0)
    if places["layer"]:
        where = say("The difference is kept in {turn}, from encoder layer {layer} on in {other} ({share}).", **places)
    else:
        where = say("The difference is kept in {turn} through all encoder layers ({share}).", **places)
    kind = max(patching.heads, key=lambda name: float(patching.heads[name].max()))
    layer, head = divmod(int(patching.heads[kind].argmax()), patching.heads[kind].shape[1])
    places |= {"kind": kind_text(kind), "head": head_name(layer, head)}
    places["share"] = percent(float(patching.heads[kind][layer, head]))
    one = say("Of single heads, that of {kind}, {head}, brings back most ({share}).", **places)
    arrived = np.nonzero(patching.positions[:, -1] >= HALF)[0]
    if len(arrived):
        places["layer"] = int(arrived[0]) + 1
        there = say("The position that writes the name has it after layer {layer} of the decoder.", **places)
    else:
        there = say("The position that writes the name has less than half of it in every layer of the decoder.")
    return " ".join((where, one, there))
