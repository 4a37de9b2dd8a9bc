"""How a tokenizer makes the tokens of one word: merges, the best cut of a unigram model, or longest matches."""

import streamlit as st

from core.config import UNKNOWN
from core.figures.shared.wording import count, listed
from core.figures.tokens import pieces
from core.figures.tokens import tokens as figures
from core.text.merges import pieced_words
from core.words import later, say
from pages.parts.tokens import sources
from pages.parts.tokens.sources import Reader, Source
from pages.shared.controls.choices import row
from pages.shared.figures import pictures
from pages.shared.session.fields import Text
from pages.shared.session.notices import literal

WORD = Text("merged_word", 60)
FIELDS = (WORD,)
OFFERED = 8
"""Words of the text that are offered."""
CUTS = 6
"""Cuts of a word that are drawn."""
BYTES = later(
    "Byte-level BPE begins with the bytes of a word. Of all rules that fit two neighbours, the one that training "
    "learnt first is applied, everywhere in the word; then again, until no rule fits. What is left are the tokens."
)
CHARACTERS = later(
    "This BPE begins with the characters of a word, in small letters, and marks its last one. Of all rules that fit "
    "two neighbours, the one that training learnt first is applied, everywhere in the word; then again, until no rule "
    "fits. What is left are the tokens; a name that ends in @@ says that the word goes on."
)
UNIGRAM = later(
    "This model's tokenizer merges nothing. It is a **unigram model** (Kudo 2018): training gave every piece a score, "
    "its log-probability. A word can be cut in many ways; the one with the largest sum of scores is taken."
)
WORDPIECE = later(
    "This model's tokenizer merges nothing when it reads. It is **WordPiece** (Devlin et al. 2019): the longest piece "
    "that the word begins with is taken, then the longest of the rest, until nothing is left."
)


def draw(source: Source) -> None:
    """Draw how a word becomes its tokens: in the imported model's own way, or by our merges."""
    reader = source.readers["bpe" if source.kind == "word" else source.kind]
    kind = sources.type_of(reader.tokenizer)
    if kind not in ("BPE", "Unigram", "WordPiece"):
        st.info(
            say(
                "This model's tokenizer is of type {kind}: it looks words up whole, and merges or cuts nothing.",
                kind=kind,
            )
        )
        return
    encoded = reader.read(source.text)
    offered = pieced_words(encoded, source.text, WORD.longest)[:OFFERED] if encoded else []
    word = _word(offered)
    if not word.strip():
        message = say("There is no word to take apart. Type one above: a single character will do.")
        st.info(message, icon=":material/edit:")
        return
    ids = {"BPE": _merged, "Unigram": _cut, "WordPiece": _matched}[kind](reader, word)
    _ids(source, reader, word, ids)
    if not source.imported:
        _looked_up(source, word)
    _offer(offered)
    _explain(reader, kind)


def _explain(reader: Reader, kind: str) -> None:
    """Say how this type of tokenizer makes its pieces, and where this one comes from."""
    how = {"Unigram": UNIGRAM, "WordPiece": WORDPIECE}.get(kind)
    if how is None:
        how = BYTES if sources.merges(reader).units == "bytes" else CHARACTERS
    st.markdown(say(how))
    bpe, own = later("Byte-level BPE {about}."), later("The model's own tokenizer {about}.")
    st.caption(literal(say(bpe if reader.tokenizer.kind == "bpe" else own, about=reader.about)))


def _ids(source: Source, reader: Reader, word: str, drawn_ids: list[int]) -> None:
    """Say which ids were found, and whether the tokenizer itself gives the same."""
    own = source.imported
    shown = ", ".join(str(own.peer_id(token) if own else token) for token in drawn_ids) or say("none")
    numbers = say("Ids, in the model's own numbering: {ids}.", ids=shown) if own else say("Ids: {ids}.", ids=shown)
    ids = own.encode_words(word) if own else reader.tokenizer.encode_summary(word)[:-1]
    same = say("The tokenizer itself, asked for this word, gives the same.")
    other = say("The tokenizer itself, asked for this word, gives other ids.")
    st.caption(literal(f"{numbers} {same if drawn_ids == ids else other}"))


def _merged(reader: Reader, word: str) -> list[int]:
    """Draw the merges of a word; return the ids of its tokens."""
    rules = sources.merges(reader)
    word_merges = rules.apply(word)
    if word_merges.ids:
        pictures.show(figures.merge_steps(word_merges, rules.rules), "merges_picture")
    if len(word_merges.pieces) > 1:
        parts = listed([f"“{figures.readable(piece)}”" for piece in word_merges.pieces])
        size = count(len(word_merges.pieces), "piece")
        message = later(
            "First the text is cut into {size}: {pieces} (at blanks, and before or after marks). No merge reaches "
            "across a cut."
        )
        if word_merges.units == "bytes":
            message = later(
                "First the text is cut into {size}: {pieces} (at blanks, between letters, digits and symbols, and "
                "before endings such as 's). No merge reaches across a cut."
            )
        st.caption(literal(say(message, size=size, pieces=parts)))
    return list(word_merges.ids)


def _cut(reader: Reader, word: str) -> list[int]:
    """Draw the best cuts of a word by a unigram model; return the ids of the best one."""
    model = sources.unigram(reader)
    cuts = model.cuts(word, CUTS)
    if not cuts:
        st.info(say("Nothing of this is left once the text is normalised."), icon=":material/filter_alt:")
        return []
    pictures.show(pieces.cuts(cuts), "cuts_picture")
    table = pieces.scores(cuts[0])
    with st.expander(say("The pieces of the cut that is taken")):
        score = {pieces.SCORE: st.column_config.NumberColumn(say(pieces.SCORE), format="%.2f")}
        pictures.table(table, say("Pieces with their scores"), width="content", column_config=score)
    if not all(cuts[0].known):
        st.caption(
            say("A character that no piece has costs 10 nats more than the least probable piece of the vocabulary.")
        )
    return model.ids(cuts[0])


def _matched(reader: Reader, word: str) -> list[int]:
    """List the longest matches of a word; return the ids of its pieces."""
    model = sources.wordpiece(reader)
    matches = model.match(word)
    table, caption = pieces.matches(matches)
    with st.container(key="matches"):
        pictures.table(table, say("Longest matches, step by step"), width="content")
    st.caption(literal(caption))
    return model.ids(matches)


def _word(offered: list[str]) -> str:
    """Draw the choice of a word and return it; without a choice it is the first that is offered."""
    typed = row().text_input(
        say("Word"),
        key=WORD.name,
        placeholder=offered[0] if offered else "",
        max_chars=WORD.longest,
        persist_state="session",
        width=260,
    )
    return str(typed) if typed.strip() else offered[0] if offered else ""


def _offer(offered: list[str]) -> None:
    """Draw a button for each word that is offered."""
    if not offered:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("Words of this text:"), width="content")
        for number, text in enumerate(offered):
            st.button(literal(text), key=f"offered_{number}", on_click=setattr, args=(WORD, "value", text))


def _looked_up(source: Source, word: str) -> None:
    """Say what the other tokenizer makes of the same word; it merges nothing."""
    tokenizer = source.readers["word"].tokenizer
    ids = tokenizer.encode_summary(word)[:-1]
    words = [
        say("{word} (id {id})", word="[UNK]" if token == UNKNOWN else tokenizer.id_text(token).strip(), id=token)
        for token in ids
    ]
    how = say(
        "The word-level tokenizer merges nothing: it makes small letters, filters symbols and looks the rest up whole."
    )
    outcome = (
        say("It finds {words}.", words=listed(words))
        if words
        else say("It finds no word: it removes every character of this text.")
    )
    st.caption(literal(f"{how} {outcome}"))
