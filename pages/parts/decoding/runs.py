"""The run that the Decoding page shows: a tree of summaries, of this session or out of a saved file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.config import DecodeSettings
from core.errors import CheckpointError, DialoscopeError, SettingsError
from core.explain.decoding.branches import Branch, Branches, Path, branch_of, read_path, write_path
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, plain
from core.limits import limits
from core.trace import Summary
from core.words import say
from pages.shared.controls.choices import select
from pages.shared.figures import pictures
from pages.shared.model import loading, models
from pages.shared.place import address, page_description
from pages.shared.session import decoding, notices, selection
from pages.shared.session.fields import Number, Text, follow

if TYPE_CHECKING:
    from core.service import Summarizer

STEP = Number("step", 1, 9999, 1, of_dialogue=True)
BRANCH = Text("branch", 600, of_dialogue=True)
RIVAL = Text("with", 600, of_dialogue=True)
TURN = Number("turn", 0, 9999, 0, of_dialogue=True)
FIELDS = (STEP, BRANCH, RIVAL, TURN)
TREES, PRUNED, OPENED, LATEST = "trees", "pruned", "opened", "latest_run"
"""Session keys: the trees by the key of their run; the tree before the last cut; the saved run that is
open; the run that was drawn last, in a list that a download keeps."""
MOST_TREES = 4
"""Trees that a session keeps: one for each dialogue and settings."""


@dataclass(frozen=True)
class Run:
    """A dialogue, how it is decoded, and the branches so far.

    Args:
        key: tells the trees of a session apart.
        text: the dialogue.
        settings: of every branch.
        references: summaries that people wrote.
        branches: the tree.
        summarizer: the model, None if a saved file needs one that is not loaded.
        stored: traces out of a saved file.
        given: the summary that stands in the place of the one that the model would write; "" for none.
    """

    key: tuple[object, ...]
    text: str
    settings: DecodeSettings
    references: tuple[str, ...]
    branches: Branches
    summarizer: "Summarizer | None"
    stored: Mapping[Path, Summary] = field(default_factory=dict)
    given: str = ""

    @property
    def branch(self) -> Branch:
        """Return the branch that is shown."""
        return self._chosen(BRANCH) or self.branches.items[0]

    @property
    def rival(self) -> Branch | None:
        """Return the branch that it is compared with."""
        return self._chosen(RIVAL)

    @property
    def step(self) -> int:
        """Return the step that is shown, from 0."""
        return int(min(STEP.value, len(self.branch.ids))) - 1

    @property
    def vocabulary(self) -> int:
        """Return the number of tokens that the model can write."""
        return self.summarizer.config.target_vocabulary if self.summarizer else int(self.stored[()].logits.shape[-1])

    def summary(self, path: Path) -> Summary:
        """Return the summary of a branch with its whole trace; raises DialoscopeError."""
        if path in self.stored:
            return self.stored[path]
        if self.given and not path:
            return models.forced(self.needs_model(), self.text, self.given, self.settings)
        return models.summary(self.needs_model(), self.text, self.settings, self.branches.prefix(path))

    def needs_model(self) -> "Summarizer":
        """Return the model; raises CheckpointError if this saved run comes from one that is not loaded."""
        if self.summarizer is None:
            wanted = self.stored[()].checkpoint
            raise CheckpointError(
                "this saved run can be read but not changed: it needs the checkpoint {name}", name=wanted
            )
        return self.summarizer

    @cached_property
    def speakers(self) -> dict[int, str]:
        """Return the name behind each speaker tag."""
        return dict(self.needs_model().encode(self.text, self.settings.truncation).speakers)

    def picture(self, make: Callable[..., Picture], *arguments: Any) -> Picture:
        """Return the picture that a function makes of a summary; what a saved file holds is not kept for others."""
        return make(*arguments) if self.stored else pictures.kept(make, *arguments)

    def labels(self, summary: Summary) -> Callable[[int], str]:
        """Return a function that gives the text of a token id; without the model it knows only those of the trace."""
        if self.summarizer is not None:
            tokenizer, speakers = self.summarizer.tokenizer, self.speakers
            return lambda token: tokenizer.id_text(token, speakers)
        known = {each.id: each.text for step in summary.steps for each in step.alternatives}
        known |= {each.id: each.text for each in (*summary.tokens, *summary.source)}
        return lambda token: known.get(token, f"[id {token}]")

    def _chosen(self, field: Text) -> Branch | None:
        return next((branch for branch in self.branches.items if write_path(branch.path) == field.value), None)


@dataclass(frozen=True)
class Opened:
    """A saved run: at most one a session, bounded by the limit `unpacked_file`."""

    name: str
    branches: Branches
    summaries: Mapping[Path, Summary]


def current() -> Run:
    """Return the run of the page; stop the page where the model is not ready or no dialogue is chosen."""
    opened: Opened | None = st.session_state.get(OPENED)
    if opened:
        page_description.describe(returnable=False)
    run = _of_file(opened) if opened else _of_session()
    if follow(run.key, *FIELDS):
        jump()
    for branch_field in (BRANCH, RIVAL):
        run = _with_branch(run, branch_field)
    asked, last = STEP.value, len(run.branch.ids)
    if asked > last:
        reason = say(
            "The link asks for step {asked}; this summary has {last}. Its last one is shown.", asked=asked, last=last
        )
        STEP.refuse(reason, last)
    st.session_state.setdefault(LATEST, [])[:] = [run]
    return run


def held() -> list[str]:
    """Return what the session holds of this page and would lose, each said."""
    opened: Opened | None = st.session_state.get(OPENED)
    made = sum(len(tree.items) - 1 for tree in st.session_state.get(TREES, {}).values())
    return [
        *([say("the saved run “{name}”", name=notices.literal(opened.name))] if opened else []),
        *([count(made, "fork")] if made else []),
    ]


def tell(run: Run) -> None:
    """Say which branch is shown, if it is not the original."""
    forks = []
    for number, fork in enumerate(run.branch.path, 1):
        branch = run.branches.find(run.branch.path[:number]) or run.branch
        text = "".join(branch.tokens[fork.step : fork.step + len(fork.ids)])
        forks.append(say("“{words}” at step {step}", words=plain(text), step=fork.step + 1))
    if forks:
        page_description.describe(
            what=say("branch {forks}", forks=", ".join(forks)), detail="", summary=run.branch.text
        )


def jump(step: int | None = None, path: Path | None = None) -> None:
    """Show another step (from 0) or branch; Play stops."""
    if path is not None:
        BRANCH.value = write_path(path)
    if step is not None:
        STEP.value = step + 1
    st.session_state[address.HELD] = False


def leave_view() -> None:
    """Stop Play and clear what was said; for a callback."""
    jump()
    notices.complain(None)


def branch_off(parent: Branch, step: int, ids: Sequence[int], name: str | None = None) -> None:
    """Write other tokens at a step, let the model go on, and show the branch; raises DialoscopeError."""
    run = current()
    if not all(0 <= token < run.vocabulary for token in ids):
        raise SettingsError(
            "there is no such token. Received: {ids}; allowed: ids below {bound}", ids=list(ids), bound=run.vocabulary
        )
    path = _fork_path(run, parent, step, ids)
    if run.branches.find(path) is None:
        _write_branch(run, path, name)
    jump(step, path)


def choose(label: str, field: Text, items: Sequence[Branch]) -> None:
    """Draw a list of branches of which one is chosen."""
    select(label, {write_path(branch.path): branch.name for branch in items}, field, usual="", on_change=jump)


def rename(path: Path, name: str) -> None:
    """Give a branch another name; raises SettingsError."""
    run = current()
    _keep(run, run.branches.rename(path, name))


def prune(path: Path) -> None:
    """Cut a branch and all that leave it; it can be brought back once. Raises SettingsError for the root."""
    run = current()
    pruned = run.branches.prune(path)
    st.session_state[PRUNED] = (run.key, run.branches)
    _keep(run, pruned)
    if run.rival and pruned.find(run.rival.path) is None:
        RIVAL.value = RIVAL.default
    if pruned.find(run.branch.path) is None:
        jump(path[-1].step, path[:-1])


def pruned(run: Run) -> Branches | None:
    """Return the tree before the last cut, if this one was cut."""
    key, branches = st.session_state.get(PRUNED, (None, None))
    return branches if key == run.key else None


def bring_back() -> None:
    """Undo the last cut."""
    run = current()
    before, kept = pruned(run) or Branches(), run.branches
    for branch in before.items:
        if len(kept.items) < limits().branches and not kept.find(branch.path):
            kept = kept.add(branch)
    _keep(run, kept)
    del st.session_state[PRUNED]


def _of_session() -> Run:
    root, settings, chosen = loading.require_trace(), decoding.settings(), selection.current()
    key = (root.checkpoint, chosen.text, tuple(settings.to_dict().items()), selection.given())
    name = say("Given summary") if root.given else say("Original")
    tree = st.session_state.get(TREES, {}).get(key) or Branches((branch_of(root, (), name),))
    summarizer, given = loading.current_job().summarizer, selection.given()
    return Run(key, chosen.text, settings, chosen.references, tree, summarizer, given=given)


def _of_file(opened: Opened) -> Run:
    root, summarizer = opened.summaries[()], loading.current_job().summarizer
    if summarizer and summarizer.checkpoint.identity != root.checkpoint:
        summarizer = None
    key = (opened.name, id(opened.summaries))
    return Run(key, root.dialogue.text, root.settings, (), opened.branches, summarizer, opened.summaries)


def _with_branch(run: Run, field: Text) -> Run:
    """Return the run with the branch that a link names, and those on its way; note it if there cannot be one."""
    try:
        path = read_path(field.value, run.vocabulary)
        for number, fork in enumerate(path):
            parent = run.branches.find(path[:number])
            if parent and run.branches.find(path[: number + 1]) is None:
                run = _write_branch(run, _fork_path(run, parent, fork.step, fork.ids))
    except DialoscopeError as error:
        field.refuse(say("The link asks for a branch that cannot be shown: {reason}.", reason=error))
    return run


def _fork_path(run: Run, parent: Branch, step: int, ids: Sequence[int]) -> Path:
    """Return the path of a fork; at the first step it begins with the token that the model's settings force, if any."""
    whole = run.summarizer.engine.beginning(ids) if run.summarizer and step == 0 else ids
    return run.branches.fork_path(parent, step, whole)


def _write_branch(run: Run, path: Path, name: str | None = None) -> Run:
    """Let the model write on after a fork, and return the run with that branch; raises DialoscopeError."""
    summary = run.summary(path)
    if len(summary.steps) <= len(run.branches.prefix(path)) and not summary.finished:
        raise SettingsError("nothing could be written after these tokens. Raise the longest summary in the sidebar")
    return _keep(run, run.branches.add(branch_of(summary, path, name or run.branches.fresh_name())))


def _keep(run: Run, branches: Branches) -> Run:
    """Store the tree where it came from."""
    opened: Opened | None = st.session_state.get(OPENED)
    if opened:
        st.session_state[OPENED] = replace(opened, branches=branches)
    else:
        trees = {key: tree for key, tree in st.session_state.get(TREES, {}).items() if key != run.key}
        st.session_state[TREES] = dict([*trees.items(), (run.key, branches)][-MOST_TREES:])
    return replace(run, branches=branches)
