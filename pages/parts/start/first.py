"""The first dialogue with its summary, from what was kept of a checkpoint: there before any model is loaded.

Below it stand the ways into the app.
"""

from typing import Any

import streamlit as st

from core import checkpoints
from core.experiments.start import opening
from core.experiments.start.opening import Opening
from core.figures.shared import card_facts
from core.figures.shared.wording import literal
from core.words import later, say
from pages.parts.start.writing import writing, writing_data
from pages.shared.controls import open_head
from pages.shared.controls.open_head import KIND, LAST, TOKEN
from pages.shared.guard import demo
from pages.shared.model import models
from pages.shared.model.cache import cached
from pages.shared.place import places
from pages.shared.session import decoding, notices, selection

WRITING = "writing"
BRING = later("Bring a file of dialogues, with or without summaries, and find those that went wrong.")
BUNDLED = later("Look at many summaries at once, and find those that went wrong.")
_of_run = cached(8)(opening.of)


def draw() -> None:
    """Draw how a summary was written, and the ways into the app, which are there whatever was kept."""
    name, kept = "", None
    with notices.boundary("opening"):
        name, kept = _kept()
        if kept is None:
            message = say("No summary was kept of the installed models. Summarize writes one.")
            st.info(message, icon=":material/info:")
        else:
            _step(name, kept)
    _doors()
    if kept is not None and kept.example is not None:
        st.caption(
            say(
                "The summary above was written earlier by **{name}**: nothing is computed on this page. "
                "Licence of the weights: {licence}.",
                name=literal(name),
                licence=card_facts.licence(checkpoints.read_card(name)),
            ),
            help=say("Weights {hash}", hash=models.file_hash(name)[:12]),
        )


def _doors() -> None:
    """Draw a door to each page that one begins with."""
    paste = say("Paste a conversation, and see how its summary is written.")
    doors = [
        ("school", say("Learn it"), say("Short lessons, from the first token to the last error."), "lessons"),
        ("search", say("Look inside my text"), paste, "summarize"),
        ("troubleshoot", say("Find errors"), say(BUNDLED if demo.on() else BRING), "errors"),
    ]
    for column, (icon, label, about, page) in zip(st.columns(len(doors)), doors, strict=True):
        with column:
            if st.button(f"**{label}**", key=f"door_{page}", icon=f":material/{icon}:", width="stretch"):
                places.visit(page, **({selection.INPUT.name: "paste"} if page == "summarize" else {}))
            st.caption(about)


def _kept() -> tuple[str, Opening | None]:
    """Return the current run if its model is loaded; else what was kept of the chosen checkpoint, or of another."""
    chosen, name = selection.current(), decoding.checkpoint()
    summarizer = models.loaded(name)
    own = chosen.example is None or chosen.edited or chosen.example.id != opening.first().id
    if summarizer is not None and chosen.text.strip() and (own or checkpoints.read_opening(name) is None):
        return name, _of_run(summarizer, models.summary(summarizer, chosen.text, decoding.settings()))
    for name in dict.fromkeys([decoding.checkpoint(), *checkpoints.installed()]):
        kept = opening.read(checkpoints.read_opening(name), models.file_hash(name), decoding.of_card(name))
        if kept is not None:
            return name, kept
    return "", None


def _step(name: str, kept: Opening) -> None:
    """Draw the summary step by step, and go to the page where a step is asked for."""
    asked = writing(key=WRITING, data=writing_data(name, kept, models.file_hash(name)), on_see_change=lambda: None).see
    if asked:
        _see(name, kept, str(asked["part"]), int(asked["step"]))


def _at(step: int) -> dict[str, Any]:
    return {"heads": "", "branch": "", "turn": 0, "step": step}


def _see(name: str, kept: Opening, part: str, step: int) -> None:
    """Open the page that shows a part of the network at a step, from 0, of the run that is drawn here."""
    values: dict[str, Any] = {}
    if kept.example:
        values = decoding.defaults(name) | {decoding.CHECKPOINT.name: name, selection.EDITS: None}
        values |= {selection.INPUT.name: "example", selection.EXAMPLE.name: kept.example.id}
    read = kept.passes[step].place + 1 if kept.passes else 0

    def head(kind: str, token: int) -> tuple[str, str, dict[str, Any]]:
        return "attention", "head", open_head.FIRST | {KIND.name: kind, TOKEN.name: token, LAST.name: 0}

    doors: dict[str, tuple[str, str, dict[str, Any]]] = {
        "text": ("summarize", "", {}),
        "tokens": ("tokens", "", {}),
        "embedding": ("positions", "sum", {"pos_sum": "tokens", "pos_token": max(read, 1)}),
        "encoder": head("encoder", read),
        "cross": head("cross", step + 1),
        "decoder": head("decoder", step + 1),
        "next": ("decoding", "steps", _at(step + 1)),
        "word": ("decoding", "steps", _at(min(step + 2, len(kept.passes)))),  # the decoder reads it at the next step
        "network": ("architecture", "", {}),
    }
    page, view, fields = doors[part]
    places.visit(page, view, **values, **fields)
