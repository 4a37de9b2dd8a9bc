"""Driving the Tokens page without a browser, and the same numbers straight from the core."""

from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.text.tokenizer import EncodedDialogue, Tokenizer
from tests.pages.attention import healthy, trigger
from tests.pages.conftest import data
from tests.pages.decoding import notes, tiny

PAGE = "pages/tokens.py"
WHOLE = 10**9
TEXTS = [text for each in load_examples() for text in (each.dialogue, *each.references)]
WORDS = Tokenizer.train_words(TEXTS, 3)
"""The word-level tokenizer that the page learns where no checkpoint has one."""


def arrive(app: AppTest, **link: object) -> AppTest:
    """Open a link to the page in a new session."""
    app.query_params.update({name: str(value) for name, value in link.items()})
    app.switch_page(PAGE).run()
    healthy(app)
    return app


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


def press(app: AppTest, key: str) -> AppTest:
    """Press a button."""
    app.button(key=key).click().run()
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


def noted(app: AppTest) -> str:
    """What was wrong with the link, without what keeps users' text from being Markdown."""
    return notes(app).replace("\\", "")


def metrics(app: AppTest) -> dict[str, str]:
    """The five numbers at the top."""
    return {each.label: each.value for each in app.metric}


def table(app: AppTest, column: str) -> Any:
    """The first table on the page that has a column."""
    return next(each.value for each in app.dataframe if column in each.value.columns)


def embedding_table() -> np.ndarray:
    """The weights of the checkpoint's embedding."""
    return tiny().checkpoint.weights["source_embedding/table"]
