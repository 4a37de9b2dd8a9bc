"""A saved session: what is read is what was saved, and what is damaged, changed or newer is refused with its place."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from core.errors import CorpusError
from core.evaluation import intake, session_file
from core.evaluation.intake import BUNDLED, bundled
from core.evaluation.rows import ScoredSummary, WrittenToken
from core.evaluation.session_file import Scored, Session
from core.evaluation.verdicts import Entry, subject
from core.faults.fault import Fault
from core.limits import limits
from core.scoring.rouge import Rouge

LINES = (
    '{"id": "a", "dialogue": "Anna: Hi.\\nBen: \\u00e9!", "summary": "They greet.", "prediction": "Zelda paid 90."}\n'
    '{"id": "a", "dialogue": "Cleo: No.", "references": ["Cleo says no.", "No."], "prediction": null}\nbroken\n'
)
"""Two rows of one id, and one that cannot be used."""
HINT = Fault("novel_name", 0, 5, (1,), "“Zelda” is new.", 0.1 + 0.2)


def saved() -> Session:
    """A session with all that one can hold."""
    data = intake.read("two*.jsonl", LINES.encode())
    row = replace(data.rows[0], rouge=Rouge(1 / 3, 0.0, 2.0), faults=(HINT,), entropy=1e-7)
    row = replace(row, tokens=(WrittenToken("Zelda", 0, 5, 0.1, 0.2),))
    gone = ScoredSummary("gone", "Eve: Yes.", (), "", "A summary of no data set here.")
    labels = {
        subject(row): Entry({HINT: "right"}, ("Invented", "my own"), "a “note”", "two*.jsonl"),
        subject(gone): Entry(correct=True, writer="f00"),
    }
    return Session(
        (data,), data.key, labels, {"err_find": "é", "beam": 4, "err_off": []}, Scored("f00", True, {0: row})
    )


def changed(act: Callable[[dict[str, Any]], object]) -> bytes:
    """The file of a session after something was done to it."""
    values = json.loads(saved().to_json())
    act(values)
    return json.dumps(values).encode()


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


def test_a_part_of_a_later_version_is_named_and_a_later_format_refused() -> None:
    assert session_file.read(changed(lambda it: it.update(colours=[1]))).left_out == ("colours",)
    with pytest.raises(CorpusError, match="format must be 1 to 1. Received: 2. A newer version"):
        session_file.read(changed(lambda it: it.update(format=2)))


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda it: it.update(kind="notes"), "kind 'notes'; allowed: 'dialoscope errors session'"),
        (lambda it: it.update(format="1"), "format must be 1 to 1. Received: '1'"),
        (lambda it: it.update(data={}), "data must be a list. Received: dict"),
        (lambda it: it.pop("labels"), "labels must be a list. Received: NoneType"),
        (lambda it: it.update(shown="0123"), "shows a data set that it lacks. Received: '0123'"),
        (lambda it: it["data"][0]["rows"][0].update(summary="They part."), "data set 1 .* not those that were saved"),
        (lambda it: it["data"][0].update(given=[True]), "data set 1 .* Received: 1 of 2"),
        (lambda it: it["data"][0]["rows"][1].update(id="a"), "data set 1 .* two rows have one id"),
        (lambda it: it["data"][0]["rows"].append(7), "data set 1 .* damaged"),
        (lambda it: it.update(data=it["data"] * 5), "data sets is too long. Received: 5 data sets; allowed: 4"),
        (lambda it: it["labels"][1].update(tags=[f"{n}" for n in range(13)]), "at most 12 tags. Received: 13"),
        (lambda it: it["labels"][1].update(note="n" * 3000), "label 2 .* too long"),
        (lambda it: it["labels"][1].update(tags=["Invented"]), "label 2 .* contradict"),
        (lambda it: it["labels"][0].pop("dialogue"), "label 1 .* KeyError 'dialogue'"),
        (lambda it: it["labels"][0]["hints"][0].update(end=99), "label 1 .* a hint ends beyond the end of its summary"),
        (lambda it: it["labels"].append(it["labels"][0]), "two labels of one summary"),
        (lambda it: it.update(choices=[]), "choices that are no JSON object"),
        (lambda it: it["scored"]["rows"].update({"9": it["scored"]["rows"]["0"]}), "row 9 is not of the data set"),
        (lambda it: it["scored"]["rows"]["0"].update(dialogue="x"), "row 0 is not of the data set"),
        (lambda it: it["scored"].update(keep="yes"), "true or false is needed. Received: 'yes'"),
    ],
)  # fmt: skip
def test_a_damaged_session_is_refused_with_its_place(act, told: str) -> None:
    with pytest.raises(CorpusError, match=told):
        session_file.read(changed(act))


@pytest.mark.parametrize("content", [b'{"kind": "dialoscope errors session"', b"[" * 9999, b"\xff", b"7", b""])
def test_what_is_no_json_object_is_refused(content: bytes) -> None:
    with pytest.raises(CorpusError, match="session cannot be read|no session of this page"):
        session_file.read(content)


def test_a_session_beyond_a_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = saved().to_json().encode()
    for name, most in (
        ("corpus_rows", 1),
        ("labelled_summaries", 1),
        ("session_file", 100),
        ("dialogue_characters", 5),
    ):
        with monkeypatch.context() as patch:
            patch.setattr("core.limits.FULL", replace(limits(), **{name: most}))
            with pytest.raises(CorpusError, match=f"Received: .*; allowed: {most}"):
                session_file.read(content)
