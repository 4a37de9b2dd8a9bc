"""A damaged checkpoint beside a good one: the app starts, names file, fault and remedy, and the good one works."""

import contextlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.faults import measure
from core.service import Summarizer
from core.text import examples, glossary
from core.training import snapshots
from pages.shared.model import models
from tests.damage import damages
from tests.models import rehash
from tests.pages.conftest import *  # noqa: F403  the app over a small checkpoint
from tests.pages.conftest import summary
from tests.pages.driver import open_link

BROKEN = "a-broken-one"
"""Its name stands before `tiny`: it is the one that the app opens with."""
DAMAGES = {
    "no configuration": ("config.json", Path.unlink),
    "a pointer for weights": ("weights.safetensors", damages.put(damages.POINTER)),
    "a flipped bit of weights": ("weights.safetensors", damages.flip),
    "weights that are no numbers, made so": ("weights.safetensors", damages.table(damages._fill(float("nan")))),
    "a card without end": ("card.json", damages.put(b"[" * 200_000)),
    "a history of another kind": ("history.csv", damages.put(damages.PAGE)),
}
"""One of each way in which reading fails; `test_matrix` has all."""


@pytest.fixture
def broken(app: AppTest, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a checkpoint, still whole, beside `tiny`."""
    shutil.copytree(folder / "tiny", tmp_path / BROKEN)
    (tmp_path / "tiny").symlink_to(folder / "tiny")
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    monkeypatch.setattr(models.LoadJob, "after", lambda job: None)  # nothing is compiled for who comes next
    return tmp_path / BROKEN


def said(app: AppTest) -> str:
    """What the page says in red or yellow, as it was written."""
    return "\n".join(each.value for each in (*app.error, *app.warning)).replace("\\", "")


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_checkpoint_is_named_and_the_other_one_works(name: str, broken: Path, app: AppTest) -> None:
    file, damage = DAMAGES[name]
    damage(broken / file)
    if "made so" in name:
        rehash(broken)
    app.run()
    with contextlib.suppress(checkpoints.CheckpointError):  # its card cannot be read
        assert models.job(BROKEN).done.wait(120)
        app.run()
    identity = models.identity("tiny").replace("tiny", BROKEN)
    models._job.clear(BROKEN, True, identity)  # else the next test would find this failure
    assert not app.exception
    assert f"{BROKEN}/{file}" in said(app), said(app)
    assert re.search("again|git lfs pull|download", said(app)), said(app)
    app.sidebar.selectbox(key="checkpoint").select("tiny").run()
    assert not app.exception and not app.error, said(app)
    assert summary(app).strip()


@pytest.mark.parametrize(
    ("page", "link", "file"),
    [
        ("attention", {"see": "catalogue"}, "heads.json"),
        ("experiments", {"experiment": "heads", "ablation": "mean", "off": "cross2.1"}, "heads.json"),
        ("summarize", {}, "judged.json"),
        ("training", {"train_view": "lapse"}, snapshots.FILE),
    ],
)
def test_a_damaged_companion_of_a_checkpoint_is_named(
    page: str, link: dict[str, str], file: str, broken: Path, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    (broken / file).write_bytes(damages.POINTER)
    whole = models.job("tiny").summarizer  # the same weights, compiled
    monkeypatch.setattr(Summarizer, "load", lambda name: whole)
    job = models.job(BROKEN)
    assert job.done.wait(240) and job.error is None
    open_link(f"pages/{page}.py", app, may_refuse=True, **link)
    assert f"{BROKEN}/{file}" in said(app) and "git lfs pull" in said(app), said(app)
    app.sidebar.selectbox(key="checkpoint").select("tiny").run()
    assert not app.exception
    assert page == "training" or f"{BROKEN}/{file}" not in said(app)  # where it is the only one with snapshots


@pytest.mark.parametrize(
    ("module", "name", "page", "cached", "seen"),
    [
        (examples, "PATH", "summarize", examples.load_examples, "examples.jsonl are damaged"),
        (examples, "PATH", "start", examples.load_examples, "examples.jsonl are damaged"),
        (measure, "MEASURED_FILE", "errors", measure.shipped, ""),
        (glossary, "PATH", "summarize", glossary._definitions, ""),
    ],
)
def test_a_damaged_file_of_the_project_does_not_stop_the_app(
    module: object, name: str, page: str, cached: Callable, seen: str, app: AppTest, tmp_path: Path, monkeypatch
) -> None:
    path = tmp_path / getattr(module, name).name
    path.write_bytes(damages.POINTER)
    monkeypatch.setattr(module, name, path)
    cached.cache_clear()
    try:
        open_link(f"pages/{page}.py", app, may_refuse=True)
        assert seen in said(app)
        assert seen or app.sidebar.selectbox(key="checkpoint").value == "tiny"
    finally:
        monkeypatch.undo()
        cached.cache_clear()
