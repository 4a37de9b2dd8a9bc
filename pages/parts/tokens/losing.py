"""What each tokenizer loses of the text, and the special tokens."""

from collections.abc import Sequence

import streamlit as st

from core.figures.wording import listed, percent
from core.text.losses import Losses
from core.text.tokenizer import MAX_TAGS, SPECIALS, EncodedDialogue
from pages.parts.tokens import sources
from pages.parts.tokens.sources import NAMES, Reader, Source
from pages.shared.components.word_diff import word_diff
from pages.shared.figures import pictures
from pages.shared.frame.notices import literal

SPECIAL = {
    "[PAD]": "Fills a short sequence up to the length of its batch. Masks hide it; it has no loss.",
    "[SOS]": "Start of sequence: the first thing that the decoder reads. It is never predicted.",
    "[EOS]": "End of sequence: the last token of the dialogue, and what the decoder writes to stop.",
    "[UNK]": "Stands for every word that a word-level vocabulary does not have. Bytes never need it.",
    "[TURN]": "Between two turns, so that the model can see where one ends. The reports' tokenizer has none.",
}

Counted = tuple[Reader, EncodedDialogue, Losses]
"""A tokenizer, the text as it reads it, and what it loses."""


def draw(source: Source, counted: Sequence[Counted], end: int) -> None:
    """Decode the ids again, count what did not come back, and show it in the text.

    Args:
        source: the text.
        counted: the tokenizers that leave something to read.
        end: character at which the text that is shown ends.
    """
    st.header("What is lost", anchor=False)
    fates = {
        "come back as they were": [lost.kept for _, _, lost in counted],
        "are capitals that became small": [lost.lowered for _, _, lost in counted],
        "are filtered: symbols": [lost.filtered for _, _, lost in counted],
        "are in unknown words": [lost.unknown for _, _, lost in counted],
        "are in names that became a tag": [lost.tagged for _, _, lost in counted],
    }
    table: dict[str, list[object]] = {"Visible characters that …": [*fates]}
    table |= {
        NAMES[reader.kind]: [values[place] for values in fates.values()] for place, (reader, _, _) in enumerate(counted)
    }
    st.dataframe(table, hide_index=True, width="content", alt="What becomes of the characters of the text")
    pictures.save_table(table, "what-is-lost", "lost")
    parts = [
        f"{NAMES[reader.kind].lower()} {percent(lost.kept / max(lost.characters, 1))}" for reader, _, lost in counted
    ]
    st.caption(
        literal(
            f"Come back unchanged: {listed(parts)} of the visible characters. White space is never kept as it was: "
            "any run of it is one blank, and lines become turns. The colon after a name belongs to no token. Names "
            "that became a tag come back because the app remembers whose tag it is; the model sees the tag alone."
        )
    )
    for column, (reader, encoded, _) in zip(st.columns(len(counted)), counted, strict=True):
        with column, st.container(border=True):
            st.markdown(f"**{NAMES[reader.kind]}**, decoded again (struck through: lost; underlined: new)")
            word_diff(source.text[:end], _decoded(reader, encoded, end), key=f"lost_{reader.kind}")
    _specials(source, counted)


def _decoded(reader: Reader, encoded: EncodedDialogue, end: int) -> str:
    ids = [token.id for token in encoded.tokens if token.start < end]
    return reader.tokenizer.decode(ids, encoded.speakers)[0]


def _specials(source: Source, counted: Sequence[Counted]) -> None:
    """List the ids that every vocabulary begins with."""
    with st.expander("Special tokens", icon=":material/label:"):
        table: dict[str, list[object]] = {
            "Id": [*range(len(SPECIALS)), "5 … 13"],
            "Token": [*SPECIALS, "#Person1# … #Person9#"],
            "Why": [
                *SPECIAL.values(),
                "One for each speaker, by first turn, whatever the name: the model can learn what a speaker is and "
                "copy the tag; names it never saw are no problem. Only ours has them.",
            ],
        }
        for reader, encoded, _ in counted:
            ids = [token.id for token in encoded.tokens]
            tags = sum(token in range(len(SPECIALS), len(SPECIALS) + MAX_TAGS) for token in ids)
            tagged = tags if reader.kind == "bpe" else 0
            table[f"Here, {NAMES[reader.kind].lower()}"] = [*(ids.count(mark) for mark in range(len(SPECIALS))), tagged]
        st.dataframe(
            {name: [str(value) for value in values] for name, values in table.items()},
            hide_index=True,
            alt="Special tokens, what they are for, and how often they stand in this text",
        )
        st.markdown(
            f"The next 256 ids of ours are the single bytes, so every text can be written; the other "
            f"{sources.merges(source.readers['bpe']).rules:,} were learnt by merging pairs."
        )
