"""Losses, scores and learning rates of several trainings, epoch by epoch."""

import streamlit as st

from core.explain.training.histories import MEASURES, reading
from core.figures.training import card_scores
from core.figures.training import curves as figures
from core.figures.training.curves import MOST, measures
from core.words import later, say
from pages.parts.training import files, imported, several
from pages.shared.controls.choices import one_of
from pages.shared.figures import pictures
from pages.shared.session import notices
from pages.shared.session.fields import Choice
from pages.shared.session.notices import literal

NAMES = {
    "loss": later("Loss"),
    "rouge1": later("ROUGE-1"),
    "rouge2": later("ROUGE-2"),
    "rougeL": later("ROUGE-L"),
    "learning_rate": later("Learning rate"),
    "tokens_per_second": later("Speed"),
    "seconds": later("Time"),
}
MEASURE = Choice("train_measure", list(NAMES))
FIELDS = (files.RUNS, MEASURE)
HOW = later(
    "Both losses are the mean over the summary's tokens of −ln of the probability that the network gave to the right "
    "one. The training loss is the mean over an epoch, while weights change and dropout is on, on summaries that it "
    "learns from; the validation loss is measured after the epoch, without dropout, on summaries that it never learns "
    "from. A network **overfits** where the first goes on falling and the second does not: what it learns then holds "
    "for the training dialogues alone. The ring marks the epoch whose weights were kept, as a rule the "
    "best one."
)


def draw() -> None:
    """Draw the curves of the chosen trainings, and what each card says."""
    found = files.runs()
    if imported.draw() and found:
        st.caption(say("The curves below are those of other trainings."))
    first = [name for name in files.start() if name in found] or list(found)[:1]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = {name: literal_free(run.label) for name, run in found.items()}
        chosen = several.choose(say("Runs"), labels, files.RUNS, first, MOST, say("run"))
        files.bring()
    notices.show_complaint()
    shown = [found[name] for name in chosen]
    if not shown:
        lacking = say("No installed checkpoint has a history: upload a history.csv.")
        if found:
            lacking = say("Choose at least one run.")
        st.info(lacking, icon=":material/show_chart:")
        return
    recorded = {column for run in shown for row in run.history.rows for column in row}
    options = {name: say(NAMES[name]) for name in NAMES if recorded & set(measures(name))}
    if not options:
        names = ", ".join(say(name) for name in NAMES.values())
        st.info(say("None of these runs recorded {measures}.", measures=names), icon=":material/show_chart:")
        return
    if MEASURE.value not in options:
        first_option = next(iter(options))
        asked = say(NAMES[MEASURE.value])
        said = say("None of these runs recorded {asked}: this is {shown}.", asked=asked, shown=options[first_option])
        MEASURE.refuse(said, first_option)
    measure = one_of(say("Measure"), options, MEASURE)
    pictures.show(figures.curves([run.history for run in shown], measure), "train_curves_picture")
    if measure == "loss":
        st.markdown(say(HOW))
    for run in shown:
        _facts(run)


def literal_free(label: str) -> str:
    """Return a label for a list, on one line."""
    return " ".join(label.split())[:60]


def _facts(run: files.Run) -> None:
    """Draw what the numbers say, and what the card says beside them."""
    with st.container(border=True):
        st.markdown(f"**{literal(run.label)}.** {literal(reading(run.history))}")
        if run.history.ignored:
            names, known = literal(", ".join(run.history.ignored)[:200]), literal(", ".join(MEASURES))
            st.caption(say("Not shown: {names}. What is understood: {known}.", names=names, known=known))
        if run.card:
            st.markdown(card_scores.in_one_line(run.card, run.history))
        if run.card.get("command"):
            st.code(str(run.card["command"]), language="bash", wrap_lines=True)
