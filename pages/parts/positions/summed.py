"""Embedding and position added up: the slides' example, and the current dialogue's tokens."""

import numpy as np
import streamlit as st

from core.experiments.positions import first_input
from core.explain import positions
from core.figures.positions import runs as figures
from core.figures.positions.heatmap import as_printed, single
from core.figures.positions.pairs import small
from core.figures.shared.wording import token_text
from core.words import later, say
from pages.parts.positions.table import code_line, within
from pages.shared.controls import picker
from pages.shared.controls.choices import one_of, row
from pages.shared.figures import pictures
from pages.shared.model import loading, model_parts
from pages.shared.session import decoding
from pages.shared.session.fields import Choice, Number
from pages.shared.session.notices import literal

OF = {"tokens": later("Your tokens"), "slides": later("An example of a lecture")}
SUM = Choice("pos_sum", OF)
TOKEN = Number("pos_token", 1, 9999, 1, of_dialogue=True)
FIELDS = (SUM, TOKEN)
LACKING = later("positions, because it reads one token after the other and so knows their order")
"""What a recurrent model does not have."""
NO_VECTORS = later(
    "This model has no vectors for positions: it adds a bias by distance to the scores of self-attention, which the "
    "views Encoding and Distance show. Its first layer reads the embedding alone."
)
READS = later(
    "The first layer of the encoder reads **embedding + position**. The sum has the same width; the network has to "
    "learn which part of it is meaning and which is position. Some models add a vector of the speaker, too, or "
    "normalise the sum first."
)
AROUND = 2
"""Neighbours on each side of the chosen token."""
ROW = 1
"""Which row of the sum the slides print."""


def draw() -> None:
    """Draw the sum of embedding and position, for the slides' words or for the tokens of the dialogue."""
    with row():
        computed_on = one_of(say("Computed on"), SUM)
    if computed_on == "slides":
        _slides()
    elif decoding.config().has.positions == "relative":
        st.info(say(NO_VECTORS), icon=":material/info:")
    elif model_parts.has_or_note("positions", say(LACKING)):
        _tokens()


def _slides() -> None:
    """Draw the sum of the slides: five words of width 5 with base 100."""
    words = np.array(positions.SLIDES_WORDS, dtype=np.float32)
    places = positions.encoding(*positions.SLIDES).astype(np.float32)
    labels = [say("word {row}", row=row) for row in range(len(words))]
    pictures.show(figures.sum_maps(words, places, labels, 0), "pos_slides_picture")
    st.markdown(say(READS))
    total = (words + places)[ROW]
    printed = as_printed(total, positions.PRINTED_SUM)
    same = sum(text.endswith("✓") for text in printed)
    st.markdown(
        say(
            "**Row {row}: {same} of {size} sums are as slides of a lecture show them.**",
            row=ROW,
            same=same,
            size=len(printed),
        )
    )
    st.table(
        {
            say("Dimension"): list(range(len(total))),
            say("Word"): [f"{value:g}" for value in positions.SLIDES_WORDS[ROW]],
            say("Position"): [single(value) for value in places[ROW]],
            say("Sum"): [single(value) for value in total],
            say("Slides"): printed,
        }
    )
    code_line("position sum")


def _tokens() -> None:
    """Draw the sum for the tokens of the dialogue, with the checkpoint's embedding and positions."""
    with row():
        picker.bar()
    summarizer, summary = loading.require_run()
    read = first_input(summarizer, summary)
    tokens = [token_text(token) for token in summary.source]
    with row():
        label = say("Token, 1 to {size:,}", size=len(tokens))
        place = within(label, TOKEN, len(tokens), say("token"), 130) - 1
    rows = slice(max(0, place - AROUND), place + AROUND + 1)
    shape = summarizer.config.has.blocks
    scaled = shape is None or shape.embedding_scale
    name = "scaled" if scaled else "unscaled"
    name += ", speaker" if shape is not None and shape.speakers else ""
    normed = shape is not None and shape.embedding_norm != "none"
    maps = figures.sum_maps(read.embedded[rows], read.positions[rows], tokens[rows], rows.start, name, normed)
    pictures.show(maps, "pos_sum_picture")
    stands = say("“{token}” stands at position {place}: positions count from 0.", token=tokens[place], place=place)
    st.markdown(literal(stands))
    st.markdown(say(READS))
    st.caption(_measured(read.difference, len(tokens), normed))
    code_line("position sum")
    with st.expander(say("The chosen token, number by number")):
        added = figures.token_sum(read.embedded[place], read.positions[place], tokens[place], place, name)
        pictures.show(added, "pos_token_picture")
    with st.expander(say("Which counts more?")):
        pictures.show(figures.norms(*read.norms, tokens, name), "pos_norms_picture")
        if scaled:
            st.markdown(figures.root(read.embedded.shape[1], *read.norms))
        else:
            st.caption(say("This model reads the rows of its table as they are: it does not multiply them by √d."))
        code_line("embedding")


def _measured(difference: float, size: int, normed: bool) -> str:
    """Say how far the sums are from what the first layer read."""
    values = {"size": size, "distance": small(difference)}
    if normed:
        return say(
            "Largest distance of these sums, normalised (LayerNorm), from what the first layer of this run really "
            "read, over all {size:,} tokens: {distance}.",
            **values,
        )
    return say(
        "Largest distance of these sums from what the first layer of this run really read, over all {size:,} tokens: "
        "{distance}.",
        **values,
    )
