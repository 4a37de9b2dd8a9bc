"""One summary beside its dialogue: where its words come from, its hints, and the way to the pages that explain it."""

from collections.abc import Sequence

import streamlit as st

from core.evaluation.rows import ScoredSummary
from core.faults.alignment import align
from core.faults.fault import Fault
from core.faults.source import Source
from core.figures.wording import count, nats
from core.text.dialogue import parse_dialogue
from core.text.examples import example_by_id
from pages.parts.errors import hints, notebook
from pages.parts.errors.runs import Run
from pages.shared import address, errors, pictures, state
from pages.shared.state import Key
from pages.shared.summary_check import summary_check

CHECK = "summary_check"
PAGES = {
    "summarize": ("Summarize", ":material/summarize:"),
    "decoding": ("Decoding", ":material/alt_route:"),
    "attention": ("Attention", ":material/visibility:"),
    "experiments": ("Experiments", ":material/science:"),
    "bertscore": ("BERTScore", ":material/join_inner:"),
}


def draw(run: Run, place: int) -> None:
    """Draw one row of a run."""
    row = run.rows[place]
    st.subheader(f"{errors.literal(row.id)}" + (f" · {errors.literal(row.topic)}" if row.topic else ""), anchor=False)
    st.caption(_scores(row))
    found = hints.of_row(run, place)
    said = notebook.entry(run, place)
    alignment = align(Source(parse_dialogue(row.dialogue)), row.summary)
    summary_check(
        alignment,
        found,
        hints.labels(),
        {index: said.verdicts.get(notebook.mark(each), "") for index, each in enumerate(found)},
        references=row.references,
        attention=row.attention,
        key=CHECK,
        on_judge=lambda: _judge(run, place, found),
    )
    pictures.save_view(CHECK, "summary-check", _caption(row, found), lambda: _table(row, found))
    for number, reference in enumerate(row.references, 1):
        name = "Reference" if len(row.references) == 1 else f"Reference {number}"
        st.markdown(f"**{name}:** {errors.literal(reference)}")
    _ask_model(run, place)
    _write(run, place)
    _open(run, row)


def _scores(row: ScoredSummary) -> str:
    parts = []
    if row.rouge:
        parts.append(f"ROUGE-1/2/L {row.rouge.rouge1:.1f} / {row.rouge.rouge2:.1f} / {row.rouge.rougeL:.1f}")
    if row.bertscore:
        parts.append(f"BERTScore F1 {row.bertscore.f1:.3f}")
    if row.log_probability is not None:
        parts.append(f"log-probability {nats(row.log_probability)}")
    if row.entropy is not None:
        parts.append(f"mean entropy {nats(row.entropy)}")
    if row.truncated:
        parts.append("the model did not read the whole dialogue")
    return " · ".join(parts) or "No reference, so no score."


def _caption(row: ScoredSummary, found: Sequence[Fault]) -> str:
    return f"Summary of {row.id} beside its dialogue: {count(len(found), 'hint')}."


def _table(row: ScoredSummary, found: Sequence[Fault]) -> dict[str, list[object]]:
    names = hints.labels()
    return {
        "Hint": [names[each.kind][0] for each in found],
        "Words": [row.summary[each.start : each.end] for each in found],
        "Turns": [", ".join(str(turn + 1) for turn in each.turns) for each in found],
        "Evidence": [each.evidence for each in found],
        "Value": [each.value for each in found],
    }


def _judge(run: Run, place: int, found: Sequence[Fault]) -> None:
    judged = st.session_state[CHECK].judged
    if judged and 0 <= int(judged["fault"]) < len(found) and judged["verdict"] in ("", "right", "wrong"):
        notebook.judge(run, place, found[int(judged["fault"])], judged["verdict"])


def _ask_model(run: Run, place: int) -> None:
    """Likelihood swaps: our model is asked whether it finds the summary more likely with something exchanged."""
    if hints.asked(run, place):
        return
    tip = (
        "Every person, name, number and negation of the summary is exchanged for another one of the dialogue, and the "
        "model says how likely the summary is then. It measures the model's own doubt, not truth."
    )
    st.button(
        "Ask the model: is another person, name or number more likely?", icon=":material/swap_horiz:",
        help=tip, key="ask_swaps", on_click=hints.ask, args=(run, place),
    )  # fmt: skip


def _write(run: Run, place: int) -> None:
    said = notebook.entry(run, place)
    with st.form(f"note_{hash((run.key, place))}", border=False):
        left, right, last = st.columns([3, 4, 1], vertical_alignment="bottom")
        keys = [f"{name}_{hash((run.key, place))}" for name in ("tags", "text")]
        left.multiselect("Tags", notebook.all_tags(run), said.tags, accept_new_options=True, key=keys[0])
        right.text_input("Note", said.note, max_chars=notebook.LONGEST_NOTE, key=keys[1])
        last.form_submit_button(
            "Keep",
            icon=":material/save:",
            on_click=lambda: notebook.write(run, place, *(st.session_state[key] for key in keys)),
        )


def _open(run: Run, row: ScoredSummary) -> None:
    st.markdown("**Open this dialogue on**")
    with st.container(horizontal=True, key="open_on"):
        for page, (name, icon) in PAGES.items():
            if st.button(name, icon=icon, key=f"open_{page}"):
                _visit(run, row, page)
    if run.summarizer is None:
        st.caption(
            "Those pages show what our model does with the dialogue; the summary above is another system's, and goes "
            "along to BERTScore alone."
        )


def _visit(run: Run, row: ScoredSummary, page: str) -> None:
    """Go to a page about the row's dialogue; another system's summary goes along where that page can hold it."""
    values: dict[Key, object] = {}
    if page == "bertscore" and run.summarizer is None:
        values = {Key.BERT_TEXT: row.summary, Key.BERT_CANDIDATE: "own"}
    example = example_by_id(row.id)
    if example and example.dialogue == row.dialogue:
        address.visit(page, values | {Key.INPUT: "example", Key.EXAMPLE: example.id, Key.EDITS: None})
    state.use_own(row.dialogue, row.references)
    address.visit(page, values | {Key.INPUT: "paste", Key.PASTE_BOX: row.dialogue})
