"""Pictures from text to ids: merges, lengths, embeddings, teacher forcing; numbers worked out by hand."""

import math

import numpy as np
import pytest

from core.explain.embedding import Kind, token_vector
from core.figures.embeddings import components, forcing, kinds, neighbours
from core.figures.tokens import kept_turns, merge_steps, readable
from core.text.merges import Merged, MergeStep
from tests.figures.conftest import notes, said, step, token

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


def test_merges_of_a_word():
    picture = merge_steps(FOUND, 1500)
    before, made, texts = picture.figure.data
    # Every step of a word covers its bytes: row, first byte, number of bytes.
    boxes = sorted(zip([*before.y, *made.y], [*before.base, *made.base], [*before.x, *made.x], strict=True))
    assert boxes == [(0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 0, 1), (1, 1, 2), (1, 3, 1), (2, 0, 3), (2, 3, 1)]
    assert list(zip(made.y, made.base, strict=True)) == [(1, 1), (2, 0)]
    assert texts.text == ("·", "a", "b", "&lt;", "·", "ab", "&lt;", "·ab", "&lt;")
    assert picture.figure.layout.yaxis.ticktext == ("bytes", "rule 7", "rule 1,200")
    assert [line.x0 for line in picture.figure.layout.shapes] == [3]
    assert picture.caption == (
        "4 bytes, 2 merges, 2 tokens: ·ab and <. The rarest pair needed rule 1,200 of 1,500; "
        "what training saw often was learnt first."
    )
    assert picture.table["Left"] == ["", "a", "·"] and picture.table["Right"] == ["", "b", "ab"]
    assert picture.table["Symbols"][2] == "·ab | <" and picture.table["Rule"] == [None, 7, 1200]
    # A word without a rule, and a long one.
    for symbols, text in [((b"x", b"y"), "2 symbols stays a token: x and y."),
                          ((b"x",) * 12, "12 symbols stays a token: x, x, x, x, x, x, x, x, …")]:  # fmt: skip
        alone = merge_steps(Merged((b"".join(symbols),), (MergeStep(None, symbols),), (1,) * len(symbols)), 9)
        assert alone.caption == f"No rule fits: each of the {text}"
    with pytest.raises(ValueError, match="an empty word"):
        merge_steps(Merged((), (MergeStep(None, ()),), ()), 9)
    for raw, text in [
        (b" the", "·the"), (b"ss", "ss"), ("ü".encode(), "ü"), (b"\xc3", "C3"), (b" \xf0\x9f", "20 F0 9F"),
        (b"\0", "00"), ("\u200d".encode(), "E2 80 8D"), (b" ", "·"), (b"\n", "0A"), (b"<b>", "<b>"), (b"", ""),
    ]:  # fmt: skip
        assert readable(raw) == text, raw


def bars(picture) -> dict[str, list[tuple[float, float]]]:
    return {trace.name: list(zip(trace.y, trace.x, strict=True)) for trace in picture.figure.data}


def test_turns_that_are_kept_lost_or_cut():
    picture = kept_turns(TURNS, [3, 2, 4], [3, 2, 4], 3, 20)
    assert picture.caption == "All 3 turns fit: 9 tokens and 3 special tokens; 8 of 20 positions are padding."
    drawn = {"Anna": [(0.2, 3), (2.2, 4)], "Ben": [(1.2, 2)], "special tokens": [(3.2, 3)], "padding": [(4.2, 8)]}
    assert bars(picture) == drawn
    assert picture.table["Turn"][3:] == ["[TURN] and [EOS]", "[PAD]"]
    assert picture.table["Tokens kept"] == [3, 2, 4, 3, 8]
    # Lost or cut.
    picture = kept_turns(TURNS, [3, 2, 4], [3, 0, 1], 2, 6)
    said = "1 of 3 turns is left out and 1 cut: 5 of 9 tokens are lost; 0 of 6 positions are padding."
    assert picture.caption == said
    assert bars(picture)["left out"] == [(1.2, 2), (2.2, 3)] and {"padding", "Ben"}.isdisjoint(bars(picture))
    assert next(list(trace.base) for trace in picture.figure.data if trace.name == "left out") == [0, 1]
    assert {"<b>left out</b>", "<b>1 of 4</b>", "2 · Ben: &lt;b&gt;"} <= set(notes(picture))
    # Much padding does not squeeze the turns.
    picture = kept_turns(TURNS, [3, 2, 4], [3, 2, 4], 3, 1012)
    assert bars(picture)["padding"] == [(4.2, 16)]  # four times the longest turn
    assert {"[PAD], bar cut off", "<b>1,000</b>"} <= set(notes(picture)) and picture.table["Tokens kept"][-1] == 1000
    # Many turns share rows with neighbours of the same fate.
    turns = [(str(number), "Anna" if number % 2 else "Ben", "word") for number in range(1, 101)]
    picture = kept_turns(turns, [2] * 100, [2] * 10 + [0] * 80 + [1] + [2] * 9, 11, 50)
    assert bars(picture)["several speakers"] == [(0.2, 20), (3.2, 18)]
    assert bars(picture)["left out"] == [(1.2, 160), (2.2, 1)] and notes(picture)[0] == "turns 1–10"
    assert len(picture.table["Turn"]) == 102 and picture.figure.layout.height < 500
    for sizes, length, message in [
        ([3, 2, 4], 10, "3 turns, 3 and 3 numbers, 9 tokens and 2 special tokens for length 10"),
        ([3, 2], 99, "3 turns, 2 and 3 numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            kept_turns(TURNS, sizes, [3, 2, 4], 2, length)


def test_the_embedding_and_its_neighbours():
    found = token_vector(np.array([[3, 4], [0, 1], [6, 8], [4, 3]], dtype=np.float32), 0)
    picture = components(found, "·<b>")
    assert list(picture.figure.data[0].y) == pytest.approx([3 * 2**0.5, 4 * 2**0.5])  # as the model reads it
    assert picture.caption == (
        "The row of “·<b>” (id 0) has length 5.00, rank 2 of 4; times √2 it is 7.07. "
        "Of the components shown, number 2 is the largest: 5.66."
    )
    plain = components(found, "x", scaled=False)
    assert list(plain.figure.data[0].y) == [3, 4] and "Times √D" not in plain.table and "√" not in plain.caption
    wide = components(token_vector(np.eye(40, dtype=np.float32), 1), "x")
    assert len(wide.figure.data[0].y) == 32 and len(wide.table["Component"]) == 40
    assert "32 of 40" in wide.figure.layout.xaxis.title.text
    # Neighbours are named with their cosine.
    picture = neighbours(found, "a", ["·x", "<b>", " z "])
    assert list(picture.figure.data[0].x) == pytest.approx([1, 0.96, 0.8]) and picture.table["Id"] == [2, 3, 1]
    assert picture.figure.layout.yaxis.ticktext == ("·x", "&lt;b&gt;", "z")
    assert picture.caption == (
        "Of 3 other tokens, “·x” (1.00), “<b>” (0.96) and “z” (0.80) point most nearly the way of “a”."
    )
    with pytest.raises(ValueError, match="Received: 2 for 3"):
        neighbours(found, "a", ["x", "y"])


def test_teacher_forcing_shifts_by_one_and_sums_the_losses(steps):
    picture = forcing([token("Hi", 40), token("[EOS]", 2)], steps, 100)
    table = picture.table
    assert table["Decoder input"] == ["[SOS]", "the", "<b>cat</b>", "the"] and table["Input id"] == [1, 9, 9, 9]
    assert table["Decoder target"] == ["the", "<b>cat</b>", "the", "[EOS]"] and table["Target id"] == [9, 9, 9, 2]
    assert table["Encoder input"] == ["Hi", "[EOS]", None, None]
    # losses ln 2, ln 4, ln 10, ln 2: mean ln(160) / 4 = 1.2688, perplexity 160^(1/4) = 3.5566
    assert table["Loss (nats)"] == pytest.approx([math.log(value) for value in (2, 4, 10, 2)])
    assert said(picture) == (
        "The mean loss of 4 positions is 1.27 nats, a perplexity of e^1.27 = 3.56; even guessing would cost "
        "ln 100 = 4.61 nats. The most costly target is “the” after “<b>cat</b>”: 2.30 nats, 10 %."
    )
    assert list(picture.figure.data[0].y) == pytest.approx(table["Loss (nats)"])
    assert picture.figure.data[1].y[0] == pytest.approx(math.log(160) / 4)
    # A long source is longer than the target.
    picture = forcing([token("a")] * 7, [step("x", 0.5, 1.0)], 10)
    assert len(picture.table["Position"]) == 7 and picture.table["Loss (nats)"][1:] == [None] * 6
    assert "1 position is" in said(picture) and "after “[SOS]”" in said(picture)
    lying = forcing([], [step("x", 0.5, 1.0)] * 31, 10).figure
    assert lying.data[0].orientation == "h" and list(lying.data[1].x) == pytest.approx([math.log(2)] * 2)
    assert "= 1,000,000,000;" in said(forcing([], [step("x", 1e-9, 1.0)], 10))  # a huge loss has a perplexity
    with pytest.raises(ValueError, match="Received: none"):
        forcing([], [], 10)


def test_words_of_one_kind_are_drawn_beside_all_others():
    found = [Kind("rooms", (0, 3), 0.1, 0.05, 0.5, (2, 3)), Kind("days", (1, 2, 4), 0.5, 0.1, 1.0, (1, 1, 1))]
    picture = kinds(found, {0: "·den", 1: "·Mon", 2: "·Tue", 3: "<b>", 4: "·Fri"})
    assert picture.figure.layout.yaxis.ticktext == ("days", "rooms")
    assert [list(trace.x) for trace in picture.figure.data] == [[0.5, 0.1], [0.1, 0.05]]
    assert picture.table["Pairs"] == [3, 1] and picture.table["Words whose nearest token is of the kind"] == [3, 0]
    assert said(picture) == (
        "Over 4 pairs of words of one kind the mean cosine is 0.40; with all other tokens it is 0.09. A word is nearer "
        "to one of its kind than to another token in 88 % of the comparisons: most often for days (100 %), least often "
        "for rooms (50 %)."
    )
    with pytest.raises(ValueError, match="Received: none"):
        kinds([], {})
