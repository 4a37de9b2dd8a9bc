"""The batch that somebody types: short texts, or rows of ids."""

import streamlit as st

from core.explain.masks.masks import ROWS, read_pads
from core.figures.masks.typed_batch import Rows, rows_of_ids, rows_of_texts
from core.words import later, say
from pages.shared.controls.choices import one_of
from pages.shared.model import models
from pages.shared.session import decoding
from pages.shared.session.fields import Choice, Number, Text

KINDS = {"texts": later("Texts"), "ids": later("Ids")}
KIND = Choice("mask_of", KINDS)
TEXTS = Text("mask_texts", 600, "Thank you.\nI lost my key today.\nIs it here?")
IDS = Text("mask_ids", 600, ROWS["tutorial"])
PADS = Text("mask_pads", 60, "0")
ROW = Number("mask_row", 1, "batch_rows", 1)
FIELDS = (KIND, TEXTS, IDS, PADS, ROW)


def typed() -> Rows:
    """Draw the boxes and return the batch in them; raises SettingsError or DialogueError if they hold no batch."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = one_of(say("Batch of"), KIND)
        st.text_input(
            say("Pad ids"),
            key=PADS.name,
            max_chars=PADS.longest,
            persist_state="session",
            width=130,
            help=say(
                "An id, or several with commas: 0 or 0, 7. Each counts as padding; rows are filled with the first."
            ),
        )
        if kind == "ids":
            st.button(say("Tutorial's example"), key="mask_tutorial", on_click=take, args=("tutorial",))
            st.button(say("All padding"), key="mask_empty", on_click=take, args=("empty",))
    label, field = (
        (say("Ids, a line a row; press Ctrl + Enter when it is done"), IDS)
        if kind == "ids"
        else (say("Short texts, a line each; press Ctrl + Enter when it is done"), TEXTS)
    )
    text = st.text_area(
        label,
        key=field.name,
        max_chars=field.longest,
        height=110,
        persist_state="session",
    )
    pads = read_pads(PADS.value)
    if kind == "ids":
        return rows_of_ids(text, pads)
    return rows_of_texts(text, pads, models.tokenizer(decoding.checkpoint()))


def take(name: str) -> None:
    """Fill the box of ids with an example; for a button."""
    KIND.value, IDS.value, PADS.value = "ids", ROWS[name], "0"
    ROW.value = 2 if name == "empty" else 1
