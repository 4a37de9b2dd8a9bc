"""Dialogues that are changed and summarized again by a small model, and how often it does what it must."""

import pytest

from core.behaviour.changes import KINDS
from core.behaviour.run import Trial, shares, try_changes
from core.errors import DialogueError, SettingsError
from core.scoring.wilson import wilson
from core.text.examples import load_examples
from tests.refusals import refused


def trial(kind: str, followed: bool | None = None, overlap: float = 100.0) -> Trial:
    return Trial("a", kind, "1", "before", "after", "One.", "Two.", "", overlap, followed)


def test_each_pair_is_what_the_model_writes_of_both_dialogues(tiny) -> None:
    rows = [(each.id, each.dialogue) for each in load_examples()[:2]]
    settings = tiny.settings.replace(strategy="greedy", max_tokens=12)
    found = try_changes(tiny, [rows[0], ("empty", " "), rows[1]], settings)
    assert isinstance(found[1], DialogueError) and len(found) == 3
    for (id, text), trials in zip(rows, (found[0], found[2]), strict=True):
        assert [each.kind for each in trials] == [kind for kind in KINDS if kind in {each.kind for each in trials}]
        for each in trials:
            assert (each.id, each.dialogue, each.before) == (id, text, tiny.summarize(text, settings).text)
            assert each.after == tiny.summarize(each.text, settings).text
            assert Trial.from_dict(each.to_dict()) == each
    assert any(each.kind == "small_talk" for each in found[0])


def test_shares_count_by_kind_and_a_summary_stays_from_an_overlap_on() -> None:
    trials = [trial("names", True), trial("names", False), trial("small_talk", overlap=80), trial("small_talk")]
    names, talk = shares(trials)
    assert (names.kind, names.count, names.held, talk.held, talk.overlap) == ("names", 2, 1, 1, 90)
    assert (names.low, names.high) == wilson(1, 2)
    assert shares(trials, same=80)[1].held == 2 and shares([]) == []


@pytest.mark.parametrize("change", [{"kind": "nope"}, {"overlap": "much"}, {"id": None, "kind": None}])
def test_a_line_of_something_else_is_refused(change: dict) -> None:
    refused(SettingsError, "not a line that `behave` writes", Trial.from_dict, trial("names", True).to_dict() | change)
