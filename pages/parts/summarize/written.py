"""The summary that the model wrote: its tokens, its numbers, reference summaries, tables and files."""

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st

from core import checkpoints
from core.faults import groups, measure
from core.figures.shared import card_facts, summary_tables
from core.figures.shared.wording import counts_forced, number
from core.figures.summarize.sureness import how_sure
from core.text.glossary import definition
from core.trace import Summary
from core.visited.visit import how
from core.words import later, say
from pages.parts.summarize import before, given_summary, own_words, report
from pages.shared.components.token_strip import token_strip
from pages.shared.components.word_diff import word_diff
from pages.shared.controls import picker
from pages.shared.figures import pictures
from pages.shared.model import loading, models
from pages.shared.place import page_description
from pages.shared.session import decoding, selection
from pages.shared.session.notices import literal

ENDINGS = later(
    "Finished: the model ended the summary. Cut: it reached its greatest length before that. Forced: it reached its "
    "greatest length, and the end token was put there, as this model's settings ask."
)


def draw() -> Summary | None:
    """Draw the summary with everything that is said beside it, and return it; None while the model loads."""
    head = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    head.header(say("Summary"), anchor=False, width="content")
    kind = say("summary, {settings}", settings=how(decoding.settings().to_dict()))
    page_description.describe(what=say("a given summary") if selection.given() else kind)
    job = loading.current_job()
    if not loading.ready(job):
        return None
    with st.spinner(say("Writing the summary. The first of its length takes some seconds longer.")):
        summary = loading.current_summary()
    if summary is None or job.summarizer is None:
        return None
    with head, st.popover(say("Download"), icon=":material/download:"):
        _downloads(summary)
    if not summary.text.strip():
        st.info(say("The model wrote an empty summary."), icon=":material/info:")
    before.truncation(summary)
    if summary.given:
        with st.container(horizontal=True, vertical_alignment="center", key="given"):
            st.badge(say("Given summary"), icon=":material/history_edu:", color="gray")
            picker.own_again()
    else:
        _change(summary)
    relied = own_words.shade(job.summarizer, summary)
    token_strip(
        summary,
        key=own_words.STRIP,
        notes=_notes(summary),
        brought=st.session_state.get(selection.BROUGHT, 0),
        shade=own_words.SHADE.value,
        reliance=relied,
        on_shade=own_words.take_shade,
    )
    label = say("Step through the decoding of this summary")
    st.page_link("pages/decoding.py", label=label, icon=":material/alt_route:")
    name = decoding.checkpoint()
    if summary.given:
        explained = say(
            "Given, not written by **{name}**: the model reads it token by token, and every page explains this text. "
            "The shade of a token is the probability that the model gives it after those before it.",
            name=literal(name),
        )
    else:
        explained = say(
            "Written by **{name}**. {warning} Licence of the weights: {licence}.",
            name=literal(name),
            warning=say(card_facts.OFTEN_WRONG),
            licence=card_facts.licence(checkpoints.read_card(name)),
        )
    st.caption(explained)
    given_summary.draw()
    _metrics(summary)
    own_words.draw(job.summarizer, summary)
    _references(summary)
    _tables(summary, own_words.columns(relied))
    return summary


def _notes(summary: Summary) -> list[str]:
    """Return how far the summary can be trusted: how often such ones were wrong, and what a reader said of it."""
    if summary.given:
        return []  # measured on what the model itself wrote
    name = decoding.checkpoint()
    weights, usual = models.file_hash(name), decoding.of_card(name)
    sure = how_sure(summary, measure.known(), weights, usual, groups.known())
    return [note for note in (picker.verdict(summary.text), sure) if note]


def _downloads(summary: Summary) -> None:
    json_label = say("JSON with tokens and settings")
    npz = say("Trace with every attention weight (.npz)")
    again = loading.run_later()  # holds no trace
    for label, make, name, kind, key in (
        (say("Text"), lambda: again()[1].text + "\n", "summary.txt", "text/plain", "save_text"),
        (json_label, lambda: to_json(again()[1]), "summary.json", "application/json", "save_json"),
        (npz, lambda: again()[1].to_bytes(), "trace.npz", "application/octet-stream", "save_trace"),
    ):
        st.download_button(label, make, name, kind, key=key, on_click="ignore")
    report.draw(summary, again)


def to_json(summary: Summary) -> str:
    """Return the summary and its numbers as one JSON document; the names are those of the command line."""
    return json.dumps(summary.to_dict(), ensure_ascii=False, indent=1) + "\n"


def _change(summary: Summary) -> None:
    chosen = selection.current()
    if not chosen.edited:
        return
    with st.container(border=True, key="change"):
        st.markdown(say("**What your edit changed** (struck through: before; underlined: now)"))
        before = loading.summary_of(chosen.original)
        if before is None or before.text == summary.text:
            st.caption(say("Nothing: the summary is the same."))
        else:
            word_diff(before.text, summary.text, key="summary_diff")


def _metrics(summary: Summary) -> None:
    tokens = len(summary.steps)
    with st.container(horizontal=True, gap="medium"):  # as wide as their labels: in columns a long one is cut
        st.metric(say("Tokens"), tokens, help=say("The end token counts."), width="content")
        st.metric(
            say("Seconds"),
            f"{summary.seconds:.2f}",
            help=say("To read, to write, and to make the trace."),
            width="content",
        )
        meaning = say("Mean over the tokens. {definition}", definition=definition("log-probability"))
        st.metric(say("Log-prob. per token"), number(summary.mean_log_probability), help=meaning, width="content")
        ending = say("Finished") if summary.finished else say("Forced") if summary.forced_end else say("Cut")
        st.metric(say("Ending"), ending, help=say(ENDINGS), width="content")
    if text := counts_forced(decoding.config()):
        st.caption(text)


def _references(summary: Summary) -> None:
    chosen = selection.current()
    if not chosen.references:
        return
    label = say("Written by a person, of the text before your change") if chosen.edited else say("Written by a person")
    with st.expander(label, key="references"):
        for reference in chosen.references:
            st.text(reference, help=definition("reference"))
        if chosen.edited:  # a score would compare two different texts
            return
        table = summary_tables.references(summary.text, chosen.references)
        alt = say("ROUGE against each reference")
        pictures.table(table, alt, column_config=_formatted("%.1f", list(table)[1:]))
        st.caption(say(summary_tables.ROUGE))


def _tables(summary: Summary, more: dict[str, list[Any]]) -> None:
    with st.expander(say("Tokens as a table"), icon=":material/table:"):
        alt = say("Every token of the summary with its numbers")
        formats = _formatted("percent", ("Probability", "Copied"))
        pictures.table(summary_tables.tokens(summary) | more, alt, column_config=formats)
    count = len(summary.hypotheses)
    if count > 1:
        label = say("The {count} best summaries of the beam", count=count)
        with st.expander(label, icon=":material/format_list_numbered:"):
            pictures.table(summary_tables.hypotheses(summary), say("Finished hypotheses, best first"))


def _formatted(format: str, names: Sequence[str]) -> dict[str, Any]:
    """Say how columns of numbers are written."""
    return {name: st.column_config.NumberColumn(say(name), format=format) for name in names}
