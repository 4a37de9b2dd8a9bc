"""Two runs on the same dialogues: who wins where, by how much, and what the two texts say differently."""

from collections.abc import Mapping

import streamlit as st

from core import checkpoints
from core.config import DecodeSettings
from core.figures import runs as figures
from core.scoring.bootstrap import paired_difference
from pages.parts.errors import data, examples, measures, runs
from pages.parts.errors.runs import Run
from pages.shared import components, loading, model, pictures, state
from pages.shared.errors import literal
from pages.shared.state import Key

BARS = "errors_paired_picture"
FEWEST = 2


def draw(run: Run) -> None:
    """Draw the view."""
    rivals = _rivals(run)
    if st.session_state[Key.ERR_AGAINST] not in rivals:
        st.session_state[Key.ERR_AGAINST] = next(iter(rivals))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Against", list(rivals), format_func=rivals.get, key=Key.ERR_AGAINST, persist_state="session", width=320
        )
        name = measures.choose("Measure", Key.ERR_MEASURE, measures.known(run))
    other = _rival(run)
    if other is None:
        return
    if not run.complete:
        st.info("The first run is still going on; it comes first.", icon=":material/hourglass_top:")
        return
    if not other.complete:
        runs.controls(other, "against")
    _compare(run, other, name)
    if not other.complete:
        runs.advance(other)


def _rivals(run: Run) -> Mapping[str, str]:
    """Everything that can be compared with a run."""
    files = {f"file:{key}": f"the file {literal(each.name)}" for key, each in data.others(run.data).items()}
    own = {"own": "the summaries of the file"} if all(run.data.given) and run.summarizer else {}
    models = {}
    for name in checkpoints.installed():
        card = state.card_settings(name)
        for strategy in ("greedy", "beam", "sample"):
            settings = card.replace(strategy=strategy)
            if run.summarizer is None or (name, settings) != (run.summarizer.checkpoint.name, run.settings):
                models[f"{strategy}:{name}"] = runs.described(name, settings)
    return own | files | models


def _rival(run: Run) -> Run | None:
    """The run that is compared with; None while its model loads."""
    kind, _, name = st.session_state[Key.ERR_AGAINST].partition(":")
    if kind == "own":
        return runs.of_file(run.data)
    if kind == "file":
        return _matched(run, data.others(run.data)[name])
    job = model.job(name)
    if not loading.ready(job) or job.summarizer is None:
        return None
    settings: DecodeSettings = state.card_settings(name).replace(strategy=kind)
    return runs.of_model(run.data, job.summarizer, settings)


def _matched(run: Run, other: data.Data) -> Run:
    """The summaries of another file for the dialogues of this run, in its order; other rows are left out."""
    theirs = {row.id: (row, has) for row, has in zip(other.rows, other.given, strict=True)}
    rows, given = [], []
    for row in run.data.rows:
        found, has = theirs.get(row.id, (row, False))
        if has and found.dialogue == row.dialogue:
            rows.append(found)
            given.append(True)
    return runs.of_file(data.Data(f"{other.key}/{run.data.key}", other.name, tuple(rows), tuple(given)))


def _compare(run: Run, other: Run, name: str) -> None:
    """The difference where both have the measure."""
    theirs = {row.id: row for row in other.rows.values()}
    both = {
        place: (row, theirs[row.id])
        for place, row in run.rows.items()
        if row.id in theirs
        and measures.value(name, row) is not None
        and measures.value(name, theirs[row.id]) is not None
    }
    if len(both) < FEWEST:
        st.info("There are not yet two summaries of both that have this measure.", icon=":material/info:")
        return
    first = [measures.number(name, one) for one, _ in both.values()]
    second = [measures.number(name, two) for _, two in both.values()]
    found = paired_difference(first, second)
    places = list(both)
    opened = run.place(st.session_state[Key.ERR_ROW])
    picture = figures.paired(
        [one.id for one, _ in both.values()],
        [one - two for one, two in zip(first, second, strict=True)],
        measures.axis(name),
        (run.name, other.name),
        (found.interval.mean, found.interval.low, found.interval.high),
        places.index(opened) if opened in both else None,
    )

    def pick() -> None:
        place = pictures.clicked(BARS)
        if place is not None and place < len(places):
            examples.open_row(run, places[place])

    pictures.show(picture, BARS, on_select=pick)
    st.caption(
        f"Two-sided p by approximate randomisation: {found.p_value:.3f}. It is about these dialogues only: another "
        "training run of the same recipe moves scores too. Measures such as length or entropy have no better and worse."
    )
    if opened in both:
        one, two = both[opened]
        st.markdown(f"**{literal(one.id)}**: struck out is only in {run.name}, underlined only in {other.name}.")
        components.diff(one.summary, two.summary, key="errors_diff")
    else:
        st.info("Click a bar to see both texts.", icon=":material/touch_app:")
