"""Teacher forcing: encoder input, decoder input and decoder target, and what each position costs."""

import streamlit as st

from core import checkpoints
from core.figures import embeddings as figures
from core.trace import Summary
from pages.parts.tokens.sources import Source
from pages.shared import loading, model, pictures, state
from pages.shared.errors import literal
from pages.shared.state import Key


def draw(source: Source) -> None:
    """Draw the view."""
    st.markdown(
        "In training the encoder reads the dialogue, and the decoder reads the **right** summary, shifted by one: "
        "[SOS] first. At every position it must predict the token that comes next, all positions at once; the "
        "look-ahead mask hides what is still to come. The loss of a position is −ln p of the right token. When the "
        "model writes by itself, it reads its own tokens instead."
    )
    references = () if source.own else state.selection().references
    target = _target(references)
    found = _forced(source, references, target)
    if found is None:
        return
    vocabulary = found.logits.shape[1]
    picture = figures.forcing(found.source, found.steps, vocabulary)
    st.dataframe(
        picture.table,
        hide_index=True,
        height=420,
        column_config={
            "Loss (nats)": st.column_config.NumberColumn(format="%.3f"),
            "Probability": st.column_config.NumberColumn(format="%.4f"),
        },
        alt="Encoder input, decoder input and decoder target at each position, with the loss",
    )
    st.caption(
        f"The encoder reads its {len(found.source):,} tokens as a whole; its rows stand beside the decoder's "
        f"{len(found.steps):,} only to save room. In a batch, [PAD] follows where a column ends; it has no loss."
    )
    st.subheader("The loss of each position", anchor=False)
    pictures.show(picture, "forcing_picture")
    _notes(found, target)


def _target(references: tuple[str, ...]) -> int:
    """0: the model's own summary; 1, 2, …: a reference."""
    session = st.session_state
    if session[Key.FORCED] > len(references):
        state.note(f"The link asks for reference {session[Key.FORCED]}; this text has {len(references)}.")
        session[Key.FORCED] = 0
    names = ["The model's summary", *(f"Reference {number}" for number in range(1, len(references) + 1))]
    return int(
        st.selectbox(
            "Right summary",
            range(len(names)),
            format_func=lambda place: names[place],
            key=Key.FORCED,
            persist_state="session",
            width=260,
            help="What the decoder is made to read and to predict.",
        )
    )


def _forced(source: Source, references: tuple[str, ...], target: int) -> Summary | None:
    """The trace under teacher forcing, or None while the model loads."""
    job = state.current_job()
    if not loading.ready(job) or job.summarizer is None:
        return None
    if target:
        return model.forced(job.summarizer, source.text, references[target - 1], state.settings())
    return state.summary_of(source.text)


def _notes(found: Summary, target: int) -> None:
    """Whose text it is, and how training's own loss differs."""
    st.caption(literal(f"The summary: {found.text or '(empty)'}"))
    if not target:
        st.caption("The model wrote this summary itself, so it finds it likely. A reference costs it more.")
    card = checkpoints.read_card(state.checkpoint())
    smoothing = (card.get("training") or {}).get("label_smoothing")
    if smoothing:
        st.caption(
            "This is the plain loss of one summary. The numbers of training are another measure: labels smoothed by "
            f"{smoothing:g}, units dropped at random, and the mean over many dialogues."
        )
