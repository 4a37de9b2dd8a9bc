"""Losses, scores and learning rates of several trainings, epoch by epoch."""

from collections.abc import Sequence

import streamlit as st

from core.explain.training.histories import MEASURES, reading
from core.figures.training import card_scores
from core.figures.training import curves as figures
from core.figures.training.curves import MOST, measures
from core.words import later, say
from pages.parts.training import files, imported, several
from pages.shared.controls.choices import row, select
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
MEASURE = Choice("train_measure", NAMES)
FIELDS = (files.RUNS, MEASURE)
HOW = later(
    "A loss is the mean over the summary's tokens of −ln of the probability that the network gave to the right one. A "
    "training loss is the mean over an epoch, while weights change and dropout is on, on summaries that it learns "
    "from; a validation loss is measured after the epoch, without dropout, on summaries that it never learns from. A "
    "network **overfits** where the first goes on falling and the second does not: what it learns then holds for the "
    "training dialogues alone. The ring marks the epoch whose weights were kept."
)
REFINED = later(
    "After epoch {epoch} it was refined: a second training, with a learning rate of its own, in which it also compares "
    "whole summaries. The loss knows single tokens alone: it may rise there though the summaries become better, and "
    "the ring may stand above the lowest point."
)


def draw() -> None:
    """Draw the curves of the chosen trainings, and what each card says."""
    runs = files.runs()
    elsewhere = imported.said(say("curves"))
    first = [name for name in files.start() if name in runs] or list(runs)[:1]
    with row():
        labels = {name: literal_free(run.label) for name, run in runs.items()}
        chosen = several.choose(say("Runs"), labels, files.RUNS, first, MOST, say("run"))
    notices.show_complaint()
    shown = [runs[name] for name in chosen]
    _picture(shown, lacking=not runs)
    with row():
        files.bring()
    if elsewhere:
        if shown:
            st.caption(say("The curves above are those of other trainings."))
        imported.draw()
    for training in shown:
        _facts(training)


def _picture(shown: Sequence[files.Run], lacking: bool) -> None:
    """Draw the curves of some trainings, and what the measure means.

    Args:
        shown: of them.
        lacking: whether there is none to choose.
    """
    if not shown:
        none = say("No installed checkpoint has a history: upload a history.csv.")
        st.info(none if lacking else say("Choose at least one run."), icon=":material/show_chart:")
        return
    recorded = {column for run in shown for values in run.history.rows for column in values}
    words = MEASURE.words
    options = {name: word for name, word in words.items() if recorded & set(measures(name))}
    if not options:
        names = ", ".join(words.values())
        st.info(say("None of these runs recorded {measures}.", measures=names), icon=":material/show_chart:")
        return
    if MEASURE.value not in options:
        first_option = next(iter(options))
        asked = words[MEASURE.value]
        reason = say("None of these runs recorded {asked}: this is {shown}.", asked=asked, shown=options[first_option])
        MEASURE.refuse(reason, first_option)
    with row():
        measure = select(say("Measure"), options, MEASURE, width=160)
    pictures.show(figures.curves([run.history for run in shown], measure), "train_curves_picture")
    if measure == "loss":
        st.markdown(say(HOW))


def literal_free(label: str) -> str:
    """Return a label for a list, on one line."""
    return " ".join(label.split())[:60]


def _facts(run: files.Run) -> None:
    """Draw what the numbers say, and what the card says beside them."""
    with st.container(border=True):
        st.markdown(f"**{literal(run.label)}.** {literal(reading(run.history))} {_refined(run)}".rstrip())
        if run.history.ignored:
            names, known = literal(", ".join(run.history.ignored)[:200]), literal(", ".join(MEASURES))
            st.caption(say("Not shown: {names}. What is understood: {known}.", names=names, known=known))
        if run.card:
            st.markdown(card_scores.in_one_line(run.card, run.history))
        if run.card.get("command"):
            st.code(str(run.card["command"]), language="bash", wrap_lines=True)


def _refined(run: files.Run) -> str:
    """Say after which epoch a second training refined the network, if one did."""
    before = run.card.get("refined")
    epochs = before.get("epochs") if isinstance(before, dict) else None
    return say(REFINED, epoch=epochs) if isinstance(epochs, int) and 0 < epochs < run.history.last else ""
