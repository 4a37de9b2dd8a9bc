"""Teacher forcing: encoder input, decoder input and decoder target, and the loss of each position."""

import streamlit as st

from core import checkpoints
from core.figures.shared.wording import count
from core.figures.tokens import conventions
from core.figures.tokens import embeddings as figures
from core.text.glossary import definition
from core.trace import Summary
from core.words import say
from pages.parts.tokens.sources import Source
from pages.shared.controls.choices import row, select
from pages.shared.figures import pictures
from pages.shared.model import loading, models
from pages.shared.session import decoding, selection
from pages.shared.session.fields import Number
from pages.shared.session.notices import literal

FORCED = Number("forced", 0, 9, 1)
"""Number of a reference; 0: the model's own summary."""
FIELDS = (FORCED,)


def draw(source: Source) -> None:
    """Draw what encoder and decoder read and must write under teacher forcing, and the loss of each position."""
    references = {} if source.own else _references(source)
    target = _target(references)
    summarizer, settings = loading.current_model(), decoding.settings()
    if summarizer is None:
        return
    if target:
        summary = models.forced(summarizer, source.text, references[target], settings)
    else:
        summary = models.summary(summarizer, source.text, settings)
    picture = figures.forcing(summary.source, summary.steps, summary.logits.shape[1])
    loss = st.column_config.NumberColumn(say("Loss (nats)"), format="%.3f")
    probability = st.column_config.NumberColumn(say("Probability"), format="%.4f")
    alt = say("Encoder input, decoder input and decoder target at each position, with the loss")
    with st.container(key="forcing_table"):
        formats = {"Loss (nats)": loss, "Probability": probability}
        pictures.table(picture.table, alt, height=420, column_config=formats)
    st.markdown(
        say(
            "In training the encoder reads the dialogue, and the decoder reads the **reference**, a summary that a "
            "person wrote, shifted by one: [SOS] first. At every position it must predict the token that comes next, "
            "all positions at once; the look-ahead mask hides what is still to come. The loss of a position is −ln p "
            "of the reference's token. When the model writes by itself, it reads its own tokens instead."
        ),
        help=definition("teacher forcing"),
    )
    st.caption(
        say(
            "The encoder reads its {source:,} tokens as a whole; its rows stand beside the decoder's {target:,} only "
            "to save room. In a batch, [PAD] follows where a column ends; it has no loss.",
            source=len(summary.source),
            target=len(summary.steps),
        )
    )
    if source.imported:
        st.caption(literal(conventions.numbering(source.imported)))
    with st.expander(say("The loss of each position")):
        pictures.show(picture, "forcing_picture")
    _notes(summary, target)
    if len(references) < len(selection.current().references) and not source.own:
        longer = count(len(selection.current().references) - len(references), "reference")
        most = decoding.config().max_target_length
        st.caption(
            say("{references} left out: longer than the model's {most} target positions.", references=longer, most=most)
        )


def _references(source: Source) -> dict[int, str]:
    """Return the references that fit the decoder, by their numbers from 1."""
    every = dict(enumerate(selection.current().references, 1))
    most = decoding.config().max_target_length
    encoded = source.reader.read(source.text)
    speakers = encoded.speakers if encoded else {}
    return {
        place: text
        for place, text in every.items()
        if len(source.reader.tokenizer.encode_summary(text, speakers)) <= most
    }


def _target(references: dict[int, str]) -> int:
    """Draw the choice of the summary to predict; return the number of a reference, or 0: the model's own summary."""
    usual = next(iter(references), 0)
    if FORCED.value and FORCED.value not in references:
        FORCED.refuse(
            say(
                "The link asks for reference {number}; this text has {size} that can be used.",
                number=FORCED.value,
                size=len(references),
            )
        )
    names = {place: say("Reference {number}", number=place) for place in references}
    names[0] = say("The model's own summary")
    tip = say("What the decoder is made to read and to predict.")
    with row():
        return int(select(say("Summary to predict"), names, FORCED, tip, usual=usual, width=260))


def _notes(summary: Summary, target: int) -> None:
    """Say whose text it is, and how training's own loss differs."""
    st.caption(literal(say("The summary: {text}", text=summary.text or say("(empty)"))))
    if not target:
        st.caption(say("The model wrote this summary itself, so it finds it likely. A reference has a higher loss."))
    smoothing = (checkpoints.read_card(decoding.checkpoint()).get("training") or {}).get("label_smoothing")
    if smoothing:
        st.caption(
            say(
                "This is the plain loss of one summary. The numbers of training are another measure: labels smoothed "
                "by {smoothing:g}, units dropped at random, and the mean over many dialogues.",
                smoothing=smoothing,
            )
        )
