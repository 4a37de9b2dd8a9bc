"""What each tokenizer loses of the text, and the special tokens."""

from collections.abc import Mapping

import streamlit as st

from core.figures.tokens import lines as token_lines
from core.figures.tokens.lines import Line
from core.text.encoded import AnyKind
from core.words import say
from pages.parts.tokens import sources
from pages.parts.tokens.sources import Source
from pages.shared.components.word_diff import word_diff
from pages.shared.figures import pictures
from pages.shared.session.notices import literal


def draw(source: Source, lines: Mapping[AnyKind, Line], end: int) -> None:
    """Decode the ids again, count what did not come back, and show it in the text.

    Args:
        source: the text.
        lines: of the tokenizers that leave something to read.
        end: character at which the text that is shown ends.
    """
    with st.expander(say("What is lost"), icon=":material/difference:"):
        _lost(source, lines, end)
    with st.expander(say("Special tokens"), icon=":material/label:"):
        _special(source, lines)


def _lost(source: Source, lines: Mapping[AnyKind, Line], end: int) -> None:
    table, said = token_lines.fates(list(lines.values()), source.imported is not None)
    alt = say("What becomes of the characters of the text")
    pictures.table(table, alt, ("what-is-lost", "lost"), width="content")
    st.caption(literal(said))
    for column, (kind, line) in zip(st.columns(len(lines)), lines.items(), strict=True):
        with column, st.container(border=True):
            again = say("**{name}**, decoded again (struck through: lost; underlined: new)", name=line.name)
            st.markdown(again)
            ids = [token.id for token in line.tokens if token.turn is not None and token.start < end]
            decoded, _ = source.readers[kind].tokenizer.decode(ids, line.encoded.speakers)
            word_diff(source.text[:end], decoded, key=f"lost_{kind}")


def _special(source: Source, lines: Mapping[AnyKind, Line]) -> None:
    marks = token_lines.special_tokens(list(lines.values()), source.imported)
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
