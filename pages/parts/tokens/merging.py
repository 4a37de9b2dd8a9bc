"""Merges: how byte-level BPE makes the tokens of one word, rule by rule."""

import streamlit as st

from core.config import UNKNOWN
from core.figures import tokens as figures
from core.figures.wording import count, listed
from core.text.merges import pieced_words
from pages.parts.tokens import sources
from pages.parts.tokens.sources import Source
from pages.shared.figures import pictures
from pages.shared.frame.fields import Text
from pages.shared.frame.notices import literal

WORD = Text("merged_word", 60)
FIELDS = (WORD,)
OFFERED = 8
"""Words of the text that are offered."""


def draw(source: Source) -> None:
    """Draw how the bytes of a word are merged into its tokens."""
    reader = source.readers["bpe"]
    st.markdown(
        "Byte-level BPE begins with the bytes of a word. Of all rules that fit two neighbours, the one that training "
        "learnt first is applied, everywhere in the word; then again, until no rule fits. What is left are the tokens."
    )
    st.caption(literal(f"Byte-level BPE {reader.about}."))
    encoded = reader.read(source.text)
    offered = pieced_words(encoded, source.text, WORD.longest)[:OFFERED] if encoded else []
    word = _word(offered)
    if not word.strip():
        st.info("There is no word to take apart. Type one above: a single character will do.", icon=":material/edit:")
        return
    rules = sources.merges(reader)
    found = rules.apply(word)
    if len(found.pieces) > 1:
        pieces = listed([f"“{figures.readable(piece)}”" for piece in found.pieces])
        st.caption(
            literal(
                f"First the text is cut into {count(len(found.pieces), 'piece')}: {pieces} (at blanks, between "
                "letters, digits and symbols, and before endings such as 's). No merge reaches across a cut."
            )
        )
    pictures.show(figures.merge_steps(found, rules.rules), "merges_picture")
    ids = reader.tokenizer.encode_summary(word)[:-1]
    same = "the same" if list(found.ids) == ids else "other ids"
    shown = ", ".join(map(str, found.ids))
    st.caption(literal(f"Ids: {shown}. The tokenizer itself, asked for this word, gives {same}."))
    _looked_up(source, word)


def _word(offered: list[str]) -> str:
    """Draw the choice of a word and return it; without a choice it is the first that is offered."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(
            "Word",
            key=WORD.name,
            placeholder=offered[0] if offered else "",
            max_chars=WORD.longest,
            persist_state="session",
            width=260,
        )
        for number, text in enumerate(offered):
            st.button(literal(text), key=f"offered_{number}", on_click=_take, args=(text,))
    return str(typed) if typed.strip() else offered[0] if offered else ""


def _take(word: str) -> None:
    WORD.value = word


def _looked_up(source: Source, word: str) -> None:
    """Say what the other tokenizer makes of the same word; it merges nothing."""
    tokenizer = source.readers["word"].tokenizer
    ids = tokenizer.encode_summary(word)[:-1]
    said = [f"{'[UNK]' if each == UNKNOWN else tokenizer.id_text(each).strip()} (id {each})" for each in ids]
    result = listed(said) if said else "nothing: all of it is filtered"
    st.caption(literal(f"The word-level tokenizer merges nothing: it makes small letters, filters symbols and looks "
                       f"the rest up whole. It finds {result}."))  # fmt: skip
