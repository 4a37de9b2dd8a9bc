"""Ranks of turns by three methods, with correlations worked out by hand."""

from core.figures.experiments.agreement import agreement
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

NAMES = ("Cross-attention looks at", "Gradient × input", "Effect of leaving it out")
TURNS = [("1", "Anna", "Hello <b>you</b>"), ("2", "Ben", "Hi"), ("3", "Anna", "Bye"), ("4", "", "Bye")]


def made(*values, turns=TURNS, token="Friday"):
    return agreement(turns, dict(zip(NAMES, values, strict=True)), token)


def test_the_caption_has_the_three_correlations_in_words(snapshot):
    captions = [
        # Ranks 1 2 3 4, 1 2 4 3, 4 3 2 1: ρ = 1 − 6 · 2 / 60 = 0.8, −1, and 1 − 6 · 18 / 60 = −0.8.
        said(made([0.4, 0.3, 0.2, 0.1], [3, 2, -1, 0.5], [-2, 0, 1, 5], token="<b>x</b>")),
        # Ranks 1 2 3 4, 2 1 4 3, 3 1 4 2: ρ = 1 − 6 · 4 / 60 = 0.6, 1 − 6 · 10 / 60 = 0, and 1 − 6 · 2 / 60 = 0.8.
        said(made([4, 3, 2, 1], [3, 4, 1, 2], [2, 4, 1, 3])),
        said(made([4, 3, 2, 1], [3, 4, 1, 2], [0, 0, 0, 0])),
        said(made([2, 1], [2, 1], [1, 2], turns=TURNS[:2])),
    ]
    assert drawn(*captions) == snapshot
    cannot_draw("Received: 4 turns, Cross-attention looks at 3", made, [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4])
    cannot_draw("Received: Effect of leaving it out", agreement, TURNS, {NAMES[2]: [1, 2, 3, 4]}, "Friday")


def test_lines_follow_the_ranks_and_turns_of_equal_rank_share_a_number(snapshot):
    assert drawn(made([0.4, 0.2, 0.2, 0.1], [1, 1, 1, 0], [3, 0, 2, 1])) == snapshot


def test_of_many_turns_the_twelve_best_are_drawn_and_the_table_has_all(snapshot):
    turns = [(str(place + 1), "ABCDE"[place % 5], "Hi") for place in range(20)]
    assert drawn(agreement(turns, dict.fromkeys(NAMES, [float(place) for place in range(20)]), "Friday")) == snapshot
