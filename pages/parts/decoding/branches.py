"""The tree of branches: open, rename, prune, and compare two."""

import streamlit as st

from core.explain.decoding.branches import LONGEST_NAME, Branch, write_path
from core.explain.shared import cross
from core.explain.shared.rollup import groups
from core.figures.decoding import branch_numbers
from core.figures.decoding import branches as figures
from core.figures.decoding import turns as turn_figures
from core.figures.shared.wording import counts_forced
from core.trace import Summary
from core.words import later, say
from pages.parts.decoding import attention, runs
from pages.parts.decoding.runs import BRANCH, RIVAL, Run
from pages.shared.components.word_diff import word_diff
from pages.shared.figures import pictures
from pages.shared.place.declarations import page_at
from pages.shared.session import notices
from pages.shared.session.notices import literal


def draw(run: Run) -> None:
    """Draw the tree of branches, each with its text and numbers, and two of them side by side."""
    notices.show_complaint()
    runs.tell(run)
    picture = figures.branch_tree(run.branches, run.branch.path, run.settings.length_penalty)
    pictures.show(picture, "branch_tree", on_select=lambda: _opened(run))
    if len(run.branches.items) == 1:
        st.info(
            say("There is one branch so far. Go to “Step by step” and press Fork beside another token, or type one."),
            icon=":material/alt_route:",
        )
    if run.summarizer and (sentence := counts_forced(run.summarizer.config)):
        st.caption(sentence)
    if runs.pruned(run):
        label = say("Bring back what was pruned")
        st.button(label, icon=":material/undo:", key="bring_back", on_click=runs.bring_back)
    for place, branch in enumerate(run.branches.items):
        _card(run, branch, place)
    if len(run.branches.items) > 1:
        _compare(run)


def _opened(run: Run) -> None:
    place = pictures.clicked("branch_tree", len(run.branches.items))
    if place is not None:
        _open(run.branches.items[place])


def _open(branch: Branch) -> None:
    """Show a branch at the step where it leaves its parent."""
    runs.jump(branch.step, branch.path)


def _step_through(branch: Branch) -> None:
    _open(branch)
    page_at("decoding").view.value = "steps"


def _card(run: Run, branch: Branch, place: int) -> None:
    parent, shown = run.branches.parent(branch), say("shown now")
    with st.container(border=True, key=f"branch_{place}"):
        st.markdown(_title(branch, parent) + (f" · {shown}" if branch.path == run.branch.path else ""))
        if parent:
            word_diff(parent.text, branch.text, key=f"branch_diff_{place}")
        else:
            st.text(branch.text or say("(an empty summary)"))
        st.caption(branch_numbers.line(branch, run.settings.length_penalty, run.references))
        with st.container(horizontal=True):
            label, icon = say("Step through it"), ":material/step_over:"
            st.button(label, key=f"open_{place}", icon=icon, on_click=_step_through, args=(branch,))
            with st.popover(say("Rename"), icon=":material/edit:", width="content"):
                key = f"name_{place}_{branch.name}"
                args = (branch, key)
                st.text_input(say("Name"), branch.name, key=key, max_chars=LONGEST_NAME, on_change=_rename, args=args)
            if branch.path:
                icon = ":material/content_cut:"
                tip = say("Removes this branch and all that leave it. You can bring them back.")
                st.button(say("Prune"), f"prune_{place}", help=tip, icon=icon, on_click=runs.prune, args=(branch.path,))


def _title(branch: Branch, parent: Branch | None) -> str:
    """Name a branch, and say where it comes from."""
    name = literal(branch.name)
    if parent is None:
        return say("**{name}**: as it was decoded", name=name)
    values = {"parent": literal(parent.name), "step": branch.step + 1}
    return say("**{name}**: leaves {parent} at step {step}", name=name, **values)


def _rename(branch: Branch, key: str) -> None:
    notices.attempt(lambda: runs.rename(branch.path, str(st.session_state[key])))


def _compare(run: Run) -> None:
    st.header(say("Compare two branches"), anchor=False)
    items = run.branches.items
    parent = run.branches.parent(run.branch)
    if run.rival is None or run.rival.path == run.branch.path:
        other = parent or next(each for each in items if each.path != run.branch.path)
        RIVAL.value = write_path(other.path)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        runs.choose(say("Compared with"), RIVAL, [each for each in items if each.path != run.branch.path])
        st.button(say("Swap"), icon=":material/swap_horiz:", on_click=_swap, args=(run,))
        runs.choose(say("Branch shown"), BRANCH, items)
    first, second = run.rival or items[0], run.branch
    both = (first.name, second.name)
    before, after = map(literal, both)
    st.markdown(say("From **{before}** (struck through) to **{after}** (underlined)", before=before, after=after))
    word_diff(first.text, second.text, key="compare_diff")
    one, two = run.summary(first.path), run.summary(second.path)
    penalty, references = run.settings.length_penalty, run.references
    numbers = [branch_numbers.numbers(each, penalty, references) for each in (first, second)]
    table = {later("Branch"): both} | {name: [round(each[name], 3) for each in numbers] for name in numbers[0]}
    pictures.table(table, say("The two branches in numbers"))
    pictures.show(figures.race(one.steps, two.steps, both, (items.index(first), items.index(second))), "race")
    _attention(one, two, both)


def _swap(run: Run) -> None:
    other = run.rival or run.branches.items[0]
    RIVAL.value = write_path(run.branch.path)
    runs.jump(min(run.step, len(other.ids) - 1), other.path)


def _attention(one: Summary, two: Summary, names: tuple[str, str]) -> None:
    chosen = attention.heads(one.attention)
    if not chosen:
        return
    turns = one.dialogue.turns
    labels = [
        part.label if part.turn is None else f"{part.label} · {turns[part.turn].speaker or ''}: {turns[part.turn].text}"
        for part in groups(one.source, "turn")
    ]
    heading = say("**Cross-attention by turn**, {head}, mean over the tokens of each branch", head=cross.label(chosen))
    st.markdown(heading)
    shares = cross.by_turn(one, chosen), cross.by_turn(two, chosen)
    pictures.show(turn_figures.attention_pair(*shares, labels, names), "attention_pair", tallest=attention.TALLEST)
