"""Driving the Tokens page without a browser, and the same numbers straight from the core."""

from functools import partial
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.text.tokenizer import EncodedDialogue, Tokenizer
from tests.pages.driver import data, healthy, open_link, tiny, trigger

PAGE = "pages/tokens.py"
arrive = partial(open_link, PAGE)
WHOLE = 10**9
TEXTS = [text for each in load_examples() for text in (each.dialogue, *each.references)]
WORDS = Tokenizer.train_words(TEXTS, 3)
"""The word-level tokenizer that the page learns where no checkpoint has one."""


def own(app: AppTest, text: str, **link: object) -> AppTest:
    """Open the page with a text of one's own."""
    return arrive(app, tokens_of="own", tokens_text=text, **link)


def type_own(app: AppTest, text: str) -> AppTest:
    """Type another text of one's own."""
    app.text_area(key="tokens_box").set_value(text).run()
    healthy(app)
    return app


def show(app: AppTest, view: str) -> AppTest:
    """Open another view."""
    app.segmented_control(key="tokens_view").set_value(view).run()
    healthy(app)
    return app


def pick(app: AppTest, line: int, index: int) -> AppTest:
    """Lock a chip; -1 twice releases."""
    return trigger(app, "token_chips", "pick", {"line": line, "index": index})


def bpe() -> Tokenizer:
    """The tokenizer of the checkpoint."""
    return tiny().tokenizer


def encoded(
    text: str, tokenizer: Tokenizer | None = None, length: int = WHOLE, side: Any = "middle"
) -> EncodedDialogue:
    """The text as the core reads it."""
    return (tokenizer or bpe()).encode_dialogue(parse_dialogue(text), length, side)


def chips(app: AppTest, line: int) -> list[tuple[str, int, str]]:
    """Text, id and kind of every drawn chip of a line."""
    found = [chip for turn in data(app, "token_chips")["turns"] for chip in turn["chips"][line]]
    return [(chip[1], chip[2], chip[3]) for chip in found]


def metrics(app: AppTest) -> dict[str, str]:
    """The five numbers at the top."""
    return {each.label: each.value for each in app.metric}


def embedding_table() -> np.ndarray:
    """The weights of the checkpoint's embedding."""
    return tiny().checkpoint.weights["source_embedding/table"]
