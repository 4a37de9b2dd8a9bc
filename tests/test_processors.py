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


@pytest.mark.parametrize(("result", "status"), [("3 passed, 1 s", 0), ("1 failed, 1 s", 1)])
def test_what_a_processor_cannot_tell_apart_is_run_once(monkeypatch, capsys, result, status):
    ran = []
    monkeypatch.setattr(processors, "numeric_files", lambda arguments: ["tests/test_x.py"])
    monkeypatch.setattr(processors, "in_force", lambda environment: environment.get("ONEDNN_MAX_CPU_ISA", "AVX2"))
    monkeypatch.setattr(processors, "run", lambda files, setting, arguments: ran.append(setting) or result)
    assert processors.main([]) == status
    assert ran == [SETTINGS["all instructions"], SETTINGS["no oneDNN in TensorFlow"], SETTINGS["SSE 4"]]
    table = capsys.readouterr().out.partition("processor\n")[2].splitlines()
    assert [line.split(" | ")[1:] for line in table] == [[result, isa] for isa in ("AVX2", "AVX2", "AVX2", "SSE41")]

    ran.clear()
    monkeypatch.setattr(processors, "in_force", lambda environment: "oneDNN silent, an error")
    assert processors.main([]) == status and ran == [*SETTINGS.values()]
