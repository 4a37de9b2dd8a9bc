"""The beam tree: every prefix that beam search kept, and the finished summaries under any length penalty."""

import streamlit as st

from core.explain.decoding.beams import BeamTree, Ending, beam_tree, endings, has_certain, path
from core.figures.decoding import beams as figures
from core.figures.shared.wording import nats
from core.trace import Summary
from core.words import later, say
from pages.parts.decoding import runs
from pages.parts.decoding.runs import Run
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import one_of, slider
from pages.shared.figures import pictures
from pages.shared.model import models
from pages.shared.place.declarations import page_at
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Choice, Number

FORMULAS = {"power": later("log P ÷ lengthᵃ"), "gnmt": later("log P ÷ ((5 + length) ÷ 6)ᵃ")}
PENALTY = Number("rerank", 0.0, 3.0, 1.0, 0.1)
FORMULA = Choice("formula", FORMULAS)
FIELDS = (PENALTY, FORMULA)
NODE = "beam_node"
FATES = {
    "live": later("**Step {step}**, went on, log-probability {value}"),
    "open": later("**Step {step}**, was alive when the search stopped, log-probability {value}"),
    "pruned": later("**Step {step}**, was pruned, log-probability {value}"),
    "finished": later("**Step {step}**, finished, log-probability {value}"),
}
"""What is said of a node, by what became of it; to be said."""


def draw(run: Run) -> None:
    """Draw the tree, the node that was clicked, and the list of finished summaries."""
    notices.show_complaint()
    summary, note = _searched(run)
    if summary is None or summary.beam is None:
        return
    tree = beam_tree(summary.beam, [step.token.id for step in summary.steps])
    _node(run, summary, tree)
    picture = figures.beam(tree, run.labels(summary), summary.settings.length_penalty)
    pictures.show(picture, "beam_picture", on_select=_clicked)
    if note:
        st.info(note, icon=":material/info:")
    st.markdown(
        say(
            "From left to right the beams grow by one token at each step. Candidates that begin alike share one line "
            "up to where they part. A wider line is a more probable candidate among those of its step."
        )
    )
    st.markdown(say("Click a point of the tree to read the words up to there, or to go on from them."))
    with st.expander(say("Finished summaries")):
        _finished(run, summary, tree)


def _searched(run: Run) -> tuple[Summary | None, str]:
    """Return the shown branch as beam search wrote it, and a note if another strategy wrote the summary itself."""
    summary = run.summary(run.branch.path)
    if summary.beam is not None:
        return summary, ""
    if run.summarizer is None:
        st.info(say("This saved run was not written by beam search."), icon=":material/info:")
        return None, ""
    settings = run.settings.replace(strategy="beam")
    note = say(
        "The summary was not written by beam search (“{strategy}” is chosen in the sidebar). "
        "This is what beam search with {size} beams writes from the same prefix.",
        strategy=decoding.STRATEGY.words[run.settings.strategy],
        size=settings.beam_size,
    )
    if summary.given:
        note = say("The model did not write the given summary. This is what beam search writes of the dialogue.")
    return models.summary(run.summarizer, run.text, settings, run.branches.prefix(run.branch.path)), note


def _clicked() -> None:
    node = pictures.clicked("beam_picture")
    if node is not None:
        st.session_state[NODE] = node


def _node(run: Run, summary: Summary, tree: BeamTree) -> None:
    """Draw the words up to the point that was clicked, above the tree so that both are seen."""
    index = st.session_state.get(NODE, -1)
    if not 0 <= index < len(tree.nodes):
        return
    node, ids = tree.nodes[index], path(tree, index)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="beam_chosen"):
        fate = say(FATES[node.fate], step=node.step + 1, value=nats(node.log_probability))
        st.markdown(fate, width="content")
        st.text("".join(map(run.labels(summary), ids)).strip(), width="content")
        if run.summarizer is not None:
            icon, tip = ":material/alt_route:", say("A new branch that starts with these words.")
            st.button(say("Go on from here"), icon=icon, key="go_on", help=tip, on_click=_go_on, args=(run, ids))
        st.button(say("Close"), key="close_node", on_click=lambda: st.session_state.pop(NODE, None))


def _go_on(run: Run, ids: tuple[int, ...]) -> None:
    """Make a branch of the shown one that starts with these ids, and step through it; for a button."""
    step = run.branch.parts_from(ids)

    def branch_off() -> None:
        runs.branch_off(run.branch, step, ids[step:])
        page_at("decoding").view.value = "steps"

    notices.attempt(branch_off)


def _finished(run: Run, summary: Summary, tree: BeamTree) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tip = say("0 compares the plain log-probabilities, which favours short summaries.")
        penalty = slider(say("Length penalty a of this list"), PENALTY, tip)
        tip = say(
            "The first is what this search uses; with a = 1 it is the mean. "
            "The second is that of Wu et al. 2016, equation 14."
        )
        formula = one_of(say("Score"), FORMULA, tip=tip)
    used = summary.settings.length_penalty
    ranked, first = endings(tree, penalty, formula), [ending.node for ending in endings(tree, used)]
    texts = [_text(run, summary, ending) for ending in ranked]
    table = figures.finished_table(ranked, first, texts)
    scores = ("Score", "Log-probability")
    event = pictures.table(
        table,
        say("Finished hypotheses, best first"),
        key="endings",
        on_select="rerun",
        selection_mode="single-row",
        column_config={name: st.column_config.NumberColumn(say(name), format="%.3f") for name in scores},
    )
    lines = [figures.finished_caption(ranked, first, texts, penalty, used)]
    if has_certain(summary):
        lines.append(say("Tokens that this model forces count as certain in the search."))
    st.caption(notices.literal(" ".join([*lines, say("Tick a row to read it whole.")])))
    pictures.save_table(table, "finished", "save_endings")
    place = next(iter(event.selection.rows), len(ranked))
    if place < len(ranked):
        with st.container(border=True, key="ending"):
            st.markdown(say("**Rank {rank}**, compared with the summary of the search", rank=place + 1))
            word_diff(summary.text, texts[place], key="ending_diff")
            if texts[place] == summary.text:
                st.caption(say("It is the summary of the search."))
            elif run.summarizer is not None:
                icon, args = ":material/alt_route:", (run, ranked[place].ids)
                st.button(say("Make it a branch"), icon=icon, key="branch_ending", on_click=_go_on, args=args)


def _text(run: Run, summary: Summary, ending: Ending) -> str:
    if run.summarizer is not None:
        return run.summarizer.tokenizer.decode(ending.ids, run.speakers)[0]
    return "".join(map(run.labels(summary), ending.ids)).strip()
