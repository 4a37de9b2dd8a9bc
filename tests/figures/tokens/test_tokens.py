"""Pictures from text to ids: merges, lengths, embeddings, teacher forcing; numbers worked out by hand."""

import math

import numpy as np
import pytest

from core.explain.tokens.embedding import Kind, token_vector
from core.figures.tokens.embeddings import components, forcing, kinds, neighbours
from core.figures.tokens.tokens import kept_turns, merge_steps, readable
from core.text.merges import Merged, MergeStep
from tests.figures.conftest import cannot_draw, said, step, token
from tests.figures.drawing import drawn

TURNS = [("1", "Anna", "Hello"), ("2", "Ben", "<b>"), ("3", "Anna", "Bye")]
FOUND = Merged(
    (b" ab", b"<"),
    (
        MergeStep(None, (b" ", b"a", b"b", b"<")),
        MergeStep(7, (b" ", b"ab", b"<"), (1,)),
        MergeStep(1200, (b" ab", b"<"), (0,)),
    ),
    (30, 31),
)


def test_merges_of_a_word(snapshot):
    # Every step of a word covers its bytes: row, first byte, number of bytes.
    picture = merge_steps(FOUND, 1500)
    # A word without a rule, and a long one.
    words = [(b"x", b"y"), (b"x",) * 12]
    others = [merge_steps(Merged((b"".join(symbols),), (MergeStep(None, symbols),), (1,) * len(symbols)), 9)
              for symbols in words]  # fmt: skip
    assert drawn(picture, *map(said, others)) == snapshot
    cannot_draw("an empty word", merge_steps, Merged((), (MergeStep(None, ()),), ()), 9)


def test_bytes_are_readable():
    for raw, text in [
        (b" the", "·the"), (b"ss", "ss"), ("ü".encode(), "ü"), (b"\xc3", "C3"), (b" \xf0\x9f", "20 F0 9F"),
        (b"\0", "00"), ("\u200d".encode(), "E2 80 8D"), (b" ", "·"), (b"\n", "0A"), (b"<b>", "<b>"), (b"", ""),
    ]:  # fmt: skip
        assert readable(raw) == text, raw


def test_turns_that_are_kept_lost_or_cut(snapshot):
    fit, cut = kept_turns(TURNS, [3, 2, 4], [3, 2, 4], 3, 20), kept_turns(TURNS, [3, 2, 4], [3, 0, 1], 2, 6)
    # Much padding does not squeeze the turns: its bar is four times as long as the longest one.
    padded = kept_turns(TURNS, [3, 2, 4], [3, 2, 4], 3, 1012)
    # Many turns share rows with neighbours of the same fate.
    turns = [(str(number), "Anna" if number % 2 else "Ben", "word") for number in range(1, 101)]
    many = kept_turns(turns, [2] * 100, [2] * 10 + [0] * 80 + [1] + [2] * 9, 11, 50)
    assert drawn(fit, cut, padded, many) == snapshot and many.figure.layout.height < 500
    why = "3 turns, 3 and 3 numbers, 9 tokens and 2 special tokens for length 10"
    cannot_draw(why, kept_turns, TURNS, [3, 2, 4], [3, 2, 4], 2, 10)
    cannot_draw("3 turns, 2 and 3 numbers", kept_turns, TURNS, [3, 2], [3, 2, 4], 2, 99)


def test_the_embedding_and_its_neighbours(snapshot):
    found = token_vector(np.array([[3, 4], [0, 1], [6, 8], [4, 3]], dtype=np.float32), 0)
    own = components(found, "·<b>"), components(found, "x", scaled=False)  # as the model reads it, and as it is kept
    wide = components(token_vector(np.eye(40, dtype=np.float32), 1), "x")  # 32 of 40 are drawn
    assert drawn(*own, wide, neighbours(found, "a", ["·x", "<b>", " z "])) == snapshot
    cannot_draw("Received: 2 for 3", neighbours, found, "a", ["x", "y"])


def test_teacher_forcing_shifts_by_one_and_sums_the_losses(snapshot, steps):
    # losses ln 2, ln 4, ln 10, ln 2: mean ln(160) / 4 = 1.2688, perplexity 160^(1/4) = 3.5566
    picture = forcing([token("Hi", 40), token("[EOS]", 2)], steps, 100)
    # A long source is longer than the target; a huge loss has a perplexity.
    others = forcing([token("a")] * 7, [step("x", 0.5, 1.0)], 10), forcing([], [step("x", 1e-9, 1.0)], 10)
    assert drawn(picture, others[0].table, *map(said, others)) == snapshot
    lying = forcing([], [step("x", 0.5, 1.0)] * 31, 10).figure
    assert lying.data[0].orientation == "h" and list(lying.data[1].x) == pytest.approx([math.log(2)] * 2)
    cannot_draw("Received: none", forcing, [], [], 10)


def test_words_of_one_kind_are_drawn_beside_all_others(snapshot):
    found = [Kind("rooms", (0, 3), 0.1, 0.05, 0.5, (2, 3)), Kind("days", (1, 2, 4), 0.5, 0.1, 1.0, (1, 1, 1))]
    assert drawn(kinds(found, {0: "·den", 1: "·Mon", 2: "·Tue", 3: "<b>", 4: "·Fri"})) == snapshot
    cannot_draw("Received: none", kinds, [], {})
