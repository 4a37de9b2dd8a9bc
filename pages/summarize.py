"""Summarize: a dialogue in, its summary out, every token with how sure the model was."""

import streamlit as st

from core import checkpoints
from core.scoring.rouge import rouge
from core.text.dialogue import Dialogue, parse_dialogue, replace_turn
from core.trace import Summary
from pages.shared import components, controls, errors, exports, loading, picker, state
from pages.shared.errors import literal
from pages.shared.state import Key


def draw() -> None:
    """Draw the page."""
    state.require_frame()
    st.title("Summarize a dialogue", anchor=False)
    picker.draw()
    chosen = state.selection()
    if not chosen.text.strip():
        st.info("Your dialogue and its summary will appear here.", icon=":material/arrow_upward:")
        return
    left, right = st.columns([5, 6], gap="large")
    with right:
        summary = None
        with errors.boundary("summary"):
            summary = _summary()
    with left:
        _dialogue(chosen, summary)


def _dialogue(chosen: state.Selection, summary: Summary | None) -> None:
    """The conversation and what can be done with it."""
    dialogue = parse_dialogue(chosen.text)
    st.subheader("Dialogue", anchor=False)
    if summary is not None:
        _truncation(dialogue, summary)
    components.conversation(
        dialogue,
        parse_dialogue(chosen.original),
        summary.omitted if summary else (),
        summary.shortened if summary else (),
        key=Key.CONVERSATION,
        on_edit=_save_turn,
    )
    turns, speakers = len(dialogue.turns), len(dialogue.speakers)
    st.caption(f"{_count(turns, 'turn')}, {_count(speakers, 'speaker') if speakers else 'no named speakers'}")
    if chosen.edited:
        with st.container(horizontal=True):
            st.button("Undo last edit", icon=":material/undo:", on_click=state.undo)
            st.button("Restore the original", icon=":material/history:", on_click=state.restore)
    if not chosen.linked:
        st.caption("This dialogue is too long for a link: it is lost if you reload the page.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _save_turn() -> None:
    change = st.session_state[Key.CONVERSATION].edited
    dialogue = parse_dialogue(state.selection().text)
    picker.attempt(lambda: state.edit(replace_turn(dialogue, int(change["index"]), str(change["text"])).text))


def _truncation(dialogue: Dialogue, summary: Summary) -> None:
    """Say which turns the model did not read."""
    if not summary.omitted and not summary.shortened:
        return
    parts = []
    if summary.omitted:
        which = components.spans(summary.omitted)
        parts.append(f"left out {len(summary.omitted)} of {len(dialogue.turns)} turns ({which})")
    if summary.shortened:
        parts.append(f"read only a part of turn {components.spans(summary.shortened)}")
    st.warning(
        f"Too long for this model: it {' and '.join(parts)}. "
        "“If the dialogue is too long” in the sidebar decides what is left out.",
        icon=":material/content_cut:",
    )


def _summary() -> Summary | None:
    """The summary with everything that is said beside it; None while the model loads."""
    head = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    head.subheader("Summary", anchor=False, width="content")
    if not loading.ready(state.current_job()):
        return None
    with st.spinner("Writing the summary. The first of its length takes some seconds longer."):
        summary = state.current_summary()
    if summary is None:
        return None
    with head:
        exports.downloads(summary)
    if not summary.text.strip():
        st.info("The model wrote an empty summary.", icon=":material/info:")
    _change(summary)
    components.token_strip(summary, key="summary_tokens")
    st.page_link("pages/decoding.py", label="Step through the decoding of this summary", icon=":material/alt_route:")
    _disclaimer()
    _metrics(summary)
    _references(summary)
    _details(summary)
    return summary


def _disclaimer() -> None:
    name = st.session_state[Key.CHECKPOINT]
    card = checkpoints.read_card(name)
    st.caption(
        f"Written by **{literal(name)}**. A small model is often wrong about who did what: "
        f"check it against the dialogue. Licence of its weights: {controls.licence(card)}."
    )


def _change(summary: Summary) -> None:
    """What the edits changed."""
    chosen = state.selection()
    if not chosen.edited:
        return
    with st.container(border=True, key="change"):
        st.markdown("**What your edit changed** (struck through: before; underlined: now)")
        before = state.summary_of(chosen.original)
        if before is None or before.text == summary.text:
            st.caption("Nothing: the summary is the same.")
        else:
            components.diff(before.text, summary.text, key="summary_diff")


def _metrics(summary: Summary) -> None:
    count = len(summary.steps)
    with st.grid(4, min_column_width=84, gap="small"):
        st.metric("Tokens", count, help="The end mark counts.")
        st.metric("Seconds", f"{summary.seconds:.2f}", help="Reading, writing and the trace.")
        st.metric(
            "Log-prob.",
            f"{summary.log_probability / max(count, 1):.2f}",
            help="Mean over the tokens; 0 would be certain of every one.",
        )
        st.metric("Ending", "Finished" if summary.finished else "Cut", help="Cut: the longest length was reached.")


def _references(summary: Summary) -> None:
    """Reference summaries with ROUGE."""
    references = state.selection().references
    if not references:
        return
    with st.container(border=True, key="references"):
        st.markdown("**Written by a person**")
        for reference in references:
            st.text(reference)
        scores = [rouge(summary.text, [reference]) for reference in references]
        best = rouge(summary.text, references, "max")
        st.dataframe(
            {
                "Reference": [*(str(number) for number in range(1, len(scores) + 1)), "Best"],
                "ROUGE-1": [score.rouge1 for score in (*scores, best)],
                "ROUGE-2": [score.rouge2 for score in (*scores, best)],
                "ROUGE-L": [score.rougeL for score in (*scores, best)],
            },
            hide_index=True,
            column_config={f"ROUGE-{name}": st.column_config.NumberColumn(format="%.1f") for name in "12L"},
        )
        st.caption("ROUGE counts shared words (1), word pairs (2) and the longest common sequence (L), 0 to 100.")


def _details(summary: Summary) -> None:
    """The same numbers as tables."""
    with st.expander("Tokens as a table", icon=":material/table:"):
        st.dataframe(
            {
                "Token": [step.token.text for step in summary.steps],
                "Probability": [step.probability for step in summary.steps],
                "Rank": [step.rank for step in summary.steps],
                "Log-probability": [step.log_probability for step in summary.steps],
                "Entropy (nats)": [step.entropy for step in summary.steps],
                "Copied": [step.copied for step in summary.steps],
            },
            column_config={
                name: st.column_config.NumberColumn(format="percent") for name in ("Probability", "Copied")
            },
            alt="Every token of the summary with its numbers",
        )
    if len(summary.hypotheses) > 1:
        label = f"The {len(summary.hypotheses)} best summaries of the beam"
        with st.expander(label, icon=":material/format_list_numbered:"):
            st.dataframe(
                {
                    "Score": [each.score for each in summary.hypotheses],
                    "Log-probability": [each.log_probability for each in summary.hypotheses],
                    "Tokens": [len(each.ids) for each in summary.hypotheses],
                    "Summary": [each.text for each in summary.hypotheses],
                },
                hide_index=True,
                alt="Finished hypotheses, best first",
            )


draw()
