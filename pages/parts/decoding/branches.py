"""The tree of branches: open, rename, prune, and compare two."""

import streamlit as st

from core.explain import cross
from core.explain.beams import length_score
from core.explain.branches import LONGEST_NAME, Branch, write_path
from core.explain.rollup import groups
from core.figures import branch_numbers
from core.figures import branches as figures
from core.figures import turns as turn_figures
from core.figures.branches import BranchLine
from core.figures.wording import counts_forced
from core.trace import Summary
from pages.parts.decoding import attention, runs
from pages.parts.decoding.runs import BRANCH, RIVAL, Run
from pages.shared.components.word_diff import word_diff
from pages.shared.figures import pictures
from pages.shared.frame import notices
from pages.shared.frame.notices import literal


def draw(run: Run) -> None:
    """Draw the tree of branches, each with its text and numbers, and two of them side by side."""
    notices.show_complaint()
    runs.say(run)
    if len(run.branches.items) == 1:
        st.info(
            "There is one branch so far. Go to “Step by step” and press Fork beside another token, or type one.",
            icon=":material/alt_route:",
        )
    pictures.show(figures.branch_tree(_lines(run)), "branch_tree", on_select=lambda: _opened(run))
    if run.summarizer and (said := counts_forced(run.summarizer.config)):
        st.caption(said)
    if runs.pruned(run):
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
            score=length_score(each.log_probability, len(each.ids), run.settings.length_penalty),
            current=each.path == run.branch.path,
        )
        for each in items
    ]


def _opened(run: Run) -> None:
    """Show the branch that was clicked in the picture."""
    place = pictures.clicked("branch_tree")
    if place is not None and 0 <= place < len(run.branches.items):
        _open(run.branches.items[place])


def _open(branch: Branch, view: str | None = None) -> None:
    """Show a branch at the step where it leaves its parent, in another view if one is named; for a button."""
    runs.jump(branch.path[-1].step if branch.path else 0, branch.path)
    if view:
        st.session_state[runs.VIEW] = view


def _card(run: Run, branch: Branch, place: int) -> None:
    parent = run.branches.parent(branch)
    with st.container(border=True, key=f"branch_{place}"):
        shown = " · shown now" if branch.path == run.branch.path else ""
        where = f"leaves {literal(parent.name)} at step {branch.path[-1].step + 1}" if parent else "as it was decoded"
        st.markdown(f"**{literal(branch.name)}**: {where}{shown}")
        if parent:
            word_diff(parent.text, branch.text, key=f"branch_diff_{place}")
        else:
            st.text(branch.text or "(an empty summary)")
        st.caption(branch_numbers.line(branch, run.settings.length_penalty, run.references))
        with st.container(horizontal=True):
            icon = ":material/step_over:"
            st.button("Step through it", key=f"open_{place}", icon=icon, on_click=_open, args=(branch, "steps"))
            with st.popover("Rename", icon=":material/edit:", width="content"):
                key = f"name_{place}_{branch.name}"
                args = (branch, key)
                st.text_input("Name", branch.name, key=key, max_chars=LONGEST_NAME, on_change=_rename, args=args)
            if branch.path:
                icon = ":material/content_cut:"
                tip = "Removes this branch and all that leave it. You can bring them back."
                st.button("Prune", f"prune_{place}", help=tip, icon=icon, on_click=runs.prune, args=(branch.path,))


def _rename(branch: Branch, key: str) -> None:
    notices.attempt(lambda: runs.rename(branch.path, str(st.session_state[key])))


def _compare(run: Run) -> None:
    st.header("Compare two branches", anchor=False)
    items = run.branches.items
    parent = run.branches.parent(run.branch)
    if run.rival is None or run.rival.path == run.branch.path:
        other = parent or next(each for each in items if each.path != run.branch.path)
        RIVAL.value = write_path(other.path)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        runs.choose("Compared with", RIVAL, [each for each in items if each.path != run.branch.path])
        st.button("Swap", icon=":material/swap_horiz:", on_click=_swap, args=(run,))
        runs.choose("Shown", BRANCH, items)
    first, second = run.rival or items[0], run.branch
    st.markdown(f"From **{literal(first.name)}** (struck through) to **{literal(second.name)}** (underlined)")
    word_diff(first.text, second.text, key="compare_diff")
    one, two = run.summary(first.path), run.summary(second.path)
    both = (first.name, second.name)
    penalty, references = run.settings.length_penalty, run.references
    numbers = [branch_numbers.numbers(each, penalty, references) for each in (first, second)]
    table = {"Branch": both} | {name: [round(each[name], 3) for each in numbers] for name in numbers[0]}
    st.dataframe(table, hide_index=True, alt="The two branches in numbers")
    pictures.show(figures.race(one.steps, two.steps, both), "race")
    _attention(one, two, both)


def _swap(run: Run) -> None:
    """Let the two branches change places; for a button."""
    other = run.rival or run.branches.items[0]
    RIVAL.value = write_path(run.branch.path)
    runs.jump(min(run.step, len(other.ids) - 1), other.path)


def _attention(one: Summary, two: Summary, names: tuple[str, str]) -> None:
    chosen = attention.heads(one.attention)
    if not chosen:
        return
    turns = one.dialogue.turns
    labels = [
        each.label if each.turn is None else f"{each.label} · {turns[each.turn].speaker or ''}: {turns[each.turn].text}"
        for each in groups(one.source, "turn")
    ]
    st.markdown(f"**Cross-attention by turn**, {cross.label(chosen)}, mean over the tokens of each branch")
    shares = cross.by_turn(one, chosen), cross.by_turn(two, chosen)
    pictures.show(turn_figures.attention_pair(*shares, labels, names), "attention_pair", tallest=attention.TALLEST)
