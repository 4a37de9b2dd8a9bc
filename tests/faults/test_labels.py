"""The labelled set: its file, its places, and the table that joins labels and hints."""

import json
from functools import partial

from core.errors import CorpusError, SettingsError
from core.faults.detectors import DETECTORS
from core.faults.labels import LABELS, LABELS_FILE, Label, LabelledSummary, read_labels, write_labels
from tests.refusals import refusals, refused

ROW = LabelledSummary("a", "f00", "Tom tells Tom", (Label("wrong_speaker", "Tom", 2), Label("missing")))


def test_every_kind_of_hint_is_confirmed_by_known_labels():
    assert all(each.confirmed_by and set(each.confirmed_by) <= set(LABELS) for each in DETECTORS.values())
    assert all(each.definition.endswith(".") and each.literature for each in LABELS.values())


def test_a_file_is_read_as_it_was_written(tmp_path):
    rows, path = (ROW, LabelledSummary("b", "f00", "Caf\u00e9.", todo=True)), tmp_path / "labels.jsonl"
    write_labels(path, rows)
    assert read_labels(path) == rows
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[0]) == {
        "id": "a", "checkpoint": "f00", "summary": "Tom tells Tom",
        "labels": [{"type": "wrong_speaker", "text": "Tom", "occurrence": 2}, {"type": "missing", "text": ""}],
    }  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["labels.jsonl"]
    # Missing, empty and double files.
    path = tmp_path / "none.jsonl"
    refused(CorpusError, "cannot be read", read_labels, path)
    path.write_text("\n")
    refused(CorpusError, "empty", read_labels, path)
    write_labels(path, [ROW, ROW])
    refused(CorpusError, "line 2 .* second time: 'a'", read_labels, path)


def test_impossible_labels_are_refused(snapshot):
    cases = [Label("silly"), Label("missing", "Anna"), Label("missing", "Tom", 3), Label("missing", "", 2)]
    cases = {str(label): label for label in [*cases, Label("missing", "Tom", 0)]}
    call = partial(LabelledSummary, "a", "f00", "Tom tells Tom")
    assert refusals(SettingsError, lambda label: call((label,)), cases) == snapshot
    assert [ROW.span(label) for label in ROW.labels] == [(10, 13), (0, 0)]


def test_a_bad_line_is_named(snapshot, tmp_path):
    def read(line):
        (tmp_path / "labels.jsonl").write_text(json.dumps(ROW.to_dict()) + f"\n\n{line}\n", encoding="utf-8")
        read_labels(tmp_path / "labels.jsonl")

    silly = '{"id": 1, "checkpoint": "f", "summary": "s", "labels": [{"type": "silly"}]}'
    assert refusals(CorpusError, read, ["not json", "[]", "{}", silly, "null"]) == snapshot


def test_the_set_that_ships():
    rows = read_labels()
    assert len({row.checkpoint for row in rows}) == 1
    assert all("dialogue" not in json.loads(line) for line in LABELS_FILE.read_text(encoding="utf-8").splitlines())
