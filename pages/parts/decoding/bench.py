"""The same dialogue under every decoding strategy, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from core.config import DecodeSettings
from core.explain.beams import length_score
from core.explain.repetition import repetition
from core.figures import bench as figures
from core.figures.bench import BenchRow
from core.figures.wording import nats, number, percent
from core.scoring.rouge import rouge
from core.text.diff import changed_share
from core.trace import Summary
from pages.parts.decoding import runs
from pages.parts.decoding.runs import Run
from pages.shared import components, pictures
from pages.shared.errors import literal

if TYPE_CHECKING:
    from core.service import Summarizer

GREEDY = "Greedy"


def draw() -> None:
    """Draw the view."""
    run = runs.current()
    if run.summarizer is None:
        st.info("This saved run can be read, but the bench needs its checkpoint.", icon=":material/info:")
        return
    st.markdown(
        "Every strategy writes a summary of the same dialogue with the same model. Log-probabilities are the model's "
        "own, over the whole vocabulary: a more probable summary is not a better one."
    )
    strategies = _strategies(run.settings, _choices())
    rows = _with_bertscore(_rows(run, strategies), run.references)
    pictures.show(figures.bench(rows), "bench")
    for place, row in enumerate(rows):
        _card(row, rows[0], place, strategies[row.name])
    st.caption(
        "Score: log-probability ÷ length to the power of the length penalty. Repetition: share of word trigrams that "
        "occurred before. Time: the shorter of two runs. The sampled rows share the noise of their seed, so what "
        "differs between them is what the cut and the temperature do."
    )


def _choices() -> Mapping[str, float]:
    """The settings of the strategies; pressing Run decodes anew."""
    with st.form("bench_form"):
        with st.grid(5, min_column_width=110, gap="small"):
            beams = st.number_input("Beam size", 2, 8, 4, key="bench_beam", persist_state="session")
            top_k = st.number_input("Top k", 1, 100, 20, key="bench_k", persist_state="session")
            top_p = st.number_input("Top p", 0.05, 1.0, 0.9, 0.05, key="bench_p", persist_state="session")
            temperature = st.number_input("Temperature", 0.1, 2.0, 0.7, 0.1, key="bench_t", persist_state="session")
            seed = st.number_input(
                "Seed", 0, 9999, 0, key="bench_seed", help="Of the sampled rows.", persist_state="session"
            )
        st.form_submit_button("Run the bench", type="primary", icon=":material/play_arrow:")
    return {"beams": beams, "top_k": top_k, "top_p": top_p, "temperature": temperature, "seed": seed}


def _strategies(settings: DecodeSettings, chosen: Mapping[str, float]) -> dict[str, DecodeSettings]:
    """One setting a row; what the sidebar says about length, repetition and words holds for all."""
    plain = settings.replace(
        strategy="sample", seed=int(chosen["seed"]), temperature=1.0, top_k=0, top_p=1.0
    )
    beams, top_k = int(chosen["beams"]), int(chosen["top_k"])
    top_p, temperature = float(chosen["top_p"]), float(chosen["temperature"])
    return {
        GREEDY: settings.replace(strategy="greedy"),
        f"Beam {beams}": settings.replace(strategy="beam", beam_size=beams),
        f"Top k {top_k}": plain.replace(top_k=top_k),
        f"Top p {top_p:g}": plain.replace(top_p=top_p),
        f"Temperature {temperature:g}": plain.replace(temperature=temperature),
        "Plain sampling": plain,
    }


def _rows(run: Run, strategies: Mapping[str, DecodeSettings]) -> list[BenchRow]:
    """Decode each strategy, with progress; the result is kept for the same dialogue and settings."""
    key = (run.key, tuple((name, tuple(each.to_dict().items())) for name, each in strategies.items()))
    kept: tuple[object, list[BenchRow]] | None = st.session_state.get("bench_rows")
    if kept and kept[0] == key:
        return kept[1]
    rows: list[BenchRow] = []
    bar = st.progress(0.0, text="Decoding …")
    for place, (name, summary) in enumerate(_summaries(run.needs_model(), run.text, strategies)):
        bar.progress((place + 1) / len(strategies), text=f"{name} is done")
        rows.append(_row(run, name, summary, rows[0].text if rows else summary.text))
    bar.empty()
    st.session_state["bench_rows"] = (key, rows)
    return rows


def _with_bertscore(rows: list[BenchRow], references: Sequence[str]) -> list[BenchRow]:
    """Score the rows where there is something to score against and it is asked for: the encoder takes seconds."""
    tip = "Best of the references, by all-MiniLM-L6-v2, raw. The first time its encoder is read: some seconds."
    if not references or not st.toggle("Score with BERTScore too", key="bench_bertscore", persist_state="session",
                                       help=tip):  # fmt: skip
        return rows
    texts = tuple(row.text for row in rows)
    kept: tuple[object, list[float]] | None = st.session_state.get("bench_f1")
    if not kept or kept[0] != (texts, references):
        with st.spinner("Scoring …"):
            from core.scoring.bertscore import BertScorer

            found = BertScorer().score(texts, [references] * len(texts), "max")
        kept = ((texts, references), [each.f1 for each in found])
        st.session_state["bench_f1"] = kept
    return [replace(row, bertscore=f1) for row, f1 in zip(rows, kept[1], strict=True)]


def _summaries(
    summarizer: "Summarizer", text: str, strategies: Mapping[str, DecodeSettings]
) -> Iterator[tuple[str, Summary]]:
    for name, settings in strategies.items():
        both = [summarizer.summarize(text, settings) for _ in range(2)]  # the first may compile something
        yield name, min(both, key=lambda summary: summary.seconds)


def _row(run: Run, name: str, summary: Summary, greedy: str) -> BenchRow:
    count = max(len(summary.steps), 1)
    return BenchRow(
        name=name,
        text=summary.text,
        log_probability=summary.log_probability,
        tokens=count,
        score=length_score(summary.log_probability, count, run.settings.length_penalty),
        repetition=repetition(summary.text),
        changed=changed_share(greedy, summary.text),
        seconds=summary.seconds,
        finished=summary.finished,
        rouge1=rouge(summary.text, run.references, "max").rouge1 if run.references else None,
    )


def _card(row: BenchRow, greedy: BenchRow, place: int, settings: DecodeSettings) -> None:
    with st.container(border=True, key=f"bench_{place}"):
        st.markdown(f"**{literal(row.name)}**")
        if place and row.text != greedy.text:
            components.diff(greedy.text, row.text, key=f"bench_diff_{place}")
        else:
            st.text(row.text or "(an empty summary)")
        parts = [
            f"log-probability {nats(row.log_probability)}",
            f"{number(row.log_probability / row.tokens)} a token",
            f"score {number(row.score)}",
            f"{row.tokens} tokens{'' if row.finished else ', cut'}",
            f"repetition {percent(row.repetition)}",
            f"{percent(row.changed)} of the words differ from greedy" if place else "",
            f"ROUGE-1 {row.rouge1:.1f}" if row.rouge1 is not None else "",
            f"BERTScore F1 {row.bertscore:.3f}" if row.bertscore is not None else "",
            f"{1000 * row.seconds:.0f} ms",
        ]
        st.caption(" · ".join(part for part in parts if part))
        if settings.strategy != "greedy":
            st.button(
                "Decode like this on every page",
                key=f"use_{place}",
                icon=":material/tune:",
                on_click=runs.decode_like,
                args=(settings,),
            )
