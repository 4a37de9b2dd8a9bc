"""Pictures of attention: numbers, captions, tables."""

import math

import numpy as np

from core.explain.attention.head_scores import HeadScores
from core.figures.attention import maps as figures
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], dtype=np.float32)


def scores(**changes: object) -> HeadScores:
    values = dict.fromkeys(HeadScores.__dataclass_fields__)
    values |= {"kind": "cross", "layer": 0, "head": 0, "rows": 5, "sink": 0.25, "speakers": 0.1, "confidence": 0.4}
    values |= {"entropy": 0.5, "effective": 6.0, "gini": 0.8, "same": 0.2}
    return HeadScores(**values | changes)


def test_the_matrix_says_who_gets_most_and_where_the_strongest_cell_is(snapshot):
    def matrix(weights=WEIGHTS, rows=("<b>a</b>", "b"), columns=("<i>", "y", "z")):
        return figures.matrix(weights, list(rows), list(columns), ("Summary", "Dialogue"), "cross-attention, layer 3")

    assert drawn(matrix(), said(matrix(WEIGHTS[::-1].copy()))) == snapshot
    cannot_draw("2, 3.*1 and 3", matrix, rows="a")


def test_sinks_say_the_mean_and_the_greediest_head(snapshot):
    def shares(word: float, speaker: float) -> dict:
        rest = 1 - word - speaker
        return {"start": 0.0, "end": 0.0, "turn": 0.0, "speaker": speaker, "punctuation": rest, "word": word}

    names = ["Layer 1, head 1", "Layer 1, head 2"]
    heads = [shares(0.9, 0.05), shares(0.5, 0.3)]
    assert drawn(figures.sinks(heads, names, 1), figures.sinks(heads, names, 33, first=32)) == snapshot
    cannot_draw("2 for 1 heads", figures.sinks, [shares(0.9, 0.05)], names, None)


def test_the_map_names_the_highest_and_the_lowest_head(snapshot):
    values = np.array([[0.2, 0.9], [0.4, math.nan]], dtype=np.float32)
    picture = figures.head_map(values, "entropy", [["sink", "broad"], ["mixed", "copy"]], 200, 1, 0)
    empty = figures.head_map(np.full((1, 1), math.nan, dtype=np.float32), "entropy", [["copy"]], 1, 0, 0)
    many = np.array([[0.204, -0.02, 0.0, 1.5, 45.87, math.nan, 0, 0, 0]], dtype=np.float32)
    short = figures.head_map(many, "nats", [["copy"] * 9], 1, 0, 0, darkest=0.1).figure.data
    assert drawn(picture, said(empty), short[1].text, short[0].zmax) == snapshot


def test_a_head_is_set_beside_what_it_usually_does(snapshot):
    usual = figures.usual(scores(), scores(sink=0.65, effective=3.0, confidence=0.5), 200)
    assert drawn(usual, figures.usual(scores(), None, 0)) == snapshot
