"""Which explanation holds? The parts of a dialogue, taken away or shown in the order of each method."""

import streamlit as st

from core.errors import SettingsError
from core.explain.attribution.methods import METHODS
from core.explain.shared.rollup import Unit
from core.figures.experiments import curves as figures
from core.figures.shared.wording import UNIT_NAMES
from core.words import later, say
from pages.parts.experiments.methods import BY, written
from pages.parts.experiments.runs import Run
from pages.parts.experiments.words import WORD
from pages.shared.controls.choices import one_of, options, row
from pages.shared.figures import pictures
from pages.shared.guard import demo
from pages.shared.model import sweep
from pages.shared.session.fields import Choice
from pages.shared.session.notices import literal, sentence

HOW = Choice("taken", ("deletion", "insertion"))
FIELDS = (HOW, BY, WORD)
UNITS: tuple[Unit, ...] = ("turn", "word")
WHAT = later(
    "A ranking holds if the words of the summary become improbable as soon as its first parts are hidden, and probable "
    "as soon as they are shown. All curves have the same ends. Random orders are the line that a method must beat; "
    "what orders cannot tell is how much each part counts."
)


def draw(run: Run) -> None:
    """Draw the curves of all methods, once they were asked for."""
    if not run.of_its_own():
        return
    with row():
        ways = {"deletion": say("taken away"), "insertion": say("shown")}
        how = one_of(say("Parts are"), ways, HOW)
        step = written(run)
    with options():
        BY.fit(UNITS, say("part"))
        by = one_of(say("Parts of the dialogue"), {unit: say(UNIT_NAMES[unit]) for unit in UNITS}, BY)
    demo.check(say("no methods are compared"))
    from core.experiments.attribution.curves import compare
    from core.experiments.attribution.question import Question

    label = say("Compare all methods: of a short dialogue it takes a minute")
    question = Question(run.summarizer, run.summary, step if step >= 0 else None, unit=by)
    try:
        key = ("curves", *run.key, step, by)
        found = sweep.once("curves", key, label, lambda report: compare(question, report=report))
    except SettingsError as error:
        st.info(literal(f"{sentence(error)}."), icon=":material/info:")
        return
    if found is not None:
        pictures.show(figures.curves(found, how), "curves")
        for name, reason in found.skipped.items():
            st.caption(literal(f"{say(METHODS[name].title)}: {reason}."))
    st.markdown(say(WHAT))
