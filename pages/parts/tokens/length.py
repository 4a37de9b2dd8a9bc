"""Length: padding up to a number of positions, and truncation down to it."""

import streamlit as st

from core import checkpoints
from core.config import END, PAD, TURN, NetworkConfig
from core.figures import tokens as figures
from core.figures.wording import count, turn_ranges
from core.text.tokenizer import SPECIALS, EncodedDialogue
from pages.parts.tokens.sources import NAMES, Reader, Source
from pages.shared.controls.choices import number, one_of
from pages.shared.figures import pictures
from pages.shared.frame import decoding
from pages.shared.frame.fields import Choice, Number
from pages.shared.frame.notices import literal

SIDES = {"start": "The start", "middle": "The middle", "end": "The end"}
PAD_TO = Number("pad_to", 2, 4096, 128)
CUT_AT = Choice("cut_at", list(SIDES), "middle")
FIELDS = (PAD_TO, CUT_AT)


def draw(source: Source) -> None:
    """Draw which turns a length keeps, and the row of the batch with its padding mask."""
    st.markdown(
        "A batch is a table: every sequence in it has the same number of positions. A shorter one is filled with "
        "[PAD], which masks hide; a longer one loses a part. We leave out whole turns, and cut one only if not even "
        "one fits: half a turn says something that nobody said."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = int(number("Length (positions)", PAD_TO, width=180))
        side = one_of("Leave out", SIDES, CUT_AT, "What a text that is too long loses. [EOS] always stays.")
    config = checkpoints.read_config(decoding.checkpoint())
    _limits(length, config)
    reader = source.reader
    whole, found = reader.read(source.text), reader.read(source.text, length, side)
    if whole is None or found is None:
        st.warning("This tokenizer leaves nothing of this text: there is nothing to pad or to cut.",
                   icon=":material/filter_alt:")  # fmt: skip
        return
    sizes, kept = (_sizes(each, source) for each in (whole, found))
    turns = [(str(turn.index + 1), turn.speaker or "", turn.text) for turn in source.dialogue.turns]
    marks = sum(token.id in (TURN, END) for token in found.tokens)
    pictures.show(figures.kept_turns(turns, sizes, kept, marks, length), "kept_turns_picture")
    st.caption(literal(_told(found, length - len(found.ids)) + _compared(source, length, side)))
    _sequence(found, length)


def _limits(length: int, config: NetworkConfig) -> None:
    """Say what a length means for the model."""
    if length > config.max_source_length:
        st.warning(
            f"The model {_reads(config)}. A sequence of {length:,} positions is shown here, but the model refuses it.",
            icon=":material/straighten:",
        )
    elif length == 2:
        st.info("Length 2 is the shortest: one token and [EOS].", icon=":material/straighten:")


def _reads(config: NetworkConfig) -> str:
    """Say how much the model reads, and why not more."""
    longest = f"{config.max_source_length:,}"
    positions = config.has.positions
    if positions is None:
        return f"reads {longest} tokens at most: its LSTM could go on, but it never read so many in training"
    if positions == "learned":
        return f"has {longest} source positions: a position beyond them has no learned vector"
    return (
        f"has {longest} source positions: its sinusoids could be computed for more, but it never saw such positions "
        "in training"
    )


def _sizes(encoded: EncodedDialogue, source: Source) -> list[int]:
    """Count the tokens of each turn without special tokens."""
    sizes = [0] * len(source.dialogue.turns)
    for token in encoded.tokens:
        if token.turn is not None and token.id not in (TURN, END):
            sizes[token.turn] += 1
    return sizes


def _told(found: EncodedDialogue, room: int) -> str:
    """Say which turns are gone, by their numbers, and why positions may stay free."""
    said = []
    for turns, what in ((found.omitted, "left out"), (found.shortened, "cut")):
        if turns:
            said.append(f"{'Turn' if len(turns) == 1 else 'Turns'} {turn_ranges(turns)} {what}. ")
    if found.omitted and room:
        said.append(f"The next turn does not fit into the {count(room, 'position')} that stay free. ")
    return "".join(said) or "Nothing is left out. "


def _compared(source: Source, length: int, side: str) -> str:
    """Say what the same length is for the other tokenizer."""
    other: Reader = source.other
    whole, found = other.read(source.text), other.read(source.text, length, side)  # type: ignore[arg-type]
    name = f"{NAMES[other.kind]}, the other tokenizer,"
    if whole is None or found is None:
        return f"{name} finds nothing to read."
    lost = len(found.omitted) + len(found.shortened)
    loses = f"loses or cuts {count(lost, 'turn')}" if lost else "loses no turn"
    return f"{name} needs {count(len(whole.tokens), 'position')} for the whole text and {loses} at this length."


def _sequence(found: EncodedDialogue, length: int) -> None:
    """Draw the ids as a row of a batch, and the padding mask over it."""
    ids = [*found.ids, *[PAD] * (length - len(found.ids))]
    table: dict[str, list[object]] = {
        "Position": list(range(1, length + 1)),
        "Token": [*(token.text.strip() or "·" for token in found.tokens), *[SPECIALS[PAD]] * (length - len(found.ids))],
        "Id": [*ids],
        "Mask": [int(each != PAD) for each in ids],
    }
    st.header("The row of the batch", anchor=False)
    st.code(_short(ids), language=None, wrap_lines=True)
    st.caption(
        f"{count(len(found.ids), 'token')} and {length - len(found.ids):,} times [PAD] (id {PAD}). The padding mask is "
        f"1 at the first {len(found.ids):,} positions and 0 at the others."
    )
    with st.container(horizontal=True):
        with st.popover("Table", icon=":material/table:"):
            st.dataframe(table, hide_index=True, width=720, alt="Positions, tokens, ids and mask")
        pictures.save_table(table, "row-of-the-batch", "batch_row")


def _short(ids: list[int]) -> str:
    """Return a row of ids whose repeated end is written once."""
    filled = len(ids) - next((place for place, each in enumerate(reversed(ids)) if each != PAD), len(ids))
    tail = len(ids) - filled
    shown = ", ".join(map(str, ids[:filled]))
    return f"[{shown}]" if not tail else f"[{shown}, {'0, ' * min(tail - 1, 3)}{'…, ' if tail > 4 else ''}0]"
