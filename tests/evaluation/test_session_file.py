"""A saved session: what is read is what was saved, and what is damaged, changed or newer is refused with its place."""

import json
from dataclasses import replace
from typing import Any

from core.behaviour.run import Trial
from core.errors import CorpusError
from core.evaluation import intake, session_file
from core.evaluation.intake import BUNDLED, bundled
from core.evaluation.rows import RowOrigin, ScoredSummary, WrittenToken
from core.evaluation.session_file import Behaved, Scored, Session
from core.evaluation.verdicts import Entry, Mark, subject
from core.faults import evidence
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.scoring.rouge import Rouge
from tests.refusals import changed, refusals, refused

LINES = (
    '{"id": "a", "dialogue": "Anna: Hi.\\nBen: \\u00e9!", "summary": "They greet.", "prediction": "Zelda paid 90."}\n'
    '{"id": "a", "dialogue": "Cleo: No.", "references": ["Cleo says no.", "No."], "prediction": null}\nbroken\n'
)
"""Two rows of one id, and one that cannot be used."""
HINT = Fault("novel_name", 0, 5, (1,), Evidence("“Zelda” is new."), 0.1 + 0.2)


def saved() -> Session:
    """A session with all that one can hold."""
    data = intake.read("two*.jsonl", LINES.encode())
    row = replace(data.rows[0], rouge=Rouge(1 / 3, 0.0, 2.0), faults=(HINT,), entropy=1e-7)
    row = replace(row, tokens=(WrittenToken("Zelda", 0, 5, 0.1, 0.2),))
    gone = ScoredSummary("gone", "Eve: Yes.", (), "", "A summary of no data set here.")
    said = Entry({HINT: "right"}, ("Invented", "my own"), "a “note”", "two*.jsonl")
    said = said.marked(Mark("Missing", 0, 5, ((0, 0, 3),)))
    labels = {"": {subject(row): said, subject(gone): Entry(correct=True, writer="f00")}, "<b>": {subject(row): said}}
    trial = Trial(row.id, "names", "Anna → Zoe", row.dialogue, "Zoe: Hi.", "Anna greets.", "Zoe.", "", 40.5, True)
    return Session(
        (data,), data.key, labels, {"err_find": "é", "beam": 4, "err_off": []}, Scored("f00", True, {0: row}),
        behaved=Behaved("f00", {0: (trial, replace(trial, kind="small_talk", followed=None)), 1: ()}),
    )  # fmt: skip


def test_what_is_read_is_what_was_saved() -> None:
    session = saved()
    content = session.to_json().encode()
    assert session_file.is_session(content) and not session_file.is_session(LINES.encode())
    assert session_file.read(content) == session
    assert session_file.read(content).to_json() == session.to_json()
    (data,) = session.data
    assert data.renamed == (("a", "a (2)"),) and data.skipped[0].line == 3 and data.given == (True, False)
    empty = Session()
    assert session_file.read(empty.to_json().encode()) == empty and empty.shown == BUNDLED
    first = bundled().rows[0]
    own = Session(scored=Scored("f00", False, {0: replace(first, summary="Written.")}))
    assert session_file.read(own.to_json().encode()) == own


def read(*change: Any) -> Session:
    """Read the file of a session in which something was changed."""
    return session_file.read(json.dumps(changed(json.loads(saved().to_json()), *change)).encode())


def test_a_part_of_a_later_version_is_named_and_a_later_format_refused() -> None:
    assert read("colours", [1]).left_out == ("colours",)
    refused(CorpusError, "format must be 1 to 2. Received: 3. A newer version", read, "format", 3)


def test_a_damaged_session_is_refused_with_its_place(snapshot) -> None:
    whole = json.loads(saved().to_json())
    scored = whole["scored"]["rows"]["0"]
    cases = [("kind", "notes"), ("format", "1"), ("data", {}), ("labels",), ("shown", "0123"), ("choices", [])]
    cases += [("data.0.rows.0.summary", "They part."), ("data.0.given", [True]), ("data.0.rows.1.id", "a")]
    cases += [("data.0.rows.2", 7), ("data", whole["data"] * 5), ("labels.1.tags", [f"{n}" for n in range(13)])]
    cases += [("labels.1.note", "n" * 3000), ("labels.1.tags", ["Invented"]), ("labels.0.dialogue",)]
    cases += [("labels.0.hints.0.end", 99), ("labels.2", whole["labels"][0]), ("scored.rows.9", scored)]
    cases += [("scored.rows.0.dialogue", "x"), ("scored.keep", "yes"), ("behaviour.rows.2", [])]
    cases += [("behaviour.rows.0", ["x"]), ("behaviour", {"weights": "f00"})]
    cases += [(f"behaviour.rows.0.0.{name}", bad) for name, bad in (("kind", "magic"), ("after", 7), ("followed", 2))]
    assert refusals(CorpusError, read, cases) == snapshot


def test_what_is_no_json_object_is_refused(snapshot) -> None:
    cases = [b'{"kind": "dialoscope errors session"', b"\xff", b"7", b""]
    assert refusals(CorpusError, session_file.read, cases) == snapshot
    refused(CorpusError, "session cannot be read", session_file.read, b"[" * 99_999)


def test_a_session_beyond_a_limit_is_refused(set_limits) -> None:
    content = saved().to_json().encode()
    limits = {"corpus_rows": 1, "labelled_summaries": 1, "session_file": 100, "dialogue_characters": 5}
    for name, most in limits.items():
        set_limits(**{name: most})
        refused(CorpusError, f"Received: .*; allowed: {most}", session_file.read, content)


def test_a_session_that_another_version_saved_opens_without_what_it_did_not_keep() -> None:
    session = saved()
    values = json.loads(session.to_json())
    for each in values["data"]:
        each.pop("notes")
        each["skipped"] = [{"line": row["line"], "reason": row["reason"]} for row in each["skipped"]]
    found = session_file.read(json.dumps(values).encode())
    assert found.data[0].rows == session.data[0].rows and found.data[0].key == session.data[0].key
    assert found.data[0].skipped == session.data[0].skipped and found.data[0].notes == ()
    assert session_file.read(session.to_json().encode()).data[0].notes == session.data[0].notes != ()


def test_rows_of_sessions_that_were_saved_before_have_the_hash_that_stands_in_them() -> None:
    name = evidence.of("new_name", name="Zelda")
    row = ScoredSummary(
        "a", "Anna: Hi.", ("They greet.",), "t", "Zelda paid.", Rouge(1 / 3, 0.0, 2.0), None, -1.5, 0.25, False,
        (WrittenToken("Zelda", 0, 5, 0.1, 0.2),), (1.0,), (Fault("novel_name", 0, 5, (0,), name, 0.1),),
    )  # fmt: skip
    assert intake.digest([row], [True]) == "b4570159f630575f"
    assert intake.digest([replace(row, origin=RowOrigin("dialoscope"))], [True]) == "b4570159f630575f"
