"""Two runs on the same dialogues: who wins where, by how much, and what the two texts say differently."""

from collections.abc import Sequence

import streamlit as st

from core.evaluation.measures import having, values
from core.evaluation.rows import ScoredSummary
from core.figures.errors import runs as figures
from core.figures.shared.wording import count
from core.scoring.bootstrap import paired_difference
from core.words import first_few, say
from pages.parts.errors import columns, rivals, slices, summaries, table
from pages.parts.errors.data import ROW
from pages.parts.errors.summaries import Run
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import row
from pages.shared.figures import pictures
from pages.shared.session.notices import literal

FIELDS = (slices.MEASURE, rivals.AGAINST)
BARS = "errors_paired_picture"
FEWEST = 2


def draw(run: Run) -> None:
    """Draw the difference of two runs on each dialogue, and both texts of the opened one."""
    with row():
        rivals.choose(run, say("Against"))
        name = columns.choose_measure(say("Measure"), slices.MEASURE, run)
    other = rivals.chosen(run)
    if other is None:
        return
    if not run.complete:
        st.info(say("The summaries of the first run are written first."), icon=":material/hourglass_top:")
        return
    if not other.complete:
        summaries.controls(other, "against")
    _compare(run, other, name)


def _refused(run: Run, other: Run, name: str, both: Sequence[tuple[ScoredSummary, ScoredSummary]]) -> str:
    """Say why the scores of two runs cannot be compared; "" if they can."""
    family = next((each for each in ("rouge", "bertscore") if name.startswith(each)), "")
    if not family:
        return ""
    strange = [one.id for one, two in both if one.references != two.references]
    if strange:
        return say(
            "{first} and {second} were scored with other references in {rows} ({ids}): these scores cannot be "
            "compared. Bring the same references to both.",
            first=literal(run.name), second=literal(other.name), rows=count(len(strange), "row"),
            ids=literal(first_few(strange, 3)),
        )  # fmt: skip
    one, two = (summaries.measured(each, family == "bertscore").get(family) for each in (run, other))
    if one == two:
        return ""
    return say(
        "{first} was measured by {one}, {second} by {two}: these scores cannot be compared. Evaluate "
        "one of them again.",
        first=literal(run.name), one=literal(str(one)), second=literal(other.name), two=literal(str(two)),
    )  # fmt: skip


def _compare(run: Run, other: Run, name: str) -> None:
    """Draw the difference on the dialogues where both have the measure."""
    theirs = {row.id: row for row in having(other.rows, name).values()}
    both = {place: (row, theirs[row.id]) for place, row in having(run.rows, name).items() if row.id in theirs}
    for note in other.data.notes if other.data is not run.data else ():
        st.warning(literal(note), icon=":material/rule:")
    if refused := _refused(run, other, name, list(both.values())):
        st.warning(refused, icon=":material/block:")
        return
    if len(both) < FEWEST:
        st.info(say("Both need this measure for the summaries of at least two dialogues."), icon=":material/info:")
        return
    first, second = (values(name, rows) for rows in zip(*both.values(), strict=True))
    difference = paired_difference(first, second)
    places = list(both)
    opened = run.place(ROW.value)
    picture = figures.paired(
        [one.id for one, _ in both.values()],
        [one - two for one, two in zip(first, second, strict=True)],
        columns.axis(name),
        (run.name, other.name),
        (difference.interval.mean, difference.interval.low, difference.interval.high),
        places.index(opened) if opened in both else None,
    )
    pictures.show(picture, BARS, on_select=lambda: table.open_clicked(run, places, BARS))
    st.caption(
        say(
            "Two-sided p by approximate randomisation: {p}. It is about these dialogues only: another training run of "
            "the same recipe moves scores too. Measures such as length or entropy have no better and worse.",
            p=figures.p_text(difference.p_value),
        )
    )
    if opened in both:
        one, two = both[opened]
        st.markdown(
            say(
                "**{id}**: struck through is only in {first}, underlined only in {second}.",
                id=literal(one.id),
                first=literal(run.name),
                second=literal(other.name),
            )
        )
        word_diff(one.summary, two.summary, key="errors_diff")
    else:
        st.info(say("Click a bar to see both texts."), icon=":material/touch_app:")
