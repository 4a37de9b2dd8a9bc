"""Runs of tests for `mutants.py`: in a copy of the tree, forked from a process that has imported the large libraries.

A fault is written into the copy, so that commands that tests start have it too, and what reads the source sees it.
"""

import contextlib
import importlib
import json
import os
import resource
import runpy
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

LIBRARIES = (
    "numpy", "pandas", "pyarrow", "pytest", "hypothesis", "tensorflow", "keras", "torch", "onnxruntime", "tokenizers",
    "safetensors.numpy", "plotly.graph_objects", "streamlit.testing.v1",
)  # fmt: skip
PROBE = '''"""Tells which tests reach a fault."""
import os

sink = None
seen = set()


def hit(number):
    """Report; a process that a test started writes a line."""
    if sink is not None and os.getpid() == owner:
        sink(number)
    elif "MUTATION_HITS" in os.environ and number not in seen:
        seen.add(number)
        with open(os.environ["MUTATION_HITS"], "a") as file:
            file.write(f"{number} {os.environ.get('PYTEST_CURRENT_TEST', '')}\\n")


owner = os.getpid()
'''


@dataclass
class Ran:
    """A test that ran: seconds of processor time, whether it passed, the mutants it reached, and its fixtures."""

    seconds: float
    passed: bool
    hits: list[int] = field(default_factory=list)
    fixtures: list[str] = field(default_factory=list)


def used() -> float:
    """Return the processor time of this process and of those that it waited for, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Tree:
    """A copy of what the repository holds, in which faults are made.

    Args:
        root: the repository.
        folder: where the copy is kept; what is there is brought up to date.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root, folder
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root, capture_output=True, text=True, check=True,
        ).stdout.split("\0")  # fmt: skip
        files = {name for name in listed if name and (root / name).is_file()}
        for path in [*folder.rglob("*.py")]:
            if path.relative_to(folder).as_posix() not in files:
                path.unlink()
        for name in files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != (root / name).read_bytes():
                shutil.copyfile(root / name, target)
        with contextlib.suppress(FileExistsError):
            (folder / ".venv").symlink_to(root / ".venv")
        subprocess.run([sys.executable, "-m", "compileall", "-q", "core", "pages"], cwd=folder, check=False)

    @contextlib.contextmanager
    def holding(self, texts: dict[str, str]) -> Iterator[None]:
        """Let files have another text; compiled files of them are removed before and after."""
        kept = {
            name: (self.folder / name).read_text("utf-8") if (self.folder / name).exists() else None for name in texts
        }
        try:
            for name, text in texts.items():
                self._put(name, text)
            yield
        finally:
            for name, before in kept.items():
                self._put(name, before)

    def _put(self, name: str, text: str | None) -> None:
        path = self.folder / name
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(text, "utf-8")


class Forks:
    """Runs pytest in forks of this process, which imports the libraries and nothing of the repository.

    Args:
        tree: the copy.
        log: a file for what the runs print; each run begins it anew.
    """

    def __init__(self, tree: Tree, log: Path) -> None:
        self.tree, self.log = tree, log
        os.environ["XDG_CACHE_HOME"] = str(tree.folder.parent / "cache")
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        sys.dont_write_bytecode = True
        os.chdir(tree.folder)
        here = Path(__file__).resolve().parent
        strange = (here, here.parent, tree.root)
        sys.path[:] = [str(tree.folder), *(path for path in sys.path if Path(path or ".").resolve() not in strange)]
        # The settings of the tests have to be there before TensorFlow is.
        runpy.run_path("tests/conftest.py")
        for name in LIBRARIES:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        for name in [name for name in sys.modules if name.split(".")[0] in ("core", "tests", "pages")]:
            del sys.modules[name]
        flags = os.environ.get("TF_XLA_FLAGS", "")
        cache = [
            part.split("=", 1)[1] for part in flags.split() if part.startswith("--tf_xla_persistent_cache_directory=")
        ]
        self.compiled = Path(cache[0]) if cache else None

    @contextlib.contextmanager
    def setting(self, **values: str) -> Iterator[None]:
        """Set variables of the environment."""
        os.environ.update(values)
        try:
            yield
        finally:
            for name in values:
                del os.environ[name]

    def forget(self, known: set[str]) -> None:
        """Remove the compiled programs that were not there before: those of a fault come never again."""
        if self.compiled and self.compiled.exists():
            for path in self.compiled.iterdir():
                if path.name not in known:
                    path.unlink(missing_ok=True)

    def programs(self) -> set[str]:
        """Return the names of the compiled programs that are kept."""
        return {path.name for path in self.compiled.iterdir()} if self.compiled and self.compiled.exists() else set()

    def run(self, files: Sequence[str], plugin: Any, processor: float, wall: float, extra: Sequence[str] = ()) -> str:
        """Run files in a fork.

        Args:
            files: of tests, relative to the tree.
            plugin: of pytest; it writes what it finds itself.
            processor: seconds of processor time after which the fork is ended.
            wall: seconds after which it is ended even if it does nothing.
            extra: arguments of pytest.

        Returns:
            "0" to "5" as pytest ends, "time" or "crashed".
        """
        child = os.fork()
        if child == 0:
            self._child(files, plugin, processor, extra)
        ends = time.monotonic() + wall
        status = None
        while status is None and time.monotonic() < ends:
            found, code, usage = os.wait4(child, os.WNOHANG)
            if found:
                status = code
            else:
                time.sleep(0.02)
        late = status is None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        if late:
            os.waitpid(child, 0)
            return "time"
        if os.WIFSIGNALED(status):
            return "time" if os.WTERMSIG(status) == signal.SIGXCPU else "crashed"
        return str(os.WEXITSTATUS(status))

    def _child(self, files: Sequence[str], plugin: Any, processor: float, extra: Sequence[str]) -> None:
        code = 70
        try:
            os.setsid()
            output = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for number in (1, 2):
                os.dup2(output, number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            resource.setrlimit(resource.RLIMIT_CPU, (int(processor) + 1, int(processor) + 30))
            arguments = [
                *files, "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "timeout=0",
                "-m", "not slow and not browser", "--hypothesis-profile=short", "--hypothesis-seed=0", *extra,
            ]  # fmt: skip
            code = int(pytest.main(arguments, plugins=[plugin]))
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


class Chosen:
    """Lets some tests run, in an order, until one fails; writes the outcome to a file.

    Args:
        order: node ids; what begins like them and is unknown runs too, because a fault may change the names of cases.
        known: every node id there was without the fault.
        path: for the outcome.
    """

    def __init__(self, order: Sequence[str], known: set[str], path: Path) -> None:
        self.order = {name: place for place, name in enumerate(order)}
        self.functions = {name.partition("[")[0] for name in order}
        self.known, self.path = known, path
        self.failed = self.last = ""

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that could not be imported."""
        if report.failed and not self.failed:
            self._fail(f"{report.nodeid} (import)")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the first failure."""
        if report.failed and not self.failed:
            self._fail(report.nodeid)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Write which test runs: it may be the last one."""
        self.last = nodeid
        self.pytest_sessionfinish()

    def _fail(self, name: str) -> None:
        self.failed = name
        self.pytest_sessionfinish()

    def pytest_sessionfinish(self) -> None:
        """Write the first failure, the test that ran last, and the processor time so far."""
        self.path.write_text(json.dumps([self.failed, self.last, used()]), "utf-8")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """Keep what was chosen, in its order."""
        kept, left = [], []
        for item in items:
            name = item.nodeid
            new = name not in self.known and name.partition("[")[0] in self.functions
            (kept if name in self.order or new else left).append(item)
        config.hook.pytest_deselected(items=left)
        items[:] = sorted(kept, key=lambda item: self.order.get(item.nodeid, len(self.order)))


class Mapper:
    """Records what each test reaches; writes it to a file."""

    def __init__(self, path: Path, hits: Path) -> None:
        self.path, self.hits = path, hits
        self.tests: dict[str, Ran] = {}
        self.fixtures: dict[str, set[int]] = defaultdict(set)
        self.reached: dict[str, set[int]] = defaultdict(set)
        self.names: dict[str, list[str]] = {}
        self.stack: list[str] = []
        self.begun = 0.0
        self.test = ""

    def _hit(self, number: int) -> None:
        if self.stack:
            self.fixtures[self.stack[-1]].add(number)
        if self.test:
            self.reached[self.test].add(number)

    def pytest_configure(self) -> None:
        """Let the probes report here."""
        importlib.import_module("core.mutation_probe").sink = self._hit

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Any:
        """Let what a file reaches when it is imported count for every test in it."""
        self.stack.append(f"import::{collector.nodeid}")
        try:
            return (yield)
        finally:
            self.stack.pop()

    def pytest_runtest_protocol(self, item: Any) -> None:
        """Note what test begins, and its fixtures."""
        self.begun, self.test = used(), item.nodeid
        used_here = [(each[-1].baseid, name) for name, each in item._fixtureinfo.name2fixturedefs.items() if each]
        used_here.append(("import", item.nodeid.partition("::")[0]))
        self.names[item.nodeid] = sorted(f"{base}::{name}" for base, name in used_here)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        """Let what a fixture reaches count for every test that uses it."""
        self.stack.append(f"{fixturedef.baseid}::{fixturedef.argname}")
        try:
            return (yield)
        finally:
            self.stack.pop()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note how it ended, and its time."""
        ran = self.tests.setdefault(report.nodeid, Ran(0.0, True))
        ran.passed = ran.passed and report.passed
        if report.when == "teardown":
            ran.seconds = round(used() - self.begun, 3)

    def pytest_sessionfinish(self) -> None:
        """Write the map; processes that tests started have reported in a file."""
        if self.hits.exists():
            for line in self.hits.read_text("utf-8").splitlines():
                number, _, name = line.partition(" ")
                self.reached[name.rpartition(" ")[0]].add(int(number))
        for name, ran in self.tests.items():
            ran.hits, ran.fixtures = sorted(self.reached[name]), self.names.get(name, [])
        found = {
            "tests": {name: asdict(ran) for name, ran in self.tests.items()},
            "fixtures": {name: sorted(numbers) for name, numbers in self.fixtures.items()},
        }
        self.path.write_text(json.dumps(found), "utf-8")
