"""What the Attention page hands to its components, how it keeps that small, and what is chosen; no page runs."""

import json
from base64 import b64decode
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.config import END
from core.figures.attention.weights import Weights
from core.text.dialogue import parse_dialogue
from core.trace import Token
from pages.parts.attention import head, turns, view
from pages.parts.attention.attention_matrix import matrix_data
from pages.parts.attention.head_grid import grid_data, pooled
from pages.parts.attention.head_stages import stages_data
from pages.parts.attention.head_view import view_data
from pages.parts.attention.packing import packed, weights_data
from pages.parts.attention.ribbons import ribbon_data
from pages.shared.model import loading
from pages.shared.session import fields, notices
from tests.closeness import UNIT
from tests.figures.attention.test_stage_cells import random
from tests.figures.attention.test_view import KINDS, LABELS, TURNS, opened, run
from tests.pages.components import given
from tests.refusals import refused

MEGABYTE = 1_000_000
SPEAKERS = ("Ann", "Ben", "Cy")


def unpacked(text: str) -> np.ndarray:
    return np.frombuffer(b64decode(text), dtype="<u2") / 65535


def weights(*shape: int, rows=LABELS[:2], columns=LABELS, **more) -> Weights:
    return Weights("cross", "layer 3, head 2", np.full(shape, 1 / 7, dtype=np.float32), rows, columns, **more)


def long_run(amount: int):
    """So many turns of 13 words with their names, 8 tokens about them, 2 encoder layers and 1 of the decoder."""
    words = [[f"w{(7 * turn + 3 * word) % 90}" for word in range(12)] + ["stop."] for turn in range(amount)]
    dialogue = parse_dialogue("\n".join(f"{SPEAKERS[place % 3]}: {' '.join(turn)}" for place, turn in enumerate(words)))
    source: list[Token] = []
    for turn, said in zip(dialogue.turns, words, strict=True):
        source += [
            Token(word, 40, 0, 1, turn.index, turn.speaker, len(source) + n) for n, word in enumerate(["x", *said])
        ]
    end = Token("[EOS]", END, 0, 0, None, None, len(source))
    target = tuple(Token(f"w{place}", 40, 0, 1, None, None, place) for place in range(7))
    return run((*source, end), (*target, end), dialogue, layers=1, heads=6)


@pytest.fixture(scope="module")
def long():
    return long_run(65)


def test_packed_weights_come_back_as_little_endian_rows():
    values = np.random.default_rng(3).random((2, 3, 50)).astype(np.float32)
    assert np.abs(unpacked(packed(values)) - values.ravel()).max() <= 0.5 / 65535 + UNIT
    small = np.array([[0.0, 1.0], [0.25, 1.00001]], dtype=np.float32)  # the last one: a sum after rounding
    assert b64decode(packed(small.T)).hex(" ", 2) == "0000 0040 ffff ffff"
    for wrong in (1.2, -0.1, np.nan):
        refused(ValueError, r"from 0 to 1\. Received: from", packed, np.array([0.5, wrong]))


ALONE = {"on": None, "share": 0.75, "locked": (0, 1), "version": 4}
GIVEN = {
    "labels: tokens of two turns": lambda: weights_data(weights(2, 7)),
    "labels: turns": lambda: weights_data(weights(2, 3, columns=TURNS)),
    "matrix": lambda: matrix_data(weights(2, 7, causal=True), 1),
    "lines: three heads": lambda: view_data(weights(3, 2, 7), [0, 1, 2], **ALONE),
    "lines: one head of six": lambda: view_data(weights(1, 2, 7), [4], **ALONE | {"on": 4}),
}


@pytest.mark.parametrize("case", GIVEN)
def test_what_the_scripts_are_given(case, snapshot):
    left_out = {"weights"} if case.startswith("labels") else {"weights", "rows", "columns"}
    assert given({name: each for name, each in GIVEN[case]().items() if name not in left_out}) == snapshot


def test_shares_and_locked_rows_stay_inside():
    assert [ribbon_data(weights(2, 7), share)["share"] for share in (0.0, 0.5, 3)] == [0.1, 0.5, 1]
    for outside in (None, (0, 2), (-1, 0), (1, 0)):
        assert view_data(weights(1, 2, 7), [4], **ALONE | {"locked": outside})["locked"] is None
    with pytest.raises(ValueError):
        view_data(weights(1, 2, 7), [4], **ALONE | {"on": 3})


def test_the_grid_pools_the_largest_weight_of_each_block():
    values = np.array([[1, 2, 3, 4, 5], [9, 0, 0, 0, 0], [0, 0, 7, 0, 6]]) / 10
    small, block = pooled(values, (2, 3))
    assert block == (2, 2) and small.tolist() == [[0.9, 0.4, 0.5], [0, 0.7, 0.6]]
    assert np.array_equal(pooled(values, (3, 5))[0], values)
    assert pooled(np.ones((4, 512, 512), dtype=np.float32))[0].shape == (4, 64, 86)
    heads = np.zeros((2, 3, 70, 100), dtype=np.float32)
    heads[1, 2, 69, 99] = 0.5
    drawn = grid_data("decoder", heads, 1, 2, {(0, 1): "broad"})
    assert drawn["shape"] == (2, 3, 35, 50) and drawn["size"] == (70, 100) and drawn["block"] == (2, 2)
    assert unpacked(drawn["weights"])[-1] == pytest.approx(0.5, abs=1 / 65535)  # it travels so
    assert drawn["tags"] == [["", "broad", ""], ["", "", ""]]
    assert drawn["causal"] and not grid_data("cross", heads, 0, 0)["causal"]
    refused(ValueError, r"one of 2 × 3\. Received: \(2, 0\)", grid_data, "cross", heads, 2, 0)
    refused(ValueError, r"\[L, H, Q, N\]\. Received: \[3, 70, 100\]", grid_data, "cross", heads[0], 0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_dialogue_is_drawn_coarser_and_travels_light(kind, long):
    assert len(long.source) == 911
    for open_head in (None, 5):
        found = opened(kind, long, head=open_head)
        units, numbers, _ = head.sized(found, "token")
        lines = found.rolled(found.layer_weights[numbers[0] : numbers[-1] + 1], units, "layer 1")
        drawn = view_data(lines, numbers, on=open_head, share=0.75, locked=None, version=0)
        shown = found.open_head(("word", "word") if kind == "decoder" else turns.readable(found, "word", "turn")[0])
        messages = [drawn, matrix_data(found.open_head(units), 0), ribbon_data(shown, 0.5)]
        messages.append(grid_data(kind, found.weights, 0, open_head))
        assert all(len(json.dumps(each)) < MEGABYTE for each in messages)
        assert len(shown.picture(found.what).figure.to_json()) < MEGABYTE


def test_what_was_made_coarser_is_said(long):
    encoder = opened("encoder", long, head=None)
    coarser = "The text is long, so rows and columns are turns here. “One head” shows every cell."
    assert turns.readable(encoder, "word", "word") == (("turn", "turn"), coarser)
    assert turns.readable(opened("cross", long), "word", "speaker") == (("word", "speaker"), "")
    by_turn = "There is so much here that it is shown by turn."
    assert head.sized(encoder, "token") == (("turn", "turn"), (0, 1, 2, 3, 4, 5), by_turn)
    assert head.sized(opened("cross", long), "speaker")[0] == ("word", "speaker")  # a summary has no turns
    middle = long_run(20)
    assert head.sized(opened("encoder", middle, head=None), "token")[0] == ("turn", "turn")
    alone = head.sized(opened("encoder", middle, head=4), "token")
    assert alone == (("token", "token"), (4,), "There is so much here that it is one head at a time.")


def test_what_is_chosen_is_kept_inside_the_run(long, session, monkeypatch):
    monkeypatch.setattr(loading, "require_trace", lambda: long)
    session |= {"layer": 2, "kind": "cross", fields.ASKED: frozenset({"layer"})}
    assert view.current().layer == 0 and view.LAYER.value == 0  # the last: a link to a longer model's layer is noted
    assert notices.notes() == ("The link asks for layer 2, which does not exist here (possible: 1 to 1).",)
    session |= {"kind": "encoder", "layer": 1, "head": 6}
    view.current()
    session |= {"token": 900, "to": 3}
    found = view.current()
    assert (found.layer, found.head, found.span) == (0, 5, (899, 899)) and found.keys == long.source
    session |= {"kind": "decoder", "rows_are": "input", "token": 3, "to": 5}
    found = view.current()
    assert found.layer == 0 and found.span is None  # other rows: the chosen token is forgotten
    assert found.queries == found.keys and found.queries[0].text == "[SOS]"
    notices.clear_notes()
    cross = replace(long, attention=replace(long.attention, encoder_self=None))
    monkeypatch.setattr(loading, "require_trace", lambda: cross)
    session["kind"] = "encoder"
    assert view.current().kind == view.KIND.value == "cross"
    assert notices.notes() == ("This model has no encoder self-attention: its cross-attention is shown.",)
    # What is locked in the lines of a head that travels alone leaves that head open.
    session |= {"head": 5, head.LINES: SimpleNamespace(view={"locked": [3, 3], "heads": [0], "share": 0.52})}
    found = opened("cross", long, head=4)
    head._lines_changed(found, found.rows("token"), (4,))
    assert (view.HEAD.value, view.TOKEN.value, view.SHARE.value) == (5, 4, 50)


def test_the_stages_of_512_keys_travel_light():
    stages = random(512, 64)
    data = stages_data(stages, "of", ["word"] * 512, None, 10_000, 4)
    assert len(data["rows"]) == 128 and data["more"] == 0 and data["version"] == 4
    assert len(json.dumps(data)) < 300_000
    query = np.frombuffer(b64decode(data["vectors"]["query"]["data"]), dtype="<f4")
    np.testing.assert_array_equal(query, stages.query)
    assert len(json.dumps(stages_data(stages, "of", ["word"] * 512, None, 16, 0))) < 60_000
