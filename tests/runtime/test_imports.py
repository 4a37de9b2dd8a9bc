"""Packages that seem not installed while a library is imported, and imports of two threads at once."""

import importlib
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from core.runtime.imports import without
from core.scoring.encoders import library

ROOT = Path(__file__).parents[2]


def test_hidden_inside_and_there_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with without("colorsys", "json"):
        with pytest.raises(ImportError):
            importlib.import_module("colorsys")
        assert importlib.import_module("json").loads("1") == 1, "what has been imported stays"
    assert importlib.import_module("colorsys").rgb_to_hsv(1, 1, 1) == (0, 0, 1)


def test_it_ends_with_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with pytest.raises(RuntimeError), without("colorsys"):
        raise RuntimeError
    assert importlib.import_module("colorsys")


def test_bert_score_waits_for_the_packages_that_it_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "bert_score", raising=False)
    thread = Thread(target=library)
    with without("matplotlib"):
        thread.start()
        thread.join(0.5)
        assert "bert_score" not in sys.modules
    thread.join()
    assert "bert_score" in sys.modules


def printed(code: str) -> list[str]:
    """Run a program in a process of its own and return the lines that it prints."""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert answer.returncode == 0, answer.stderr[-2000:]
    return answer.stdout.splitlines()


BOTH_AT_ONCE = """
import _imp, threading
import numpy._core.numerictypes as types

inside, added = threading.Event(), threading.Event()

class Slow(dict):
    def values(self):
        for value in super().values():
            inside.set()
            added.wait(1)
            added.set()
            yield value

{before}
types.sctypeDict = Slow(types.sctypeDict)

def add():
    inside.wait(2)
    types.sctypeDict["added"] = int
    added.set()

def draw():
    for _ in range(2):
        try:
            import pandas
            print("whole")
        except RuntimeError as error:
            print(error)
    print(_imp.lock_held())

threads = [threading.Thread(target=target) for target in (add, draw)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
"""TensorFlow adds types to NumPy's table while a page imports pandas; waits make sure that both meet."""


def outcome(before: str) -> list[str]:
    """Return what the program prints if `before` stands before its threads."""
    return printed(BOTH_AT_ONCE.format(before=before))


def test_the_two_threads_meet() -> None:
    assert outcome("")[0] == "dictionary changed size during iteration"


@pytest.mark.parametrize("before", ["import app", "from core.runtime.imports import finish_numpy; finish_numpy()"])
def test_two_threads_import_pandas_and_tensorflow_at_once(before: str) -> None:
    assert outcome(before) == ["whole", "whole", "False"]


def test_numpy_is_whole_before_tensorflow_adds_to_it() -> None:
    code = """
import sys
import core.runtime.backend

names = list(sys.modules)
print(names.index("numpy.ma") < names.index("ml_dtypes"))
"""
    assert printed(code) == ["True"]
