"""One change beside the untouched run: both summaries, their probabilities, and the effect on each token."""

import streamlit as st

from core.experiments.effects import Condition
from core.figures.experiments import changes
from core.figures.shared.token_effects import token_effects
from core.figures.shared.wording import capital
from core.words import say
from pages.parts.experiments.runs import Run
from pages.shared.components.word_diff import word_diff
from pages.shared.figures import pictures
from pages.shared.place import page_description
from pages.shared.session import selection
from pages.shared.session.notices import literal


def draw(run: Run, change: Condition, name: str, key: str) -> None:
    """Try a change and draw what it does.

    Args:
        run: the untouched run.
        change: what is read, and which heads are on.
        name: of the change, in a sentence: "without turn 3".
        key: tells the outcomes of two views apart.
    """
    outcome = run.compare(change)
    what = name if run.control == "none" else say("{change}, in {run}", change=name, run=run.name)
    page_description.describe(what=what, summary=outcome.text)
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch"):
        st.markdown(say("**Untouched**"))
        st.text(run.base.text or say("(an empty summary)"))
        if run.summary.given:
            st.caption(say("The model writes this itself. What is scored below is the given summary."))
        elif run.control != "none":
            st.caption(say("What is scored below is the summary of the trained model for the dialogue as it is."))
    with right, st.container(border=True, height="stretch"):
        heading = literal(capital(name))
        st.markdown(say("**{change}** (struck through: before; underlined: now)", change=heading))
        if outcome.text == run.base.text:
            st.text(outcome.text or say("(an empty summary)"))
            st.caption(say("The model writes the same summary."))
        else:
            word_diff(run.base.text, outcome.text, key=f"{key}_diff")
    original = outcome.original
    pairs = ((original.before, original.after), (outcome.before, outcome.after))
    names = (say("Given summary") if run.summary.given else say("Untouched summary"), say("New summary"))
    forced = changes.forced_table(dict(zip(names, pairs, strict=True)))
    table = {say(name): column for name, column in forced.items()}
    st.dataframe(
        table,
        hide_index=True,
        column_config={name: st.column_config.NumberColumn(format="%.3f") for name in list(table)[1:]},
        alt=say("Mean log-probability of a token of both summaries, with and without the change"),
    )
    moved = changes.text_sentence(run.base.text, outcome.text, original.changed or 0.0, selection.current().references)
    st.caption(literal(f"{changes.effect_sentence(original.drop)} {moved}"))
    pictures.show(token_effects(run.summary.tokens, original.before, original.after, name), f"{key}_changes")
