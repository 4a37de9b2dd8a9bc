"""The runs under other processors: what they hold back holds, and a red one is told."""

import os
from pathlib import Path

import pytest

from tests import processors
from tests.processors import SETTINGS, Setting

TEST = """
import os, pytest

@pytest.mark.numeric
def test_setting():
    assert (os.cpu_count(), os.environ["TF_NUM_INTRAOP_THREADS"], os.environ.get("OPENBLAS_CORETYPE")) == (1, "1", None)
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "SSE41"
"""


def test_the_settings_have_every_switch_that_is_promised():
    values = {name: {each.variables.get(name) for each in SETTINGS.values()} for name in processors.HELD}
    assert values["TF_ENABLE_ONEDNN_OPTS"] == {"0", None} and values["ONEDNN_MAX_CPU_ISA"] == {"SSE41", "AVX2", None}
    assert values["ATEN_CPU_CAPABILITY"] == {"default", "avx2", None}
    assert {"Haswell", None} < values["OPENBLAS_CORETYPE"]
    assert {each.threads for each in SETTINGS.values()} == {1, 2}


@pytest.mark.parametrize(("isa", "result"), [("SSE41", "1 passed"), ("AVX2", "1 failed")])
def test_a_run_has_the_variables_of_its_setting_and_none_of_the_machine(tmp_path: Path, monkeypatch, isa, result):
    (tmp_path / "test_setting.py").write_text(TEST, "utf-8")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    alone = ["-c", os.devnull, "-o", "markers=numeric", "-n", "0", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    said = processors.run([str(tmp_path)], Setting(1, {"ONEDNN_MAX_CPU_ISA": isa}), alone)
    assert said.startswith(f"{result}, ")


def test_the_files_with_numeric_tests_are_found(monkeypatch):
    assert processors.numeric_files(["tests/test_processors.py"]) == []
