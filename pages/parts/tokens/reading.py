"""Text, turns, tokens, ids: what both tokenizers make of the text."""

from collections.abc import Sequence

import streamlit as st

from core import checkpoints
from core.config import END, TURN, UNKNOWN
from core.figures.wording import count, number, percent, plain
from core.text.losses import losses
from core.text.merges import Merges
from core.text.tokenizer import MAX_TAGS, TAGS, EncodedDialogue
from core.trace import Token
from pages.parts.tokens import losing, sources
from pages.parts.tokens.losing import SPECIAL, Counted
from pages.parts.tokens.merging import WORD
from pages.parts.tokens.sources import LINE, NAMES, PLACE, Reader, Source
from pages.parts.tokens.token_chips import Chip, Line, Place, token_chips
from pages.shared.figures import pictures
from pages.shared.frame import decoding
from pages.shared.frame.notices import literal

CHIPS = "token_chips"
MOST = 800
"""Tokens of one line that are drawn: a dialogue that the model reads has at most 512."""
TITLES = {"bpe": "Ours: byte-level BPE", "word": "The reports': whole words"}


def draw(source: Source) -> None:
    """Draw the tokens of both tokenizers below the turns of the text, and what each loses."""
    found = {kind: reader.read(source.text) for kind, reader in source.readers.items()}
    _stages(source, found[source.kind])
    for kind, reader in source.readers.items():
        st.caption(literal(f"{TITLES[kind]}, {reader.about}."))
        if found[kind] is None:
            st.warning(
                f"{NAMES[kind]}: nothing is left of this text. This tokenizer keeps letters, digits and apostrophes; "
                "everything else is filtered before the words are looked up.",
                icon=":material/filter_alt:",
            )
    lines = [(source.readers[kind], encoded) for kind, encoded in found.items() if encoded is not None]
    if not lines:
        return
    drawn = [Line(NAMES[reader.kind], encoded.tokens, _chips(reader, encoded)) for reader, encoded in lines]
    kinds = [reader.kind for reader, _ in lines]
    chosen = _chosen([encoded for _, encoded in lines], kinds)
    end = _end(source.text, drawn)
    token_chips(source.dialogue, drawn, end, chosen, key=CHIPS, on_pick=lambda: _picked(kinds))
    if end < len(source.text):
        st.caption(f"Shown are the first {end:,} of {len(source.text):,} characters; all numbers count the whole text.")
    _notes(source, found[source.kind])
    counted = [(reader, encoded, losses(encoded, reader.kind)) for reader, encoded in lines]
    caption = _caption(source, counted)
    st.caption(literal(caption))
    with st.container(horizontal=True):
        with st.popover("Table", icon=":material/table:"):
            st.dataframe(_table(drawn), hide_index=True, width=720, alt="Every token with its id and position")
        pictures.save_view(CHIPS, "tokens", caption, lambda: _table(drawn))
    if chosen is not None:
        _facts(source, lines[chosen[0]], chosen[1])
    losing.draw(source, counted, end)


def _stages(source: Source, encoded: EncodedDialogue | None) -> None:
    """Show the way from text to vectors in five numbers."""
    config = checkpoints.read_config(decoding.checkpoint())
    tokens = encoded.tokens if encoded else ()
    numbers = {
        "Text": count(len(source.text), "character"),
        "→ Turns": f"{len(source.dialogue.turns):,}",
        "→ Tokens": f"{len(tokens):,}",
        "→ Ids": f"0 … {source.reader.tokenizer.size - 1:,}",
        "→ Embedding": f"{len(tokens):,} × {config.embedding_dim}",
    }
    with st.container(horizontal=True):
        for name, value in numbers.items():
            st.metric(name, value, border=True, width="content")


def _chips(reader: Reader, encoded: EncodedDialogue) -> list[Chip]:
    rules = sources.merges(reader) if reader.kind == "bpe" else None
    return [_chip(place, token, reader, rules, encoded) for place, token in enumerate(encoded.tokens, 1)]


def _chip(place: int, token: Token, reader: Reader, rules: Merges | None, encoded: EncodedDialogue) -> Chip:
    """Return how a token is drawn; its tip says where it stands."""
    raw = rules.token_bytes(token.id) if rules else b""
    text = sources.label(reader, token.id)
    where = f"token {place}, id {token.id}"
    if token.end > token.start:
        where += f" · characters {token.start + 1}–{token.end}"
    if token.id == UNKNOWN:
        return Chip(text, token.id, "unknown", f"“{token.text}” is not in the vocabulary · {where}")
    if token.id in (TURN, END):
        return Chip(text, token.id, "mark", f"{text}: {SPECIAL[text]} · {where}")
    if text in TAGS and rules:
        return Chip(text, token.id, "tag", f"the tag of “{encoded.speakers.get(token.id, text)}” · {where}")
    size = f" · {count(len(raw), 'byte')} {raw[:12].hex(' ').upper()}{'…' if len(raw) > 12 else ''}" if raw else ""
    part = bool(raw) and not _whole(raw)
    said = f"part of “{plain(token.text)}”" if part else f"“{text}”"
    return Chip(text, token.id, "part" if part else "", f"{said} · {where}{size}")


def _whole(raw: bytes) -> bool:
    """Return whether bytes are whole characters."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _end(text: str, lines: Sequence[Line]) -> int:
    """Return the character at which the picture ends: where the longest line has `MOST` tokens."""
    longest = max(lines, key=lambda line: len(line.tokens))
    return longest.tokens[MOST].start if len(longest.tokens) > MOST else len(text)


def _chosen(encoded: Sequence[EncodedDialogue], kinds: Sequence[str]) -> Place | None:
    """Return the locked chip."""
    kind = LINE.value
    place = sources.chosen_place(kind, len(encoded[kinds.index(kind)].tokens) if kind in kinds else 0)
    return (kinds.index(kind), place - 1) if place else None


def _picked(kinds: Sequence[str]) -> None:
    event = st.session_state[CHIPS].pick
    if event:
        line, index = int(event["line"]), int(event["index"])
        PLACE.value = index + 1 if 0 <= line < len(kinds) and index >= 0 else 0
        if 0 <= line < len(kinds):
            LINE.value = kinds[line]


def _notes(source: Source, encoded: EncodedDialogue | None) -> None:
    """Say what is special about this text."""
    speakers = source.dialogue.speakers
    if not speakers:
        st.caption("No speakers were found here: every line is a turn, and no token is a speaker's tag.")
    if len(speakers) > MAX_TAGS and source.kind == "bpe":
        rest = count(len(speakers) - MAX_TAGS, "other name")
        st.caption(
            f"{len(speakers)} people speak, and there are {MAX_TAGS} tags: the first {MAX_TAGS} who speak get them, "
            f"{rest} {'is' if len(speakers) == MAX_TAGS + 1 else 'are'} written in letters."
        )
    room = checkpoints.read_config(decoding.checkpoint()).max_source_length
    if encoded is not None and len(encoded.tokens) > room:
        st.caption(
            f"The model reads {room:,} tokens at most, and these are {len(encoded.tokens):,}: see Length for what it "
            "does not read."
        )


def _caption(source: Source, counted: Sequence[Counted]) -> str:
    parts = []
    for reader, encoded, lost in counted:
        words = len(encoded.tokens)
        share = lost.unknown_words / words
        unknown = f"{lost.unknown_words:,} of them [UNK] ({percent(share)})" if lost.unknown_words else "none unknown"
        each = number(len(source.text) / words)
        parts.append(f"{NAMES[reader.kind]}: {count(words, 'token')}, {each} characters each, {unknown}")
    return "; ".join(parts) + "."


def _table(lines: Sequence[Line]) -> dict[str, list[object]]:
    """List every token of both lines, also those that are not drawn."""
    rows = [
        (line.name, place, chip, token)
        for line in lines
        for place, (chip, token) in enumerate(zip(line.chips, line.tokens, strict=True), 1)
    ]
    return {
        "Tokenizer": [name for name, _, _, _ in rows],
        "Position": [place for _, place, _, _ in rows],
        "Token": [chip.text for _, _, chip, _ in rows],
        "Id": [chip.id for _, _, chip, _ in rows],
        "Stands for": [token.text if token.end > token.start else "" for _, _, _, token in rows],
        "From character": [token.start + 1 for _, _, _, token in rows],
        "To character": [token.end for _, _, _, token in rows],
        "Turn": [None if token.turn is None else token.turn + 1 for _, _, _, token in rows],
        "Speaker": [token.speaker or "" for _, _, _, token in rows],
    }


def _facts(source: Source, line: tuple[Reader, EncodedDialogue], place: int) -> None:
    """Show the locked token, and buttons to its merges and its embedding."""
    reader, encoded = line
    token = encoded.tokens[place]
    word = [each for each in encoded.tokens if each.word == token.word and each.id not in (TURN, END)]
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        if word and token.end > token.start:
            text = source.text[word[0].start : word[-1].end]
            what = f"one of {len(word)} tokens of the word" if len(word) > 1 else "the whole of"
            st.markdown(f"**Token {place + 1}** is {what} “{literal(text)}”.")
            st.button(
                "Its merges", key="to_merges", icon=":material/join_inner:", on_click=_show, args=("merges", text)
            )
        else:
            st.markdown(f"**Token {place + 1}** is a special token; it stands for no character of the text.")
        if reader.checkpoint == decoding.checkpoint():
            st.button("Its embedding", key="to_embedding", icon=":material/scatter_plot:", on_click=_show,
                      args=("embedding", None))  # fmt: skip


def _show(view: str, word: str | None) -> None:
    st.session_state["tokens_view"] = view
    if word is not None:
        WORD.value = word[: WORD.longest]
