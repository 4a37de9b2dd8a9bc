"""Kinds of tokens and their shares of attention, worked out by hand."""

import numpy as np
import pytest

from core.config import END, START, TURN
from core.explain.sinks import CATEGORIES, category, shares, without
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from core.trace import Token

TEXT = "Mary Ann: Hello #Person3#, 5 cats!\nTom: Mary Ann, no.\nMary Ann: I am Mary."
TOKENS = (
    Token("Ann", 5, 0, 3, 0, "Ann", 0),
    Token("park", 20, 5, 9, 0, "Ann", 1),
    Token(".", 21, 9, 10, 0, "Ann", 2),
    Token("[TURN]", TURN, 10, 10, 0, "Ann", 3),
    Token("[EOS]", END, 10, 10, 0, None, 4),
)


def named(tokens) -> list[tuple[str, str]]:
    return [(token.text, category(token)) for token in tokens if category(token) != "word"]


def test_categories_of_tokens() -> None:
    # Categories of a byte level source and summary.
    tokenizer = Tokenizer.train_bpe(["Hello cats, no. I am Mary Ann Tom 5!"] * 4, 400)
    encoded = tokenizer.encode_dialogue(parse_dialogue(TEXT))
    assert [each for each in named(encoded.tokens) if each[1] != "punctuation"] == [
        ("Mary Ann", "speaker"), ("#Person3#", "speaker"), ("[TURN]", "turn"),
        ("Tom", "speaker"), ("[TURN]", "turn"),
        ("Mary Ann", "speaker"), ("Mary", "speaker"), ("[EOS]", "end"),
    ]  # fmt: skip
    assert [text for text, kind in named(encoded.tokens) if kind == "punctuation"] == [",", "!", ",", ".", "."]
    ids = [START, *tokenizer.encode_summary("Mary Ann am #Person3#, no Tom.", encoded.speakers)]
    found = named(tokenizer.decode(ids, encoded.speakers)[1])
    kinds = ["start", "speaker", "speaker", "punctuation", "speaker", "punctuation", "end"]
    assert [kind for _, kind in found] == kinds
    assert [text for text, kind in found if kind == "speaker"] == ["Mary Ann", "#Person3#", "Tom"]
    # Categories of a word level source and summary.
    tokenizer = Tokenizer.train_words(["hello person1 no i am mary ann tom"] * 4)
    encoded = tokenizer.encode_dialogue(parse_dialogue(TEXT))
    assert named(encoded.tokens) == [
        ("Mary", "speaker"), ("Ann", "speaker"), ("Person3", "speaker"), ("Tom", "speaker"),
        ("Mary", "speaker"), ("Ann", "speaker"), ("Mary", "speaker"), ("[EOS]", "end"),
    ]  # fmt: skip
    ids = tokenizer.encode_summary("Hello person1, i am.")
    assert {token for token in ids if 5 <= token <= 13}  # words where a byte-level tokenizer has its tags
    assert named(tokenizer.decode(ids)[1]) == [("person1", "speaker"), ("[EOS]", "end")]
    # A mark that is typed is text.
    assert category(Token("[EOS]", 77, 0, 5, 0, "Ann", 0)) == "word"
    assert category(Token("é", 77, 0, 1, 0, "Ann", 0)) == "word"
    assert category(Token("🙂", 77, 0, 1, 0, "Ann", 0)) == "punctuation"


def test_shares_of_categories(subtests: pytest.Subtests) -> None:
    # Shares add up to the row.
    weights = np.array([[0.1, 0.2, 0.3, 0.15, 0.25], [0, 0, 0, 0, 0.5]], dtype=np.float32)
    found = shares(weights, TOKENS)
    assert tuple(found) == CATEGORIES
    expected = {"speaker": [0.1, 0], "word": [0.2, 0], "punctuation": [0.3, 0], "turn": [0.15, 0], "end": [0.25, 0.5]}
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, atol=1e-7)
    np.testing.assert_array_equal(found["start"], [0, 0])
    np.testing.assert_allclose(sum(found.values()), weights.sum(axis=-1), atol=1e-6)
    assert shares(weights[None, 0], TOKENS)["end"].shape == (1,) and found["end"].dtype == np.float32
    # Without renormalises and an empty row stays empty.
    weights = np.array([[0.1, 0.2, 0.3, 0.15, 0.25], [0, 0, 0, 0, 1]], dtype=np.float32)
    rest = without(weights, TOKENS, {"end", "turn", "punctuation"})
    np.testing.assert_allclose(rest, [[1 / 3, 2 / 3, 0, 0, 0], [0, 0, 0, 0, 0]], atol=1e-6)
    np.testing.assert_array_equal(without(weights, TOKENS, CATEGORIES), np.zeros((2, 5)))
    np.testing.assert_allclose(without(weights, TOKENS, ()), weights, atol=1e-7)
    np.testing.assert_allclose(weights[0, 4], 0.25)  # the argument is left as it was
    # Weights of other tokens are refused.
    for call in (lambda: shares(np.ones((2, 4)), TOKENS), lambda: without(np.ones((2, 4)), TOKENS, ())):
        with subtests.test(call=call), pytest.raises(ValueError, match=r"one column a token, 5. Received: \[2, 4\]"):
            call()
