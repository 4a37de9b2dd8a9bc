"""The beams: every beginning that was considered, and the finished summaries under any length penalty."""

import streamlit as st

from core.explain.beams import BeamTree, Ending, beam_tree, endings, path
from core.figures import beams as figures
from core.figures.wording import nats
from core.trace import Summary
from pages.parts.decoding import runs
from pages.parts.decoding.runs import Run
from pages.shared import components, errors, model, picker, pictures
from pages.shared.choices import one_of
from pages.shared.state import Key

FORMULAS = {"power": "log P ÷ lengthᵃ", "gnmt": "log P ÷ ((5 + length) ÷ 6)ᵃ"}
NODE = "beam_node"


def draw() -> None:
    """Draw the view."""
    run = runs.current()
    errors.show_complaint()
    summary = _searched(run)
    if summary is None or summary.beam is None:
        return
    ids = [step.token.id for step in summary.steps]
    tree = beam_tree(summary.beam, ids)
    st.markdown(
        "From left to right the beams grow by a token a step. A beginning that several candidates share is drawn once; "
        "a wider line is a more probable candidate among those of its step."
    )
    text = run.labels(summary)
    with st.container(border=True, key="beam_chosen"):
        _node(run, summary, tree)
    pictures.show(figures.beam(tree, text, summary.settings.length_penalty), "beam_picture", on_select=_clicked)
    _finished(run, summary, tree)


def _searched(run: Run) -> Summary | None:
    """The shown branch as beam search wrote it; another strategy is searched anew, and said so."""
    summary = run.summary(run.branch.path)
    if summary.beam is not None:
        return summary
    if run.summarizer is None:
        st.info("This saved run was not written by beam search.", icon=":material/info:")
        return None
    settings = run.settings.replace(strategy="beam")
    st.info(
        f"The summary was not written by beam search ({run.settings.strategy} is chosen in the sidebar). "
        f"This is what {settings.beam_size} beams would have done with the same beginning.",
        icon=":material/info:",
    )
    return model.summary(run.summarizer, run.text, settings, run.branches.prefix(run.branch.path))


def _clicked() -> None:
    node = pictures.clicked("beam_picture")
    if node is not None:
        st.session_state[NODE] = node


def _node(run: Run, summary: Summary, tree: BeamTree) -> None:
    """The beginning that was clicked."""
    index = st.session_state.get(NODE, -1)
    if not 0 <= index < len(tree.nodes):
        st.markdown("Click a point of the tree to read the words up to there, or to go on from them.")
        return
    node, ids = tree.nodes[index], path(tree, index)
    st.markdown(f"**Step {node.step + 1}**, {_fate(node.fate)}, log-probability {nats(node.log_probability)}")
    st.text("".join(map(run.labels(summary), ids)).strip())
    with st.container(horizontal=True):
        if run.summarizer is not None:
            st.button(
                "Go on from here",
                icon=":material/alt_route:",
                key="go_on",
                on_click=lambda: picker.attempt(lambda: _go_on(ids)),
                help="A new branch that starts with these words.",
            )
        st.button("Close", key="close_node", on_click=lambda: st.session_state.pop(NODE, None))


def _fate(fate: str) -> str:
    words = {"live": "went on", "open": "was alive when the search stopped", "pruned": "was pruned"}
    return words.get(fate, "finished")


def _go_on(ids: tuple[int, ...]) -> None:
    """A branch of the shown one that starts with these ids."""
    run = runs.current()
    here = run.branch.ids
    pairs = enumerate(zip(here, ids, strict=False))
    parts = next((place for place, (mine, other) in pairs if mine != other), None)
    step = min(len(ids), len(here)) - 1 if parts is None else parts
    runs.fork(run.branch, step, ids[step:])
    st.session_state[Key.VIEW] = "steps"


def _finished(run: Run, summary: Summary, tree: BeamTree) -> None:
    """Finished hypotheses, sorted anew by the length penalty."""
    st.subheader("Finished summaries", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            "Length penalty a of this list",
            0.0,
            3.0,
            step=0.1,
            key=Key.RERANK,
            persist_state="session",
            help="0 compares the plain log-probabilities, which favours short summaries.",
        )
        one_of(
            "Score",
            FORMULAS,
            Key.FORMULA,
            "The first is what this search uses; with a = 1 it is the mean. "
            "The second is that of Wu et al. 2016, equation 14.",
        )
    penalty, formula = st.session_state[Key.RERANK], st.session_state[Key.FORMULA]
    found = endings(tree, penalty, formula)
    first = [each.node for each in endings(tree, summary.settings.length_penalty)]
    texts = [_text(run, summary, each) for each in found]
    table = {
        "Place": list(range(1, len(found) + 1)),
        "Score": [each.score for each in found],
        "Log-probability": [each.log_probability for each in found],
        "Tokens": [len(each.ids) for each in found],
        "Place in the search": [first.index(each.node) + 1 for each in found],
        "Summary": texts,
    }
    event = st.dataframe(
        table,
        hide_index=True,
        key="endings",
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            name: st.column_config.NumberColumn(format="%.3f") for name in ("Score", "Log-probability")
        },
        alt="Finished hypotheses, best first",
    )
    st.caption(_caption(found, first, texts, penalty, summary))
    pictures.save_table(table, "finished", "save_endings")
    rows = event.selection.rows
    if rows and rows[0] < len(found):
        _ending(run, rows[0], found[rows[0]], summary.text, texts[rows[0]])


def _ending(run: Run, place: int, ending: Ending, written: str, text: str) -> None:
    """The ticked summary, compared with the one that the search chose."""
    with st.container(border=True, key="ending"):
        st.markdown(f"**Place {place + 1}**, compared with the summary of the search")
        components.diff(written, text, key="ending_diff")
        if run.summarizer is not None:
            st.button(
                "Make it a branch",
                icon=":material/alt_route:",
                key="branch_ending",
                on_click=lambda: picker.attempt(lambda: _go_on(ending.ids)),
            )


def _text(run: Run, summary: Summary, ending: Ending) -> str:
    if run.summarizer is not None:
        return run.summarizer.tokenizer.decode(ending.ids, run.speakers)[0]
    return "".join(map(run.labels(summary), ending.ids)).strip()


def _caption(found: tuple[Ending, ...], first: list[int], texts: list[str], penalty: float, summary: Summary) -> str:
    """Whether another penalty would have chosen another summary."""
    best = found[0]
    used = summary.settings.length_penalty
    if best.node == first[0]:
        line = f"With a = {penalty:g} the same summary stays first as in the search (a = {used:g})."
    else:
        line = (
            f"With a = {penalty:g} “{texts[0][:60]}…” with {len(best.ids)} tokens would be first; "
            f"the search (a = {used:g}) had it in place {first.index(best.node) + 1}."
        )
    return errors.literal(
        f"{line} Only this list is sorted anew: with another penalty the search itself might have stopped elsewhere. "
        "Tick a row to read it whole."
    )
