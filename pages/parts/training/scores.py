"""Results of trainings: scores by the length of the dialogue, and on dialogues of the training data and others."""

import streamlit as st

from core.figures.shared.wording import listed
from core.figures.training import card_scores as figures
from core.figures.training.card_scores import NAMES
from core.figures.training.curves import MOST
from core.words import later, say
from pages.parts.training import curves, files, imported, several
from pages.shared.controls.choices import row, select
from pages.shared.figures import pictures
from pages.shared.session.fields import Choice, Text
from pages.shared.session.notices import literal

SYSTEMS = Text("train_systems", 400)
MERIT = Choice("train_merit", list(NAMES))
FIELDS = (SYSTEMS, MERIT)
BOTTLENECK = later(
    "A recurrent encoder **without attention** hands one vector to its decoder, as long for ten words as for three "
    "hundred: that is the bottleneck for which attention was invented (Bahdanau et al. 2015). Look at how far a line "
    "falls towards the right, rather than at how high it lies."
)
SEEN = later(
    "Both bars are the same network on as many dialogues. What is higher on the dialogues that it was trained on is "
    "not skill but memory: a training report that names only that number says little."
)
NOTHING = later(
    "No card of these trainings has such scores. `python -m core train` measures them when it ends; an older "
    "checkpoint has none."
)


def draw() -> None:
    """Draw the scores of the chosen trainings by length, and on dialogues seen and unseen."""
    imported.said(say("scores of its training"))
    runs = {name: run for name, run in files.runs().items() if figures.groups(run.card) or figures.pair(run.card)}
    if not runs:
        st.info(say(NOTHING), icon=":material/straighten:")
        return
    labels = {name: curves.literal_free(run.label) for name, run in runs.items()}
    with row():
        start = list(runs)[:MOST]
        chosen = several.choose(say("Systems"), labels, SYSTEMS, start, MOST, say("system"), width=620)
    cards = {runs[name].label: runs[name].card for name in chosen}
    if not cards:
        st.info(say("Choose at least one system."), icon=":material/straighten:")
        return
    with row():
        score = select(say("Score"), NAMES, MERIT, width=160)
    groups = {name: by_length for name, card in cards.items() if (by_length := figures.groups(card, score))}
    pairs = {name: both for name, card in cards.items() if (both := figures.pair(card, score))}
    if groups:
        pictures.show(figures.by_length(groups, score), "train_length_picture")
        st.markdown(say(BOTTLENECK))
    if lacking := [name for name in cards if name not in groups and name not in pairs]:
        without = listed([literal(name) for name in lacking])
        st.caption(say("No {score} on the card of {systems}.", score=NAMES[score], systems=without))
    if pairs:
        with st.expander(say("Learnt, or learnt by heart?"), expanded=not groups):
            pictures.show(figures.seen_and_unseen(pairs, score), "train_seen_picture")
            st.markdown(say(SEEN))
