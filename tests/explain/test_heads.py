"""Head scores and names, worked out by hand on matrices of three and four tokens."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from core.config import END, START, TURN
from core.explain.heads import HeadScores, combine, input_tokens, score, scores
from core.trace import AttentionTrace, Token

WORKED = np.array([[1, 0, 0], [0.7, 0.3, 0], [0.1, 0.8, 0.1]], dtype=np.float32)


def word(text: str, id: int, turn: int | None = None, speaker: str | None = None) -> Token:
    return Token(text, id, 0, len(text), turn, speaker, 0)


A, B, C = word("a", 20), word("b", 21), word("c", 22)
SOS, EOS = word("[SOS]", START), word("[EOS]", END)
PLAIN = HeadScores(
    "encoder", 0, 0, 10, previous=0.0, following=0.0, itself=0.0, offset=3, offset_rate=0.0, same=0.0, copies=None,
    sink=0.0, speakers=0.0, turn=0.0, confidence=0.0, entropy=0.0, effective=1.0, gini=0.0, distance=0.0, chance=0.05,
)  # fmt: skip


def near(number: float) -> object:
    return pytest.approx(number, abs=1e-4)


def test_the_worked_matrix() -> None:
    # In row 1 the token before is [SOS]; row 2 alone has neither.
    found = score(WORKED, (A, B, EOS), (SOS, A, B), "decoder", 1, 2)
    assert (found.kind, found.layer, found.head, found.rows) == ("decoder", 1, 2, 2)
    assert found.previous == near(0.75) and found.itself == near(0.2)
    assert (found.offset, found.offset_rate) == (-1, 1.0)
    assert found.sink == near(0.40) and found.speakers == 0
    assert found.confidence == near(0.75)
    h1 = -(0.7 * np.log(0.7) + 0.3 * np.log(0.3))
    assert found.entropy == near((h1 / np.log(2) + 0.5817) / 2)
    assert found.effective == near((np.exp(h1) + np.exp(0.6390)) / 2)
    assert found.gini == near((0.2 + 0.4667) / 2)  # 2(.3 + 1.4)/2 - 3/2 = .2
    assert found.distance == near((0.7 + 1.0) / 2)
    assert found.following is None and found.turn is None and found.copies is None
    # The last row of the worked matrix. A row of cross-attention without a mask has the numbers of METHODS for
    # itself.
    found = score(WORKED[2:], (A,), (word("x", 30), word("y", 31), word("z", 32)), "cross", 0, 0)
    assert found.entropy == near(0.6390 / np.log(3)) and found.entropy == near(0.5817)
    assert found.effective == pytest.approx(1.895, abs=5e-4) and found.gini == near(0.4667)
    assert found.previous is None and found.distance is None and found.offset is None
    # Colliding rows are told apart. In row 1 the token before is [SOS]; row 2 alone has neither.
    found = score(WORKED, (A, B, EOS), (SOS, A, B), "decoder", 0, 0)
    assert found.previous_apart == near(0.8) and found.sink_apart == near(0.1)
    marks = score(WORKED, (A, B, EOS), (SOS, word(".", 30), B), "decoder", 0, 0)
    assert marks.previous_apart is None and marks.sink_apart is None and marks.previous == near(0.75)
    assert marks.sink == near((1.0 + 0.9) / 2)


ENCODER = np.array(
    [[0.1, 0.6, 0.1, 0.2], [0.2, 0.1, 0.6, 0.1], [0.5, 0.1, 0.3, 0.1], [0.4, 0.2, 0.2, 0.2]], dtype=np.float32
)
SOURCE = (word("a", 20, 0, "Ann"), word("b", 21, 0, "Ann"), word("a", 20, 1, "Tom"), EOS)


def test_an_encoder_head() -> None:
    found = score(ENCODER, SOURCE, SOURCE, "encoder", 0, 0)
    assert found.rows == 4
    assert found.previous == near((0.2 + 0.1 + 0.2) / 3)
    assert found.following == near((0.6 + 0.6 + 0.1) / 3) and found.following_apart == near((0.6 + 0.6) / 2)
    assert found.itself == near((0.1 + 0.1 + 0.3 + 0.2) / 4)
    assert (found.offset, found.offset_rate) == (1, 0.5)  # maxima at +1, +1, -2, -3
    assert found.same == near((0.1 + 0.5) / 2 - 0.25) and found.chance == near(0.25)
    assert found.sink == near((0.2 + 0.1 + 0.1 + 0.2) / 4) and found.sink_apart == near((0.2 + 0.1) / 2)
    assert found.turn == near((0.7 + 0.3 + 0.3) / 3)  # [EOS] has no row and no column
    assert found.confidence == near((0.6 + 0.6 + 0.5 + 0.4) / 4)
    assert found.distance == near((1.4 + 0.2 + 0.6 + 0.2 + 1.0 + 0.1 + 0.1 + 1.2 + 0.4 + 0.2) / 4)
    # Own turn says nothing about a single turn.
    tokens = (word("a", 20, 0), word("b", 21, 0), replace(EOS, turn=0))
    assert score(np.full((3, 3), 1 / 3), tokens, tokens, "encoder", 0, 0).turn is None
    # Confidence leaves the end out.
    found = score(np.array([[0.3, 0.7]], dtype=np.float32), (A,), (B, EOS), "cross", 0, 0)
    assert found.confidence == near(0.3) and found.sink == near(0.7)


def test_a_cross_head_copies_the_predicted_or_finds_the_input_token() -> None:
    target, source = (A, B, EOS), (A, C, A, EOS)
    weights = np.array([[0.4, 0.1, 0.3, 0.2], [0.1, 0.3, 0.5, 0.1], [0.2, 0.2, 0.3, 0.3]], dtype=np.float32)
    found = score(weights, target, source, "cross", 0, 0, input_tokens(target))
    assert found.same == near(0.7) and found.chance == near(0.5)
    assert found.copies == near(0.6)  # row 1, whose input is a
    assert score(weights, target, source, "cross", 0, 0).copies is None
    apart = score(weights, (C, C, EOS), (A, B, A, EOS), "cross", 0, 0)
    assert apart.same is None and apart.chance is None
    # Speakers are counted and unknown words are like nothing.
    source = (word("#Person1#", 5, 0, "#Person1#"), word("x", 3, 0, "#Person1#"), word("y", 3, 0, "#Person1#"), EOS)
    found = score(ENCODER, source, source, "encoder", 0, 0)
    assert found.speakers == near((0.1 + 0.2 + 0.5 + 0.4) / 4) and found.same is None
    # Decoder columns are inputs. A repeated word is found among the inputs: row 2 reads a, and so does column 1.
    found = score(WORKED, (A, A, B), input_tokens((A, A, B)), "decoder", 0, 0)
    assert found.same == near(0.8 - 1 / 3) and found.chance == near(1 / 3)
    assert [token.text for token in input_tokens((A, B, EOS))] == ["[SOS]", "a", "b"]
    # A summary of one token has no rows.
    found = score(np.ones((1, 1), dtype=np.float32), (EOS,), (SOS,), "decoder", 0, 0)
    assert found.rows == 0 and found.offset is None and found.previous is None and found.distance is None
    assert found.sink == found.entropy == found.gini == 0
    whole = score(WORKED, (A, B, EOS), (SOS, A, B), "decoder", 0, 0)
    assert combine([whole, found]) == whole and combine([found]).rows == 0
    # Weights of other tokens are refused.
    with pytest.raises(ValueError, match=r"Received: \[3, 3\] for 2 queries, 3 keys"):
        score(WORKED, (A, B), (SOS, A, B), "decoder", 0, 0)


def test_every_head_of_a_run_as_one_by_one() -> None:
    random = np.random.default_rng(2)
    target, inputs = (A, B, A, EOS), input_tokens((A, B, A, EOS))
    causal = np.tril(random.random((2, 3, 4, 4)))
    trace = AttentionTrace(
        SOURCE, target,
        encoder_self=random.dirichlet(np.ones(4), size=(1, 3, 4)),
        decoder_self=causal / causal.sum(axis=-1, keepdims=True),
        cross=random.dirichlet(np.ones(4), size=(2, 3, 4)),
    )  # fmt: skip
    found = scores(trace)
    places = [(each.kind, each.layer, each.head) for each in found]
    cross, decoder = ([(kind, layer, head) for layer in range(2) for head in range(3)] for kind in ("cross", "decoder"))
    assert places == cross + [("encoder", 0, head) for head in range(3)] + decoder
    alone = {
        4: score(trace.cross[1, 1], target, SOURCE, "cross", 1, 1, inputs),
        8: score(trace.encoder_self[0, 2], SOURCE, SOURCE, "encoder", 0, 2),
        10: score(trace.decoder_self[0, 1], target, inputs, "decoder", 0, 1, inputs),
    }
    for index, expected in alone.items():
        assert asdict(found[index]) == pytest.approx(asdict(expected), abs=1e-6)
    assert scores(AttentionTrace(SOURCE, target, cross=trace.cross)) == found[:6]


def test_dialogues_are_joined_by_their_rows(subtests: pytest.Subtests) -> None:
    first = replace(PLAIN, rows=10, previous=0.2, same=None, offset=-1, offset_rate=0.6)
    second = replace(PLAIN, rows=30, previous=0.6, same=0.4, offset=2, offset_rate=0.5)
    third = replace(PLAIN, rows=20, previous=0.6, same=0.1, offset=-1, offset_rate=0.7)
    found = combine([first, second, third])
    assert found.rows == 60 and found.previous == near((2 + 18 + 12) / 60)
    assert found.same == near((12 + 2) / 50) and found.copies is None
    assert found.offset == -1 and found.offset_rate == near((6 + 14) / 60)
    assert combine([first]) == first
    for parts in ([], [first, replace(first, head=1)]):
        with subtests.test(parts=parts), pytest.raises(ValueError, match="one head"):
            combine(parts)


def test_marks_are_no_copies() -> None:
    """Full stops look at full stops in many heads; that is a sink, not a copy."""
    stop, turn = word(".", 30), word("[TURN]", TURN)
    found = score(np.full((2, 3), 1 / 3), (stop, turn), (stop, turn, A), "cross", 0, 0)
    assert found.same is None and found.sink == near(2 / 3)
