"""A full disk: one line that says so, and what was there before is whole.

A limit on the size of files stands for the disk: it works anywhere and without a right to mount. Where this process may
mount, a small disk is really full.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np
import pytest

from core import checkpoints
from core.errors import CheckpointError, CorpusError, SettingsError
from core.evaluation.parts import Parts
from core.explain.attention import catalogue
from core.faults import labels
from core.scoring.encoders import find
from core.training import snapshots, states
from core.training.snapshots import Snapshot
from tests.damage.kinds import ATTEMPT, HISTORY, SHIPPED
from tests.models import contents
from tests.needs import SIZE_LIMITS, need, room
from tests.traces import summary

pytest.importorskip("resource", reason=f"no {': '.join(SIZE_LIMITS)}")
ROOT = Path(__file__).resolve().parents[2]
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.argv = ["core", *sys.argv[2:]]
from tests.damage.commands import main
sys.exit(main(sys.argv[1:]))
"""


def joined(path: Path) -> None:
    """Write the rows of an evaluation in parts that have room, and join them."""
    with TemporaryDirectory() as folder:
        parts = Parts(Path(folder), path, read=json.loads)
        for number in range(9):
            parts.write_lines(number, [(number, '"a row of an evaluation"')])
        parts.join()


HEADS = catalogue.Catalogue.from_dict(json.loads((SHIPPED / "heads.json").read_text(encoding="utf-8")))
WRITERS = {
    "run.npz": (lambda path: summary(5, 6).save(path), OSError),  # the command says it in words
    "moments.npz": (lambda path: snapshots.write(path, [Snapshot(0, (ATTEMPT,))]), CheckpointError),
    "heads.json": (lambda path: catalogue.write(path, HEADS), SettingsError),
    "rows.jsonl": (joined, CorpusError),
    "labels.jsonl": (lambda path: labels.write_labels(path, labels.read_labels()), CorpusError),
}


@pytest.mark.parametrize("file", WRITERS)
def test_a_file_is_written_whole_or_the_old_one_stays(file: str, tmp_path: Path) -> None:
    write, error = WRITERS[file]
    (tmp_path / file).write_bytes(b"the old one")
    with pytest.raises(error, match="File too large"), room(100):
        write(tmp_path / file)
    assert contents(tmp_path) == {file: b"the old one"}


def test_a_checkpoint_is_written_whole_or_the_old_one_stays(tiny_checkpoint: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_checkpoint, tmp_path / "mine"))
    before, found = contents(tmp_path), checkpoints.read(folder)
    said = r"mine cannot be written: File too large\. Make room there"
    with pytest.raises(CheckpointError, match=said), room(100):
        checkpoints.write(folder, found.config, found.tokenizer, found.weights, HISTORY, found.card)
    assert contents(tmp_path) == before


def test_states_of_frozen_layers_need_their_room_before_they_are_computed(tmp_path: Path) -> None:
    """Else a full disk would kill the process at the first page without room."""
    transformer = SimpleNamespace(config=SimpleNamespace(d_model=64, max_source_length=8), variables=[])
    bytes_ = np.dtype(np.float16).itemsize * 3 * 4 * 64
    said = rf"cannot be written.*File too large.*room for {bytes_:,} bytes"
    with pytest.raises(CheckpointError, match=said), room(100):
        states._write([([5, 6, 7], [2])] * 4, transformer, 1, tmp_path / "training.npy", 100)
    assert contents(tmp_path) == {}


def limited(size: int, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a command whose files may have `size` bytes."""
    command = [sys.executable, "-c", LIMITED, str(size), *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TF_XLA_FLAGS": ""}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line of a command that was refused without a traceback."""
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert "File too large" in last or "os error 27" in last, done.stderr
    assert "room" in last, last
    return last


@pytest.mark.slow
def test_no_command_loses_what_was_there(data: Path, tiny_checkpoint: Path, tmp_path: Path) -> None:
    """Each command meets the limit where it writes the largest of its files."""
    for file in ("heads.json", "run.npz", "out.jsonl", "moments.npz"):
        (tmp_path / file).write_bytes(b"the old one")
    talk = tmp_path / "talk.txt"
    talk.write_text("A: Hi.\nB: Hello.\n")
    given = ("--checkpoint", tiny_checkpoint)
    before = contents(tmp_path)
    for words in (
        ("summarize", talk, *given, "--trace", tmp_path / "run.npz", "--overwrite"),
        ("heads", data, *given, "--limit", 2, "--effects", 0, "--output", tmp_path / "heads.json", "--overwrite"),
    ):
        refused(limited(100, *words))
        assert contents(tmp_path) == before
    (tmp_path / "moments.npz").unlink()
    refused(limited(100, "snapshots", tiny_checkpoint, "--output", tmp_path / "moments.npz"))
    assert not (tmp_path / "moments.npz").exists()
    stopped = limited(700, "evaluate", data, *given, "--output", tmp_path / "out.jsonl", "--overwrite")
    assert "--resume" in refused(stopped)
    assert (tmp_path / "out.jsonl").read_bytes() == b"the old one"
    assert [name for name in contents(tmp_path) if ".begun" in name] == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["toy", "begin"])
def test_a_new_checkpoint_is_whole_or_not_there(command: str, data: Path, tmp_path: Path) -> None:
    toy = ("copy", "--length", 6, "--letters", 4, "--width", 32)
    words = toy if command == "toy" else (find().folder, data)
    assert "cannot be written" in refused(limited(20_000, command, *words, "--output", tmp_path / "new"))
    assert contents(tmp_path) == {}


@pytest.mark.slow
def test_a_training_on_a_full_disk_ends_in_a_line_and_can_be_resumed(data: Path, tmp_path: Path) -> None:
    words = ("train", data, "--validation", data, "--preset", "small", "--seed", 5)
    run = tmp_path / "run"
    refused(limited(20_000, *words, "--output", run))  # the weights are larger
    assert [path.name for path in run.rglob("*") if path.is_file()] == []
    done = limited(10**9, *words, "--epochs", 1, "--output", run, "--resume") if any(run.iterdir()) else None
    assert done is None or done.returncode == 0
    fresh = tmp_path / "fresh"
    assert limited(10**9, *words, "--output", fresh).returncode == 0
    before = contents(fresh / "checkpoint")
    last = refused(limited(20_000, "refine", data, "--validation", data, "--start", fresh / "checkpoint", "--output",
                           tmp_path / "refined", "--precision", "float32"))  # fmt: skip
    assert "refined/" in last and contents(fresh / "checkpoint") == before


def small_disk(folder: Path) -> bool:
    """Mount a disk of 200 kB; False where this process may not."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)]
    return shutil.which("mount") is not None and subprocess.run(command, capture_output=True).returncode == 0


def test_a_disk_that_is_really_full(tiny_checkpoint: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    need(small_disk(disk), "right to mount a disk", "run it as root, outside a container", in_ci=False)
    try:
        shutil.copytree(tiny_checkpoint, disk / "mine")
        found, before = checkpoints.read(disk / "mine"), contents(disk)
        (disk / "filler").write_bytes(bytes(max(shutil.disk_usage(disk).free - 8192, 0)))
        with pytest.raises(CheckpointError, match=r"mine cannot be written: No space left on device\. Make room there"):
            checkpoints.write(disk / "mine", found.config, found.tokenizer, found.weights, HISTORY, found.card)
        (disk / "filler").unlink()
        assert contents(disk) == before
        checkpoints.write(disk / "mine", found.config, found.tokenizer, {}, HISTORY, found.card)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
