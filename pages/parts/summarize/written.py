"""The summary that the model wrote: its tokens, its numbers, reference summaries, tables and files."""

import json

import streamlit as st

from core import checkpoints
from core.figures import card_facts
from core.scoring.rouge import rouge
from core.text.glossary import definition
from core.trace import Summary
from pages.shared.components.token_strip import token_strip
from pages.shared.components.word_diff import word_diff
from pages.shared.frame import decoding, loading, selection
from pages.shared.frame.notices import literal


def draw() -> Summary | None:
    """Draw the summary with everything that is said beside it, and return it; None while the model loads."""
    head = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    head.header("Summary", anchor=False, width="content")
    if not loading.ready(loading.current_job()):
        return None
    with st.spinner("Writing the summary. The first of its length takes some seconds longer."):
        summary = loading.current_summary()
    if summary is None:
        return None
    with head, st.popover("Download", icon=":material/download:"):
        _downloads(summary)
    if not summary.text.strip():
        st.info("The model wrote an empty summary.", icon=":material/info:")
    _change(summary)
    token_strip(summary, key="summary_tokens")
    st.page_link("pages/decoding.py", label="Step through the decoding of this summary", icon=":material/alt_route:")
    name = decoding.checkpoint()
    st.caption(
        f"Written by **{literal(name)}**. A small model is often wrong about who did what: check the summary against "
        f"the dialogue. Licence of the weights: {card_facts.licence(checkpoints.read_card(name))}."
    )
    _metrics(summary)
    _references(summary)
    _tables(summary)
    return summary


def _downloads(summary: Summary) -> None:
    """Draw buttons that save the summary; the files are made when they are clicked."""
    npz = "Trace with every attention weight (.npz)"
    st.download_button(
        "Text", lambda: summary.text + "\n", "summary.txt", "text/plain", key="save_text", on_click="ignore"
    )
    st.download_button(
        "JSON with tokens and settings",
        lambda: to_json(summary),
        "summary.json",
        "application/json",
        key="save_json",
        on_click="ignore",
    )
    st.download_button(
        npz, summary.to_bytes, "trace.npz", "application/octet-stream", key="save_trace", on_click="ignore"
    )


def to_json(summary: Summary) -> str:
    """Return the summary and its numbers as one JSON document; the names are those of the command line."""
    return json.dumps(summary.to_dict(), ensure_ascii=False, indent=1) + "\n"


def _change(summary: Summary) -> None:
    """Draw what the edits of the dialogue changed in the summary."""
    chosen = selection.current()
    if not chosen.edited:
        return
    with st.container(border=True, key="change"):
        st.markdown("**What your edit changed** (struck through: before; underlined: now)")
        before = loading.summary_of(chosen.original)
        if before is None or before.text == summary.text:
            st.caption("Nothing: the summary is the same.")
        else:
            word_diff(before.text, summary.text, key="summary_diff")


def _metrics(summary: Summary) -> None:
    """Draw four numbers of the whole summary."""
    tokens = len(summary.steps)
    mean = summary.log_probability / max(tokens, 1)
    with st.grid(4, min_column_width=84, gap="small"):
        st.metric("Tokens", tokens, help="The end token counts.")
        st.metric("Seconds", f"{summary.seconds:.2f}", help="To read, to write, and to make the trace.")
        st.metric("Log-prob.", f"{mean:.2f}", help=f"Mean over the tokens. {definition('log-probability')}")
        ending = "Finished" if summary.finished else "Cut"
        st.metric("Ending", ending, help="Cut: the summary reached its greatest length before it ended.")


def _references(summary: Summary) -> None:
    """Draw the reference summaries with the ROUGE of this summary against each."""
    references = selection.current().references
    if not references:
        return
    with st.container(border=True, key="references"):
        st.markdown("**Written by a person**", help=definition("reference"))
        for reference in references:
            st.text(reference)
        scores = [*(rouge(summary.text, [each]) for each in references), rouge(summary.text, references, "max")]
        numbers = {f"ROUGE-{name}": [getattr(score, f"rouge{name}") for score in scores] for name in "12L"}
        st.dataframe(
            {"Reference": [*(str(number) for number in range(1, len(scores))), "Best"]} | numbers,
            hide_index=True,
            column_config={name: st.column_config.NumberColumn(format="%.1f") for name in numbers},
            alt="ROUGE against each reference",
        )
        st.caption("ROUGE counts shared words (1), word pairs (2) and the longest common sequence (L), 0 to 100.")


def _tables(summary: Summary) -> None:
    """Draw the numbers of the tokens and the other hypotheses of the beam as tables."""
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
            column_config={name: st.column_config.NumberColumn(format="percent") for name in ("Probability", "Copied")},
            alt="Every token of the summary with its numbers",
        )
    found = summary.hypotheses
    if len(found) > 1:
        with st.expander(f"The {len(found)} best summaries of the beam", icon=":material/format_list_numbered:"):
            st.dataframe(
                {
                    "Score": [each.score for each in found],
                    "Log-probability": [each.log_probability for each in found],
                    "Tokens": [len(each.ids) for each in found],
                    "Summary": [each.text for each in found],
                },
                hide_index=True,
                alt="Finished hypotheses, best first",
            )
