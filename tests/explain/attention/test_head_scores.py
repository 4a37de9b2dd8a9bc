"""Head scores and names, worked out by hand on matrices of three and four tokens."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from core.config import END, START, TURN
from core.explain.attention.head_scores import HeadScores, combine, input_tokens, measure, scores
from core.trace import AttentionTrace, Token
from tests.closeness import spread
from tests.refusals import refusals

WORKED = np.array([[1, 0, 0], [0.7, 0.3, 0], [0.1, 0.8, 0.1]], dtype=np.float32)


def score(weights, queries, keys, kind, layer, head, inputs=None):
    """Return the scores of one head with weights [Q, N]."""
    return replace(measure(weights[None, None], queries, keys, kind, inputs)[0], layer=layer, head=head)


def word(text: str, id: int, turn: int | None = None, speaker: str | None = None) -> Token:
    return Token(text, id, 0, len(text), turn, speaker, 0)


A, B, C = word("a", 20), word("b", 21), word("c", 22)
SOS, EOS, STOP = word("[SOS]", START), word("[EOS]", END), word(".", 30)
PLAIN = HeadScores(
    "encoder", 0, 0, 10, previous=0.0, following=0.0, itself=0.0, offset=3, offset_rate=0.0, same=0.0, copies=None,
    sink=0.0, speakers=0.0, turn=0.0, confidence=0.0, entropy=0.0, effective=1.0, gini=0.0, distance=0.0, chance=0.05,
)  # fmt: skip


def near(number: float) -> object:
    return pytest.approx(number, abs=1e-4)  # worked out with four digits


def told(weights, queries, keys, kind="cross", inputs=None) -> dict:
    return asdict(score(np.array(weights, dtype=np.float32), queries, keys, kind, 0, 0, inputs))


def has(found: dict, **expected: float | int | None) -> None:
    """Assert the numbers named; None where there is none."""
    assert {name: found[name] for name in expected} == {
        name: near(value) if isinstance(value, float) else value for name, value in expected.items()
    }


def test_the_worked_matrix() -> None:
    # In row 1 the token before is [SOS]; row 2 alone has neither.
    h1 = -(0.7 * np.log(0.7) + 0.3 * np.log(0.3))
    worked = told(WORKED, (A, B, EOS), (SOS, A, B), "decoder")
    has(
        worked, rows=2, previous=0.75, itself=0.2, offset=-1, offset_rate=1.0, sink=0.40, speakers=0, confidence=0.75,
        entropy=(h1 / np.log(2) + 0.5817) / 2, effective=(np.exp(h1) + np.exp(0.6390)) / 2,
        gini=(0.2 + 0.4667) / 2,  # 2(.3 + 1.4)/2 - 3/2 = .2
        distance=(0.7 + 1.0) / 2, following=None, turn=None, copies=None, previous_apart=0.8, sink_apart=0.1,
    )  # fmt: skip
    has(told(WORKED, (A, B, EOS), (SOS, STOP, B), "decoder"), previous_apart=None, sink_apart=None, previous=0.75,
        sink=(1.0 + 0.9) / 2)  # fmt: skip
    # A row of cross-attention without a mask has the numbers of METHODS for itself.
    row = told(WORKED[2:], (A,), (word("x", 30), word("y", 31), word("z", 32)))
    has(row, entropy=0.5817, effective=1.8946, gini=0.4667, previous=None, distance=None, offset=None)
    assert row["entropy"] == near(0.6390 / np.log(3))
    # A summary of one token has no rows.
    none = score(np.ones((1, 1), dtype=np.float32), (EOS,), (SOS,), "decoder", 0, 0)
    has(asdict(none), rows=0, offset=None, previous=None, distance=None, sink=0, entropy=0, gini=0)
    whole = score(WORKED, (A, B, EOS), (SOS, A, B), "decoder", 0, 0)
    assert combine([whole, none]) == whole and combine([none]).rows == 0
    with pytest.raises(ValueError, match=r"Received: \[3, 3\] for 2 queries, 3 keys"):
        score(WORKED, (A, B), (SOS, A, B), "decoder", 0, 0)


ENCODER = np.array(
    [[0.1, 0.6, 0.1, 0.2], [0.2, 0.1, 0.6, 0.1], [0.5, 0.1, 0.3, 0.1], [0.4, 0.2, 0.2, 0.2]], dtype=np.float32
)
SOURCE = (word("a", 20, 0, "Ann"), word("b", 21, 0, "Ann"), word("a", 20, 1, "Tom"), EOS)


def test_an_encoder_head() -> None:
    has(
        told(ENCODER, SOURCE, SOURCE, "encoder"), rows=4,
        previous=(0.2 + 0.1 + 0.2) / 3, following=(0.6 + 0.6 + 0.1) / 3, following_apart=(0.6 + 0.6) / 2,
        itself=(0.1 + 0.1 + 0.3 + 0.2) / 4, offset=1, offset_rate=0.5,  # maxima at +1, +1, -2, -3
        same=(0.1 + 0.5) / 2 - 0.25, chance=0.25,
        sink=(0.2 + 0.1 + 0.1 + 0.2) / 4, sink_apart=(0.2 + 0.1) / 2,
        turn=(0.7 + 0.3 + 0.3) / 3,  # [EOS] has no row and no column
        confidence=(0.6 + 0.6 + 0.5 + 0.4) / 4,
        distance=(1.4 + 0.2 + 0.6 + 0.2 + 1.0 + 0.1 + 0.1 + 1.2 + 0.4 + 0.2) / 4,
    )  # fmt: skip
    # Own turn says nothing about a single turn, and confidence leaves the end out.
    tokens = (word("a", 20, 0), word("b", 21, 0), replace(EOS, turn=0))
    has(told(np.full((3, 3), 1 / 3), tokens, tokens, "encoder"), turn=None)
    has(told([[0.3, 0.7]], (A,), (B, EOS)), confidence=0.3, sink=0.7)
    # The decoder reads a tag where the dialogue's speaker is named; other tokens may have the ids of tags.
    target = (word("Ann", 5), word("X", 6), EOS)
    source = (word("Hi", 20, 0, "Ann"), EOS)
    even = np.tril(np.ones((1, 1, 3, 3))) / np.arange(1, 4)[:, None]
    (decoder,) = scores(AttentionTrace(source, target, decoder_self=even))
    assert decoder.speakers == pytest.approx((1 / 2 + 1 / 3) / 2)
    # Speakers are counted and unknown words are like nothing.
    source = (word("#Person1#", 5, 0, "#Person1#"), word("x", 3, 0, "#Person1#"), word("y", 3, 0, "#Person1#"), EOS)
    has(told(ENCODER, source, source, "encoder"), speakers=(0.1 + 0.2 + 0.5 + 0.4) / 4, same=None)


def test_a_cross_head_copies_the_predicted_or_finds_the_input_token() -> None:
    target, source = (A, B, EOS), (A, C, A, EOS)
    weights = [[0.4, 0.1, 0.3, 0.2], [0.1, 0.3, 0.5, 0.1], [0.2, 0.2, 0.3, 0.3]]
    has(told(weights, target, source, inputs=input_tokens(target)), same=0.7, chance=0.5,
        copied=1.0, copies=0.6)  # row 1, whose input is a  # fmt: skip
    has(told(weights, target, source), copies=None)
    has(told(weights, (C, C, EOS), (A, B, A, EOS)), same=None, copied=None, chance=None)
    # The largest weight of row 0 is on an a, that of row 1 is not on the c.
    has(told(weights, (A, C, EOS), source), copied=0.5)
    # Decoder columns are inputs: a repeated word is found among them: row 2 reads a, and so does column 1.
    has(told(WORKED, (A, A, B), input_tokens((A, A, B)), "decoder"), same=0.8 - 1 / 3, chance=1 / 3,
        copied=None)  # fmt: skip
    assert [token.text for token in input_tokens((A, B, EOS))] == ["[SOS]", "a", "b"]
    # Full stops look at full stops in many heads; that is a sink, not a copy.
    turn = word("[TURN]", TURN)
    has(told(np.full((2, 3), 1 / 3), (STOP, turn), (STOP, turn, A)), same=None, sink=2 / 3)


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
    layers = {"cross": 2, "encoder": 1, "decoder": 2}
    assert [(each.kind, each.layer, each.head) for each in found] == [
        (kind, layer, head) for kind in layers for layer in range(layers[kind]) for head in range(3)
    ]
    alone = {
        4: score(trace.cross[1, 1], target, SOURCE, "cross", 1, 1, inputs),
        8: score(trace.encoder_self[0, 2], SOURCE, SOURCE, "encoder", 0, 2),
        10: score(trace.decoder_self[0, 1], target, inputs, "decoder", 0, 1, inputs),
    }
    for index, expected in alone.items():
        assert asdict(found[index]) == pytest.approx(asdict(expected), abs=spread(terms=4, depth=2))
    assert scores(AttentionTrace(SOURCE, target, cross=trace.cross)) == found[:6]


def test_dialogues_are_joined_by_their_rows(snapshot) -> None:
    first = replace(PLAIN, rows=10, previous=0.2, same=None, offset=-1, offset_rate=0.6)
    second = replace(PLAIN, rows=30, previous=0.6, same=0.4, offset=2, offset_rate=0.5)
    third = replace(PLAIN, rows=20, previous=0.6, same=0.1, offset=-1, offset_rate=0.7)
    has(asdict(combine([first, second, third])), rows=60, previous=(2 + 18 + 12) / 60, same=(12 + 2) / 50, copies=None,
        offset=-1, offset_rate=(6 + 14) / 60)  # fmt: skip
    assert combine([first]) == first
    assert refusals(ValueError, combine, [[], [first, replace(first, head=1)]]) == snapshot
