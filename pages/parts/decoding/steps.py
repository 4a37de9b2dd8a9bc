"""One step at a time: what could stand here, where the model looks, how sure it is, what people would write."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.config import DecodeSettings
from core.errors import SettingsError
from core.explain.distribution import NextToken, next_token
from core.figures import steps as step_figures
from core.figures.wording import percent, quoted
from core.trace import Summary
from pages.parts.decoding import looks, runs
from pages.parts.decoding.runs import Run
from pages.shared import address, components, errors, model, picker, pictures, state
from pages.shared.state import Key

ROWS = {12: "12 rows", 30: "30", 80: "80"}
LONGEST_TYPED = 200
TYPED, LAST_TYPED, WRITTEN, ROW_COUNT = "typed", "last_typed", "written_as", "rows"
STEPPER, TABLE, LAST_STEP = "stepper", "next_token", "last_step"


@st.fragment
def draw() -> None:
    """Draw the view; a step draws it alone again, not the page."""
    with errors.boundary("steps"):  # an exception does not leave a fragment
        _draw()


def _draw() -> None:
    run = runs.current()
    summary = run.summary(run.branch.path)
    if not st.session_state.get(Key.PLAYING):
        address.write()  # each writing is a step of the browser's history
    _branches(run)
    if st.session_state.get(LAST_STEP) != run.step:
        runs.jump()  # a link or the browser's Back moved: the stepper must follow
    st.session_state[LAST_STEP] = run.step
    components.stepper(summary, run.step, st.session_state.get(Key.JUMPS, 0), key=STEPPER, on_move=_moved)
    if not st.session_state.get(LAST_TYPED):
        errors.show_complaint()
    left, right = st.columns([5, 3], gap="medium")
    with left:
        _next_token(run, summary)
    with right:
        opened = looks.turns(run, summary)
    if opened:
        looks.tokens(run, summary, opened)
    st.subheader("How sure the model is", anchor=False)
    pictures.show(
        step_figures.surprise(summary.steps, run.step, summary.forced), "surprise", on_select=_clicked
    )
    _reference(run)


def _branches(run: Run) -> None:
    if len(run.branches.items) < 2:
        return
    runs.chooser("Branch", Key.BRANCH, run.branches.items)


def _moved() -> None:
    """The stepper was used."""
    at = st.session_state[STEPPER].at or {}
    step = int(at.get("step", 0))
    st.session_state.update({Key.STEP: step + 1, LAST_STEP: step, Key.PLAYING: bool(at.get("playing"))})
    state.complain(None)


def _clicked() -> None:
    """A step was clicked in the chart of the surprise."""
    step = pictures.clicked("surprise")
    if step is not None:
        runs.jump(step)


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
        pictures.save_view(TABLE, f"next-token-{step + 1}", _sentence(found, summary, step), lambda: _columns(found))
        if run.settings.strategy == "sample":
            st.button("Look as it was drawn", on_click=_look_as_drawn, args=(run.settings,))
    st.caption(_look_caption(run, summary))
    _to_experiments(run, summary)
    _type_here(run)


def _to_experiments(run: Run, summary: Summary) -> None:
    """From what was likely to what made it so; only the summary itself is experimented on, not its branches."""
    if run.stored or run.branch.path:
        return
    tip = "On the Experiments page: gradient × input, attention and knock-outs for this token."
    if st.button("What did this token depend on?", icon=":material/science:", key="to_experiments", help=tip):
        state.experiment_on(summary)
        values = {Key.EXPERIMENT: "words", Key.CONTROL: "none", Key.WORD: run.step + 1, Key.FOIL: 0}
        address.visit("experiments", values)


def _slider(label: str, key: Key, tip: str) -> None:
    number = state.PAGE_FIELDS["decoding"][key][0]
    st.slider(label, number.low, number.high, step=number.step, key=key, help=tip, persist_state="session")


def _look_as_drawn(settings: DecodeSettings) -> None:
    looks = {
        Key.LOOK_TEMPERATURE: settings.temperature,
        Key.LOOK_TOP_K: settings.top_k,
        Key.LOOK_TOP_P: settings.top_p,
    }
    for key, value in looks.items():
        st.session_state[key] = state.PAGE_FIELDS["decoding"][key][0].clamp(value)


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


def _sentence(found: NextToken, summary: Summary, step: int) -> str:
    """What the table says of the token that was written."""
    written = summary.steps[step]
    after = next((each.after for each in found.candidates if each.id == written.token.id), 0.0)
    return (
        f"Step {step + 1}: {quoted(written.token)} was written; it has {percent(written.probability)} of the whole "
        f"vocabulary's probability, rank {written.rank}, and {percent(after)} after the cut."
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
    if st.session_state.get(LAST_TYPED):
        errors.show_complaint()
    place, line = st.session_state.get(WRITTEN, (None, ""))
    if place == (run.key, run.branch.path, run.step) and not state.complaint():
        st.info(errors.literal(line), icon=":material/info:")


def _fork_clicked() -> None:
    change = st.session_state[TABLE].fork
    st.session_state[LAST_TYPED] = False
    if change:
        _fork([int(change["id"])])


def _fork_typed() -> None:
    """Write what was typed; what is said about it stands beside the box, which may be far below the summary."""

    def typed() -> None:
        run, text = runs.current(), str(st.session_state[TYPED])
        summarizer = run.needs_model()
        ids = summarizer.tokenizer.encode_continuation(text, run.speakers)
        runs.fork(run.branch, run.step, ids)
        st.session_state[TYPED] = ""
        if len(ids) > 1:
            pieces = " | ".join(summarizer.tokenizer.id_text(each, run.speakers).strip() or "␣" for each in ids)
            line = f"“{text.strip()}” is not one token of this model. It was written as {len(ids)}: {pieces}"
            place = (run.key, runs.current().branch.path, run.step)
            st.session_state[WRITTEN] = (place, line)

    st.session_state[LAST_TYPED] = True
    picker.attempt(typed)


def _fork(ids: Sequence[int]) -> None:
    def forked() -> None:
        run = runs.current()
        runs.fork(run.branch, run.step, ids)

    picker.attempt(forked)


def _reference_id(run: Run) -> int | None:
    """The reference's token at this step."""
    forced = _forced(run)
    return forced.steps[run.step].token.id if forced and run.step < len(forced.steps) else None


def _forced(run: Run) -> Summary | None:
    """The first reference under teacher forcing; None if there is none, or none that the model could write."""
    if not run.references or run.summarizer is None:
        return None
    try:
        return model.forced(run.summarizer, run.text, run.references[0], run.settings)
    except SettingsError:
        return None


def _reference(run: Run) -> None:
    """The reference's token at this step and its rank, and those of all its tokens."""
    forced = _forced(run)
    if forced is None:
        if run.references and run.summarizer is not None:
            st.caption("The reference is longer than this model can write, so it is not compared.")
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
