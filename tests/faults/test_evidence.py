"""The evidence of hints is English in files and said in the language of the page."""

import json
import re

import pytest

from core import words
from core.errors import SettingsError
from core.faults import evidence
from core.faults.alternatives import Alternative
from core.faults.case import quoted
from core.faults.evidence import MESSAGES, Evidence
from core.faults.fault import Fault
from core.faults.swaps import Swap, _fault
from core.text.examples import load_examples
from core.words import say, speaking
from tests.refusals import refused
from tests.words.pseudo import CODE, Pseudo, wide

VALUES = {"words": "“a cat”", "turn": "3", "count": "7"}


@pytest.fixture
def foreign(monkeypatch):
    monkeypatch.setitem(words._catalogues, CODE, Pseudo())
    with speaking(CODE):
        yield


def values(message):
    return {name: VALUES.get(name, f"„{name}”.") for name in re.findall(r"\{(\w+)\}", message)}


@pytest.mark.parametrize("name", [*evidence.SENTENCES, *evidence.CHANGES])
def test_every_message_is_english_as_text_and_said_with_its_values_and_comes_back_from_a_file(foreign, name):
    message = MESSAGES[name]
    own = values(message)
    made = evidence.of(name, **own)
    assert str(made) == message.format(**own) and made.said() == wide(message).format(**own)
    assert Evidence.from_dict(json.loads(json.dumps(made.to_dict()))) == made


def test_a_sentence_of_an_older_file_stays_as_it_is(foreign):
    old = {"kind": "novel_name", "start": 0, "end": 3, "turns": [], "evidence": "Somebody {wrote} this.", "value": None}
    assert Fault.from_dict(old).evidence.said() == "Somebody {wrote} this."


@pytest.mark.parametrize(
    "reason",
    [
        {"message": "{x.__class__}", "values": {"x": "a"}}, {"message": MESSAGES["twice"], "values": {}},
        {"message": MESSAGES["twice"], "values": {"words": [1]}}, {"message": MESSAGES["twice"]}, "x",
        {"message": MESSAGES["omitted"], "values": {"words": {"message": "{y}", "values": {"y": 1}}, "turn": 1}},
    ],
)  # fmt: skip
def test_what_no_detector_writes_is_refused(reason):
    fault = Fault("novel_name", 0, 3, (), evidence.of("new_name", name="Zed")).to_dict()
    refused(SettingsError, "a fault must hold", Fault.from_dict, {**fault, "reason": reason})


def test_numbers_of_words_and_long_lists_are_said_too(foreign):
    one, many = evidence.of("one_word"), evidence.of("words", count=31)
    said = wide(MESSAGES["shortest"]).format(words=wide("one word"), least=12)
    assert evidence.of("shortest", words=one, least=12).said() == said
    assert str(evidence.of("longest", words=many, most=12)).startswith("The summary has 31 words;")
    listed = quoted("one two three four five six".split())
    assert str(listed) == "“one”, “two”, “three”, “four” and 2 more"
    more = wide(MESSAGES["and_more"]).format(words="“one”, “two”, “three”, “four”", count=2)
    assert evidence.of("omitted", words=listed, turn=2).said() == wide(MESSAGES["omitted"]).format(words=more, turn=2)


def test_swaps_say_what_is_changed_and_by_how_much(foreign):
    for change, message in [
        (evidence.of("with", new="Ben", old="Ann"), MESSAGES["more_with"]),
        (evidence.of("exchanged", first="Ann", second="Ben"), MESSAGES["more_exchanged"]),
        (evidence.of("without", old="not "), MESSAGES["more_without"]),
    ]:
        fault = _fault(Swap(Alternative("name_swap", 0, 3, change, "Ben.", ()), 0.25, 3.0))
        own = {**dict(change.values), "nats": "0.25", "total": "3.0"}
        assert fault.evidence.said() == wide(message).format(**own)


def test_all_hints_of_the_examples_are_said(foreign):
    from core.faults.detectors import find_faults
    from core.text.dialogue import parse_dialogue

    bad = "Zed met Zed in 1999 and and met Zed. [PAD] He does not like not the suitcase suitcase."
    found = 0
    for example in load_examples():
        for hint in find_faults(parse_dialogue(example.dialogue), bad, references=example.references):
            found += 1
            assert not any(word in hint.evidence.said() for word in ("The ", "stands", " has ")), hint.evidence
    assert found > 50 and say("x") == wide("x")
