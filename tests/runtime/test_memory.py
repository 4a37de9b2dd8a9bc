"""What is freed is used again: by the next step of a training, and by the thread of the next visitor."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.needs import need

FAULTS = """
import resource, sys
import numpy as np
from core.runtime.memory import keep_freed_memory
if sys.argv[1] == "kept":
    assert keep_freed_memory()
np.ones(1 << 23)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(1 << 23)  # 64 MB
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.fixture
def glibc() -> None:
    """The C library whose settings these are."""
    need(platform.libc_ver()[0] == "glibc", "glibc", "run it on a Linux that has it, such as Debian")


def test_large_buffers_are_mapped_once(glibc) -> None:
    def faults(how: str) -> int:
        return int(subprocess.check_output([sys.executable, "-c", FAULTS, how], cwd=ROOT, text=True))

    assert faults("kept") * 5 < faults("mapped anew")


ARENAS = """
import ctypes, sys, threading
from core.runtime.memory import share_arenas
if sys.argv[1] == "shared":
    assert share_arenas()
kept, together = [], threading.Barrier(6)

def visit():
    together.wait()
    kept.append(bytearray(1 << 16))
    together.wait()

threads = [threading.Thread(target=visit) for _ in range(6)]
for each in threads:
    each.start()
for each in threads:
    each.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
print(open(sys.argv[2]).read().count("<heap nr="))
"""


def test_threads_share_two_arenas(glibc, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}

    def arenas(how: str) -> int:
        command = [sys.executable, "-c", ARENAS, how, str(tmp_path / "info.xml")]
        return int(subprocess.check_output(command, cwd=ROOT, text=True, env=environment))

    assert arenas("shared") <= 2 < arenas("one each")
