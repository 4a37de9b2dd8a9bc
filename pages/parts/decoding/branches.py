"""The tree of branches: open, name, prune, and compare two."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.explain import cross
from core.explain.beams import length_score
from core.explain.branches import LONGEST_NAME, Branch, write_path
from core.explain.rollup import groups, sum_columns
from core.figures import branches as figures
from core.figures import turns as turn_figures
from core.figures.branches import BranchLine
from core.figures.wording import nats, number
from core.scoring.rouge import rouge
from core.text.dialogue import parse_dialogue
from core.trace import Array, Summary
from pages.parts.decoding import runs
from pages.parts.decoding.runs import Run
from pages.shared import components, errors, picker, pictures
from pages.shared.errors import literal
from pages.shared.state import Key


def draw() -> None:
    """Draw the view."""
    run = runs.current()
    errors.show_complaint()
    if len(run.branches.items) == 1:
        st.info(
            "There is one branch so far. Go to “Step by step” and press Fork beside another token, or type one.",
            icon=":material/alt_route:",
        )
    pictures.show(figures.branch_tree(_lines(run)), "branch_tree", on_select=_opened)
    if runs.pruned():
        st.button("Bring back what was pruned", icon=":material/undo:", key="bring_back", on_click=runs.bring_back)
    for place, branch in enumerate(run.branches.items):
        _card(run, branch, place)
    if len(run.branches.items) > 1:
        _compare(run)


def _lines(run: Run) -> list[BranchLine]:
    items = run.branches.items
    return [
        BranchLine(
            name=each.name,
            parent=-1 if not each.path else items.index(run.branches.parent(each) or items[0]),
            step=each.path[-1].step if each.path else 0,
            text=each.text,
            tokens=each.tokens,
            log_probabilities=each.log_probabilities,
            score=_score(run, each),
            current=each.path == run.branch.path,
        )
        for each in items
    ]


def _score(run: Run, branch: Branch) -> float:
    return length_score(branch.log_probability, len(branch.ids), run.settings.length_penalty)


def _opened() -> None:
    """A branch was clicked in the picture."""
    place, items = pictures.clicked("branch_tree"), runs.current().branches.items
    if place is not None and 0 <= place < len(items):
        _open(items[place])


def _open(branch: Branch, view: str | None = None) -> None:
    runs.jump(branch.path[-1].step if branch.path else 0, branch.path)
    if view:
        st.session_state[Key.VIEW] = view


def _card(run: Run, branch: Branch, place: int) -> None:
    """One branch: its text, its numbers, and what can be done with it."""
    parent = run.branches.parent(branch)
    with st.container(border=True, key=f"branch_{place}"):
        shown = " · shown now" if branch.path == run.branch.path else ""
        where = f"leaves {literal(parent.name)} at step {branch.path[-1].step + 1}" if parent else "as it was decoded"
        st.markdown(f"**{literal(branch.name)}**: {where}{shown}")
        if parent:
            components.diff(parent.text, branch.text, key=f"branch_diff_{place}")
        else:
            st.text(branch.text or "(an empty summary)")
        st.caption(_numbers(run, branch))
        with st.container(horizontal=True):
            st.button(
                "Step through it",
                key=f"open_{place}",
                icon=":material/step_over:",
                on_click=_open,
                args=(branch, "steps"),
            )
            with st.popover("Rename", icon=":material/edit:", width="content"):
                st.text_input(
                    "Name",
                    branch.name,
                    key=f"name_{place}_{branch.name}",
                    max_chars=LONGEST_NAME,
                    on_change=_rename,
                    args=(branch, f"name_{place}_{branch.name}"),
                )
            if branch.path:
                st.button(
                    "Prune",
                    key=f"prune_{place}",
                    icon=":material/content_cut:",
                    on_click=lambda: picker.attempt(lambda: runs.prune(branch.path)),
                    help="Removes this branch and all that leave it. It can be brought back.",
                )


def _rename(branch: Branch, key: str) -> None:
    picker.attempt(lambda: runs.rename(branch.path, str(st.session_state[key])))


def _numbers(run: Run, branch: Branch) -> str:
    """A branch's log-probability and scores in one line."""
    count = max(len(branch.ids), 1)
    parts = [
        f"{count} tokens{'' if branch.finished else ', cut'}",
        f"log-probability {nats(branch.log_probability)}",
        f"{number(branch.log_probability / count)} a token",
        f"score {number(_score(run, branch))} at length penalty {run.settings.length_penalty:g}",
    ]
    if run.references:
        score = rouge(branch.text, run.references, "max")
        parts.append(f"ROUGE-1/2/L {score.rouge1:.1f} / {score.rouge2:.1f} / {score.rougeL:.1f}")
    return " · ".join(parts)


def _compare(run: Run) -> None:
    """Two branches side by side: text, probability, attention."""
    st.subheader("Compare two branches", anchor=False)
    items = run.branches.items
    parent = run.branches.parent(run.branch)
    if run.rival is None or run.rival.path == run.branch.path:
        other = parent or next(each for each in items if each.path != run.branch.path)
        st.session_state[Key.RIVAL] = write_path(other.path)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        runs.chooser("Compared with", Key.RIVAL, [each for each in items if each.path != run.branch.path])
        st.button("Swap", icon=":material/swap_horiz:", on_click=_swap)
        runs.chooser("Shown", Key.BRANCH, items)
    first, second = run.rival or items[0], run.branch
    st.markdown(f"From **{literal(first.name)}** (struck through) to **{literal(second.name)}** (underlined)")
    components.diff(first.text, second.text, key="compare_diff")
    one, two = run.summary(first.path), run.summary(second.path)
    st.dataframe(_table(run, (first, second)), hide_index=True, alt="The two branches in numbers")
    both = (first.name, second.name)
    pictures.show(figures.race(one.steps, two.steps, both), "race")
    _attention(run, one, two, both)


def _swap() -> None:
    run = runs.current()
    other = run.rival or run.branches.items[0]
    st.session_state[Key.RIVAL] = write_path(run.branch.path)
    runs.jump(min(run.step, len(other.ids) - 1), other.path)


def _table(run: Run, pair: Sequence[Branch]) -> dict[str, list[object]]:
    columns: dict[str, list[object]] = {
        "Branch": [each.name for each in pair],
        "Tokens": [len(each.ids) for each in pair],
        "Log-probability": [round(each.log_probability, 3) for each in pair],
        "Per token": [round(each.log_probability / max(len(each.ids), 1), 3) for each in pair],
        "Score": [round(_score(run, each), 3) for each in pair],
    }
    if run.references:
        scores = [rouge(each.text, run.references, "max") for each in pair]
        columns |= {f"ROUGE-{name}": [round(getattr(each, f"rouge{name}"), 1) for each in scores] for name in "12L"}
    return columns


def _attention(run: Run, one: Summary, two: Summary, names: tuple[str, str]) -> None:
    """Which turns the two looked at, over the whole summary."""
    options = cross.choices(one.attention)
    if not options:
        return
    chosen = st.session_state[Key.HEADS] or options[0]
    parts = groups(one.source, "turn")
    turns = parse_dialogue(run.text).turns
    labels = [
        each.label if each.turn is None else f"{each.label} · {turns[each.turn].speaker or ''}: {turns[each.turn].text}"
        for each in parts
    ]

    def shares(summary: Summary) -> Array:
        mean: Array = np.mean(sum_columns(cross.weights(summary.attention, chosen), parts), axis=0)
        return mean

    st.markdown(f"**Cross-attention by turn**, {cross.label(chosen)}, mean over the tokens of each branch")
    pictures.show(turn_figures.attention_pair(shares(one), shares(two), labels, names), "attention_pair")
