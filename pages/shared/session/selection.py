"""The dialogue that all pages look at: an example or one's own, with its edits in place."""

from dataclasses import dataclass, replace

import streamlit as st

from core.errors import CorpusError, DialogueError
from core.limits import limits
from core.text import links
from core.text.examples import START, Example, example_by_id, load_examples
from core.text.formats import registry
from core.text.formats.content import Content
from core.text.formats.parts import parts
from core.text.formats.transcript import Transcript
from core.text.size import checked
from core.text.upload import content_of
from core.words import later, say
from pages.shared.session.fields import Choice, Text, follow


def _ids() -> list[str]:
    """Return the ids of the bundled dialogues; if they are damaged, the page that reads them says so."""
    try:
        return [example.id for example in load_examples()]
    except CorpusError:
        return [START]


EXAMPLE = Choice("example", _ids(), START)
INPUT = Choice(
    "input",
    {
        "example": later(":material/forum: Example"),
        "paste": later(":material/content_paste: Paste"),
        "upload": later(":material/upload_file: Upload"),
    },
)
GIVEN = Text("given", 2_000)
"""A summary of the dialogue that every page explains in the place of what the model writes; "" for none."""
TEXT = "t"
"""Name in a link: a whole dialogue, packed."""
HANDED = "handed"
"""Name in a link between two models side by side: the key of a dialogue that is too long for a link."""
DIALOGUE, EDITS, ASIDE = "own_dialogue", "edits", "dialogue_aside"
"""Session keys; the last one holds the own dialogue and its edits while another stands in its place: a file that was
refused, or what was lent."""
PASTE_BOX, REFERENCE_BOX = "paste_box", "reference_box"
BOXES = {PASTE_BOX: "", REFERENCE_BOX: ""}
"""Text boxes with what stands in them on a first visit."""
BROUGHT = "dialogues_brought"
"""Session key: how many dialogues and summaries of one's own this session has taken."""
OWN = "own"
"""Origin of a pasted or uploaded dialogue; an example's origin is its id."""


@dataclass(frozen=True)
class Own:
    """A pasted or uploaded dialogue and, if given, its reference summary.

    Args:
        text: of the dialogue.
        references: at most one.
        file: that brought it; "" for a pasted one.
        lent: whether the app gave it, for a model that reads no dialogues.
        source: what was pasted or uploaded, as it came; None where that is the text.
        reading: how the source was read.
        readings: names of the readers that the source can be read with, the recognised one first.
        part: number of the part of the reading that the text is, from 1; 0 for all of it.
    """

    text: str
    references: tuple[str, ...] = ()
    file: str = ""
    lent: bool = False
    source: Content | None = None
    reading: Transcript | None = None
    readings: tuple[str, ...] = ()
    part: int = 0


@dataclass(frozen=True)
class Edits:
    """Every version of a dialogue since the first edit in place, the newest last.

    Args:
        origin: the example's id, or `OWN`.
        texts: at least one.
    """

    origin: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Selection:
    """The dialogue that all pages look at.

    Args:
        text: as it is summarized; empty where nothing was pasted yet.
        original: before the edits in place.
        example: the example that it is, or was made from.
        references: reference summaries of the original.
        linked: whether a link can carry it.
    """

    text: str
    original: str
    example: Example | None
    references: tuple[str, ...]
    linked: bool

    @property
    def edited(self) -> bool:
        """Return whether a turn was changed."""
        return self.text != self.original

    @property
    def title(self) -> str:
        """Return the title of the example that it is, or was made from; "" for a dialogue of one's own."""
        if not self.example:
            return ""
        title = say(self.example.title)
        return say("{title} (edited)", title=title) if self.edited else title


def current() -> Selection:
    """Return the dialogue that was chosen, with its edits."""
    session, source = st.session_state, origin()
    own: Own | None = session.get(DIALOGUE)
    example = example_by_id(EXAMPLE.value) if source != OWN else None
    original = _original(example)
    edits: Edits | None = session.get(EDITS)
    text = edits.texts[-1] if edits and edits.origin == source else original
    references = example.references if example else own.references if own else ()
    linked = text == original if example else not text
    return Selection(text, original, example, references, linked or links.pack(text) is not None)


def given() -> str:
    """Return the summary that is explained in the place of the model's own, "" for none; it goes with its dialogue."""
    source = origin()
    follow((source, _original(example_by_id(EXAMPLE.value) if source != OWN else None)), GIVEN)
    return GIVEN.value.strip()


def _original(example: Example | None) -> str:
    """Return the text of an example, or of the own dialogue where there is none, before the edits in place."""
    own: Own | None = st.session_state.get(DIALOGUE)
    return example.dialogue if example else own.text if own else ""


def use_own(text: str, references: tuple[str, ...] = (), file: str = "") -> None:
    """Make a pasted or uploaded dialogue the current one; raises DialogueError if there is none or too much of it."""
    _refuse_blank(text)
    st.session_state[DIALOGUE] = Own(checked(text), references, file)
    st.session_state[BROUGHT] = st.session_state.get(BROUGHT, 0) + 1
    st.session_state.update({EDITS: None, ASIDE: None})


def read_own(content: Content, references: tuple[str, ...] = (), reading: str = "") -> None:
    """Make what was pasted or uploaded the current dialogue, read as its content tells or as a reader is named.

    Raises:
        DialogueError: nothing that can be read, or too much of it.
    """
    _refuse_blank(content.text)
    transcript = registry.read(content, reading)
    use_own(parts(transcript)[0].text if is_oversized(transcript) else transcript.text, references, content.name)
    st.session_state[DIALOGUE] = replace(
        st.session_state[DIALOGUE],
        source=replace(content),  # without what was parsed of it
        reading=transcript,
        readings=tuple(reader.name for reader in registry.readings(content)),
    )


def is_oversized(transcript: Transcript) -> bool:
    """Return whether a transcript has more turns or characters than a dialogue may have: it is read in parts."""
    return len(transcript.turns) > limits().dialogue_turns or len(transcript.text) > limits().dialogue_characters


def take_part(number: int, text: str) -> None:
    """Make a part of what was read the current dialogue, or all of it as number 0."""
    st.session_state[DIALOGUE] = replace(st.session_state[DIALOGUE], text=checked(text), part=number)
    st.session_state[EDITS] = None


def read_again(reading: str = "", encoding: str = "") -> None:
    """Read the current own dialogue in another way, or its file in another encoding; raises as `read_own` does."""
    own: Own | None = st.session_state.get(DIALOGUE)
    if own and own.source and not encoding:
        read_own(own.source, own.references, reading)
    elif own and own.source and own.source.data:
        read_own(content_of(own.file, own.source.data, encoding), own.references)


def _refuse_blank(text: str) -> None:
    if not text.strip():
        raise DialogueError("There is nothing to summarize yet. Paste a dialogue first: at least a word.")


def lend(text: str) -> None:
    """Make a text of the app the current dialogue; `bring_back` shows one's own again."""
    state = st.session_state
    if is_lent():
        state[EDITS] = None
    else:
        set_aside()
    state.update({DIALOGUE: Own(checked(text), lent=True), PASTE_BOX: text})


def is_lent() -> bool:
    """Return whether the app gave what stands in the place of an own dialogue."""
    own: Own | None = st.session_state.get(DIALOGUE)
    return bool(own and own.lent)


def set_aside() -> None:
    """Put the own dialogue aside and show none, because a file was refused; `bring_back` shows it again."""
    state = st.session_state
    if state.get(DIALOGUE):
        state.update({ASIDE: (state[DIALOGUE], state.get(EDITS)), DIALOGUE: None, EDITS: None})


def is_aside() -> bool:
    """Return whether a former dialogue can be brought back."""
    return bool(st.session_state.get(ASIDE))


def bring_back() -> None:
    """Show the dialogue again that was set aside, if there is one."""
    if is_aside():
        own, edits = st.session_state[ASIDE]
        if is_lent():
            st.session_state[PASTE_BOX] = own.text
        st.session_state.update({DIALOGUE: own, EDITS: edits, ASIDE: None})


def holds_own() -> bool:
    """Return whether the session holds a dialogue of one's own, shown or not."""
    return bool(st.session_state.get(DIALOGUE) and not is_lent()) or is_aside()


def holds_edits() -> bool:
    """Return whether the session holds edits of a dialogue, shown or not."""
    aside = st.session_state[ASIDE][1] if is_aside() else None
    return bool(st.session_state.get(EDITS) or aside)


def edit(text: str) -> None:
    """Put an edited version on top of the current dialogue; raises DialogueError if it is too long."""
    source = origin()
    edits: Edits | None = st.session_state.get(EDITS)
    before = edits.texts if edits and edits.origin == source else ()
    st.session_state[EDITS] = Edits(source, (*before, checked(text))[-50:])


def undo() -> None:
    """Take the last edit back."""
    edits: Edits | None = st.session_state.get(EDITS)
    texts = edits.texts[:-1] if edits else ()
    st.session_state[EDITS] = Edits(edits.origin, texts) if edits and texts else None


def restore() -> None:
    """Take all edits back."""
    st.session_state[EDITS] = None


def origin() -> str:
    """Return where the current dialogue comes from: the example's id, or `OWN`."""
    return EXAMPLE.value if INPUT.value == "example" else OWN
