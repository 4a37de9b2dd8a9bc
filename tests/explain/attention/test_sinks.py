"""Kinds of tokens and their shares of attention, worked out by hand."""

import numpy as np

from core.config import END, START, TURN
from core.explain.attention.sinks import CATEGORIES, category, shares, without
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from core.trace import Token
from tests.closeness import near
from tests.figures.drawing import drawn
from tests.refusals import refusals

DIALOGUE = parse_dialogue("Mary Ann: Hello #Person3#, 5 cats!\nTom: Mary Ann, no.\nMary Ann: I am Mary.")
TOKENS = (
    Token("Ann", 5, 0, 3, 0, "Ann", 0),
    Token("park", 20, 5, 9, 0, "Ann", 1),
    Token(".", 21, 9, 10, 0, "Ann", 2),
    Token("[TURN]", TURN, 10, 10, 0, "Ann", 3),
    Token("[EOS]", END, 10, 10, 0, None, 4),
)


def named(tokens) -> dict[str, list[str]]:
    kinds = [(token.text, category(token, DIALOGUE.speakers)) for token in tokens]
    return dict(zip(("Token", "Kind"), zip(*(each for each in kinds if each[1] != "word"), strict=True), strict=True))


def test_categories_of_tokens(snapshot) -> None:
    # Sources and summaries of a byte-level and of a word-level tokenizer.
    pieces = Tokenizer.train_bpe(["Hello cats, no. I am Mary Ann Tom 5!"] * 4, 400)
    encoded = pieces.encode_dialogue(DIALOGUE)
    ids = [START, *pieces.encode_summary("Mary Ann am #Person3#, no Tom.", encoded.speakers)]
    words = Tokenizer.train_words(["hello person1 no i am mary ann tom"] * 4)
    others = words.encode_summary("Hello person1, i am.")
    assert {token for token in others if 5 <= token <= 13}  # words where a byte-level tokenizer has its tags
    sources = encoded.tokens, words.encode_dialogue(DIALOGUE).tokens
    summaries = pieces.decode(ids, encoded.speakers)[1], words.decode(others)[1]
    assert drawn(*map(named, (*sources, *summaries))) == snapshot
    # Tokens of an imported model, whose ids 5 to 13 are no tags.
    source = [("<s>", None, "start"), ("\n", 0, "turn"), (":", 0, "punctuation"), ("do", None, "word")]
    for text, turn, kind in source:
        assert category(Token(text, 5, 9, 9, turn, None if turn is None else "Ann", 0)) == kind
    assert category(Token(".", 8, 0, 1, None, None, 0)) == "punctuation"
    assert category(Token("X", 8, 0, 1, None, None, 0), DIALOGUE.speakers) == "word"
    # A mark that is typed is text.
    for text, kind in (("[EOS]", "word"), ("é", "word"), ("🙂", "punctuation")):
        assert category(Token(text, 77, 0, len(text), 0, "Ann", 0)) == kind


def test_shares_of_categories_add_up_to_the_row(snapshot) -> None:
    weights = np.array([[0.1, 0.2, 0.3, 0.15, 0.25], [0, 0, 0, 0, 0.5]], dtype=np.float32)
    found = shares(weights, TOKENS)
    assert tuple(found) == CATEGORIES
    for name, values in {
        "start": [0, 0], "speaker": [0.1, 0], "word": [0.2, 0], "punctuation": [0.3, 0], "turn": [0.15, 0],
        "end": [0.25, 0.5],
    }.items():  # fmt: skip
        near(found[name], values)
    assert shares(weights[None, 0], TOKENS)["end"].shape == (1,) and found["end"].dtype == np.float32
    # What is left out renormalises the others, and an empty row stays empty.
    rest = without(weights, TOKENS, {"end", "turn", "punctuation"})
    near(rest, [[1 / 3, 2 / 3, 0, 0, 0], [0, 0, 0, 0, 0]], terms=5)
    np.testing.assert_array_equal(without(weights, TOKENS, CATEGORIES), np.zeros((2, 5)))
    weights[1, 4] = 1
    near(without(weights, TOKENS, ()), weights, terms=5)
    np.testing.assert_allclose(weights[0, 4], 0.25)  # the argument is left as it was
    cases = [lambda: shares(np.ones((2, 4)), TOKENS), lambda: without(np.ones((2, 4)), TOKENS, ())]
    assert refusals(ValueError, lambda call: call(), cases) == snapshot
