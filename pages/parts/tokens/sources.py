"""The text that is cut into tokens, and the two tokenizers that do it."""

from dataclasses import dataclass
from typing import get_args

import streamlit as st

from core import checkpoints
from core.config import Truncation
from core.errors import CheckpointError, DialogueError
from core.figures.shared.transcript_words import sentence
from core.figures.tokens.tokenized import label
from core.text.dialogue import Dialogue, parse_dialogue
from core.text.encoded import AnyKind, AnyTokenizer, EncodedDialogue
from core.text.formats import registry
from core.text.formats.content import Content
from core.text.imported import ImportedTokenizer
from core.text.learnt import Learnt, learn
from core.text.merges import Merges, has_merges
from core.text.size import parse_checked
from core.text.tokenizer import Tokenizer
from core.text.unigram import Unigram
from core.text.wordpiece import WordPiece
from core.words import later, say
from pages.shared.controls.choices import one_of, row
from pages.shared.model import models
from pages.shared.model.cache import cached
from pages.shared.session import decoding, notices, option_labels, selection
from pages.shared.session.fields import Choice, Number, Text, follow

TEXTS = {"dialogue": later("The dialogue"), "own": later("A text of your own")}
KINDS: tuple[AnyKind, ...] = get_args(AnyKind)
NAMES: dict[str, str] = {"bpe": "BPE", "wordpiece": "WordPiece", "word": later("Words"), "imported": later("Its own")}
OF = Choice("tokens_of", TEXTS)
TEXT = Text("tokens_text", 600, "Zoë: The café's 40 % off – unbelievable! 😀\nJürgen: SERIOUSLY?")
LINE = Choice("tokens_line", KINDS)
PLACE = Number("tokens_place", 0, 9999, 0, of_dialogue=True)
FIELDS = (OF, TEXT, LINE, PLACE)
STEPS = {
    "BPE": (later("Merges"), later("Its merges")),
    "Unigram": (later("Cuts"), later("Its cuts")),
    "WordPiece": (later("Matches"), later("Its matches")),
}
"""What makes the pieces of a word, by their type; see `steps`."""
PIECES = (later("Pieces"), later("Its pieces"))
"""The same for any other type."""
READING = "tokens_reading"
"""Session key: as which format one's own text is read."""
BOX, BOXED = "tokens_box", "tokens_boxed"
"""Session keys: what stands in the box of one's own text, and the text of the link that was put there."""
WHOLE = 10**9
"""A length into which every text fits."""


@dataclass(frozen=True)
class Reader:
    """A tokenizer and where it comes from.

    Args:
        tokenizer: of any kind.
        identity: tells it apart from every other.
        about: where it comes from, in words.
        checkpoint: that it belongs to, or None if it was learnt here.
    """

    tokenizer: AnyTokenizer
    identity: str
    about: str
    checkpoint: str | None

    @property
    def merges(self) -> Merges | None:
        """Return the merge rules; None of a tokenizer that merges nothing."""
        return merges(self) if has_merges(self.tokenizer) else None

    def read(self, text: str, length: int = WHOLE, cut_at: Truncation = "middle") -> EncodedDialogue | None:
        """Return the text as this tokenizer reads it; None where it leaves nothing to read."""
        return _read(self, text, length, cut_at)

    def label(self, token: int) -> str:
        """Return a readable text for a token id."""
        return label(self.tokenizer, self.merges, token)


@dataclass(frozen=True)
class Source:
    """The text that the page is about, and its tokenizers.

    Args:
        text: as it was written.
        dialogue: its turns.
        own: whether it is a text of one's own, beside the dialogue that all pages look at.
        readers: one of each kind, "bpe" and "word"; of a checkpoint of another kind also its own.
        kind: of the chosen checkpoint's tokenizer.
    """

    text: str
    dialogue: Dialogue
    own: bool
    readers: dict[AnyKind, Reader]
    kind: AnyKind

    @property
    def reader(self) -> Reader:
        """Return the tokenizer of the chosen checkpoint."""
        return self.readers[self.kind]

    @property
    def imported(self) -> ImportedTokenizer | None:
        """Return the tokenizer of the chosen checkpoint if it was imported."""
        return self.reader.tokenizer if isinstance(self.reader.tokenizer, ImportedTokenizer) else None

    @property
    def other_kind(self) -> AnyKind:
        """Return the kind of the other tokenizer."""
        return "word" if self.kind == "bpe" else "bpe"


def draw() -> Source | None:
    """Draw the choice of a text; return it, or say what an empty one gives and return None."""
    with row():
        own = one_of(say("Text"), OF, hidden=True) == "own"
    dialogue = parse_checked(_recognised(_own_text()) if own else selection.current().text)
    text = dialogue.text
    if not text.strip():
        message = say("No dialogue is chosen yet. Pick or paste one above, or take a text of your own.")
        if own:
            message = say("An empty text has no turns, so there is no token. Type at least one character above.")
        st.info(message, icon=":material/forum:")
        return None
    chosen = decoding.checkpoint()
    follow((text, models.identity(chosen, "tokenizer.json")), PLACE)
    readers: dict[AnyKind, Reader] = {kind: _reader(kind, chosen) for kind in get_args(Learnt)}
    kind = models.tokenizer(chosen).kind
    if kind not in readers:
        readers[kind] = _of_checkpoint(chosen)
    return Source(text, dialogue, own, readers, kind)


def steps() -> tuple[str, str]:
    """Say what makes the pieces of a word in the chosen checkpoint's tokenizer: as a title, and on a word's button."""
    title, button = STEPS.get(type_of(models.tokenizer(decoding.checkpoint())), PIECES)
    return say(title), say(button)


def type_of(tokenizer: AnyTokenizer) -> str:
    """Return the type of a tokenizer's pieces, BPE for one that has none: its page shows our merges."""
    if isinstance(tokenizer, ImportedTokenizer):
        return str(tokenizer.pieces["type"])
    return "WordPiece" if tokenizer.kind == "wordpiece" else "BPE"


def _own_text() -> str:
    """Draw the box for a text of one's own; what a link brings is put into it."""
    session = st.session_state
    if session.get(BOXED) != TEXT.value:
        session[BOX] = session[BOXED] = TEXT.value
    text = st.text_area(
        say("A text of your own; press Ctrl + Enter when it is done"),
        key=BOX,
        height=72,
        on_change=_typed,
        persist_state="session",
    )
    if len(text) > TEXT.longest:
        st.caption(
            say(
                "Links hold {most} characters of it; this one has {size:,} and stays in this tab.",
                most=TEXT.longest,
                size=len(text),
            )
        )
    return str(text)


def _recognised(text: str) -> str:
    """Read a text as the front page does, and say as what; a text that no format fits stays as it is."""
    content = Content("", text)
    try:
        offered = registry.readings(content)
        chosen = st.session_state.get(READING, "")
        names = [reader.name for reader in offered]
        transcript = registry.read(content, chosen if chosen in names else "")
    except DialogueError:
        return text
    if len(offered) < 3 and transcript.whole:  # a dialogue, or plain text
        return text
    titles = {reader.name: say(reader.title) for reader in offered}
    option_labels.follow(READING, titles)
    st.session_state[READING] = transcript.format
    st.caption(notices.literal(sentence(transcript)))
    st.selectbox(say("Read it as"), list(titles), format_func=titles.__getitem__, key=READING, width=360)
    return transcript.text


def _typed() -> None:
    """Let the link carry the text of the box, if it is short."""
    st.session_state.pop(READING, None)
    text = st.session_state[BOX]
    TEXT.value = st.session_state[BOXED] = text if len(text) <= TEXT.longest else TEXT.default


def chosen_place(kind: str, size: int) -> int:
    """Return the place of the chosen token, from 1; 0 where none is chosen. A link to one that does not exist is noted.

    Args:
        kind: of the tokenizer.
        size: how many tokens it has made.
    """
    if PLACE.value > size:
        PLACE.refuse(
            say(
                "The link asks for token {token}; there are {size:,} here ({tokenizer}).",
                token=PLACE.value,
                size=size,
                tokenizer=say(NAMES[kind]),
            )
        )
    return int(PLACE.value)


def _reader(kind: Learnt, chosen: str) -> Reader:
    """Return the tokenizer of a kind: the chosen checkpoint's, another installed one's, or one that is learnt now."""
    for name in dict.fromkeys([chosen, *checkpoints.installed()]):
        try:
            tokenizer = models.tokenizer(name)
        except CheckpointError:
            if name == chosen:
                raise
            continue
        if tokenizer.kind == kind:
            return _of_checkpoint(name)
    return _learnt(kind)


def _of_checkpoint(name: str) -> Reader:
    tokenizer = models.tokenizer(name)
    size = tokenizer.vocabulary.rows if isinstance(tokenizer, ImportedTokenizer) else tokenizer.size
    about = say("from the checkpoint {name}, {size:,} ids", name=name, size=size)
    return Reader(tokenizer, models.identity(name, "tokenizer.json"), about, name)


@cached(2, worded=True)
def _learnt(kind: Learnt) -> Reader:
    tokenizer, about = learn(kind)
    return Reader(tokenizer, f"learnt {kind}", about, None)


@cached(4)
def merges(reader: Reader) -> Merges:
    """Return the merge rules of a tokenizer that has some."""
    return Merges(reader.tokenizer)


@cached(2)
def unigram(reader: Reader) -> Unigram:
    """Return the pieces and scores of an imported unigram tokenizer."""
    return Unigram(_imported(reader))


@cached(2)
def wordpiece(reader: Reader) -> WordPiece:
    """Return the pieces of a WordPiece tokenizer."""
    return WordPiece(reader.tokenizer if isinstance(reader.tokenizer, Tokenizer) else _imported(reader))


def _imported(reader: Reader) -> ImportedTokenizer:
    if not isinstance(reader.tokenizer, ImportedTokenizer):
        raise ValueError(f"only an imported tokenizer has such pieces. Received: kind={reader.tokenizer.kind!r}")
    return reader.tokenizer


@cached(24)
def _read(reader: Reader, text: str, length: int, cut_at: Truncation) -> EncodedDialogue | None:
    try:
        return reader.tokenizer.encode_dialogue(parse_dialogue(text), length, cut_at)
    except DialogueError:
        return None
