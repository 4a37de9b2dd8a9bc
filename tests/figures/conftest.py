"""Hand-made steps and tokens, and captions with plain spaces."""

import math

import pytest

from core.config import END
from core.figures.shared.wording import BLANK
from core.trace import DecodingStep, Token


def token(text: str, id: int = 9) -> Token:
    return Token(text, id, 0, 0, None, None, 0)


def said(of) -> str:
    """Return a text, or the caption of a picture, with plain spaces."""
    return (of if isinstance(of, str) else of.caption).replace(BLANK, " ")


def notes(picture) -> list[str]:
    """Return the texts that are written on the figure."""
    return [note.text for note in picture.figure.layout.annotations]


def cannot_draw(why: str, draw, *arguments, **options) -> None:
    """Assert that these cannot be drawn, and that the refusal says why."""
    with pytest.raises(ValueError, match=why):
        draw(*arguments, **options)


def step(text: str, probability: float, entropy: float, rank: int = 1, id: int = 9) -> DecodingStep:
    return DecodingStep(token(text, id), math.log(probability), entropy, rank, ())


@pytest.fixture
def steps() -> tuple[DecodingStep, ...]:
    """Four tokens, two of them alike, the end token last; surprises ln 2, ln 4, ln 10, ln 2."""
    rows = (("the", 0.5, 1.0), ("<b>cat</b>", 0.25, 1.0, 2), ("the", 0.1, 0.5, 40), ("[EOS]", 0.5, 0.5, 1, END))
    return tuple(step(*row) for row in rows)
