"""The evidence of hints is kept in English and said in the language of the page."""

import re

import pytest

from core import words
from core.faults import evidence
from core.faults.alternatives import Alternative
from core.faults.case import quoted
from core.faults.swaps import Swap, _fault
from core.figures.errors.evidence import said, said_change
from core.text.examples import load_examples
from core.words import say, speaking
from tests.words.pseudo import CODE, Pseudo, wide

VALUES = {"words": "“a cat”", "turn": "3", "count": "7"}


@pytest.fixture
def foreign(monkeypatch):
    monkeypatch.setitem(words._catalogues, CODE, Pseudo())
    with speaking(CODE):
        yield


def values(message):
    return {name: VALUES.get(name, f"„{name}”.") for name in re.findall(r"\{(\w+)\}", message)}


@pytest.mark.parametrize("message", [*evidence.SENTENCES, *evidence.CHANGES])
def test_every_sentence_and_every_change_is_said_with_its_values(foreign, message):
    own = values(message)
    say_it = said if message in evidence.SENTENCES else said_change
    assert say_it(message.format(**own)) == wide(message).format(**own)


def test_english_and_what_no_detector_writes_stay_as_they_are(foreign):
    assert said("Somebody wrote this by hand.") == "Somebody wrote this by hand."
    with speaking("en"):
        assert said(evidence.OMITTED.format(words="“a”", turn=1)) == evidence.OMITTED.format(words="“a”", turn=1)


def test_numbers_of_words_and_long_lists_are_said_too(foreign):
    said_so = said(evidence.SHORTEST.format(words=evidence.ONE_WORD, least=12))
    assert said_so == wide(evidence.SHORTEST).format(words=wide("one word"), least=12)
    assert wide("words").removesuffix(wide("s")) in said(evidence.LONGEST.format(words="31 words", most=12))
    many = quoted("one two three four five six".split())
    assert many.endswith("”four” and 2 more".replace("”four", "“four"))
    more = wide(evidence.AND_MORE).format(words="“one”, “two”, “three”, “four”", count=2)
    assert said(evidence.OMITTED.format(words=many, turn=2)) == wide(evidence.OMITTED).format(words=more, turn=2)


def test_swaps_write_the_sentences_that_are_said(foreign):
    exchanged = evidence.EXCHANGED.format(first="Ann", second="Ben")
    for change, message in [
        (evidence.WITH.format(new="Ben", old="Ann"), evidence.MORE_WITH), (exchanged, evidence.MORE_EXCHANGED),
        (evidence.WITHOUT.format(old="not "), evidence.MORE_WITHOUT),
    ]:  # fmt: skip
        fault = _fault(Swap(Alternative("name_swap", 0, 3, change, "Ben.", ()), 0.25, 3.0))
        texts = re.match(r".*?\{", message)
        assert fault.evidence.startswith(texts[0][:-1])
        assert said(fault.evidence).startswith(wide(texts[0][:-1])) and "0.25" in said(fault.evidence)


def test_all_hints_of_the_examples_are_said(foreign):
    from core.faults.detectors import find_faults
    from core.text.dialogue import parse_dialogue

    bad = "Zed met Zed in 1999 and and met Zed. [PAD] He does not like not the suitcase suitcase."
    found = 0
    for example in load_examples():
        for hint in find_faults(parse_dialogue(example.dialogue), bad, references=example.references):
            found += 1
            assert not any(word in said(hint.evidence) for word in ("The ", "stands", " has ")), hint.evidence
    assert found > 50 and say("x") == wide("x")
