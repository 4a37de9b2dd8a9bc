"""The batch that somebody types: short texts, or rows of ids; and what each place of it is called."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core import checkpoints
from core.config import START
from core.errors import DialogueError
from core.explain.masks import ROWS, Batch, check_rows, filled, read_pads, read_rows
from core.figures.wording import plain
from core.text.dialogue import parse_dialogue
from core.text.tokenizer import Tokenizer
from pages.shared.controls.choices import one_of
from pages.shared.frame import decoding, model
from pages.shared.frame.cache import cached
from pages.shared.frame.fields import Choice, Number, Text

KINDS = {"texts": "Texts", "ids": "Ids"}
KIND = Choice("mask_of", list(KINDS))
TEXTS = Text("mask_texts", 600, "Thank you.\nI lost my key today.\nIs it here?")
IDS = Text("mask_ids", 600, ROWS["tutorial"])
PADS = Text("mask_pads", 60, "0")
ROW = Number("mask_row", 1, 4, 1)
FIELDS = (KIND, TEXTS, IDS, PADS, ROW)
WHOLE = 10**9
"""A length into which every text fits."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A batch with its words.

    Args:
        batch: the ids.
        source: [B][S] what stands at each place of the source.
        target: [B][T] likewise of the target.
    """

    batch: Batch
    source: list[list[str]]
    target: list[list[str]]


def typed() -> Rows:
    """Draw the boxes; the batch in them. Raises SettingsError or DialogueError if it is none."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = one_of("Batch of", KINDS, KIND)
        st.text_input(
            "Pad ids",
            key=PADS.name,
            max_chars=PADS.longest,
            persist_state="session",
            width=150,
            help="An id, or several with commas: 0 or 0, 7. Each counts as padding; rows are filled with the first.",
        )
        if kind == "ids":
            st.button("Tutorial's example", key="mask_tutorial", on_click=take, args=("tutorial",))
            st.button("All padding", key="mask_empty", on_click=take, args=("empty",))
    return _ids() if kind == "ids" else _texts()


def take(name: str) -> None:
    """Fill the box of ids with an example; for a button."""
    KIND.value, IDS.value, PADS.value = "ids", ROWS[name], "0"
    ROW.value = 2 if name == "empty" else 1


def _ids() -> Rows:
    text = st.text_area(
        "Ids, a line a row; press Ctrl + Enter when it is done",
        key=IDS.name,
        max_chars=600,
        height=110,
        persist_state="session",
    )
    pads, rows = read_pads(PADS.value), read_rows(text)
    table = filled(rows, pads[0])
    labels = [[str(each) for each in row] for row in table]
    return Rows(Batch(table, table, pads), labels, labels)


def _texts() -> Rows:
    text = st.text_area(
        "Short texts, a line each; press Ctrl + Enter when it is done",
        key=TEXTS.name,
        max_chars=600,
        height=110,
        persist_state="session",
    )
    pads, tokenizer = read_pads(PADS.value), _current_tokenizer()
    found = [_encoded(tokenizer, line, number) for number, line in enumerate(filter(str.strip, text.splitlines()), 1)]
    sources, targets = [source for source, _, _ in found], [target for _, target, _ in found]
    for rows in (sources, targets):
        check_rows(rows, "text")
    batch = Batch(filled(sources, pads[0]), filled(targets, pads[0]), pads)
    names = [name for _, _, name in found]
    source, target = (
        [[name(int(each)) for each in row] for name, row in zip(names, table, strict=True)]
        for table in (batch.source, batch.target)
    )
    return Rows(batch, source, target)


def _encoded(tokenizer: Tokenizer, line: str, number: int) -> tuple[list[int], list[int], Callable[[int], str]]:
    """A text as the encoder and as the decoder reads it, and what its ids are called."""
    try:
        encoded = tokenizer.encode_dialogue(parse_dialogue(line), WHOLE)
    except DialogueError:
        raise DialogueError(
            f"text {number} has no words for this tokenizer. Received: {line[:40]!r}; allowed: at least a word"
        ) from None

    def name(token: int) -> str:
        return plain(tokenizer.id_text(token, encoded.speakers)) if token < tokenizer.size else str(token)

    return encoded.ids, [START, *tokenizer.encode_summary(line, encoded.speakers)[:-1]], name


def _current_tokenizer() -> Tokenizer:
    name = decoding.checkpoint()
    return _loaded(name, model.identity(name))


@cached(4)
def _loaded(name: str, identity: str) -> Tokenizer:
    return Tokenizer.load(checkpoints.locate(name) / "tokenizer.json")
