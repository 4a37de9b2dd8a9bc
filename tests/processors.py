"""Run the numeric tests as other processors would: `make test-processors`; status 1 where a run is red.

python -m tests.processors [ARGUMENTS OF PYTEST]

Libraries choose their arithmetic by what the processor can do, and each choice rounds differently. A setting holds
several of them back at once, so that few runs have everything: oneDNN in TensorFlow and torch (off, SSE 4.1, AVX2,
all), torch's own kernels, OpenBLAS, XLA, NumPy, one thread and two. ONNX Runtime has no such switch: it differs by its
threads alone, which `core.decoding.fast` takes from `os.cpu_count`.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
XLA = "--xla_backend_optimization_level=0"
"""The flag of tests/conftest.py."""
WITHOUT_AVX512 = "X86_V4 AVX512_ICL AVX512_SPR"
THREADS = "OMP_NUM_THREADS"
"""The variable that sets the threads of OpenBLAS and torch; this module hands it on to the others."""


@dataclass(frozen=True)
class Setting:
    """How a run differs from another.

    Args:
        threads: of every library.
        variables: what holds the libraries back.
    """

    threads: int
    variables: Mapping[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Return the variables of a process; what the machine itself sets of them does not count."""
        kept = {name: value for name, value in os.environ.items() if name not in HELD and "OPENBLAS" not in name}
        threads = {name: str(self.threads) for name in (THREADS, "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")}
        return kept | threads | {"XLA_FLAGS": XLA} | self.variables


SETTINGS = {
    "all instructions": Setting(2),
    "no oneDNN in TensorFlow": Setting(1, {"TF_ENABLE_ONEDNN_OPTS": "0", "OPENBLAS_CORETYPE": "Haswell"}),
    "AVX2": Setting(
        2,
        {
            "ONEDNN_MAX_CPU_ISA": "AVX2",
            "ATEN_CPU_CAPABILITY": "avx2",
            "OPENBLAS_CORETYPE": "Haswell",
            "NPY_DISABLE_CPU_FEATURES": WITHOUT_AVX512,
            "XLA_FLAGS": f"{XLA} --xla_cpu_max_isa=AVX2",
        },
    ),
    "SSE 4": Setting(
        1,
        {
            "ONEDNN_MAX_CPU_ISA": "SSE41",
            "ATEN_CPU_CAPABILITY": "default",
            "OPENBLAS_CORETYPE": "Nehalem",
            "NPY_DISABLE_CPU_FEATURES": f"X86_V3 {WITHOUT_AVX512}",
            "XLA_FLAGS": f"{XLA} --xla_cpu_max_isa=SSE4_2",
        },
    ),
}
HELD = {name for setting in SETTINGS.values() for name in setting.variables} | {"ONEDNN_VERBOSE"}
PROBE = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy, threadpoolctl, torch
torch.ones(8, 8).to_mkldnn()
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
blas = next(each for each in threadpoolctl.threadpool_info() if each["internal_api"] == "openblas")
used = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
print(f"torch {torch.backends.cpu.get_cpu_capability()}, OpenBLAS {blas['architecture']}, "
      f"NumPy {used[-1] if used else 'baseline'}, threads {torch.get_num_threads()} and {blas['num_threads']}")
"""


def pytest_configure() -> None:
    """Let ONNX Runtime have the threads of the setting, too; for a run with `-p tests.processors`."""
    threads = int(os.environ[THREADS])
    os.cpu_count = lambda: threads


def in_force(environment: Mapping[str, str]) -> str:
    """Return what the libraries of a process with these variables say that they use."""
    told = subprocess.run(
        [sys.executable, "-c", PROBE], env={**environment, "ONEDNN_VERBOSE": "1"}, capture_output=True, text=True
    )
    instructions = re.search(r"cpu,isa:(.*)", told.stdout)
    said = [line for line in told.stdout.splitlines() if line.startswith("torch")] or told.stderr.splitlines()[-1:]
    return f"oneDNN {instructions[1] if instructions else 'silent'}, {' '.join(said)}"


def numeric_files(arguments: list[str]) -> list[str]:
    """Return the files that have numeric tests: to collect all others again takes longer than to run these."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-m", "numeric", "-p", "no:xdist", *arguments]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return sorted(set(re.findall(r"^(tests/\S+\.py)(?:::|: \d)", told.stdout, re.MULTILINE)))


def run(files: list[str], setting: Setting, arguments: list[str]) -> str:
    """Run the tests under a setting, and return their counts and seconds."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-m", "numeric", "-p", "tests.processors"]
        # building networks and programs is the work of one thread, however many a setting has
        command += ["-n", str(os.cpu_count() or 1), f"--junitxml={report}", *files, *arguments]
        status = subprocess.run(command, cwd=ROOT, env=setting.environment()).returncode
        found = ElementTree.parse(report).getroot().find("testsuite") if report.exists() else None
    names = ("tests", "failures", "errors", "skipped")
    counts = {} if found is None else {name: int(found.get(name, 0)) for name in names}
    wrong = counts.get("failures", 0) + counts.get("errors", 0)
    passed = counts.get("tests", 0) - counts.get("skipped", 0) - wrong
    result = (
        f"{passed} passed" if status == 0 and passed else f"{wrong} failed" if wrong else f"ended with status {status}"
    )
    return f"{result}, {time.monotonic() - began:.0f} s"


def main(arguments: list[str]) -> int:
    """Run all settings, and print which processor gave what; where two give the same, it is run once."""
    files = numeric_files(arguments)
    if not files:
        print("There are no tests with the marker numeric.", file=sys.stderr)
        return 1
    forces = {name: in_force(setting.environment()) for name, setting in SETTINGS.items()}
    # in_force does not ask TensorFlow, and what is silent may be anything
    kinds = {
        name: (used, SETTINGS[name].variables.get("TF_ENABLE_ONEDNN_OPTS"), name if "silent" in used else "")
        for name, used in forces.items()
    }
    results: dict[tuple[str, str | None, str], str] = {}
    for name, kind in kinds.items():
        if kind not in results:
            print(f"\n{name}: {forces[name]}", flush=True)
            results[kind] = run(files, SETTINGS[name], arguments)
    width = max(map(len, forces))
    lines = [f"{name:<{width}} | {results[kinds[name]]} | {used}" for name, used in forces.items()]
    print("\nprocessor", *lines, sep="\n")
    return 0 if all(" passed" in result for result in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
