"""Roll-ups on a handful of tokens, worked out by hand."""

import numpy as np

from core.config import END, TURN
from core.explain.shared.rollup import Group, groups, mean_rows, sum_columns
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from core.trace import Token
from tests.closeness import near
from tests.figures.drawing import drawn
from tests.refusals import refusals

# Ann: parking / Tom: no / Ann: 🙂 (two byte tokens), with marks between the turns and the end token.
TOKENS = (
    Token("Ann", 5, 0, 3, 0, "Ann", 0),
    Token("park", 20, 5, 9, 0, "Ann", 1),
    Token("ing", 21, 9, 12, 0, "Ann", 1),
    Token("[TURN]", TURN, 12, 12, 0, "Ann", 2),
    Token("Tom", 6, 13, 16, 1, "Tom", 3),
    Token("no", 22, 18, 20, 1, "Tom", 4),
    Token("[TURN]", TURN, 20, 20, 1, "Tom", 5),
    Token("Ann", 5, 21, 24, 2, "Ann", 6),
    Token("🙂", 23, 26, 27, 2, "Ann", 7),
    Token("🙂", 24, 26, 27, 2, "Ann", 7),
    Token("[EOS]", END, 27, 27, 2, None, 8),
)
WEIGHTS = np.arange(1, 12, dtype=np.float32)
TURNS, SPEAKERS = groups(TOKENS, "turn"), groups(TOKENS, "speaker")


def labels(found: tuple[Group, ...]) -> list[str]:
    return [group.label for group in found]


def test_groups_of_tokens(snapshot) -> None:
    """Words join their parts and write a split character once; turns hold their mark and not the end."""
    for unit in ("token", "word", "turn", "speaker"):
        found = groups(TOKENS, unit)
        columns = ("label", "members", "turn", "speaker")
        assert drawn({name: [getattr(group, name) for group in found] for name in columns}) == snapshot
    # Tokens that nobody says have a group.
    summary = (Token("yes", 20, 0, 3, None, None, 0), Token("[EOS]", END, 3, 3, None, None, 1))
    assert labels(groups(summary, "turn")) == ["no turn", "[EOS]"]
    assert labels(groups(summary, "speaker")) == ["no speaker", "[EOS]"]
    named = (*summary, Token("no", 21, 4, 6, 0, "no speaker", 2))
    assert [group.members for group in groups(named, "speaker")] == [(0,), (1,), (2,)] and groups((), "word") == ()


def test_columns_are_added_up_and_rows_averaged(snapshot) -> None:
    near(sum_columns(WEIGHTS, SPEAKERS), [10 + 27, 18, 11])
    near(sum_columns(WEIGHTS, TURNS), [10, 18, 27, 11])
    words = groups(TOKENS, "word")
    near(mean_rows(WEIGHTS, words), [1, 2.5, 4, 5, 6, 7, 8, 9.5, 11])
    for square in (np.arange(22.0).reshape(11, 2), np.arange(22).reshape(11, 2)):
        near(mean_rows(square, TURNS), [[3, 4], [10, 11], [16, 17], [20, 21]])
    for unit in ["token", "word", "turn", "speaker"]:
        weights = np.random.default_rng(1).dirichlet(np.ones(11), size=(2, 3, 4)).astype(np.float32)
        found = groups(TOKENS, unit)
        columns = sum_columns(weights, found)
        assert columns.shape == (2, 3, 4, len(found)) and columns.dtype == np.float32, unit
        near(columns.sum(axis=-1), 1, terms=11, depth=2)
        assert mean_rows(weights[0, 0].T @ weights[0, 0], found).shape == (len(found), 11), unit
    for call in (sum_columns, lambda weights, found: mean_rows(weights.T, found)):
        cases = [(np.zeros((2, 12)), TURNS), (np.zeros((2, 10)), TURNS), (np.zeros((2, 11)), TURNS[:-1])]
        assert refusals(ValueError, call, cases) == snapshot


def test_a_real_dialogue_falls_into_its_turns() -> None:
    tokenizer = Tokenizer.train_bpe(["Hello, how are you? I am fine."] * 4, 330)
    tokens = tokenizer.encode_dialogue(parse_dialogue("Ann: Hello, how are you?\nTom: 🙂 fine.\nAnn: Fine")).tokens
    assert labels(groups(tokens, "turn")) == ["1", "2", "3", "[EOS]"]
    assert labels(groups(tokens, "speaker")) == ["Ann", "Tom", "[EOS]"]
    words = labels(groups(tokens, "word"))
    assert words[:3] == ["Ann", "Hello", ","] and "🙂" in words
    assert words[-2:] == ["Fine", "[EOS]"]  # its leading space is a token of its own
