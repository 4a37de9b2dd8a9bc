"""What the Decoding page looks at: a tree of summaries, of this session or out of a saved file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import streamlit as st

from core.config import DecodeSettings
from core.errors import CheckpointError, DialoscopeError, SettingsError
from core.explain import branch_file, cross
from core.explain.branches import MOST_BRANCHES, Branch, Branches, Path, branch_of, read_path, write_path
from core.trace import Summary
from pages.shared import model, state
from pages.shared.state import Key

if TYPE_CHECKING:
    from core.service import Summarizer

MOST_TREES = 4
"""Trees that a session keeps: one for each dialogue and settings."""
LATEST = "latest_run"


@dataclass(frozen=True)
class Run:
    """A dialogue, how it is decoded, and the branches so far.

    Args:
        key: tells the trees of a session apart.
        text: the dialogue.
        settings: of every branch.
        references: summaries that people wrote.
        branches: the tree.
        stored: traces out of a saved file.
        summarizer: the model, None if a saved file needs one that is not loaded.
    """

    key: tuple[object, ...]
    text: str
    settings: DecodeSettings
    references: tuple[str, ...]
    branches: Branches
    summarizer: "Summarizer | None"
    stored: Mapping[Path, Summary] = field(default_factory=dict)

    @property
    def branch(self) -> Branch:
        """The branch that is shown."""
        return self._chosen(Key.BRANCH) or self.branches.items[0]

    @property
    def rival(self) -> Branch | None:
        """The branch that it is compared with."""
        return self._chosen(Key.RIVAL)

    @property
    def step(self) -> int:
        """The step that is shown, from 0."""
        return int(min(max(st.session_state[Key.STEP], 1), len(self.branch.ids))) - 1

    def summary(self, path: Path) -> Summary:
        """The summary of a branch with its whole trace; raises DialoscopeError."""
        if path in self.stored:
            return self.stored[path]
        return model.summary(self.needs_model(), self.text, self.settings, self.branches.prefix(path))

    def needs_model(self) -> "Summarizer":
        """The model; raises CheckpointError if this saved run comes from one that is not loaded."""
        if self.summarizer is None:
            wanted = self.stored[()].checkpoint
            raise CheckpointError(f"this saved run can be read but not changed: it needs the checkpoint {wanted}")
        return self.summarizer

    @cached_property
    def speakers(self) -> dict[int, str]:
        """The name behind each speaker tag."""
        return dict(self.needs_model().encode(self.text, self.settings.truncation).speakers)

    def labels(self, summary: Summary) -> Callable[[int], str]:
        """The text of any token id; without the model only those that the trace names."""
        if self.summarizer is not None:
            tokenizer, speakers = self.summarizer.tokenizer, self.speakers
            return lambda token: tokenizer.id_text(token, speakers)
        known = {each.id: each.text for step in summary.steps for each in step.alternatives}
        known |= {each.id: each.text for each in (*summary.tokens, *summary.source)}
        return lambda token: known.get(token, f"[id {token}]")

    def _chosen(self, key: Key) -> Branch | None:
        return next((each for each in self.branches.items if write_path(each.path) == st.session_state[key]), None)


@dataclass(frozen=True)
class Opened:
    """A saved run: at most one a session, bounded by `branch_file.LARGEST`."""

    name: str
    branches: Branches
    summaries: Mapping[Path, Summary]


def current() -> Run:
    """The run of the page; stops the page where the model is not ready or no dialogue is chosen."""
    opened: Opened | None = st.session_state.get(Key.OPENED)
    run = _of_file(opened) if opened else _of_session()
    if st.session_state.get(Key.SHOWN) != run.key:
        if Key.SHOWN in st.session_state:
            st.session_state.update({Key.STEP: 1, Key.BRANCH: "", Key.RIVAL: "", Key.TURN: 0})
        st.session_state[Key.SHOWN] = run.key
        jump()
    run = _take_link(run)
    st.session_state.setdefault(LATEST, [])[:] = [run]
    return run


def jump(step: int | None = None, path: Path | None = None) -> None:
    """Show another step (from 0) or branch; the stepper follows."""
    if path is not None:
        st.session_state[Key.BRANCH] = write_path(path)
    if step is not None:
        st.session_state[Key.STEP] = step + 1
    st.session_state.update({Key.JUMPS: st.session_state.get(Key.JUMPS, 0) + 1, Key.PLAYING: False})


def fork(parent: Branch, step: int, ids: Sequence[int], name: str | None = None) -> None:
    """Write other tokens at a step, let the model go on, and show the branch; raises DialoscopeError."""
    run = current()
    if not all(0 <= each < _vocabulary(run) for each in ids):
        raise SettingsError(f"there is no such token. Received: {list(ids)}; allowed: ids below {_vocabulary(run)}")
    path = run.branches.fork(parent, step, ids)
    if run.branches.find(path) is None:
        run = _grown(run, path, name or run.branches.fresh_name())
    jump(step, path)


def chooser(label: str, key: Key, items: Sequence[Branch]) -> None:
    """Draw a choice of branches; the chosen one stands in the session under `key`, as a link has it."""
    names = {write_path(each.path): each.name for each in items}
    lengths = {write_path(each.path): len(each.ids) for each in items}
    widget = f"choose_{key}"
    chosen = st.session_state[key]
    st.session_state[widget] = chosen if chosen in names else next(iter(names))
    st.selectbox(label, list(names), format_func=names.get, key=widget, on_change=_choose, args=(key, widget, lengths))


def _choose(key: Key, widget: str, lengths: Mapping[str, int]) -> None:
    chosen = st.session_state[key] = st.session_state[widget]
    if key == Key.BRANCH:
        jump(min(st.session_state[Key.STEP], lengths[chosen]) - 1)


def rename(path: Path, name: str) -> None:
    """Give a branch another name; raises SettingsError."""
    run = current()
    _keep(run, run.branches.rename(path, name))


def prune(path: Path) -> None:
    """Cut a branch and all that leave it; it can be brought back once."""
    run = current()
    st.session_state[Key.PRUNED] = (run.key, run.branches)
    pruned = run.branches.prune(path)
    _keep(run, pruned)
    if run.rival and pruned.find(run.rival.path) is None:
        st.session_state[Key.RIVAL] = ""
    if pruned.find(run.branch.path) is None:
        jump(path[-1].step, path[:-1])


def pruned() -> Branches | None:
    """The tree before the last cut, if there was one."""
    key, branches = st.session_state.get(Key.PRUNED, (None, None))
    return branches if key == st.session_state.get(Key.SHOWN) else None


def bring_back() -> None:
    """Undo the last cut."""
    run, before = current(), pruned()
    if before:
        kept = run.branches
        for branch in before.items:
            full = len(kept.items) >= MOST_BRANCHES
            kept = kept if full or kept.find(branch.path) else kept.add(branch)
        _keep(run, kept)
    st.session_state.pop(Key.PRUNED, None)


def decode_like(settings: DecodeSettings) -> None:
    """Put decoding settings into the sidebar."""
    st.session_state[Key.STRATEGY] = settings.strategy
    for key in state.relevant(settings.strategy):
        st.session_state[key] = state.NUMBERS[key].clamp(getattr(settings, state.NUMBERS[key].setting))


def file_maker() -> Callable[[], bytes]:
    """A function that makes a file of the whole tree with every trace.

    A download runs outside the session, and a fork after the page was drawn belongs into its file: the function gets
    a box that `current` keeps filled, instead of a run.
    """
    box: list[Run] = st.session_state.setdefault(LATEST, [])

    def make() -> bytes:
        run = box[0]
        return branch_file.to_bytes(run.branches, {each.path: run.summary(each.path) for each in run.branches.items})

    return make


def open_file(name: str, data: bytes) -> None:
    """Show a saved run; raises CheckpointError."""
    st.session_state[Key.OPENED] = Opened(name, *branch_file.from_bytes(data))


def close_file() -> None:
    """Back to the dialogue of the session."""
    st.session_state.pop(Key.OPENED, None)


def _of_session() -> Run:
    root, settings, chosen = state.require_trace(), state.settings(), state.selection()
    key = (root.checkpoint, chosen.text, tuple(settings.to_dict().items()))
    tree = st.session_state.get(Key.TREES, {}).get(key) or Branches((branch_of(root, (), "Original"),))
    return Run(key, chosen.text, settings, chosen.references, tree, state.current_job().summarizer)


def _of_file(opened: Opened) -> Run:
    root = opened.summaries[()]
    summarizer = state.current_job().summarizer
    same = summarizer is not None and summarizer.checkpoint.identity == root.checkpoint
    key = (opened.name, id(opened.summaries))
    return Run(
        key, root.dialogue, root.settings, (), opened.branches, summarizer if same else None, opened.summaries
    )


def _take_link(run: Run) -> Run:
    """Grow the branches that the link names and that are not there yet; say what cannot be."""
    for key in (Key.BRANCH, Key.RIVAL):
        try:
            path = read_path(st.session_state[key], _vocabulary(run))
            for number, fork_ in enumerate(path):
                parent = run.branches.find(path[:number])
                if parent and run.branches.find(path[: number + 1]) is None:
                    grown = run.branches.fork(parent, fork_.step, fork_.ids)
                    run = _grown(run, grown, run.branches.fresh_name())
        except DialoscopeError as error:
            st.session_state[key] = ""
            state.note(f"The link asks for a branch that cannot be shown: {error}.")
    last = len(run.branch.ids)
    if st.session_state[Key.STEP] > last:
        asked = st.session_state[Key.STEP]
        state.note(f"The link asks for step {asked}; this summary has {last}. Its last one is shown.")
        st.session_state[Key.STEP] = last
    _check_heads(cross.choices(run.summary(run.branch.path).attention))
    return run


def _check_heads(options: Sequence[str]) -> None:
    """Let the first of the choices be none chosen, and say it if this model has not what is asked for."""
    asked = st.session_state[Key.HEADS]
    if not asked or asked in options[1:]:
        return
    if asked not in options:
        instead = cross.label(options[0]).capitalize() if options else "None"
        state.note(f"This model has no cross-attention {asked}. {instead} is shown.")
    st.session_state[Key.HEADS] = ""


def _vocabulary(run: Run) -> int:
    return run.summarizer.config.target_vocabulary if run.summarizer else int(run.stored[()].logits.shape[-1])


def _grown(run: Run, path: Path, name: str) -> Run:
    summary = run.summary(path)
    if len(summary.steps) <= len(run.branches.prefix(path)) and not summary.finished:
        raise SettingsError("nothing could be written after these tokens. Raise the longest summary in the sidebar")
    return _keep(run, run.branches.add(branch_of(summary, path, name)))


def _keep(run: Run, branches: Branches) -> Run:
    """Store the tree where it came from."""
    opened: Opened | None = st.session_state.get(Key.OPENED)
    if opened:
        st.session_state[Key.OPENED] = replace(opened, branches=branches)
    else:
        trees = {key: tree for key, tree in st.session_state.get(Key.TREES, {}).items() if key != run.key}
        kept = [*trees.items(), (run.key, branches)][-MOST_TREES:]
        st.session_state[Key.TREES] = dict(kept)
    return replace(run, branches=branches)
