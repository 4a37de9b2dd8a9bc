"""Trainings to look at: of installed checkpoints, recorded ones, and files that somebody brings."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from core import checkpoints
from core.errors import CheckpointError
from core.explain.training import histories
from core.explain.training.histories import MEASURES, History
from core.figures.shared.wording import count, listed
from core.figures.training.curves import MOST
from core.words import say
from pages.shared.guard import demo
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Text
from pages.shared.session.session import UPLOADS

RUNS = Text("train_runs", 400)
FILES = "train_files"
MOST_FILES = 6
"""Uploaded files that a session keeps."""


@dataclass(frozen=True)
class Run:
    """A training with what its card says; a file has no card."""

    label: str
    history: History
    card: Mapping[str, Any]


def runs() -> dict[str, Run]:
    """Return the trainings with a history, by name in a link; one that cannot be read is left out with a message."""
    folders = {f"checkpoint.{name}": checkpoints.locate(name) for name in decoding.available()}
    folders |= {f"recorded.{folder.name}": folder for folder in checkpoints.recorded()}
    stored = {}
    for name, folder in folders.items():
        try:
            run = _run(folder)
        except CheckpointError as error:
            notices.show(error)
            continue
        if run is not None and name.startswith("recorded."):
            run = replace(run, label=say("{name}, recorded", name=run.label))
        if run is not None:
            stored[name] = run
    files: dict[str, Run] = st.session_state.get(FILES, {})
    return stored | {key: replace(file, label=say("{name}, uploaded", name=file.label)) for key, file in files.items()}


def _run(folder: Path) -> Run | None:
    card, rows = checkpoints.read_record(folder)
    if not rows:
        return None
    if any("epoch" not in row for row in rows):
        raise CheckpointError("{file} has no column epoch", file=f"{folder.name}/history.csv")
    return Run(folder.name, histories.history(folder.name, rows, card.get("epochs")), card)


def held() -> list[str]:
    """Return what a reset takes away of this page, each said."""
    files, trained = len(st.session_state.get(FILES, ())), len(st.session_state.get(decoding.TRAINED, ()))
    things = [*([count(files, "file")] if files else []), *([count(trained, "network")] if trained else [])]
    return [say("Training: {things}", things=listed(things))] if things else []


def bring() -> None:
    """Draw the uploader of a history.csv."""
    with st.popover(say("Bring a history.csv"), icon=":material/upload_file:", width="content"):
        st.markdown(
            say(
                "A CSV file with a line of column names and a line an epoch: `epoch` and any of {columns}. "
                "`python -m core train` writes one into every checkpoint. It stays in this window.",
                columns=", ".join(f"`{name}`" for name in MEASURES),
            )
        )
        key = f"training_upload_{st.session_state[UPLOADS]}"
        demo.uploader(say("A history.csv"), ["csv"], key=key, take=_keep, limit="history_file", hidden=True)


def _keep(name: str, content: bytes) -> None:
    """Keep a file and choose it; forget the oldest of too many."""
    history = histories.parse(name, content)
    files: dict[str, Run] = dict(st.session_state.get(FILES, {}))
    key = f"file.{hashlib.sha256(content).hexdigest()[:8]}"
    files.pop(key, None)
    files[key] = Run(name, history, {})
    while len(files) > MOST_FILES:
        files.pop(next(iter(files)))
    st.session_state[FILES] = files
    before = RUNS.value or ",".join(start())
    kept = [run for run in before.split(",") if run in runs() and run != key]
    RUNS.value = ",".join([*kept[: MOST - 1], key])
    st.session_state[UPLOADS] += 1


def start() -> list[str]:
    """Return what is chosen at first: the sidebar's checkpoint."""
    return [f"checkpoint.{decoding.CHECKPOINT.value}"]
