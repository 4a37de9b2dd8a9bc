"""Lines of our source that the lab names: they are where it says, and hold what it says."""

from pathlib import Path

from core.explain.shared import source_lines
from core.explain.shared.source_lines import PLACES, ROOT, source_line
from tests.refusals import refusals


def test_every_line_is_there():
    for what in PLACES:
        found = source_line(what)
        file, _, piece = PLACES[what]
        assert piece in found.code and found.file == file, what
        assert (ROOT / file).read_text(encoding="utf-8").splitlines()[found.line - 1].strip() == found.code, what
        assert found.place == f"{file}:{found.line}", what


def test_a_line_is_looked_for_inside_its_function(snapshot, tmp_path: Path, monkeypatch):
    lines = ["x = 1", "", "class Net:", "    def call(self):", "        x = 1", "        y = 2", "        y = 2"]
    (tmp_path / "a.py").write_text("\n".join(lines))
    monkeypatch.setattr(source_lines, "ROOT", tmp_path)
    places = {"one": ("a.py", "Net.call", "x = 1"), "two": ("a.py", "Net.call", "y = 2"),
              "none": ("a.py", "Net.call", "z"), "away": ("a.py", "Net.build", "x")}  # fmt: skip
    monkeypatch.setattr(source_lines, "PLACES", places)
    assert source_line.__wrapped__("one").place == "a.py:5"
    assert refusals(LookupError, source_line.__wrapped__, ["two", "none", "away"]) == snapshot
