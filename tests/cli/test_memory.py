"""What a training frees it uses again: the kernel is not asked for the same memory step after step."""

import platform
import subprocess
import sys

import pytest

from tests.conftest import ROOT

FAULTS = """
import resource, sys
import numpy as np
from core.cli.memory import keep_freed_memory
if sys.argv[1] == "kept":
    assert keep_freed_memory()
np.ones(1 << 23)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(1 << 23)  # 64 MB
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told")
def test_large_buffers_are_mapped_once() -> None:
    def faults(how: str) -> int:
        return int(subprocess.check_output([sys.executable, "-c", FAULTS, how], cwd=ROOT, text=True))

    assert faults("kept") * 5 < faults("mapped anew")
