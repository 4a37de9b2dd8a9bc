"""Text, turns, tokens, ids: what both tokenizers make of the text."""

from collections.abc import Mapping

import streamlit as st

from core import checkpoints
from core.config import END, TURN
from core.figures.shared.wording import count
from core.figures.tokens import conventions, tokenized
from core.figures.tokens.tokenized import Tokenized
from core.text import import_notes
from core.text.encoded import AnyKind, EncodedDialogue
from core.text.tokenizer import MAX_TAGS
from core.words import later, say
from pages.parts.tokens import losing, sources
from pages.parts.tokens.merging import WORD
from pages.parts.tokens.sources import LINE, NAMES, PLACE, Reader, Source
from pages.parts.tokens.token_chips import token_chips
from pages.shared.figures import pictures
from pages.shared.session import decoding
from pages.shared.session.notices import literal

CHIPS = "token_chips"
ABOUT_TOKENS = ("tokenizer", "language", "ends", "bytes", "cut")
"""Notes of an import that concern this page, beside those about one text."""
MOST = 800
"""Tokens of one line that are drawn: a dialogue that the model reads has at most 512."""
TITLES = {
    "bpe": later("BPE: bytes, merged into pieces, {about}."),
    "wordpiece": later("WordPiece: the longest known pieces, with capitals, {about}."),
    "word": later("Whole words, in small letters; words that training did not know are lost, {about}."),
    "imported": later("Its own: as the imported model learnt to read, {about}."),
}


def draw(source: Source) -> None:
    """Draw the tokens of both tokenizers below the turns of the text, and what each loses."""
    encodings, readers = {kind: reader.read(source.text) for kind, reader in source.readers.items()}, source.readers
    lines: dict[AnyKind, Tokenized] = {
        kind: tokenized.describe(say(NAMES[kind]), readers[kind].tokenizer, readers[kind].merges, encoded)
        for kind, encoded in encodings.items()
        if encoded is not None
    }
    end = _chips(source, lines) if lines else 0
    _stages(source, encodings[source.kind])
    _introduce(source, encodings)
    if lines:
        _notes(source, encodings[source.kind])
        losing.draw(source, lines, end)


def _chips(source: Source, lines: Mapping[AnyKind, Tokenized]) -> int:
    """Draw the tokens below the turns, and what is locked; return the character at which the shown text ends."""
    drawn, kinds = list(lines.values()), list(lines)
    picked: AnyKind = LINE.value if LINE.value in source.readers else "bpe"
    place = sources.chosen_place(picked, len(lines[picked].tokens) if picked in lines else 0)
    longest = max((line.tokens for line in drawn), key=len)
    end = longest[MOST].start if len(longest) > MOST else len(source.text)
    chosen = (kinds.index(picked), place - 1) if place else None
    token_chips(source.dialogue, drawn, end, chosen, key=CHIPS, on_pick=lambda: _picked(kinds))
    if end < len(source.text):
        st.caption(
            say(
                "Shown are the first {shown:,} of {size:,} characters; all numbers count the whole text.",
                shown=end,
                size=len(source.text),
            )
        )
    if place:
        _facts(source, source.readers[picked], lines[picked], place)
    caption = tokenized.token_counts(source.text, drawn)
    st.caption(literal(caption))
    with st.container(horizontal=True):
        with st.popover(say("Table"), icon=":material/table:"):
            pictures.table(tokenized.table(drawn), say("Every token with its position"), width=720)
        pictures.save_view(CHIPS, "tokens", caption, lambda: tokenized.table(drawn))
    return end


def _introduce(source: Source, encodings: Mapping[AnyKind, EncodedDialogue | None]) -> None:
    """Say where the tokenizers come from, and which of them leave nothing of the text."""
    if source.imported:
        st.markdown(literal(conventions.form(source.imported)))
        notes = checkpoints.read_card(decoding.checkpoint()).get("notes") or ()
        with import_notes.in_app():
            for sentence in import_notes.said(notes, ABOUT_TOKENS):
                st.caption(literal(sentence))
    for kind, reader in source.readers.items():
        st.caption(literal(say(TITLES[kind], about=reader.about)))
        if encodings[kind] is None:
            st.warning(
                say(
                    "{tokenizer}: nothing is left of this text. This tokenizer keeps letters, digits and apostrophes; "
                    "everything else is filtered before the words are looked up.",
                    tokenizer=say(NAMES[kind]),
                ),
                icon=":material/filter_alt:",
            )


def _stages(source: Source, encoded: EncodedDialogue | None) -> None:
    """Show the way from text to vectors in five numbers."""
    tokens = encoded.tokens if encoded else ()
    size = source.imported.vocabulary.rows if source.imported else source.reader.tokenizer.size
    numbers = {
        say("Text"): count(len(source.text), "character"),
        "→ " + say("Turns"): f"{len(source.dialogue.turns):,}",
        "→ " + say("Tokens"): f"{len(tokens):,}",
        "→ " + say("Ids"): f"0 … {size - 1:,}",
        "→ " + say("Embedding"): f"{len(tokens):,} × {decoding.config().embedding_dim}",
    }
    with st.container(horizontal=True):
        for name, value in numbers.items():
            st.metric(name, value, border=True, width="content")


def _picked(kinds: list[AnyKind]) -> None:
    event = st.session_state[CHIPS].pick
    if event:
        line, index = int(event["line"]), int(event["index"])
        inside = 0 <= line < len(kinds)
        PLACE.value = index + 1 if inside and index >= 0 else 0
        if inside:
            LINE.value = kinds[line]


def _notes(source: Source, encoded: EncodedDialogue | None) -> None:
    """Say what is special about this text."""
    speakers = source.dialogue.speakers
    if not speakers:
        st.caption(say("No speakers were found here: every line is a turn, and no token is a speaker's tag."))
    if len(speakers) > MAX_TAGS and source.kind in ("bpe", "wordpiece"):
        size = {"people": len(speakers), "tags": MAX_TAGS}
        if len(speakers) == MAX_TAGS + 1:
            note = say(
                "{people} people speak, and there are {tags} tags: the first {tags} who speak get them, 1 other name "
                "is written in letters.",
                **size,
            )
        else:
            note = say(
                "{people} people speak, and there are {tags} tags: the first {tags} who speak get them, {names} are "
                "written in letters.",
                **size,
                names=count(len(speakers) - MAX_TAGS, "other name"),
            )
        st.caption(note)
    if source.imported:
        for note in import_notes.of_text(source.imported, source.text):
            st.caption(literal(note))
    room = decoding.config().max_source_length
    if encoded is not None and len(encoded.tokens) > room:
        note = say(
            "The model reads {room:,} tokens at most, and these are {size:,}: see Length for what it does not read.",
            room=room,
            size=len(encoded.tokens),
        )
        st.caption(note + (" " + say(import_notes.CLIPPED) if source.imported else ""))


def _facts(source: Source, reader: Reader, line: Tokenized, place: int) -> None:
    """Show the locked token, by its place from 1, and buttons to its merges and its embedding."""
    token = line.tokens[place - 1]
    word = [each for each in line.tokens if each.word == token.word and each.id not in (TURN, END)]
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        if word and token.end > token.start:
            text = source.text[word[0].start : word[-1].end]
            named = {"place": place, "word": literal(text)}
            st.markdown(
                say("**Token {place}** is one of {size} tokens of the word “{word}”.", size=len(word), **named)
                if len(word) > 1
                else say("**Token {place}** is the whole of “{word}”.", **named)
            )
            read = (
                reader.tokenizer.id_text(word[0].id).strip() if getattr(reader.tokenizer, "truecase", False) else text
            )
            if not text.startswith(read) and text.lower().startswith(read.lower()):
                text = read + text[len(read) :]
                st.caption(
                    say(
                        "It is read as “{word}”: a word that begins a sentence gets its commoner spelling, so that a "
                        "copy of it has no capital inside a sentence.",
                        word=literal(read),
                    )
                )
            _to("merges", sources.steps()[1], ":material/join_inner:", text[: WORD.longest])
        else:
            special = later("**Token {place}** is a special token; it stands for no character of the text.")
            written = later(
                "**Token {place}** belongs to how dialogues are written for this model; it stands for no character of "
                "the text."
            )
            st.markdown(say(special if line.chips[place - 1].kind == "mark" else written, place=place))
        if reader.checkpoint == decoding.checkpoint():
            _to("embedding", say("Its embedding"), ":material/scatter_plot:")


def _to(view: str, label: str, icon: str, word: str | None = None) -> None:
    """Draw a button to another view of the page, and to a word there."""

    def show() -> None:
        st.session_state["tokens_view"] = view
        if word is not None:
            WORD.value = word

    st.button(label, key=f"to_{view}", icon=icon, on_click=show)
