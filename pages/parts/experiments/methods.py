"""Ten methods: how much each says that a part of the dialogue counts, with its check; and which of them holds."""

import streamlit as st

from core.errors import SettingsError
from core.explain.attribution.methods import METHODS
from core.explain.shared.rollup import Unit
from core.figures.experiments.attribution import attribution
from core.figures.experiments.curves import curves
from core.figures.shared.wording import UNIT_NAMES, listed, quoted
from core.words import later, say
from pages.parts.experiments.runs import Run
from pages.parts.experiments.words import FOIL, WORD, foil
from pages.shared.controls.choices import one_of, options, row, select
from pages.shared.figures import pictures
from pages.shared.guard import demo
from pages.shared.model import model_parts, sweep
from pages.shared.model.answers import answer
from pages.shared.session.fields import Choice
from pages.shared.session.notices import literal, sentence

METHOD = Choice("method", tuple(METHODS), "contributions")
PARTS: tuple[Unit, ...] = ("turn", "word", "token", "speaker")
BY = Choice("parts", PARTS)
HOW = Choice("taken", {"deletion": later("taken away"), "insertion": later("shown")})
FIELDS = (METHOD, BY, WORD, FOIL)
TO_COMPARE = (HOW, BY, WORD, FOIL)
"""Fields of the view that compares them."""
SAYS = {
    "looks at": later("It says what the token **looks at**: {about}."),
    "carries": later("It says what is **carried** to the token: {about}."),
    "depends on": later("It says what the token **depends on**: {about}."),
    "chance": later("It says nothing: {about}."),
}
OF_LAYERS = ("norms", "contributions", "value-zeroing")
"""Methods that follow vectors through blocks of attention."""
LONG = ("shapley",)
"""Methods that take too long for a server that strangers use."""
WHICH = later(
    "“Looks at” is an attention weight, “carries” how much vector travels, “depends on” what changes when something is "
    "changed. None of them is the reason. Where two methods disagree, trust the one that passed its check and changes "
    "what the model reads: leave one out, Shapley values, reliance."
)
HOLDS = later(
    "A ranking holds if the words of the summary become improbable as soon as its first parts are hidden, and probable "
    "as soon as they are shown. All curves have the same ends. Random orders are the line that a method must beat; "
    "what orders cannot tell is how much each part counts."
)


def draw(run: Run) -> None:
    """Draw what a method says of a written token or of the whole summary, with its check."""
    with row():
        name = select(say("Method"), {each: say(method.title) for each, method in METHODS.items()}, METHOD, width=200)
        step = written(run)
    with options():
        by = one_of(say("Parts of the dialogue"), {unit: say(UNIT_NAMES[unit]) for unit in PARTS}, BY)
    method = METHODS[name]
    against = foil(run, step) if step >= 0 and method.foil else None
    if not run.of_its_own():
        return
    if name in OF_LAYERS and not model_parts.has_or_note(
        "blocks", say("stack of layers whose vectors could be followed")
    ):
        return
    if name in LONG:
        demo.check(say("no Shapley values are computed"))
    unit: Unit = "turn" if name in LONG else by
    explanation = answer(run.summarizer, run.summary, name, step if step >= 0 else None, against, unit)
    pictures.show(attribution(explanation), "method_picture")
    st.markdown(f"{say(SAYS[method.says], about=say(method.about))} {say(WHICH)}")


def compare(run: Run) -> None:
    """Draw the curves of all methods, once they were asked for."""
    if not run.of_its_own():
        return
    with row():
        how = one_of(say("Parts are"), HOW)
        step = written(run)
    with options():
        BY.fit(PARTS[:2], say("part"))
        by = one_of(say("Parts of the dialogue"), {unit: say(UNIT_NAMES[unit]) for unit in PARTS[:2]}, BY)
    against = foil(run, step) if step >= 0 else None
    demo.check(say("no methods are compared"))
    from core.experiments.attribution import curves as tested
    from core.experiments.attribution.question import Question

    label = say("Compare all methods (about a minute)")
    question = Question(run.summarizer, run.summary, step if step >= 0 else None, against, by)
    try:
        key = ("curves", *run.key, step, against, by)
        outcome = sweep.once("curves", key, label, lambda report: tested.compare(question, report=report))
    except SettingsError as error:
        st.info(literal(f"{sentence(error)}."), icon=":material/info:")
        return
    if outcome is not None:
        pictures.show(curves(outcome, how), "curves")
        if against is not None:
            alone = [say(METHODS[name].title) for name in outcome.curves if name != "random" and not METHODS[name].foil]
            st.caption(
                say("These have no contrast and rank the parts for the token alone: {methods}.", methods=listed(alone))
            )
        for name, reason in outcome.skipped.items():
            st.caption(literal(f"{say(METHODS[name].title)}: {reason}."))
    st.markdown(say(HOLDS))


def written(run: Run) -> int:
    """Draw the choice of a written token; return it, 0-based, -1 for all of them."""
    tokens = enumerate(run.summary.tokens, 1)
    every = {0: say("all tokens"), **{place: f"{place} · {quoted(token)}" for place, token in tokens}}
    WORD.fit(every, say("word"))
    return int(select(say("Written token"), every, WORD, width=160)) - 1
