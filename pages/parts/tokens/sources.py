"""The text that is taken apart, and the two tokenizers that do it."""

from dataclasses import dataclass
from typing import Any, get_args

import streamlit as st

from core import checkpoints
from core.config import PRESETS, Truncation
from core.errors import CheckpointError, DialogueError
from core.figures.tokens import readable
from core.text.dialogue import Dialogue, parse_dialogue
from core.text.examples import load_examples
from core.text.merges import Merges
from core.text.tokenizer import EncodedDialogue, Kind, Tokenizer
from pages.shared import links, state
from pages.shared.state import Key

KINDS: tuple[Kind, ...] = get_args(Kind)
NAMES: dict[str, str] = {"bpe": "Ours", "word": "Words"}
LEARNT_SIZE = 2000
"""Ids of a byte-level BPE that is learnt here because no checkpoint has one."""
WHOLE = 10**9
"""A length into which every text fits."""


@dataclass(frozen=True)
class Reader:
    """A tokenizer and where it comes from.

    Args:
        tokenizer: either kind.
        identity: tells it apart from every other.
        about: one sentence about where it comes from.
        checkpoint: that it belongs to, or None if it was learnt here.
    """

    tokenizer: Tokenizer
    identity: str
    about: str
    checkpoint: str | None

    @property
    def kind(self) -> Kind:
        """Byte-level BPE or words."""
        return self.tokenizer.kind

    def read(self, text: str, length: int = WHOLE, cut_at: Truncation = "middle") -> EncodedDialogue | None:
        """The text as this tokenizer reads it, from the cache; None where it leaves nothing to read."""
        return _encoded(self.identity, text, length, cut_at, self.tokenizer)


@dataclass(frozen=True)
class Source:
    """What the page is about.

    Args:
        text: as it was written.
        dialogue: its turns.
        own: whether it is a text of one's own, beside the dialogue that all pages look at.
        readers: one of each kind, "bpe" and "word".
        kind: of the chosen checkpoint's tokenizer.
    """

    text: str
    dialogue: Dialogue
    own: bool
    readers: dict[Kind, Reader]
    kind: Kind

    @property
    def reader(self) -> Reader:
        """The chosen checkpoint's."""
        return self.readers[self.kind]

    @property
    def other(self) -> Reader:
        """The one of the other kind."""
        return next(each for kind, each in self.readers.items() if kind != self.kind)


def current() -> Source:
    """The chosen text and both tokenizers; raises DialogueError if the text is longer than the app accepts."""
    own = st.session_state[Key.TOKENS_OF] == "own"
    text = links.checked(_own_text() if own else state.selection().text)
    chosen = state.checkpoint()
    _forget_of(text, _identity(chosen))
    readers = {each: _reader(each, chosen) for each in KINDS}
    return Source(text, parse_dialogue(text), own, readers, _of_checkpoint(chosen).kind)


def _own_text() -> str:
    """The box for a text of one's own; what a link brings is put into it."""
    session = st.session_state
    if session.get(Key.TOKENS_SEEN) != session[Key.TOKENS_TEXT]:
        session[Key.TOKENS_BOX] = session[Key.TOKENS_SEEN] = session[Key.TOKENS_TEXT]
    text = st.text_area(
        "A text of your own; press Ctrl + Enter when it is done",
        key=Key.TOKENS_BOX,
        height=110,
        on_change=_typed,
        persist_state="session",
    )
    if len(text) > _link_room():
        st.caption(f"Links hold {_link_room()} characters of it; this one has {len(text):,} and stays in this tab.")
    return str(text)


def _typed() -> None:
    """The box was changed: a short text stands in the link."""
    session = st.session_state
    text = session[Key.TOKENS_BOX]
    fits = len(text) <= _link_room()
    session[Key.TOKENS_TEXT] = text if fits else state.PAGE_FIELDS["tokens"][Key.TOKENS_TEXT][1]
    session[Key.TOKENS_SEEN] = session[Key.TOKENS_TEXT]


def _link_room() -> int:
    field: Any = state.PAGE_FIELDS["tokens"][Key.TOKENS_TEXT][0]
    return int(field.longest)


def _forget_of(text: str, identity: str) -> None:
    """Forget the token that was chosen in another text or with another tokenizer, unless a link chose it."""
    session, now = st.session_state, (text, identity, st.session_state.get(Key.JUMPS, 0))
    last = session.get(Key.TOKENS_SHOWN, now)
    if last[:2] != now[:2] and last[2] == now[2]:
        session[Key.TOKENS_PLACE] = 0
    session[Key.TOKENS_SHOWN] = now


def merges(reader: Reader) -> Merges:
    """The merge rules of a byte-level BPE, read once."""
    return _merges(reader.identity, reader.tokenizer)


def label(reader: Reader, token: int) -> str:
    """A token id for the eye: of ours its bytes, a blank as a dot; marks by their names."""
    raw = merges(reader).token_bytes(token) if reader.kind == "bpe" else b""
    return readable(raw) if raw else reader.tokenizer.id_text(token).strip()


def _reader(kind: Kind, chosen: str) -> Reader:
    """The tokenizer of a kind: the chosen checkpoint's, another installed one's, or one that is learnt now."""
    for name in dict.fromkeys([chosen, *checkpoints.installed()]):
        try:
            tokenizer = _of_checkpoint(name)
        except CheckpointError:
            if name == chosen:
                raise
            continue
        if tokenizer.kind == kind:
            about = f"from the checkpoint {name}, {tokenizer.size:,} ids"
            return Reader(tokenizer, _identity(name), about, name)
    return _learnt(kind)


def _of_checkpoint(name: str) -> Tokenizer:
    return _loaded(name, _identity(name))


def _identity(name: str) -> str:
    hashes = checkpoints.read_card(name).get("sha256") or {}
    return f"{name}@{hashes.get('tokenizer.json')}"


@st.cache_resource(max_entries=4, show_spinner=False)
def _loaded(name: str, identity: str) -> Tokenizer:  # noqa: ARG001
    return Tokenizer.load(checkpoints.locate(name) / "tokenizer.json")


@st.cache_resource(max_entries=2, show_spinner=False)
def _learnt(kind: Kind) -> Reader:
    """Learn a tokenizer from the bundled dialogues and their summaries."""
    examples = load_examples()
    texts = [text for each in examples for text in (each.dialogue, *each.references)]
    if kind == "word":
        least = PRESETS["report-b"].min_frequency
        tokenizer = Tokenizer.train_words(texts, least)
        rule = f"words that occur at least {least} times"
    else:
        tokenizer, rule = Tokenizer.train_bpe(texts, LEARNT_SIZE), "pairs of bytes that occur most often"
    words = sum(len(text.split()) for text in texts)
    about = (
        f"learnt just now from the {len(examples)} bundled dialogues and their summaries, {words:,} words in all "
        f"({rule}): {tokenizer.size:,} ids"
    )
    about += ". Most words of other texts are unknown to so small a vocabulary" if kind == "word" else ""
    return Reader(tokenizer, f"learnt {kind}", about, None)


@st.cache_resource(max_entries=4, show_spinner=False)
def _merges(identity: str, _tokenizer: Tokenizer) -> Merges:
    return Merges(_tokenizer)


@st.cache_resource(max_entries=24, show_spinner=False)
def _encoded(
    identity: str, text: str, length: int, cut_at: Truncation, _tokenizer: Tokenizer
) -> EncodedDialogue | None:
    try:
        return _tokenizer.encode_dialogue(parse_dialogue(text), length, cut_at)
    except DialogueError:
        return None
