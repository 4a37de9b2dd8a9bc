"""One step at a time: what could stand here, where the model looks, how sure it is."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.config import DecodeSettings
from core.errors import DialogueError
from core.explain import cross
from core.explain.distribution import NextToken, next_token
from core.explain.rollup import groups, sum_columns
from core.figures import steps as step_figures
from core.figures import turns as turn_figures
from core.text.dialogue import parse_dialogue
from core.trace import Summary
from pages.parts.decoding import runs
from pages.parts.decoding.runs import Run
from pages.shared import address, components, errors, model, picker, pictures, state
from pages.shared.state import Key

ROWS = {12: "12 rows", 30: "30", 80: "80"}
LONGEST_TYPED = 200
TYPED, ROW_COUNT = "typed", "rows"
STEPPER, TABLE = "stepper", "next_token"


@st.fragment
def draw() -> None:
    """Draw the view; a step draws it alone again, not the page."""
    run = runs.current()
    summary = run.summary(run.branch.path)
    if not st.session_state.get(Key.PLAYING):
        address.write()  # each writing is a step of the browser's history
    _branches(run)
    components.stepper(summary, run.step, st.session_state.get(Key.JUMPS, 0), key=STEPPER, on_move=_moved)
    if state.complaint():
        errors.show(state.complaint())
    left, right = st.columns([5, 3], gap="medium")
    with left:
        _next_token(run, summary)
    with right:
        _looks(run, summary)
    pictures.show(
        step_figures.surprise(summary.steps, run.step, summary.forced),
        "surprise",
        on_select=lambda: _clicked("surprise", runs.jump),
    )
    _reference(run)


def _branches(run: Run) -> None:
    if len(run.branches.items) < 2:
        return
    runs.chooser("Branch", Key.BRANCH, run.branches.items)


def _moved() -> None:
    """The stepper was used."""
    at = st.session_state[STEPPER].at or {}
    st.session_state.update({Key.STEP: int(at.get("step", 0)) + 1, Key.PLAYING: bool(at.get("playing"))})
    state.complain(None)


def _clicked(key: str, action: Callable[[int], None]) -> None:
    """A point of a chart was clicked: its customdata names what it stands for."""
    points = st.session_state[key].selection.points
    if points:
        found = points[0].get("customdata")
        action(int(found[0] if isinstance(found, list) else found))


def _next_token(run: Run, summary: Summary) -> None:
    """The alternatives, under any temperature and cut."""
    st.subheader("What could stand here", anchor=False)
    step, reference = run.step, _reference_id(run)
    with st.grid(3, min_column_width=110, gap="small"):
        _slider("Temperature", Key.LOOK_TEMPERATURE, "Below 1: the probable become more probable. Above 1: less.")
        _slider("Top k", Key.LOOK_TOP_K, "Keep the k most probable tokens; 0 keeps all.")
        _slider("Top p", Key.LOOK_TOP_P, "Keep the smallest set that holds this much probability; 1 keeps all.")
    found = _distribution(run, summary, reference)
    session = st.session_state
    components.probability_table(
        found,
        chosen=summary.steps[step].token.id,
        reference=reference,
        settings=(session[Key.LOOK_TEMPERATURE], session[Key.LOOK_TOP_K], session[Key.LOOK_TOP_P]),
        key=TABLE,
        on_fork=_fork_clicked,
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Rows", list(ROWS), format_func=ROWS.get, key=ROW_COUNT, required=True, default=12, persist_state="session"
        )
        pictures.save_table(_columns(found), f"next-token-{step + 1}", "save_next_token")
        if run.settings.strategy == "sample":
            st.button("Look as it was drawn", on_click=_look_as_drawn, args=(run.settings,))
    st.caption(_look_caption(run, summary))
    _type_here(run)


def _slider(label: str, key: Key, tip: str) -> None:
    number = state.PAGE_FIELDS["decoding"][key][0]
    st.slider(label, number.low, number.high, step=number.step, key=key, help=tip, persist_state="session")


def _look_as_drawn(settings: DecodeSettings) -> None:
    st.session_state[Key.LOOK_TEMPERATURE] = min(max(settings.temperature, 0.1), 2.0)
    st.session_state[Key.LOOK_TOP_K] = min(settings.top_k, 100)
    st.session_state[Key.LOOK_TOP_P] = max(settings.top_p, 0.05)


def _distribution(run: Run, summary: Summary, reference: int | None) -> NextToken:
    session, step = st.session_state, run.step
    banned = run.summarizer.banned(summary, step) if run.summarizer else None
    marked = (summary.steps[step].token.id, *(() if reference is None else (reference,)))
    return next_token(
        summary.logits[step],
        temperature=session[Key.LOOK_TEMPERATURE],
        top_k=session[Key.LOOK_TOP_K],
        top_p=session[Key.LOOK_TOP_P],
        banned=banned,
        rows=session.get(ROW_COUNT) or 12,
        always=marked,
        text=run.labels(summary),
    )


def _columns(found: NextToken) -> dict[str, list[Any]]:
    """The table as it is saved."""
    names = ("rank", "id", "text", "logit", "scaled", "cut", "probability", "after")
    columns = {name: [getattr(each, name) for each in found.candidates] for name in names}
    others = {"text": f"all other tokens ({found.others})", "probability": found.others_probability}
    others |= {"after": found.others_after, "cut": f"{found.others_kept} kept"}
    return {name: [*values, others.get(name)] for name, values in columns.items()}


def _look_caption(run: Run, summary: Summary) -> str:
    """What the sliders do, and what the logits of this model are."""
    parts = ["These sliders only look: they move the bars without asking the model again."]
    if summary.attention.copy is not None:
        parts.append("This model can copy: its logit is the logarithm of the mixed probability.")
    if run.summarizer is None:
        parts.append("Which tokens the rules forbid is not known without the checkpoint.")
    return " ".join(parts)


def _type_here(run: Run) -> None:
    with st.form("type_here", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            f"Or type what stands at step {run.step + 1}",
            key=TYPED,
            placeholder="a word, some words, or +ing",
            max_chars=LONGEST_TYPED,
            help="Any text: it is written as the tokens it is made of. A leading + joins it to the word before.",
        )
        st.form_submit_button("Write it here", icon=":material/alt_route:", on_click=_fork_typed)


def _fork_clicked() -> None:
    change = st.session_state[TABLE].fork
    if change:
        _fork([int(change["id"])])


def _fork_typed() -> None:
    def typed() -> None:
        run, text = runs.current(), str(st.session_state[TYPED])
        if len(text) > LONGEST_TYPED:
            raise DialogueError(f"That is too long. Received: {len(text)} characters; allowed: {LONGEST_TYPED}.")
        summarizer = run.needs_model()
        ids = summarizer.tokenizer.encode_continuation(text, run.speakers())
        runs.fork(run.branch, run.step, ids)
        st.session_state[TYPED] = ""
        if len(ids) > 1:
            pieces = " | ".join(summarizer.tokenizer.id_text(each, run.speakers()).strip() for each in ids)
            st.toast(errors.literal(f"Not one token of this model: written as {len(ids)}: {pieces}"))

    picker.attempt(typed)


def _fork(ids: Sequence[int]) -> None:
    def forked() -> None:
        run = runs.current()
        runs.fork(run.branch, run.step, ids)

    picker.attempt(forked)


def _looks(run: Run, summary: Summary) -> None:
    """Where cross-attention looked at this step: turns, then the tokens of one."""
    st.subheader("Where the model looks", anchor=False)
    attention = summary.attention
    options = cross.choices(attention)
    if not options:
        st.info("This saved run holds no cross-attention.", icon=":material/info:")
        return
    if st.session_state[Key.HEADS] not in options:
        st.session_state[Key.HEADS] = ""
    chosen = st.selectbox(
        "Cross-attention of",
        ["", *options[1:]],
        format_func=lambda choice: cross.label(choice or options[0]).capitalize(),
        key=Key.HEADS,
        persist_state="session",
        help="Decoder layers from 1, the last one first. It shows where the model looks, not why it wrote the token.",
    )
    row = cross.weights(attention, chosen or options[0])[run.step]
    dialogue, parts = parse_dialogue(run.text), groups(summary.source, "turn")
    turns = [(str(turn.index + 1), turn.speaker or "", turn.text) for turn in dialogue.turns]
    shares = sum_columns(row, parts)
    best = max((index for index, each in enumerate(parts) if each.turn is not None), key=lambda index: shares[index])
    read = {each.turn: each for each in parts if each.turn is not None}
    opened = read.get(st.session_state[Key.TURN] - 1, parts[best])
    what = cross.label(chosen or options[0])
    pictures.show(
        turn_figures.attention_by_turn(row, turns, parts, opened.turn, what),
        "turns",
        on_select=lambda: _clicked("turns", _open_turn),
    )
    follows = st.session_state[Key.TURN] - 1 not in read
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**Turn {opened.label}, token by token**" + (" (the one with most attention)" if follows else ""))
        if not follows:
            st.button("Follow the most attention", on_click=_open_turn, args=(-1,), icon=":material/my_location:")
    members = list(opened.members)
    pictures.show(
        turn_figures.attention_in_turn(row[members], [summary.source[index] for index in members], what), "in_turn"
    )


def _open_turn(turn: int) -> None:
    if turn >= -1:
        st.session_state[Key.TURN] = turn + 1


def _reference_id(run: Run) -> int | None:
    """The reference's token at this step."""
    forced = _forced(run)
    return forced.steps[run.step].token.id if forced and run.step < len(forced.steps) else None


def _forced(run: Run) -> Summary | None:
    """The first reference under teacher forcing."""
    if not run.references or run.summarizer is None:
        return None
    return model.forced(run.summarizer, run.text, run.references[0], run.settings)


def _reference(run: Run) -> None:
    """The reference's token at this step and its rank, and those of all its tokens."""
    forced = _forced(run)
    if forced is None:
        return
    with st.container(border=True, key="reference"):
        st.markdown("**The reference under teacher forcing** (the model is fed the reference, whatever it would say)")
        st.text(forced.text)
        summary = run.summary(run.branch.path)
        if run.step < len(forced.steps):
            step = forced.steps[run.step]
            here = summary.logits[run.step]
            rank = int(np.sum(here > here[step.token.id])) + 1
            same = [each.token.id for each in forced.steps[: run.step]] == list(run.branch.ids[: run.step])
            name = "its end" if not step.token.text.strip() else f"“{step.token.text}”"
            line = f"At step {run.step + 1} the reference has {name}: rank {step.rank:,} after its own words"
            line += ", which the summary shares so far." if same else f", rank {rank:,} after the summary's words."
            st.markdown(errors.literal(line))
        else:
            st.markdown(f"The reference has {len(forced.steps)} tokens: it has ended before step {run.step + 1}.")
        current = run.step if run.step < len(forced.steps) else None
        pictures.show(step_figures.reference_ranks(forced.steps, current), "reference_ranks")
        st.button(
            "Make it a branch",
            icon=":material/alt_route:",
            on_click=_branch_reference,
            help="The reference's words with this model's probabilities, to compare with the summary.",
        )


def _branch_reference() -> None:
    def added() -> None:
        run = runs.current()
        forced = _forced(run)
        if forced:
            runs.fork(run.branches.items[0], 0, [step.token.id for step in forced.steps], "Reference")

    picker.attempt(added)
