"""Where the words of a summary come from, on a dialogue of four turns."""

from math import log

import pytest

from core.faults.alignment import align, clause_spans, passages, reference_coverage, support, turn_words
from core.faults.detectors import find_faults
from core.faults.source import Source
from core.text.dialogue import parse_dialogue
from tests.figures.drawing import drawn

DIALOGUE = parse_dialogue(
    "Ann: My suitcase is still in Madrid.\n"
    "Ben: A driver can bring the suitcase to your hotel.\n"
    "Ann: I have a wedding at noon.\n"
    "Ben: No problem."
)


def passages_of(summary, dialogue=DIALOGUE):
    found = passages(align(Source(dialogue), summary))
    return [(each.kind, summary[each.start : each.end], each.turns) for each in found]


def test_phrases_are_the_longest_that_a_turn_has_and_end_with_a_word_that_says_something(snapshot):
    texts = ["Ann's suitcase is still in Madrid.", "A suitcase", "the suitcase to a hotel", "He can bring the"]
    texts += ["Ben brings suitcases and flowers to Lisbon at 3."]  # other forms, new words, names and numbers
    # A long dialogue names the first turns of a phrase.
    lines = [f"{'AB'[n % 2]}: We go to the station number {n} and buy word{n} for the trip." for n in range(900)]
    long = parse_dialogue("\n".join(lines))
    assert len(long.text) > 50_000
    found = [*map(passages_of, texts), passages_of("We buy word7 for the trip at the station.", long)]
    assert drawn(*found) == snapshot


def test_coverage_support_and_speakers():
    # The share of a turn's content stems: suitcase, Madrid; driver, bring, suitcase, hotel; wedding, noon; problem.
    found = align(Source(DIALOGUE), "The suitcase goes to the hotel before the wedding.")
    assert found.coverage == pytest.approx((1 / 2, 2 / 4, 1 / 2, 0))
    # The best reference for a turn counts; without any there is none.
    assert reference_coverage(found, ["A wedding.", "My driver has no problem."]) == [0, 1 / 4, 1 / 2, 1]
    assert reference_coverage(found, []) is None
    # Words of a turn that the summary has, in this form or another, or that only a reference has.
    other = align(Source(DIALOGUE), "He brings the suitcase.")
    assert [(word.text, kind) for word, kind in turn_words(other, 1, ["The driver comes."])] == [
        ("driver", "reference"), ("bring", "another form"), ("suitcase", "same")
    ]  # fmt: skip
    # Support weighs rare words more, and counts a word for everybody who says it.
    source = Source(DIALOGUE)
    best = support(source, source.read("The suitcase is in Madrid."))
    common, rare = log(1 + 4 / 2), log(1 + 4 / 1)
    assert [(each.turn, each.speaker) for each in best] == [(0, "Ann"), (1, "Ben")]
    assert [each.share for each in best] == pytest.approx([1, common / (common + rare)])
    assert best[1].words == ("suitcase",)
    (clause,) = align(source, "The suitcase is in Madrid.").clauses
    assert dict(clause.by_speaker) == pytest.approx({"Ann": 1, "Ben": common / (common + rare)})


def test_clauses_and_hints():
    # Clauses begin with a new subject.
    text = "Ann and Ben are talking. Ann lost the suitcase, but Ben finds it and Ann thanks him."
    spans = clause_spans(text, Source(DIALOGUE).read(text))
    assert [text[start:end].strip() for start, end in spans] == [
        "Ann and Ben are talking.", "Ann lost the suitcase,", "but Ben finds it", "and Ann thanks him.",
    ]  # fmt: skip
    # Hints of other speakers and omitted turns are passages.
    summary = "Ben has a wedding at noon."
    faults = find_faults(DIALOGUE, summary, references=["A driver brings the suitcase to the hotel."])
    found = passages(align(Source(DIALOGUE), summary), faults)
    assert [(each.kind, summary[each.start : each.end], each.turns) for each in found] == [
        ("missed turn", "", (1,)), ("other speaker", "Ben", (2,)), ("same phrase", "a wedding at noon", (2,)),
    ]  # fmt: skip


def test_odd_input():
    for summary in ["", " ", "Yes", "\u4f60\u597d \U0001f600", "#Person1# and #Person2#."]:
        for text in ["", "No speakers here.\nNor here.", "A: \u4f60\u597d\nB: ok"]:
            dialogue = parse_dialogue(text)
            found = align(Source(dialogue), summary)
            assert len(found.coverage) == len(dialogue.turns), (text, summary)
            assert all(0 <= each.start < each.end <= len(summary) for each in passages(found)), (text, summary)


def test_a_clause_has_its_own_words_and_at_most_three_turns():
    turns = [*(f"Ann: The suitcase number {number}." for number in range(5)), "Ben: Madrid."]
    dialogue = parse_dialogue("\n".join(turns))
    first, second = align(Source(dialogue), "Ann has the suitcase. Ben is in Madrid.").clauses
    assert [each.turn for each in first.support] == [0, 1, 2]
    assert [(each.turn, each.words) for each in second.support] == [(5, ("Madrid",))]
