"""The strategy comparison: the same dialogue under every decoding strategy, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from core.config import DecodeSettings
from core.explain.decoding.beams import length_score
from core.explain.shared.repetition import repetition
from core.figures.decoding.strategies import StrategyRow, compared, strategy_comparison
from core.figures.shared.wording import counts_forced
from core.scoring.rouge import rouge
from core.text.diff import changed_share
from core.words import say
from pages.parts.decoding.runs import Run
from pages.shared.components.word_diff import word_diff
from pages.shared.controls import sidebar
from pages.shared.controls.choices import number, options
from pages.shared.figures import pictures
from pages.shared.model.cache import cached
from pages.shared.session import decoding, fields
from pages.shared.session.fields import Number
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer

COMPARED = {
    "beam_size": Number("compare_beam_size", 2, "beam_size", 4),
    "top_k": Number("compare_top_k", 1, 100, 20),
    "top_p": Number("compare_top_p", 0.05, 1.0, 0.9, 0.05),
    "temperature": Number("compare_temperature", 0.1, 2.0, 0.7, 0.1),
    "seed": Number("compare_seed", 0, 9999, 0),
}
"""What the strategies are compared with, by its name in DecodeSettings; no link carries it."""


def draw(run: Run) -> None:
    """Draw what each strategy writes, with its numbers."""
    if run.summarizer is None:
        said = say("This saved run can be read, but the strategy comparison needs its checkpoint.")
        st.info(said, icon=":material/info:")
        return
    strategies = compared(run.settings, **_choices())
    rows = _with_bertscore(_rows(run, run.summarizer, strategies), run.references)
    pictures.show(strategy_comparison(rows), "strategies")
    columns, greedy, cards = st.columns(2), rows[0].text, dict[tuple[str, str], list[StrategyRow]]()
    for row in rows:
        cards.setdefault((row.text, row.line(row.text == greedy)), []).append(row)
    for place, ((_, line), own) in enumerate(cards.items()):
        with columns[place % 2]:
            _card(own, greedy, line, place, strategies)
    said = say(
        "Every strategy writes a summary of the same dialogue with the same model. Log-probabilities are the model's "
        "own, over the whole vocabulary: a more probable summary is not a better one. Score: log-probability ÷ length "
        "to the power of the length penalty. Repetition: share of word trigrams that occurred before. Time: of a run "
        "in which nothing is compiled. The sampled rows share the random numbers of their seed: they differ only by "
        "the cut and the temperature."
    )
    with st.expander(say("What the numbers mean")):
        st.markdown(f"{said} {counts_forced(run.summarizer.config)}")


def _choices() -> dict[str, float]:
    fields.check(list(COMPARED.values()))
    with options().form("strategies_form", border=False):
        chosen: dict[str, float] = {}
        for name, field in COMPARED.items():
            st.session_state.setdefault(field.name, field.default)
            label, tip = sidebar.label(name)
            chosen[name] = number(label, field, tip, width="stretch")
        st.form_submit_button(say("Compare"), type="primary", icon=":material/play_arrow:")
    return chosen


def _rows(run: Run, summarizer: "Summarizer", strategies: Mapping[str, DecodeSettings]) -> list[StrategyRow]:
    """Decode with each strategy, and show how far it is."""
    rows: list[StrategyRow] = []
    bar = st.progress(0.0, text=say("Decoding …"))
    for place, (name, settings) in enumerate(strategies.items(), 1):
        row = _row(summarizer, run.text, settings, run.settings.length_penalty, run.references)
        greedy = rows[0].text if rows else row.text
        rows.append(replace(row, name=name, changed=changed_share(greedy, row.text)))
        bar.progress(place / len(strategies), text=say("{strategy} is done", strategy=name))
    bar.empty()
    return rows


@cached(64)
def _row(
    summarizer: "Summarizer", text: str, settings: DecodeSettings, penalty: float, references: tuple[str, ...]
) -> StrategyRow:
    before = summarizer.engine.traces.total()
    summary = summarizer.summarize(text, settings)
    if summarizer.engine.traces.total() > before:  # its time is that of compiling
        summary = summarizer.summarize(text, settings)
    count = max(len(summary.steps), 1)
    return StrategyRow(
        name="",
        text=summary.text,
        log_probability=summary.log_probability,
        tokens=count,
        score=length_score(summary.log_probability, count, penalty),
        repetition=repetition(summary.text),
        changed=0.0,
        seconds=summary.seconds,
        finished=summary.finished,
        rouge1=rouge(summary.text, references, "max").rouge1 if references else None,
    )


def _with_bertscore(rows: Sequence[StrategyRow], references: tuple[str, ...]) -> list[StrategyRow]:
    """Score the rows where there is a reference and it is asked for: the encoder takes seconds."""
    tip = say("Best of the references, by all-MiniLM-L6-v2, raw. The first time its encoder is read: some seconds.")
    label = say("Score with BERTScore too")
    if not references or not options().toggle(label, key="compare_bertscore", persist_state="session", help=tip):
        return list(rows)
    with st.spinner(say("Scoring …")):
        scores = _f1(tuple(row.text for row in rows), references)
    return [replace(row, bertscore=f1) for row, f1 in zip(rows, scores, strict=True)]


@cached(16)
def _f1(texts: tuple[str, ...], references: tuple[str, ...]) -> list[float]:
    from core.scoring.bertscore import BertScorer

    return [score.f1 for score in BertScorer().score(texts, [references] * len(texts), "max")]


def _card(
    rows: Sequence[StrategyRow], greedy: str, line: str, place: int, strategies: Mapping[str, DecodeSettings]
) -> None:
    """Draw one text with its numbers, and the time of each strategy that wrote it."""
    with st.container(border=True, key=f"strategy_{place}"):
        st.markdown(f"**{literal(', '.join(row.name for row in rows))}**")
        if place:
            word_diff(greedy, rows[0].text, key=f"strategy_diff_{place}")
        else:
            st.text(rows[0].text or say("(an empty summary)"))
        st.caption(line)
        for row in rows:
            with st.container(horizontal=True, vertical_alignment="center"):
                settings, time = strategies[row.name], f"{1000 * row.seconds:.0f} ms"
                st.caption(time if len(rows) == 1 else f"{literal(row.name)}: {time}", width="content")
                if _used(settings):
                    st.badge(say("Used on every page"), icon=":material/check:", color="blue")
                elif st.button(
                    say("Decode like this on every page"),
                    key=f"use_{row.name}",
                    icon=":material/tune:",
                    type="tertiary",
                    on_click=_decode_like,
                    args=(settings,),
                ):
                    st.rerun()  # the sidebar shows them, too


def _used(settings: DecodeSettings) -> bool:
    """Return whether every page decodes with the strategy and the numbers of `settings` already."""
    now, of_strategy = decoding.settings(), decoding.OF_STRATEGY[settings.strategy]
    names = [name for name, field in decoding.NUMBERS.items() if field in of_strategy]
    return now.strategy == settings.strategy and all(getattr(now, name) == getattr(settings, name) for name in names)


def _decode_like(settings: DecodeSettings) -> None:
    decoding.STRATEGY.value = settings.strategy
    for name, field in decoding.NUMBERS.items():
        if field in decoding.OF_STRATEGY[settings.strategy]:
            field.value = field.clamp(getattr(settings, name))
