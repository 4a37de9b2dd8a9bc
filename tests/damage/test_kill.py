"""Processes that are killed without a chance to tidy up: nothing that was whole is lost, and nothing is left over."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core import checkpoints, files
from core.training import snapshots
from tests.damage.kinds import DIALOGUES

ROOT = Path(__file__).resolve().parents[2]
WRITES = """
import sys
from pathlib import Path
from core import checkpoints
found = [checkpoints.read(name) for name in sys.argv[2:]]
while True:
    for each in found:
        checkpoints.write(Path(sys.argv[1]), each.config, each.tokenizer, each.weights, [], {"about": each.name})
"""
EXPORTS = """
import sys
import time
from pathlib import Path
from core.files import beside
while True:
    for letter in b"ab":
        with beside(Path(sys.argv[1])) as file:
            for _ in range(100):
                file.write(bytes([letter]) * 10_000)
                time.sleep(0.0005)  # else it would mostly rename, which a kill waits for
"""


def begin(*words: object) -> "subprocess.Popen[bytes]":
    """Start Python in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process at once."""
    process.send_signal(signal.SIGKILL)
    process.communicate()


def wait_for(process: "subprocess.Popen[bytes]", there: Callable[[], object], seconds: float = 300) -> bool:
    """Wait until something is there; False if the process has ended before."""
    deadline = time.monotonic() + seconds
    while not there():
        if process.poll() is not None:
            return False
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return True


def hidden(folder: Path) -> list[str]:
    """Return the hidden names of a folder."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def test_a_checkpoint_that_is_replaced_is_never_absent(tiny_checkpoint: Path, tmp_path: Path) -> None:
    other, folder = tmp_path / "other", tmp_path / "mine" / "here"
    shutil.copytree(tiny_checkpoint, other)
    shutil.copytree(tiny_checkpoint, folder)
    can = files.exchange(other, folder)
    dice = random.Random(5)
    for _ in range(3):
        process = begin("-c", WRITES, folder, tiny_checkpoint, other)
        try:
            first = checkpoints.read_card(folder).get("about")
            assert wait_for(process, lambda before=first: checkpoints.read_card(folder).get("about") != before)
            until = time.monotonic() + dice.uniform(0.05, 0.3)
            while time.monotonic() < until:
                assert folder.exists() or not can
        finally:
            kill(process)
        checkpoints.recover(folder)
        assert checkpoints.read(folder).card["about"] in ("tiny", "other")
    found = checkpoints.read(folder)
    checkpoints.write(folder, found.config, found.tokenizer, found.weights, [], {"about": "the last"})
    assert hidden(folder.parent) == [] and checkpoints.read(folder).card["about"] == "the last"


def test_what_another_process_is_writing_is_not_tidied_away(tiny_checkpoint: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "here"
    shutil.copytree(tiny_checkpoint, folder)
    process = begin("-c", WRITES, folder, tiny_checkpoint)
    try:
        assert wait_for(process, lambda: hidden(folder.parent))
        for _ in range(200):
            checkpoints.recover(folder)
        assert process.poll() is None
    finally:
        kill(process)


def test_a_file_that_is_exported_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    dice = random.Random(6)
    path.write_bytes(b"a" * 1_000_000)
    left = rounds = 0
    while rounds < 4 or not left:  # a kill that hits no write shows nothing
        rounds += 1
        process = begin("-c", EXPORTS, path)
        before = path.stat().st_mtime_ns
        assert wait_for(process, lambda before=before: path.stat().st_mtime_ns != before)
        time.sleep(dice.uniform(0, 0.05))
        kill(process)
        assert path.read_bytes() in (b"a" * 1_000_000, b"b" * 1_000_000)
        left += len(hidden(tmp_path))
    with files.beside(path) as file:
        file.write(b"whole")
    assert path.read_bytes() == b"whole" and hidden(tmp_path) == []


# ---- whole commands


def command(*words: object) -> "subprocess.Popen[bytes]":
    """Start a command."""
    return begin("-m", "tests.damage.commands", *words)


def finish(*words: object) -> None:
    """Run a command to its end."""
    process = command(*words)
    said = process.communicate(timeout=300)[1].decode()
    assert process.returncode == 0, said


def whole(run: Path) -> dict[str, bytes]:
    """What a run must leave the same, however often it was killed: everything but times and command lines."""
    names = ("weights.safetensors", "config.json", "tokenizer.json", snapshots.FILE, "candidates.jsonl")
    return {str(path.relative_to(run)): path.read_bytes() for path in run.rglob("*") if path.name in names}


def killed_again_and_again(words: tuple[object, ...], run: Path, moments: list[Callable[[], object]]) -> int:
    """Kill a run at each of some moments, and finish it; what was whole stays so. Returns how often it was killed."""
    kills = 0
    for moment in moments:
        process = command(*words, *(["--resume"] if run.exists() and any(run.iterdir()) else []))
        alive = wait_for(process, moment)
        before = [name for name in ("checkpoint", "last") if (run / name).exists()]
        kill(process)
        kills += alive
        for name in before:
            assert checkpoints.read(run / name).card
    finish(*words, *(["--resume"] if any(run.iterdir()) else []))
    return kills


def after(seconds: float) -> Callable[[], object]:
    """Return a moment: so long after it is asked for the first time."""
    begun: list[float] = []

    def there() -> bool:
        begun[:] = begun or [time.monotonic()]
        return time.monotonic() - begun[0] > seconds

    return there


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never killed."""
    run = tmp_path_factory.mktemp("unbroken") / "run"
    finish("train", data, "--validation", data, "--preset", "small", "--seed", 5, "--moments", 3, "--output", run)
    return run


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_training_that_is_killed_ends_with_the_same_bytes(trained: Path, data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("train", data, "--validation", data, "--preset", "small", "--seed", 5, "--moments", 3, "--output", run)
    moments = [
        lambda: list(run.glob(".last-*")),  # while the first checkpoint is written
        lambda: (run / "state").exists(),
        lambda: list(run.glob(".state-*")),
        lambda: list(run.glob(".checkpoint-*")),
        after(random.Random(7).uniform(5, 9)),
    ]
    assert killed_again_and_again(words, run, moments) >= 3
    assert whole(run) == whole(trained)
    assert hidden(run) == hidden(run / "checkpoint") == []


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_refinement_that_is_killed_ends_with_the_same_bytes(trained: Path, data: Path, tmp_path: Path) -> None:
    start = ("refine", data, "--validation", data, "--start", trained / "checkpoint", "--precision", "float32")
    finish(*start, "--output", tmp_path / "unbroken")
    run = tmp_path / "run"
    moments = [
        lambda: (run / "candidates.jsonl").exists(),
        lambda: list(run.glob(".last-*")),
        lambda: (run / "state").exists(),
    ]
    assert killed_again_and_again((*start, "--output", run), run, moments) >= 2
    assert whole(run) == whole(tmp_path / "unbroken")
    assert hidden(run) == []


@pytest.mark.slow
def test_an_import_that_is_killed_leaves_the_old_model(tmp_path: Path) -> None:
    from tests.importing.folders import save_whole

    save_whole("bart", tmp_path / "peer")
    place = tmp_path / "models"
    output = place / "mine"
    finish("import", tmp_path / "peer", "--output", output)
    before = (output / "card.json").read_bytes()
    for _ in range(3):
        process = command("import", tmp_path / "peer", "--output", output, "--overwrite")
        wait_for(process, lambda: list(place.glob(".mine-*")))
        kill(process)
        assert checkpoints.read(output).card["family"] == "BART"
    finish("import", tmp_path / "peer", "--output", output, "--overwrite")
    assert hidden(place) == [] and (output / "card.json").read_bytes() == before


@pytest.mark.slow
def test_an_evaluation_that_is_killed_ends_with_the_same_bytes(tmp_path: Path, tiny_checkpoint: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps({**DIALOGUES[n % 9], "id": str(n)}) + "\n" for n in range(40)))
    words = ("evaluate", data, "--checkpoint", tiny_checkpoint, "--strategy", "greedy", "--max-tokens", 8)
    finish(*words, "--output", tmp_path / "unbroken.jsonl")
    output = tmp_path / "out.jsonl"
    parts = tmp_path / "out.jsonl.parts"
    for count in (1, 2):
        process = command(*words, "--output", output, *(["--resume"] if parts.exists() else []))
        wait_for(process, lambda least=count: len(list(parts.glob("0*.jsonl"))) >= least or output.exists())
        kill(process)
    if parts.exists():
        part = next(iter(sorted(parts.glob("0*.jsonl"))))
        part.write_bytes(part.read_bytes()[:-30])  # and one of its parts was damaged since
        finish(*words, "--output", output, "--resume")
    assert output.read_bytes() == (tmp_path / "unbroken.jsonl").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.jsonl", "out.jsonl", "unbroken.jsonl"]
