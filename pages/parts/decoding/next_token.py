"""What could stand at a step: the probabilities under any temperature and cut, and forks to another token."""

import re

import streamlit as st

from core.explain.decoding.distribution import next_token_distribution
from core.figures.decoding import distribution as figures
from core.figures.shared.wording import count
from core.text.glossary import definition
from core.trace import Summary
from core.words import say
from pages.parts.decoding import reference, runs
from pages.parts.decoding.probability_table import probability_table, table_data
from pages.parts.decoding.runs import Run
from pages.shared.controls.choices import one_of, slider
from pages.shared.figures import pictures
from pages.shared.place import places
from pages.shared.session import notices
from pages.shared.session.fields import Number

TEMPERATURE = Number("look_temperature", 0.1, 2.0, 1.0, 0.1)
TOP_K = Number("look_top_k", 0, 100, 0)
TOP_P = Number("look_top_p", 0.05, 1.0, 1.0, 0.05)
FIELDS = (TEMPERATURE, TOP_K, TOP_P)
ROWS = (10, 30, 80)
BYTE = re.compile(r"<0x[0-9A-F]{2}>")
LONGEST_TYPED = 200
TABLE, TYPED, LAST_TYPED, WRITTEN, ROW_COUNT = "next_token", "typed", "last_typed", "written_as", "rows"


def draw(run: Run, summary: Summary) -> None:
    """Draw the alternatives at the step, under any temperature and cut."""
    with st.container(key="look_settings"):
        st.header(say("What could stand here"), anchor=False)
        with st.grid(3, min_column_width=100, gap="small"):
            slider(say("Temperature"), TEMPERATURE, definition("temperature"))
            slider(say("Top k"), TOP_K, definition("top-k"))
            slider(say("Top p"), TOP_P, definition("top-p"))
    step, written = run.step, summary.steps[run.step].token.id
    expected = reference.token(run)
    temperature, top_k, top_p = settings = TEMPERATURE.value, TOP_K.value, TOP_P.value
    distribution = next_token_distribution(
        summary.logits[step],
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        banned=run.summarizer.banned(summary, step) if run.summarizer else None,
        rows=st.session_state.setdefault(ROW_COUNT, ROWS[0]),
        always=(written, *(() if expected is None else (expected,))),
        text=run.labels(summary),
    )
    data = table_data(distribution, written, expected, settings)
    probability_table(key=TABLE, data=data, on_fork_change=lambda: _fork_clicked(run))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one_of(say("Rows"), {rows: str(rows) for rows in ROWS} | {ROWS[0]: count(ROWS[0], "row")}, ROW_COUNT)
        sentence = figures.sentence(distribution, summary.steps[step], step)
        pictures.save_view(TABLE, f"next-token-{step + 1}", sentence, lambda: figures.columns(distribution))
        _to_experiments(run)
        if run.settings.strategy == "sample":
            st.button(say("Use the settings of the sidebar"), key="as_drawn", on_click=_as_drawn, args=(run,))
    parts = [say("The sliders only change this table: the model is not asked again.")]
    if summary.attention.copy is not None:
        parts.append(say("This model can copy: its logit is the logarithm of the mixed probability."))
    if byte := next((row.text for row in distribution.candidates if BYTE.fullmatch(row.text.strip())), None):
        parts.append(
            say("“{byte}” is one byte: several bytes in a row make up a letter that has no token.", byte=byte.strip())
        )
    if run.summarizer is None:
        parts.append(say("Which tokens the rules forbid is not known without the checkpoint."))
    st.caption(" ".join(parts))
    _type_here(run)


def typed_last() -> bool:
    """Return whether the last fork was typed: what is said about it stands beside the box."""
    return bool(st.session_state.get(LAST_TYPED))


def _to_experiments(run: Run) -> None:
    """Lead from what was likely to what made it so; only the summary itself is experimented on, not its branches."""
    if run.stored or run.branch.path:
        return
    label = say("What did this token depend on?")
    tip = say(
        "The Experiments page answers for this token: by gradient × input, by attention, and by ablation of words."
    )
    if st.button(label, icon=":material/science:", key="to_experiments", help=tip):
        places.visit("experiments", "words", control="none", word=run.step + 1, instead=0)


def _as_drawn(run: Run) -> None:
    for field, name in ((TEMPERATURE, "temperature"), (TOP_K, "top_k"), (TOP_P, "top_p")):
        field.value = field.clamp(getattr(run.settings, name))


def _type_here(run: Run) -> None:
    with st.form("type_here", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            say("Or type what stands at step {step}", step=run.step + 1),
            key=TYPED,
            placeholder=say("a word, some words, or +ing"),
            max_chars=LONGEST_TYPED,
            help=say("Any text. The model's tokenizer splits it into tokens. A leading + joins it to the word before."),
        )
        st.form_submit_button(say("Write it here"), icon=":material/alt_route:", on_click=_fork_typed, args=(run,))
    if typed_last():
        notices.show_complaint()
    place, line = st.session_state.get(WRITTEN, (None, ""))
    if place == (run.key, run.branch.path, run.step) and not notices.complaint():
        st.info(notices.literal(line), icon=":material/info:")


def _fork_clicked(run: Run) -> None:
    change = st.session_state[TABLE].fork
    st.session_state[LAST_TYPED] = False
    if change:
        notices.attempt(lambda: runs.branch_off(run.branch, run.step, [int(change["id"])]))


def _fork_typed(run: Run) -> None:
    def typed() -> None:
        text, summarizer = str(st.session_state[TYPED]), run.needs_model()
        ids = summarizer.tokenizer.encode_continuation(text, run.speakers)
        runs.branch_off(run.branch, run.step, ids)
        st.session_state[TYPED] = ""
        if len(ids) > 1:
            pieces = " | ".join(summarizer.tokenizer.id_text(token, run.speakers).strip() or "␣" for token in ids)
            line = say(
                "“{text}” is not one token of this model. It was written as {amount}: {pieces}",
                text=text.strip(),
                amount=len(ids),
                pieces=pieces,
            )
            st.session_state[WRITTEN] = ((run.key, runs.current().branch.path, run.step), line)

    st.session_state[LAST_TYPED] = True
    notices.attempt(typed)
