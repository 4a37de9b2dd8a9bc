"""The first dialogue with its summary, from what was kept of a checkpoint: there before any model is loaded."""

import streamlit as st

from core import checkpoints
from core.evaluation import opening
from core.evaluation.opening import Opening
from core.figures.shared import card_facts
from core.figures.shared.wording import literal
from core.words import say
from pages.parts.start import doors
from pages.parts.start.writing import writing, writing_data
from pages.shared.model import models
from pages.shared.place import places
from pages.shared.session import decoding, notices

WRITING = "writing"


def draw() -> None:
    """Draw how a summary was written, and the ways into the app, which are there whatever was kept."""
    name, found = "", None
    with notices.boundary("opening"):
        name, found = _kept()
        if found is None:
            said = say("No summary was kept of the installed models. Summarize writes one.")
            st.info(said, icon=":material/info:")
        else:
            _step(name, found)
    doors.draw()
    if found is not None:
        st.caption(
            say(
                "The summary above was written earlier by **{name}**: nothing is computed on this page. "
                "Models are often wrong about who did what: compare it with the dialogue. "
                "Licence of the weights: {licence}.",
                name=literal(name),
                licence=card_facts.licence(checkpoints.read_card(name)),
            ),
            help=say("Weights {hash}", hash=models.file_hash(name)[:12]),
        )


def _kept() -> tuple[str, Opening | None]:
    """Return what was kept of the chosen checkpoint, or else of the first one that has it."""
    for name in dict.fromkeys([decoding.checkpoint(), *checkpoints.installed()]):
        found = opening.read(checkpoints.read_opening(name), models.file_hash(name), decoding.of_card(name))
        if found is not None:
            return name, found
    return "", None


def _step(name: str, found: Opening) -> None:
    """Draw the summary step by step, and go to the page where a step is asked for."""
    asked = writing(key=WRITING, data=writing_data(name, found, models.file_hash(name)), on_see_change=lambda: None).see
    if asked:
        _see(name, str(asked["page"]), int(asked["step"]) + 1)


def _see(name: str, page: str, step: int) -> None:
    """Open a page where a step, from 1, is shown, of this model and its own settings."""
    values = decoding.defaults(name) | {decoding.CHECKPOINT.name: name, "input": "example", "edits": None}
    values["example"] = opening.first().id
    if page == "attention":
        places.visit(page, **values, see="head", kind="cross", layer=0, head=0, token=step, to=0)
    places.visit("decoding", **values, view="steps", heads="", branch="", turn=0, step=step)
