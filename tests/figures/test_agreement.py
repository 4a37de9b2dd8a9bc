"""Ranks of turns by three methods, with correlations worked out by hand."""

import pytest

from core.figures.agreement import agreement
from tests.figures.conftest import said

NAMES = ("Cross-attention looks at", "Gradient × input", "Effect of leaving it out")
TURNS = [("1", "Anna", "Hello <b>you</b>"), ("2", "Ben", "Hi"), ("3", "Anna", "Bye"), ("4", "", "Bye")]


def made(*values, turns=TURNS, token="Friday"):
    return agreement(turns, dict(zip(NAMES, values, strict=True)), token)


def test_the_caption_has_the_three_correlations_in_words():
    # Ranks 1 2 3 4, 1 2 4 3, 4 3 2 1: ρ = 1 − 6 · 2 / 60 = 0.8, −1, and 1 − 6 · 18 / 60 = −0.8.
    assert said(made([0.4, 0.3, 0.2, 0.1], [3, 2, -1, 0.5], [-2, 0, 1, 5], token="<b>x</b>")) == (
        "For “<b>x</b>” over 4 turns, attention and gradient agree (ρ = 0.80), attention and leaving out disagree "
        "(ρ = −1.00) and gradient and leaving out disagree (ρ = −0.80)."
    )
    # Ranks 1 2 3 4, 2 1 4 3, 3 1 4 2: ρ = 1 − 6 · 4 / 60, 1 − 6 · 10 / 60, and 1 − 6 · 2 / 60.
    assert (
        "agree in part (ρ = 0.60), attention and leaving out are unrelated (ρ = 0.00) and gradient and leaving out "
        "agree (ρ = 0.80)."
    ) in said(made([4, 3, 2, 1], [3, 4, 1, 2], [2, 4, 1, 3]))
    assert said(made([4, 3, 2, 1], [3, 4, 1, 2], [0, 0, 0, 0])) == (
        "For “Friday” over 4 turns, attention and gradient agree in part (ρ = 0.60), attention and leaving out cannot "
        "be compared and gradient and leaving out cannot be compared: leaving out ranks all turns alike."
    )
    few = "For “Friday”, no rank correlation can be computed: there are fewer than 3 turns."
    assert said(made([2, 1], [2, 1], [1, 2], turns=TURNS[:2])) == few
    with pytest.raises(ValueError, match="Received: 4 turns, Cross-attention looks at 3"):
        made([1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="Received: Effect of leaving it out"):
        agreement(TURNS, {"Effect of leaving it out": [1, 2, 3, 4]}, "Friday")


def test_lines_follow_the_ranks_and_turns_of_equal_rank_share_a_number():
    picture = made([0.4, 0.2, 0.2, 0.1], [1, 1, 1, 0], [3, 0, 2, 1])
    lines = picture.figure.data
    assert [list(line.y) for line in lines] == [[1, 2, 1], [2.5, 2, 4], [2.5, 2, 2], [4, 4, 3]]
    assert [line.customdata[0] for line in lines] == [0, 1, 2, 3]
    assert [line.name for line in lines if line.showlegend] == ["Anna", "Ben", "no speaker"]
    assert lines[0].line.color == lines[2].line.color != lines[1].line.color
    assert lines[0].hovertext[1] == "1 · Anna: Hello &lt;b&gt;you&lt;/b&gt;<br>Gradient × input: 1, rank 2"
    numbers = {(note.x, note.y, note.text) for note in picture.figure.layout.annotations}
    assert {(0, 2.5, "<b>2, 3</b>"), (1, 2, "<b>1 +2</b>"), (2, 4, "<b>2</b>")} <= numbers
    assert picture.figure.layout.yaxis.range == (4.6, 0.4)
    table, name = picture.table, "Effect of leaving it out"
    assert (table[name], table[f"{name}, rank"]) == ([3, 0, 2, 1], [1, 4, 2, 3])
    assert table["Text"][0] == "Hello <b>you</b>"


def test_of_many_turns_the_twelve_best_are_drawn_and_the_table_has_all():
    turns = [(str(place + 1), "ABCDE"[place % 5], "Hi") for place in range(20)]
    picture = agreement(turns, dict.fromkeys(NAMES, [float(place) for place in range(20)]), "Friday")
    assert [line.customdata[0] for line in picture.figure.data] == list(range(8, 20))
    assert "best 12 of 20 turns" in picture.figure.layout.yaxis.title.text
    assert picture.figure.layout.yaxis.range[0] == 12.6 and len(picture.table["Turn"]) == 20
    assert {line.line.dash for line in picture.figure.data if line.name == "E"} == {"dash"}
