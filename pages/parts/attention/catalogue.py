"""What every head tends to do, measured over a corpus, and how it ranks among the other heads."""

import streamlit as st

from core import checkpoints
from core.explain.attention.catalogue import Catalogue
from core.explain.attention.head_types import MEANINGS
from core.figures.attention import head_tables
from core.figures.attention.head_tables import MEASURES
from core.figures.attention.view import AttentionView
from core.figures.shared.wording import KIND_NAMES, capital, count
from core.words import later, say
from pages.parts.attention import view
from pages.shared.controls.choices import row, select
from pages.shared.figures import pictures
from pages.shared.model import model_parts
from pages.shared.session import decoding
from pages.shared.session.fields import Choice
from pages.shared.session.notices import literal

MEASURE = Choice("measure", MEASURES)
FIELDS = (MEASURE,)
HOW = later(
    "A head has a **type** where it reaches its threshold. If it reaches none, the table names the type "
    "to whose threshold it comes closest. It **stands out by** the score that is most standard deviations "
    "above the mean of all heads of its kind. Ranks are among these heads. Click a heading of the table to sort. "
    "A head may do something else on your dialogue."
)


def draw(seen: AttentionView) -> None:
    """Draw the catalogue: a map of the heads, their types, and every statistic."""
    if not model_parts.has_or_note("heads", say("heads that could be measured")):
        return
    measured, reason = view.measured(seen)
    if measured is None:
        st.info(literal(reason), icon=":material/info:")
        name = decoding.checkpoint()
        output = checkpoints.locate(name) / "heads.json"
        st.code(f"python -m core heads DATA --checkpoint {name} --limit 200 --output {output}", wrap_lines=True)
        return
    offered = head_tables.measures(measured, seen.kind)
    if MEASURE.value not in offered:
        lacking = say(MEASURES[MEASURE.value])
        MEASURE.refuse(say("The catalogue of this model does not have the measure: {measure}.", measure=lacking))
    with row():
        select(say("Measure"), {name: capital(text) for name, text in offered.items()}, MEASURE, width=260)
    shape = seen.weights.shape[:2]
    picture = pictures.kept(
        head_tables.measured_map, measured, seen.kind, MEASURE.value, shape, (seen.layer, seen.head or 0)
    )
    pictures.show(picture, "head_map", on_select=lambda: view.show_clicked("head_map", shape[1]))
    dialogues = count(measured.dialogues, "dialogue")
    means = say("Means over {dialogues} of {data}.", dialogues=dialogues, data=literal(measured.data))
    st.markdown(f"{means} {say(HOW)}")
    if measured.effects:
        st.markdown(literal(head_tables.lost_without(measured.effects, seen.kind)))
    _tables(measured, seen)


def _tables(measured: Catalogue, seen: AttentionView) -> None:
    """Draw type, rank and every statistic of the heads, as tables that a heading opens."""
    heads = [head for head in measured.heads if head.scores.kind == seen.kind]
    attention = say(KIND_NAMES[seen.kind])
    types = head_tables.types_table(measured, heads)
    with st.expander(say("{attention}: types and ranks", attention=attention)):
        pictures.table(types, say("Type and rank of every head"))
    with st.expander(say("What the scores measure, and where the thresholds come from"), icon=":material/straighten:"):
        lines = (
            f"- **{say(name)}**: {say(meaning)} {head_tables.threshold(name)}" for name, meaning in MEANINGS.items()
        )
        st.markdown("\n".join(lines))
    numbers = head_tables.numbers_table(heads)
    with st.expander(say("{attention}: every statistic", attention=attention)):
        pictures.table(numbers, say("Statistics of every head"))
    pictures.save_table(types | numbers, "heads", "save_heads")
    st.caption(say("Measured by: {command}", command=literal(measured.command)))
