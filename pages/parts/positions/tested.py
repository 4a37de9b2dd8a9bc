"""What the summary owes to the encoder's positions: they are changed, and the model reads and writes again."""

from typing import TYPE_CHECKING

import streamlit as st

from core.errors import SettingsError
from core.experiments.interventions import Condition, Effect, Untouched, untouched
from core.experiments.positions import Change, kept, places, replaced
from core.figures import effects
from core.figures import positions_runs as figures
from core.figures.wording import BLANK, capital, count, percent, signed
from core.trace import Summary
from pages.parts.positions.summed import LACKING
from pages.shared.components.word_diff import word_diff
from pages.shared.controls import picker
from pages.shared.controls.choices import number, one_of
from pages.shared.figures import pictures
from pages.shared.frame import family, loading, notices
from pages.shared.frame.cache import cached
from pages.shared.frame.fields import Choice, Number
from pages.shared.frame.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer

CHANGES: dict[Change, tuple[str, str]] = {
    "removed": ("without positions", "No token gets a position: the encoder reads a bag of tokens."),
    "shuffled": (
        "with positions shuffled (seed {seed})",
        "Every token gets the position of another one, drawn at random. Seed {seed}.",
    ),
    "shifted": (
        "with positions shifted by {shift}",
        "Every token stands k positions further on; all offsets between tokens stay. k = {shift}.",
    ),
    "reversed": (
        "with positions reversed",
        "The first token gets the last position and so on; neighbours stay neighbours.",
    ),
}
"""What a change is called in a sentence, and what it does."""
CHANGE = Choice("pos_change", list(CHANGES))
SEED = Number("pos_seed", 0, 9999, 0)
SHIFT = Number("pos_shift", 0, 9999, 20)
FIELDS = (CHANGE, SEED, SHIFT)
Places = tuple[int, ...]


def draw() -> None:
    """Draw what a change of the encoder's positions does to the summary, and all changes side by side."""
    st.markdown(
        "The encoder's positions are changed; then the model reads and writes again, with the same weights. The "
        "decoder keeps its own positions, and every token its id."
    )
    if not family.has_or_note("positions", LACKING):
        return
    picker.bar()
    summarizer, summary = loading.require_run()
    size, longest = len(summary.source), summarizer.config.max_source_length
    change = _controls(size, longest)
    if summarizer.config.has.positions == "relative":
        st.caption(
            "This model knows positions by a bias for each distance: without positions it adds none, and a shift keeps "
            "all distances, so it changes nothing."
        )
    found: dict[str, Effect] = {}
    for each in CHANGES:
        try:
            moved = places(each, size, longest, int(SEED.value), int(SHIFT.value))
        except SettingsError as error:
            if each == change:
                notices.show(error)
            continue
        found[each] = _placed(summarizer, summary, moved)
    if change in found:
        _outcome(summarizer, summary, found[change], _numbered(CHANGES[change][0]))
    same = _placed(summarizer, summary, tuple(range(size)), rewrite=False)
    _all(found, same.drop, summary, size)


def _controls(size: int, longest: int) -> Change:
    """Draw the choice of a change, with its number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        change: Change = one_of("The encoder’s positions", {each: capital(each) for each in CHANGES}, CHANGE)
        number("Seed of the shuffle", SEED, width=170)
        tip = f"There are {longest:,} positions, and {size:,} tokens are read."
        number(f"Shift by k, 0 to {longest - size}", SHIFT, tip, width=170)
    st.caption(_numbered(CHANGES[change][1]))
    return change


def _numbered(text: str) -> str:
    return text.format(seed=SEED.value, shift=SHIFT.value)


def _outcome(summarizer: "Summarizer", summary: Summary, found: Effect, name: str) -> None:
    """Draw both summaries, the effect on the old one, and at which tokens it is."""
    text = found.text or ""
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch"):
        st.markdown("**As it is**")
        st.text(summary.text or "(an empty summary)")
    with right, st.container(border=True, height="stretch", key="pos_new"):
        st.markdown(f"**{capital(name)}**")
        st.text(text or "(an empty summary)")
    with st.container(border=True):
        st.markdown("**What changed** (struck through: before; underlined: now)")
        if text == summary.text:
            st.caption("The model writes the same summary.")
        else:
            word_diff(summary.text, text, key="pos_diff")
    with st.container(horizontal=True):
        for label, value in (
            ("Effect on the old summary", _nats(found.drop)),
            ("Effect per token", _nats(found.drop_per_token)),
            ("Words that differ", percent(found.changed or 0.0)),
        ):
            st.metric(label, value, border=True, width="content")
    right_words = kept(text, summary.text, summary.dialogue.text)
    copies = summarizer.config.copy
    st.caption(literal(figures.kept_sentence(right_words.words, right_words.said, right_words.before, copies)))
    pictures.show(effects.token_effects(summary.tokens, found.before, found.after, name), "pos_tokens_picture")


def _all(found: dict[str, Effect], same: float, summary: Summary, size: int) -> None:
    """Draw every change beside the others, with the control.

    Args:
        found: the effects that could be measured.
        same: effect when every token keeps its position, in nats.
        summary: without a change.
        size: source tokens.
    """
    st.header("All changes", anchor=False)
    if "shifted" not in found:
        st.caption(f"No shift by {SHIFT.value}: the positions end before.")
    named = {figures.NAMES[name]: each for name, each in found.items()}
    drops = {name: each.drop for name, each in named.items()}
    changed = {name: each.changed or 0.0 for name, each in named.items()}
    texts = {name: each.text or "" for name, each in named.items()}
    picture = figures.changes(drops, changed, texts, summary.text, len(summary.tokens))
    pictures.show(picture, "pos_changes_picture")
    nothing = ": the control changes nothing" if abs(same) < 0.005 else ""
    said = f"Control: each of {count(size, 'token')} is given its own position again, in the same way. The "
    st.caption(literal(f"{said}effect on the summary is {_nats(same)}{nothing}."))
    st.table(
        {
            "Positions": list(found),
            "Effect": [_nats(each.drop) for each in found.values()],
            "Words that differ": [percent(each.changed or 0.0) for each in found.values()],
            "New summary": [literal(each.text or "(an empty summary)") for each in found.values()],
        }
    )


def _nats(value: float) -> str:
    return f"{signed(value)}{BLANK}nats"


@cached(64, "Reading and writing again; the first takes some seconds longer")
def _placed(summarizer: "Summarizer", summary: Summary, moved: Places, rewrite: bool = True) -> Effect:
    return replaced(summarizer, _untouched(summarizer, summary), [moved], rewrite)[0]


@cached(8)
def _untouched(summarizer: "Summarizer", summary: Summary) -> Untouched:
    encoded = summarizer.encode(summary.dialogue, summary.settings.truncation)
    ids = [token.id for token in summary.tokens]
    return untouched(summarizer, Condition(encoded), ids, summary.settings, summary.text)
