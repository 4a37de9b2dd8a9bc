"""What each tokenizer loses of the text, and the special tokens."""

from collections.abc import Mapping

import streamlit as st

from core.figures.tokens import tokenized
from core.figures.tokens.tokenized import Tokenized
from core.text.encoded import AnyKind
from core.words import say
from pages.parts.tokens import sources
from pages.parts.tokens.sources import Source
from pages.shared.components.word_diff import word_diff
from pages.shared.figures import pictures
from pages.shared.session.notices import literal


def draw(source: Source, lines: Mapping[AnyKind, Tokenized], end: int) -> None:
    """Show what becomes of the characters, what the ids decode to, and the special tokens.

    Args:
        source: the text.
        lines: what each tokenizer makes of the text; one that leaves no token of it is not among them.
        end: character at which the text that is shown ends.
    """
    with st.expander(say("What is lost"), icon=":material/difference:"):
        _lost(source, lines, end)
    with st.expander(say("Special tokens"), icon=":material/label:"):
        _special(source, lines)


def _lost(source: Source, lines: Mapping[AnyKind, Tokenized], end: int) -> None:
    table, caption = tokenized.fates_table(list(lines.values()), source.imported is not None)
    alt = say("What becomes of the characters of the text")
    pictures.table(table, alt, ("what-is-lost", "lost"), width="content")
    st.caption(literal(caption))
    for column, (kind, line) in zip(st.columns(len(lines)), lines.items(), strict=True):
        with column, st.container(border=True):
            again = say("**{name}**, decoded again (struck through: lost; underlined: new)", name=line.name)
            st.markdown(again)
            ids = [token.id for token in line.tokens if token.turn is not None and token.start < end]
            decoded, _ = source.readers[kind].tokenizer.decode(ids, line.encoded.speakers)
            word_diff(source.text[:end], decoded, key=f"lost_{kind}")


def _special(source: Source, lines: Mapping[AnyKind, Tokenized]) -> None:
    marks = tokenized.special_tokens(list(lines.values()), source.imported)
    alt = say("Special tokens, and how often they stand in this text")
    why = zip(marks["Token"], marks.pop("Why"), strict=True)  # sentences, which a table would cut
    st.markdown("\n".join(f"- **{literal(str(token))}** {literal(str(text))}" for token, text in why))
    wide = {"Token": st.column_config.TextColumn(say("Token"), width=160)}
    pictures.table(marks, alt, width="content", column_config=wide)
    learnt = sources.merges(source.readers["bpe"]).rules
    st.markdown(
        say(
            "In our tokenizers the next 256 ids are the single bytes, so every text can be written; the other "
            "{learnt:,} were learnt by merging pairs.",
            learnt=learnt,
        )
    )
