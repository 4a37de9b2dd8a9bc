"""The public API: the examples of docs/api.md run, beside a package `core` of another project, too."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dialoscope
from core.errors import SettingsError
from core.notebook import Model
from tests.refusals import refused

ROOT = Path(__file__).resolve().parents[1]
DOC = (ROOT / "docs" / "api.md").read_text("utf-8")
DIALOGUES = (
    "Ann: I lost my keys.\nBen: They are in your coat.",
    "Ann: hi\nBob: See you at 7, as always, at the cinema!",
)


@pytest.fixture
def model(tiny, tiny_stays, tiny_checkpoint) -> Model:
    return dialoscope.load(tiny_checkpoint)


def test_the_examples_run_beside_another_core(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("MINE = 1\n")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", DOC, re.DOTALL))
    ends = 'import core, sys\nassert core.MINE and not any(name.startswith("core.") for name in sys.modules)\n'
    (tmp_path / "script.py").write_text(f"{examples}{ends}print('ran')\n")
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0 and "Warning" not in done.stderr, done.stderr[-2000:]
    strategy, last = done.stdout.splitlines()
    assert last == "ran" and strategy.startswith("strategy must be one of")


def test_where_core_is_ours_there_is_one_copy_of_it() -> None:
    assert dialoscope.load.__module__ == "core" and dialoscope.DialoscopeError.__module__ == "core.errors"


def test_every_name_is_documented() -> None:
    names = [*dialoscope.__all__, *(name for name in vars(Model) if not name.startswith("_")), "mean(", "attribution("]
    assert [name for name in names if name not in DOC and name != "summarizer"] == []


def test_a_batch_gives_the_summaries_one_by_one(model: Model) -> None:
    assert model.batch(DIALOGUES, strategy="greedy") == [model.summarize(d, strategy="greedy").text for d in DIALOGUES]
    assert model.batch([]) == []


def test_own_summaries_as_references_score_100(model: Model) -> None:
    texts = model.batch(DIALOGUES)
    found = model.evaluate(DIALOGUES, [texts[0], [texts[1], "another"]])
    assert found.texts == tuple(texts) and {each.rouge1 for each in found.rouge} <= {0.0, 100.0}
    for wrong in ([], ["one"]):
        refused(SettingsError, f"as many references. Received: 2 and {len(wrong)}", model.evaluate, DIALOGUES, wrong)


def test_a_hook_sees_and_changes_a_layer_and_is_gone_afterwards(model: Model) -> None:
    path = next(each for each in model.layers if each.endswith("decoder/block1/feed_forward"))
    whole, seen = model.read(DIALOGUES[0], "Ann lost it."), []
    looked = model.read(DIALOGUES[0], "Ann lost it.", {path: lambda output: seen.append(output)})
    changed = model.read(DIALOGUES[0], "Ann lost it.", {path: lambda output: output * 0})
    assert np.array_equal(looked["logits"], whole["logits"]) and len(seen) == 1
    assert not np.array_equal(changed["logits"], whole["logits"])
    assert np.array_equal(model.read(DIALOGUES[0], "Ann lost it.")["logits"], whole["logits"])
    with pytest.raises(SettingsError, match="no such layer. Received: 'encoder/nothing'; allowed: "):
        model.read(DIALOGUES[0], "Ann lost it.", {"encoder/nothing": print})
