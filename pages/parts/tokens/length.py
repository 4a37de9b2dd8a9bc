"""Length: padding up to a number of positions, and truncation down to it."""

import streamlit as st

from core.config import END, Truncation
from core.figures.shared.wording import count
from core.figures.tokens import batch_rows, conventions
from core.figures.tokens import tokens as figures
from core.text.encoded import EncodedDialogue
from core.words import later, say
from pages.parts.tokens.sources import NAMES, Source
from pages.shared.controls.choices import number, one_of, row
from pages.shared.figures import pictures
from pages.shared.session import decoding
from pages.shared.session.fields import Choice, Number
from pages.shared.session.notices import literal

SIDES = {"start": later("The start"), "middle": later("The middle"), "end": later("The end")}
PAD_TO = Number("pad_to", 2, 4096, 128)
CUT_AT = Choice("cut_at", SIDES, "middle")
FIELDS = (PAD_TO, CUT_AT)


def draw(source: Source) -> None:
    """Draw which turns a length keeps, and the row of the batch with its padding mask."""
    length, side = _choose(source)
    whole = source.reader.read(source.text)
    turns = [(str(turn.index + 1), turn.speaker or "", turn.text) for turn in source.dialogue.turns]
    around = batch_rows.around(whole) if source.imported and whole else 1
    if length <= around:
        message = say(
            "{tokens} stand before and behind every dialogue of this model: a length of {length} has no room for a "
            "word.",
            tokens=count(around, "token"),
            length=length,
        )
        st.warning(message, icon=":material/straighten:")
        return
    encoded = source.reader.read(source.text, length, side)
    other_whole, other = (source.readers[source.other_kind].read(source.text, *cut) for cut in ((), (length, side)))
    if whole is None or encoded is None:
        message = say("This tokenizer leaves nothing of this text: there is nothing to pad or to cut.")
        st.warning(message, icon=":material/filter_alt:")
        return
    sizes, kept = (batch_rows.turn_sizes(encoding, len(turns)) for encoding in (whole, encoded))
    marks = len(encoded.tokens) - sum(kept)
    names = figures.PREFIXED if source.imported else figures.MARKS
    pictures.show(figures.kept_turns(turns, sizes, kept, marks, length, names), "kept_turns_picture")
    message = batch_rows.left_out(encoded, length - len(encoded.ids))
    st.caption(literal(message + batch_rows.compared(say(NAMES[source.other_kind]), other_whole, other)))
    st.markdown(
        say(
            "A batch is a table: every sequence in it has the same number of positions. A shorter one is filled with "
            "[PAD], which masks hide; a longer one loses a part. We leave out whole turns, and cut one only if not "
            "even one fits: half a turn says something that nobody said."
        )
    )
    with st.expander(say("The row of the batch")):
        _row(source, encoded, length)


def _choose(source: Source) -> tuple[int, Truncation]:
    """Draw the choice of the length, and of the side that is left out; say what the model makes of the length."""
    with row():
        length = int(number(say("Length (positions)"), PAD_TO, width=150))
        end = source.reader.label(END)
        tip = literal(say("What a text that is too long loses. {end} always stays.", end=end))
        side: Truncation = one_of(say("Leave out"), CUT_AT, tip=tip)
    longest = decoding.config().max_source_length
    if length > longest:
        beyond = say("A sequence of {length:,} positions is shown here, but the model refuses it.", length=length)
        reads = batch_rows.reads(decoding.config())
        st.warning(f"{reads} {beyond}", icon=":material/straighten:")
    elif length == 2:
        message = say("Length 2 is the shortest: one token and {end}.", end=end)
        st.info(literal(message), icon=":material/straighten:")
    return length, side


def _row(source: Source, encoded: EncodedDialogue, length: int) -> None:
    """Draw the ids of the row with its padding mask."""
    ids, caption, table = batch_rows.row(encoded, length)
    st.code(ids, language=None, wrap_lines=True)
    st.caption(caption)
    if source.imported:
        st.caption(literal(conventions.numbering(source.imported)))
    with st.container(horizontal=True):
        with st.popover(say("Table"), icon=":material/table:"):
            pictures.table(table, say("Positions, tokens, ids and mask"), width=720)
        pictures.save_table(table, "row-of-the-batch", "batch_row")
