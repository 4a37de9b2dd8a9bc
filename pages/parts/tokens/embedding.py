"""Embedding: the vector behind an id, the tokens whose vectors are like it, and how far words of one kind are alike."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.config import END, UNKNOWN, NetworkConfig
from core.errors import DialogueError
from core.explain.tokens.embedding import Kind, TokenVector, kinds_of, token_vector
from core.figures.shared.picture import Picture
from core.figures.tokens import conventions
from core.figures.tokens import embeddings as figures
from core.text.encoded import AnyTokenizer, EncodedDialogue
from core.trace import Array
from core.words import later, say
from pages.parts.tokens import sources
from pages.parts.tokens.sources import LINE, PLACE, Reader, Source
from pages.shared.controls.choices import row
from pages.shared.figures import pictures
from pages.shared.model import loading
from pages.shared.model.cache import cached
from pages.shared.session import decoding
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer


def draw(source: Source) -> None:
    """Draw the vector of a token, its nearest tokens, and how alike the vectors of words of one kind are."""
    config = decoding.config()
    shape = config.has.blocks
    scaled = shape is None or shape.embedding_scale
    encoded = source.reader.read(source.text)
    if encoded is None:
        st.warning(
            say("This tokenizer leaves nothing of this text: there is no token to look up."),
            icon=":material/filter_alt:",
        )
        return
    summarizer = loading.current_model()
    if summarizer is None:
        return
    table, kinds = _table(summarizer), _kinds(summarizer)
    token = encoded.tokens[_choose(source, encoded, kinds)]
    pictures.show(pictures.kept(_components, summarizer, source.reader, token.id, scaled), "embedding_picture")
    if token.id == UNKNOWN:
        st.caption(say("Every unknown word has this one vector: the model cannot tell them apart."))
    text = f"“{token.text}”" if token.end > token.start else say("a special token")
    line = say("{token} → {label} → id {id}", token=text, label=source.reader.label(token.id), id=token.id)
    own = say("(its own id {id})", id=source.imported.peer_id(token.id)) if source.imported else ""
    st.markdown(literal(f"{line} {own}"))
    st.markdown(_introduction(config, scaled))
    st.caption(literal(_about(summarizer, table)))
    if source.imported:
        st.caption(literal(conventions.numbering(source.imported)))
    with st.expander(say("Nearest tokens")):
        _nearest(source, summarizer, token.id, kinds)
    with st.expander(say("How well does it hold?")):
        if kinds:
            pictures.show(pictures.kept(_kinds_picture, summarizer, source.reader), "kinds_picture")
        else:
            few = say("Too few days, numbers and other words of one kind are tokens of their own here to measure it.")
            st.caption(few)


def _introduction(config: NetworkConfig, scaled: bool) -> str:
    """Say what a row of the table is, and what the model makes of it."""
    shape = config.has.blocks
    steps = (
        (scaled, say("times √D")),
        (shape is not None and shape.speakers, say("plus the vector of the turn's speaker")),
        (config.has.positions not in (None, "relative"), say("plus the vector of the position")),
        (shape is not None and shape.embedding_norm != "none", say("normalised (LayerNorm)")),
    )
    changes = ", ".join(phrase for done, phrase in steps if done)
    return " ".join(
        [
            say("An id is the number of a row in a table of trained vectors."),
            say("The model reads that row, {changes}.", changes=changes)
            if changes
            else say("The model reads that row."),
            say(
                "Words that can stand in the same places of a sentence often get vectors that point the same way: a "
                "tendency of training, not a rule."
            ),
        ]
    )


def _about(summarizer: "Summarizer", table: Array) -> str:
    """Say how large the table is, and what it is for."""
    size = {"model": summarizer.checkpoint.identity, "rows": len(table), "width": table.shape[1]}
    if summarizer.config.share_embeddings:
        return say("The table of {model}: {rows:,} rows of {width} numbers, for dialogue and summary alike.", **size)
    return say(
        "The table of {model}: {rows:,} rows of {width} numbers, for the dialogue; the summary has a table of its own.",
        **size,
    )


def _nearest(source: Source, summarizer: "Summarizer", token: int, kinds: tuple[Kind, ...]) -> None:
    """Draw the nearest tokens of the chosen token, and beside them those of the word that is least like its kind."""
    label = source.reader.label
    shown = [("neighbours_picture", token, say("The chosen token: “{token}”", token=label(token)))]
    if kinds:
        rank, worst, kind = max(
            (rank, each, kind.name) for kind in kinds for each, rank in zip(kind.tokens, kind.ranks, strict=True)
        )
        outlier = {"word": label(worst), "kind": say(kind), "rank": rank}
        least = later("A word where it holds least: “{word}” ({kind}). The nearest of its kind comes at rank {rank:,}.")
        nearest = later(
            "A word which is the least like its kind here: “{word}” ({kind}). The nearest of its kind comes at rank "
            "{rank:,}."
        )
        shown.append(("exception_picture", worst, say(least if rank > 1 else nearest, **outlier)))
    for column, (key, each, heading) in zip(st.columns(2, gap="medium"), shown, strict=False):
        with column:
            st.markdown(literal(heading))
            pictures.show(pictures.kept(_neighbours, summarizer, source.reader, each), key)


def _components(summarizer: "Summarizer", reader: Reader, token: int, scaled: bool) -> Picture:
    return figures.components(_vector(summarizer, token), reader.label(token), scaled)


def _kinds_picture(summarizer: "Summarizer", reader: Reader) -> Picture:
    kinds = _kinds(summarizer)
    return figures.kinds(kinds, {token: reader.label(token) for kind in kinds for token in kind.tokens})


def _neighbours(summarizer: "Summarizer", reader: Reader, token: int) -> Picture:
    vector = _vector(summarizer, token)
    return figures.neighbours(vector, reader.label(token), [reader.label(near) for near, _ in vector.nearest])


def _choose(source: Source, encoded: EncodedDialogue, kinds: tuple[Kind, ...]) -> int:
    """Draw the choice of a token; return its place from 0.

    Without a choice it is the first word whose nearest token is of its kind, or the first one of three letters.
    """
    if LINE.value != source.kind:
        LINE.value, PLACE.value = source.kind, PLACE.default
    size = len(encoded.tokens)
    if not sources.chosen_place(source.kind, size):
        near = {token for kind in kinds for token, rank in zip(kind.tokens, kind.ranks, strict=True) if rank == 1}
        alike = [place for place, each in enumerate(encoded.tokens, 1) if each.id in near]
        words = [place for place, each in enumerate(encoded.tokens, 1) if len(each.text) > 2 and each.text.isalpha()]
        PLACE.value = next(iter(alike + words), 1)
    label = say("Token, 1 to {size:,}", size=size)
    return int(row().number_input(label, 1, size, key=PLACE.name, persist_state="session", width=180)) - 1


def _table(summarizer: "Summarizer") -> Array:
    return np.asarray(summarizer.model.source_embedding.table)  # [V, D]


@cached(64)
def _vector(summarizer: "Summarizer", token: int) -> TokenVector:
    return token_vector(_table(summarizer), token)


@cached(4)
def _kinds(summarizer: "Summarizer") -> tuple[Kind, ...]:
    return kinds_of(_table(summarizer), lambda word: _word_ids(summarizer.tokenizer, word))


def _word_ids(tokenizer: AnyTokenizer, word: str) -> list[int]:
    try:
        return [*tokenizer.encode_continuation(word), END]
    except DialogueError:
        return [UNKNOWN, END]
