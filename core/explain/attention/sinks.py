"""Tokens that are no words and often get much attention: special tokens, speaker tags and punctuation.

Only special tokens are sinks in the strict sense, with short value vectors: `benchmarks/sinks.py` measures it.

Shapes: N key tokens.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.config import END, START, TURN
from core.trace import Array, Token

Category = Literal["start", "end", "turn", "speaker", "punctuation", "word"]
"""[SOS]; [EOS]; [TURN]; a speaker's tag or label; a token without letter or digit; everything else.

Of an imported model the token in front of a dialogue counts as [SOS], and the end of a line as [TURN].
"""
CATEGORIES: tuple[Category, ...] = get_args(Category)
_MARKS: dict[int, Category] = {START: "start", END: "end", TURN: "turn"}
_TAG_IDS = range(TURN + 1, TURN + 10)
"""Ids of the nine speaker tags of a byte-level tokenizer; in other ones they are frequent pieces."""
_TAG = re.compile(r"#?person[1-9]#?", re.IGNORECASE)
_IMPORTED_MARKS: dict[str, Category] = {"<s>": "start", "[CLS]": "start", "\n": "turn"}
_WORD = re.compile(r"[\w']+")


def category(token: Token, speakers: Collection[str] = ()) -> Category:
    """Return the category of a token.

    A token of a dialogue is "speaker" if it is a word of its own speaker's name, in the label before a turn or in that
    speaker's own words. A token of a summary is "speaker" if it has the id of a tag and is the name of one of the
    dialogue's `speakers`; a word-level vocabulary has no tags, so that a name is a word there. Tags such as #Person1#
    are "speaker" everywhere. Speakers after the ninth have no tag: the sub-words of their labels are words.
    """
    if token.id in _MARKS:
        return _MARKS[token.id]
    if token.start == token.end and token.text in _IMPORTED_MARKS:
        return _IMPORTED_MARKS[token.text]
    if _TAG.fullmatch(token.text) or _names_speaker(token, speakers):
        return "speaker"
    return "word" if any(character.isalnum() for character in token.text) else "punctuation"


def shares(weights: NDArray[Any], tokens: Sequence[Token], speakers: Collection[str] = ()) -> dict[Category, Array]:
    """Sum each row by category of token.

    Args:
        weights: [..., N] rows of attention.
        tokens: the N keys.
        speakers: names of those who speak in the dialogue.

    Returns:
        For every category, [...]; they add up to the sums of the rows.

    Raises:
        ValueError: there are not N tokens.
    """
    _check(weights, tokens)
    found = np.array([category(token, speakers) for token in tokens])
    return {each: weights[..., found == each].sum(axis=-1, dtype=np.float32) for each in CATEGORIES}


def without(
    weights: NDArray[Any], tokens: Sequence[Token], left_out: Collection[Category], speakers: Collection[str] = ()
) -> Array:
    """Remove some categories from rows, and renormalise the rows to 1.

    Args:
        weights: [..., N] rows of attention.
        tokens: the N keys.
        left_out: the categories whose columns become 0.
        speakers: names of those who speak in the dialogue.

    Returns:
        [..., N]; a row without other attention is all 0.

    Raises:
        ValueError: there are not N tokens.
    """
    _check(weights, tokens)
    kept = np.array([category(token, speakers) not in left_out for token in tokens], dtype=bool)
    rest = np.where(kept, weights, 0).astype(np.float32)
    total = rest.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(rest, total, out=np.zeros_like(rest), where=total > 0))


def _names_speaker(token: Token, speakers: Collection[str]) -> bool:
    if token.speaker is not None:
        return token.text == token.speaker or token.text in _WORD.findall(token.speaker)
    return token.turn is None and token.id in _TAG_IDS and token.start < token.end and token.text in speakers


def _check(weights: NDArray[Any], tokens: Sequence[Token]) -> None:
    if weights.shape[-1] != len(tokens):
        raise ValueError(f"weights must have one column a token, {len(tokens)}. Received: {list(weights.shape)}")
