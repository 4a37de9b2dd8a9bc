"""One change beside the untouched run: both summaries, their probabilities, and the effect on each token."""

import math

import streamlit as st

from core.experiments.interventions import Comparison, Condition
from core.figures import effects
from core.figures.wording import percent, signed
from core.scoring.rouge import rouge
from pages.parts.experiments.runs import Run
from pages.shared.components.word_diff import word_diff
from pages.shared.figures import pictures
from pages.shared.frame import selection
from pages.shared.frame.notices import literal

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def draw(run: Run, change: Condition, name: str, key: str) -> None:
    """Try a change and draw what it does.

    Args:
        run: the untouched run.
        change: what is read, and which heads are on.
        name: of the change, in a sentence: "without turn 3".
        key: tells the outcomes of two views apart.
    """
    found = run.compare(change)
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch"):
        st.markdown("**Untouched**")
        st.text(run.base.text or "(an empty summary)")
        if run.control != "none":
            st.caption("What is scored below is the summary of the trained model for the dialogue as it is.")
    with right, st.container(border=True, height="stretch"):
        st.markdown(f"**{literal(name[:1].upper() + name[1:])}** (struck through: before; underlined: now)")
        if found.text == run.base.text:
            st.text(found.text or "(an empty summary)")
            st.caption("The model writes the same summary.")
        else:
            word_diff(run.base.text, found.text, key=f"{key}_diff")
    _numbers(run, found)
    original = found.original
    pictures.show(effects.token_effects(run.summary.tokens, original.before, original.after, name), f"{key}_changes")


def _numbers(run: Run, found: Comparison) -> None:
    """Draw two summaries under two conditions, and how much of the text changed."""
    rows = [
        ("Untouched summary", found.original.before, found.original.after),
        ("New summary", found.before, found.after),
    ]
    table = {
        "Forced (nats a token)": [name for name, _, _ in rows],
        "Untouched": [float(before.mean()) for _, before, _ in rows],
        "With the change": [float(after.mean()) for _, _, after in rows],
        "Effect": [float((before - after).mean()) for _, before, after in rows],
    }
    st.dataframe(
        table,
        hide_index=True,
        column_config={name: st.column_config.NumberColumn(format="%.3f") for name in list(table)[1:]},
        alt="Mean log-probability of a token of both summaries, with and without the change",
    )
    drop = found.original.drop
    sentence = f"In all, the effect on the untouched summary is {signed(drop)} nats"
    if abs(drop) >= 0.005:
        sentence += f": {_times(drop)} times {'less' if drop > 0 else 'more'} probable than before"
    st.caption(literal(sentence + ". " + _texts(run, found)))


def _times(drop: float) -> str:
    """Return how many times less or more probable so many nats make a text."""
    power = abs(drop) / math.log(10)
    if power < 6:
        return f"{10**power:,.0f}" if power >= 3 else f"{10**power:.3g}"
    return f"{10 ** (power % 1):.2f} · 10{str(int(power)).translate(RAISED)}"


def _texts(run: Run, found: Comparison) -> str:
    """Return how far the written text moved, from the untouched one and from the reference."""
    sentence = "The text is the same."
    if found.text != run.base.text:
        changed = percent(found.original.changed or 0.0)
        kept = rouge(found.text, [run.base.text]).rougeL
        sentence = f"{changed} of the words differ from what was written before (ROUGE-L {kept:.1f})."
    references = selection.current().references
    if references:
        before, after = (rouge(text, references, "max").rougeL for text in (run.base.text, found.text))
        sentence += f" ROUGE-L against the reference: {before:.1f} before, {after:.1f} now."
    return sentence
