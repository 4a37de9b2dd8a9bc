"""Two runs on the same dialogues: who wins where, by how much, and what the two texts say differently."""

from collections.abc import Mapping

import streamlit as st

from core.config import DecodeSettings
from core.evaluation.measures import having, values
from core.figures import runs as figures
from core.scoring.bootstrap import paired_difference
from pages.parts.errors import data, measures, slices, summaries, table
from pages.parts.errors.data import ROW
from pages.parts.errors.summaries import Run
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import select
from pages.shared.figures import pictures
from pages.shared.frame import decoding
from pages.shared.frame.fields import Text
from pages.shared.frame.notices import literal

AGAINST = Text("err_against", 200)
FIELDS = (slices.MEASURE, AGAINST)
BARS = "errors_paired_picture"
FEWEST = 2


def draw(run: Run) -> None:
    """Draw the difference of two runs on each dialogue, and both texts of the opened one."""
    rivals = _rivals(run)
    AGAINST.fit(rivals, "a comparison with", next(iter(rivals)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        select("Against", rivals, AGAINST, width=320)
        name = measures.choose("Measure", slices.MEASURE, run)
    other = _rival(run)
    if other is None:
        return
    if not run.complete:
        st.info("The summaries of the first run are written first.", icon=":material/hourglass_top:")
        return
    if not other.complete:
        summaries.controls(other, "against")
    _compare(run, other, name)
    if not other.complete:
        summaries.advance(other)


def _rivals(run: Run) -> Mapping[str, str]:
    """Return the names of everything that can be compared with a run."""
    files = {f"file:{key}": f"the file {each.name}" for key, each in data.others(run.data).items()}
    own = {"own": "the summaries of the file"} if all(run.data.given) and run.checkpoint else {}
    models = {}
    for name in decoding.available():
        card = decoding.of_card(name)
        for strategy in ("greedy", "beam", "sample"):
            settings = card.replace(strategy=strategy)
            if (name, settings) != (run.checkpoint, run.settings):
                models[f"{strategy}:{name}"] = summaries.described(name, settings)
    return own | files | models


def _rival(run: Run) -> Run | None:
    """Return the run that is compared with; None while its model loads."""
    kind, _, name = AGAINST.value.partition(":")
    if kind == "own":
        return summaries.of_file(run.data)
    if kind == "file":
        return summaries.of_file(data.others(run.data)[name].of_the_dialogues(run.data))
    settings: DecodeSettings = decoding.of_card(name).replace(strategy=kind)
    return summaries.of_current(run.data, name, settings)


def _compare(run: Run, other: Run, name: str) -> None:
    """Draw the difference on the dialogues where both have the measure."""
    theirs = {row.id: row for row in having(other.rows, name).values()}
    both = {place: (row, theirs[row.id]) for place, row in having(run.rows, name).items() if row.id in theirs}
    if len(both) < FEWEST:
        st.info("There are not yet two summaries of both that have this measure.", icon=":material/info:")
        return
    first, second = (values(name, rows) for rows in zip(*both.values(), strict=True))
    found = paired_difference(first, second)
    places = list(both)
    opened = run.place(ROW.value)
    picture = figures.paired(
        [one.id for one, _ in both.values()],
        [one - two for one, two in zip(first, second, strict=True)],
        measures.axis(name),
        (run.name, other.name),
        (found.interval.mean, found.interval.low, found.interval.high),
        places.index(opened) if opened in both else None,
    )
    pictures.show(picture, BARS, on_select=lambda: table.open_clicked(run, places, BARS))
    st.caption(
        f"Two-sided p by approximate randomisation: {figures.p_text(found.p_value)}. It is about these dialogues "
        "only: another training run of the same recipe moves scores too. Measures such as length or entropy have no "
        "better and worse."
    )
    if opened in both:
        one, two = both[opened]
        st.markdown(
            f"**{literal(one.id)}**: struck through is only in {literal(run.name)}, underlined only in "
            f"{literal(other.name)}."
        )
        word_diff(one.summary, two.summary, key="errors_diff")
    else:
        st.info("Click a bar to see both texts.", icon=":material/touch_app:")
