"""Embedding: the vector behind an id, and the tokens whose vectors are like it."""

import numpy as np
import streamlit as st

from core.config import UNKNOWN
from core.explain.embedding import token_vector
from core.figures import embeddings as figures
from core.text.tokenizer import EncodedDialogue
from pages.parts.tokens import sources
from pages.parts.tokens.sources import NAMES, Source
from pages.shared import family, loading, pictures, state
from pages.shared.errors import literal
from pages.shared.state import Key


def draw(source: Source) -> None:
    """Draw the view."""
    st.markdown(
        "An id is the number of a row in a table of trained vectors. The model reads that row, times √D"
        + (", plus the vector of the position. " if family.is_transformer() else ". ")
        + "Tokens that are used alike end up with vectors that point the same way."
    )
    encoded = source.reader.read(source.text)
    if encoded is None:
        st.warning("This tokenizer leaves nothing of this text: there is no token to look up.",
                   icon=":material/filter_alt:")  # fmt: skip
        return
    token = encoded.tokens[_place(source, encoded)]
    job = state.current_job()
    if not loading.ready(job) or job.summarizer is None:
        return
    table = np.asarray(job.summarizer.model.source_embedding.table)  # [V, D]
    found = token_vector(table, token.id)
    name = sources.label(source.reader, token.id)
    shared = job.summarizer.config.share_embeddings
    st.caption(
        literal(
            f"The table of {job.summarizer.checkpoint.identity}: {len(table):,} rows of {table.shape[1]} numbers, "
            + ("for dialogue and summary alike." if shared else "for the dialogue; the summary has a table of its own.")
        )
    )
    pictures.show(figures.components(found, name), "embedding_picture")
    st.subheader("Nearest tokens", anchor=False)
    labels = [sources.label(source.reader, each) for each, _ in found.nearest]
    pictures.show(figures.neighbours(found, name, labels), "neighbours_picture")
    if token.id == UNKNOWN:
        st.caption("Every unknown word has this one vector: the model cannot tell them apart.")


def _place(source: Source, encoded: EncodedDialogue) -> int:
    """The chosen token, from 0; without a choice the first one of at least three letters."""
    session, size = st.session_state, len(encoded.tokens)
    if session[Key.TOKENS_LINE] != source.kind:
        session.update({Key.TOKENS_LINE: source.kind, Key.TOKENS_PLACE: 0})
    if session[Key.TOKENS_PLACE] > size:
        state.note(
            f"The link asks for token {session[Key.TOKENS_PLACE]}; there are {size:,} here ({NAMES[source.kind]})."
        )
        session[Key.TOKENS_PLACE] = 0
    if not session[Key.TOKENS_PLACE]:
        words = [place for place, each in enumerate(encoded.tokens, 1) if len(each.text) > 2 and each.text.isalpha()]
        session[Key.TOKENS_PLACE] = words[0] if words else 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = st.number_input(
            f"Token, 1 to {size:,}", 1, size, key=Key.TOKENS_PLACE, persist_state="session", width=180
        )
        token = encoded.tokens[int(place) - 1]
        said = f"“{token.text}”" if token.end > token.start else "a mark"
        st.markdown(literal(f"{said} → {sources.label(source.reader, token.id)} → id {token.id}"))
    return int(place) - 1
