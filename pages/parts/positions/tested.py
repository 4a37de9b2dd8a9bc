"""What the summary owes to the encoder's positions: they are changed, and the model reads and writes again."""

from typing import TYPE_CHECKING

import streamlit as st

from core.errors import SettingsError
from core.experiments.effects import Effect, as_read
from core.experiments.positions import Change, kept, places, replaced
from core.figures.positions import runs as figures
from core.figures.shared.token_effects import token_effects
from core.figures.shared.wording import BLANK, capital, count, percent, signed
from core.trace import Summary
from core.words import later, say
from pages.parts.positions.summed import LACKING
from pages.shared.components.word_diff import word_diff
from pages.shared.controls import picker
from pages.shared.controls.choices import number, one_of, options, row
from pages.shared.figures import pictures
from pages.shared.model import loading, model_parts
from pages.shared.model.cache import cached
from pages.shared.session import notices
from pages.shared.session.fields import Choice, Number
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer

CHANGES: dict[Change, tuple[str, str]] = {
    "removed": (later("without positions"), later("No token gets a position: the encoder reads a bag of tokens.")),
    "shuffled": (
        later("with positions shuffled (seed {seed})"),
        later("Every token gets the position of another one, drawn at random. Seed {seed}."),
    ),
    "shifted": (
        later("with positions shifted by {shift}"),
        later("Every token stands k positions further on; all offsets between tokens stay. k = {shift}."),
    ),
    "reversed": (
        later("with positions reversed"),
        later("The first token gets the last position and so on; neighbours stay neighbours."),
    ),
}
"""What a change is called in a sentence, and what it does."""
CHANGE = Choice("pos_change", {name: label for name, (label, _, _) in figures.CHANGES.items()})
SEED = Number("pos_seed", 0, 9999, 0)
SHIFT = Number("pos_shift", 0, 9999, 20)
FIELDS = (CHANGE, SEED, SHIFT)
Places = tuple[int, ...]


def draw() -> None:
    """Draw what a change of the encoder's positions does to the summary, and all changes side by side."""
    if not model_parts.has_or_note("positions", say(LACKING)):
        return
    with row():
        picker.bar()
    summarizer, summary = loading.require_run()
    size, longest = len(summary.source), summarizer.config.max_source_length
    with row():
        change: Change = one_of(say("The encoder’s positions"), CHANGE)
    with options():
        number(say("Seed of the shuffle"), SEED, width=170)
        tip = say("There are {longest:,} positions, and {size:,} tokens are read.", longest=longest, size=size)
        number(say("Shift by k, 0 to {most}", most=longest - size), SHIFT, tip, width=170)
    moves: dict[Change, Places] = {}
    for name in CHANGES:
        try:
            moves[name] = places(name, size, longest, int(SEED.value), int(SHIFT.value))
        except SettingsError as error:
            if name == change:
                notices.show(error)
    measured: dict[str, Effect] = dict(zip(moves, _placed(summarizer, summary, tuple(moves.values())), strict=True))
    if change in measured:
        _outcome(summarizer, summary, measured[change], change)
    _explain(summarizer, change)
    (same,) = _placed(summarizer, summary, (tuple(range(size)),), rewrite=False)
    with st.expander(say("All changes")):
        _all(measured, same.drop, summary, size)


def _explain(summarizer: "Summarizer", change: Change) -> None:
    """Say what was done, and what a model with biases by distance makes of it."""
    done = say(
        "The encoder's positions are changed; then the model reads and writes again, with the same weights. The "
        "decoder keeps its own positions, and every token its id."
    )
    st.markdown(f"{done} {_numbered(CHANGES[change][1])}")
    if summarizer.config.has.positions == "relative":
        st.caption(
            say(
                "This model knows positions by a bias for each distance: without positions it adds none, and a shift "
                "keeps all distances, so it changes nothing."
            )
        )


def _numbered(text: str) -> str:
    return say(text, seed=SEED.value, shift=SHIFT.value)


def _outcome(summarizer: "Summarizer", summary: Summary, effect: Effect, change: Change) -> None:
    """Draw both summaries, the effect on the old one, and at which tokens it is."""
    name, text = _numbered(CHANGES[change][0]), effect.text or ""
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch"):
        heading = literal(capital(name))
        st.markdown(say("**{change}** (struck through: before; underlined: now)", change=heading))
        if text == summary.text:
            st.text(text or say("(an empty summary)"))
            st.caption(say("The model writes the same summary."))
        else:
            word_diff(summary.text, text, key="pos_diff")
    with right, st.container(border=True, height="stretch"):
        st.markdown(say("**As it is**"))
        st.text(summary.text or say("(an empty summary)"))
    with st.container(horizontal=True):
        for label, value in (
            (say("Effect on the old summary"), _nats(effect.drop)),
            (say("Effect per token"), _nats(effect.drop_per_token)),
            (say("Share of words changed"), percent(effect.changed or 0.0)),
        ):
            st.metric(label, value, border=True, width="content")
    right_words = kept(text, summary.text, summary.dialogue.text)
    copies = summarizer.config.copy
    st.caption(literal(figures.kept_sentence(right_words.words, right_words.said, right_words.before, copies)))
    pictures.show(token_effects(summary.tokens, effect.before, effect.after, name), "pos_tokens_picture")


def _all(measured: dict[str, Effect], same: float, summary: Summary, size: int) -> None:
    """Draw every change beside the others, with the control.

    Args:
        measured: the effects that could be measured.
        same: effect when every token keeps its position, in nats.
        summary: without a change.
        size: source tokens.
    """
    if "shifted" not in measured:
        st.caption(say("No shift by {shift}: the positions end before.", shift=SHIFT.value))
    drops = {name: outcome.drop for name, outcome in measured.items()}
    changed = {name: outcome.changed or 0.0 for name, outcome in measured.items()}
    texts = {name: outcome.text or "" for name, outcome in measured.items()}
    picture = figures.changes(drops, changed, texts, summary.text, len(summary.tokens))
    pictures.show(picture, "pos_changes_picture")
    control = say(
        "Control: each of {tokens} is given its own position again, in the same way.", tokens=count(size, "token")
    )
    effect = (
        say("The effect on the summary is {effect}: the control changes nothing.", effect=_nats(same))
        if abs(same) < 0.005
        else say("The effect on the summary is {effect}.", effect=_nats(same))
    )
    st.caption(literal(f"{control} {effect}"))
    st.table(
        {
            say("Positions"): [say(figures.CHANGES[name][0]) for name in measured],
            say("Effect"): [_nats(outcome.drop) for outcome in measured.values()],
            say("Share of words changed"): [percent(outcome.changed or 0.0) for outcome in measured.values()],
            say("New summary"): [literal(outcome.text or say("(an empty summary)")) for outcome in measured.values()],
        }
    )


def _nats(value: float) -> str:
    return f"{signed(value)}{BLANK}{say('nats')}"


@cached(64, later("Reading and writing again; the first takes some seconds longer"))
def _placed(
    summarizer: "Summarizer", summary: Summary, moves: tuple[Places, ...], rewrite: bool = True
) -> list[Effect]:
    return replaced(summarizer, as_read(summarizer, summary), moves, rewrite)
