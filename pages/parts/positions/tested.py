"""What the summary owes to the encoder's positions: they are changed, and the model reads and writes again."""

from typing import get_args

import streamlit as st

from core.errors import SettingsError
from core.experiments.interventions import Knockout
from core.experiments.positions import Change, kept, places
from core.figures import effects
from core.figures import positions_runs as figures
from core.figures.wording import count, nats, percent
from pages.parts.positions import runs
from pages.parts.positions.runs import Run
from pages.shared import components, errors, family, picker, pictures
from pages.shared.choices import one_of
from pages.shared.errors import literal
from pages.shared.state import Key

CHANGES = {"removed": "Removed", "shuffled": "Shuffled", "shifted": "Shifted", "reversed": "Reversed"}
ABOUT = {
    "removed": "No token gets a position: the encoder reads a bag of tokens.",
    "shuffled": "Every token gets the position of another one, drawn at random.",
    "shifted": "Every token stands k places further on; all offsets between tokens stay.",
    "reversed": "The first token gets the last position and so on; neighbours stay neighbours.",
}


def draw() -> None:
    """Draw the view."""
    st.markdown(
        "The encoder's positions are changed and the model reads and writes again, with nothing trained anew. The "
        "decoder keeps its own positions, and every token its id."
    )
    if not family.transformer_or_note(runs.LACKING):
        return
    picker.bar()
    run = runs.current()
    change = _controls(run)
    try:
        chosen = _places(run, change)
    except SettingsError as error:
        errors.show(error)
    else:
        _outcome(run, run.placed(chosen), _name(change))
    _all(run)


def _controls(run: Run) -> Change:
    """What is done to the positions, with its number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        change: Change = one_of("The encoder’s positions", CHANGES, Key.POS_CHANGE)  # fmt: skip
        seed = st.number_input(
            "Seed of the shuffle", 0, 9999, key=Key.POS_SEED, persist_state="session", width=170
        )
        room = run.longest - run.size
        shift = st.number_input(
            f"Shift by k, 0 to {room}", 0, 9999, key=Key.POS_SHIFT, persist_state="session", width=170,
            help=f"The table has {run.longest:,} positions, and {run.size:,} tokens are read.",
        )  # fmt: skip
    numbers = {"shuffled": f" Seed {seed}.", "shifted": f" k = {shift}."}
    st.caption(ABOUT[change] + numbers.get(change, ""))
    return change


def _places(run: Run, change: Change) -> tuple[int, ...]:
    """The places under a change; raises SettingsError where the table ends."""
    session = st.session_state
    return places(change, run.size, run.longest, int(session[Key.POS_SEED]), int(session[Key.POS_SHIFT]))


def _name(change: Change) -> str:
    """A change in a sentence."""
    session = st.session_state
    return {
        "removed": "without positions",
        "shuffled": f"with positions shuffled (seed {session[Key.POS_SEED]})",
        "shifted": f"with positions shifted by {session[Key.POS_SHIFT]}",
        "reversed": "with positions reversed",
    }[change]


def _outcome(run: Run, found: Knockout, name: str) -> None:
    """Both summaries, what the old one loses, and where."""
    text = found.text or ""
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch"):
        st.markdown("**As it is**")
        st.text(run.base.text or "(an empty summary)")
    with right, st.container(border=True, height="stretch", key="pos_new"):
        st.markdown(f"**{name[:1].upper()}{name[1:]}**")
        st.text(text or "(an empty summary)")
    with st.container(border=True):
        st.markdown("**What changed** (struck through: before; underlined: now)")
        if text == run.base.text:
            st.caption("The model writes the same summary.")
        else:
            components.diff(run.base.text, text, key="pos_diff")
    _numbers(run, found)
    pictures.show(effects.token_changes(run.summary.tokens, found.before, found.after, name), "pos_tokens_picture")


def _numbers(run: Run, found: Knockout) -> None:
    """The drop, and what remained right."""
    with st.container(horizontal=True):
        for label, value in (
            ("The old summary loses", nats(found.drop)),
            ("Loses a token", nats(found.drop_per_token)),
            ("Words that differ", percent(found.changed or 0.0)),
        ):
            st.metric(label, value, border=True, width="content")
    right = kept(found.text or "", run.base.text, run.encoded.dialogue.text)
    copies = run.summarizer.config.copy
    st.caption(literal(figures.kept_sentence(right.words, right.said, right.before, copies)))


def _all(run: Run) -> None:
    """Every change beside the others, with the control."""
    st.subheader("All of them", anchor=False)
    found: dict[str, Knockout] = {}
    for change in get_args(Change):
        try:
            found[figures.NAMES[change]] = run.placed(_places(run, change))
        except SettingsError:
            st.caption(f"No shift by {st.session_state[Key.POS_SHIFT]}: the table ends before.")
    picture = figures.changes(
        {name: each.drop for name, each in found.items()},
        {name: each.changed or 0.0 for name, each in found.items()},
        {name: each.text or "" for name, each in found.items()},
        len(run.base.ids),
    )
    pictures.show(picture, "pos_changes_picture")
    same = run.same()
    nothing = ": the detour itself changes nothing" if abs(same) < 0.005 else ""
    st.caption(
        literal(
            f"Control: with every one of {count(run.size, 'token')} given its own place, one by one, the summary loses "
            f"{nats(same)}{nothing}."
        )
    )
    st.table(
        {
            "Positions": [name.removeprefix("positions ") for name in found],
            "Loses": [nats(each.drop) for each in found.values()],
            "Words that differ": [percent(each.changed or 0.0) for each in found.values()],
            "New summary": [literal(each.text or "(an empty summary)") for each in found.values()],
        }
    )
