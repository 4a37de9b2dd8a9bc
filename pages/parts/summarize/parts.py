"""The parts of a long chat or transcript: one of them is the dialogue, and each has a summary of its own."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import streamlit as st

from core.figures.shared.wording import count
from core.text.formats import parts
from core.text.formats.parts import Part
from core.text.formats.transcript import Transcript
from core.words import later, say
from pages.shared.figures import pictures
from pages.shared.model import loading, models, sweep
from pages.shared.model.cache import cached
from pages.shared.session import decoding, notices, option_labels, selection
from pages.shared.session.selection import Own

PART = "part"
TOGETHER = "parts_together"
"""Session key: the first and the last of the parts whose summaries are summarized together."""
HEADINGS = (later("Part"), later("Day"), later("Time"), later("Summary"), later("First line"), later("Turns"))
BROAD: dict[str, Literal["large", "medium"]] = {"Summary": "large", "First line": "medium"}


def choose() -> None:
    """Draw the choice of a part where the model cannot read all of an own text at once."""
    own, cut = _own()
    if own is None or own.reading is None or len(cut) < 2:
        return
    oversized = selection.is_oversized(own.reading)
    if oversized and not own.part:
        selection.take_part(1, cut[0].text)
    titles = {} if oversized else {0: say("All of it: the model leaves out what it cannot read")}
    titles |= {number: _title(number, part) for number, part in enumerate(cut, 1)}
    option_labels.follow(PART, titles)
    st.session_state[PART] = st.session_state[selection.DIALOGUE].part
    turns = count(len(own.reading.turns), "turn")
    label = say("{turns}, more than the model reads at once. Choose a part.", turns=turns)
    st.selectbox(label, list(titles), format_func=titles.__getitem__, key=PART, on_change=_take)


def draw_all() -> None:
    """Draw the summaries of all parts, one after the other as they are written."""
    own, cut = _own()
    summarizer = loading.current_job().summarizer
    if own is None or own.reading is None or summarizer is None or len(cut) < 2:
        return
    settings = decoding.settings()
    key = ("parts", summarizer.checkpoint.identity, own.reading.text, tuple(settings.to_dict().items()))
    begun = sweep.running(key) or bool(sweep.known(key) and sweep.results(key))
    with st.expander(say("A summary of every part"), icon=":material/view_list:", expanded=begun):
        numbers = range(1, len(cut) + 1)
        sweep.controls("parts", key, numbers, say("Summarize every part"), say("parts"))
        summaries = sweep.results(key)
        rows = [
            (number, part.day, part.times, summaries.get(number, ""), part.opening, f"{part.first + 1}–{part.last + 1}")
            for number, part in enumerate(cut, 1)
        ]
        columns = {name: [str(row[place]) for row in rows] for place, name in enumerate(HEADINGS)}
        table = {name: column for name, column in columns.items() if any(column) or name == "Summary"}
        broad = {name: st.column_config.TextColumn(say(name), width=width) for name, width in BROAD.items()}
        tall = 84 if any(summaries.values()) else None  # pixels: so that a summary has three lines
        pictures.table(table, say("Each part with its summary"), column_config=broad, row_height=tall)

        def write(some: Sequence[int]) -> dict[int, str]:
            return {number: models.summary(summarizer, cut[number - 1].text, settings).text for number in some}

        if len(summaries) == len(cut):
            _together(cut, summaries, lambda text: models.summary(summarizer, text, settings).text)
        sweep.advance(key, numbers, 1, write)


def _together(cut: Sequence[Part], summaries: Mapping[int, str], write: Callable[[str], str]) -> None:
    """Draw the summary of the summaries of several parts, and say which parts it comes from."""
    label = say("Parts that are summarized together")
    first, last = st.select_slider(label, range(1, len(cut) + 1), (1, len(cut)), key=f"{TOGETHER}_{len(cut)}")
    name, room = decoding.checkpoint(), decoding.config().max_source_length
    chosen = [summaries[number] for number in range(first, last + 1)]
    with st.spinner(say("Summarizing the summaries …")):
        text = parts.together(chosen, write, lambda transcript: parts.fitting(transcript, models.tokenizer(name), room))
    for sentence, place in parts.origins(text, chosen):
        where = say("in no part") if place is None else say("part {part}", part=first + place)
        st.markdown(f"{notices.literal(sentence)} :gray[({where})]")
    st.caption(say("Made from the summaries of these parts alone; each sentence names the part that it is nearest to."))


def _own() -> tuple[Own | None, list[Part]]:
    """Return the own dialogue and the parts in which the chosen model can read it."""
    own: Own | None = st.session_state.get(selection.DIALOGUE)
    if own is None or own.reading is None or selection.origin() != selection.OWN:
        return None, []
    name, room = decoding.checkpoint(), decoding.config().max_source_length
    return own, _cut(own.reading.text, own.reading, name, models.identity(name, "tokenizer.json"), room)


@cached(8)
def _cut(text: str, _found: Transcript, name: str, identity: str, room: int) -> list[Part]:
    """Cut a transcript, which `text` tells from others, into parts of at most `room` tokens."""
    return parts.fitting(_found, models.tokenizer(name), room)


def _title(number: int, part: Part) -> str:
    turns = say("turns {first} to {last}", first=part.first + 1, last=part.last + 1)
    return " · ".join(filter(None, (f"{number}", part.day, part.times, turns, part.opening)))


def _take() -> None:
    own, cut = _own()
    number = int(st.session_state[PART])
    if own and own.reading:
        text = cut[number - 1].text if number else own.reading.text
        notices.attempt(lambda: selection.take_part(number, text))
