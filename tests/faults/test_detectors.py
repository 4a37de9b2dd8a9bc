"""Every rule on dialogues of our own: what it must flag, and what it must leave alone."""

from collections import namedtuple

import pytest

from core.errors import SettingsError
from core.faults.detectors import DETECTORS, find_faults
from core.faults.fault import KINDS, Fault
from core.text.dialogue import parse_dialogue
from tests.refusals import refusals

DIALOGUE = parse_dialogue(
    "#Person1#: Good morning. My suitcase is still in Madrid, and I need it for a wedding.\n"
    "#Person2#: A driver will bring it to your hotel on Thursday before ten. It costs 40 pounds.\n"
    "#Person1#: I don't want a taxi. Thank you. We can stay for three weeks.\n"
    "#Person2#: Please write your room number on the form, Mrs. Brown. The lift is broken."
)


Written = namedtuple("Written", "start end probability")


def flagged(kind, summary, dialogue=DIALOGUE, **known):
    found = [fault for fault in find_faults(dialogue, summary, **known) if fault.kind == kind]
    return [summary[fault.start : fault.end] for fault in found]


def fault(kind, summary, **known):
    (found,) = [fault for fault in find_faults(DIALOGUE, summary, **known) if fault.kind == kind]
    return found


def test_the_table_has_every_kind_in_order():
    assert tuple(DETECTORS) == KINDS
    for each in DETECTORS.values():
        assert each.label and each.definition.endswith(".") and each.literature.endswith(".")
        assert (each.find is None) == ("model" in each.needs)


def test_what_is_flagged():
    for kind, summary, spans in [
        ("repetition", "They go to the go to the hotel.", ["go to the"]),
        ("repetition", "She meets her her friend.", ["her her"]),
        ("repetition", "They order a baked fish in the baked fish.", ["baked fish in the baked"]),
        ("repetition", "They hike for hiking.", ["hike for hiking"]),
        ("repetition", "They go from York to York.", ["York to York"]),
        ("repetition", "#Person1# tells #Person2# it's fine. #Person2# tells #Person1# it's late.", []),
        ("repetition", "She said that that is fine. Had he had had it?", []),
        ("repetition", "They compare chess with cards, and chess wins.", []),
        ("repetition", "#Person1# shows #Person1# #Person1#'s room.", []),
        ("novel_word", "#Person1# discusses a bicycle.", ["bicycle"]),
        ("novel_word", "#Person1# asks about drivers, weddings and brought suitcases.", ["brought"]),
        ("novel_name", "#Person1# flies to Lisbon with Mrs. Brown.", ["Lisbon"]),
        ("novel_name", "Brad tells #Person1# about Madrid.", ["Brad"]),
        ("novel_number", "It costs $50 or forty pounds on Friday.", ["$50", "Friday"]),
        ("novel_number", "They stay for 3 weeks until Thursday at ten o'clock.", []),
        ("number_mismatch", "They stay for two weeks.", ["two"]),
        ("number_mismatch", "They stay for three more weeks.", []),
        ("number_mismatch", "A driver will bring it to the hotel on Monday.", ["Monday"]),
        ("number_mismatch", "A driver will bring it to the hotel on Thursday.", []),
        ("negation_mismatch", "A driver won't bring it.", ["won't bring"]),
        ("negation_mismatch", "#Person1# wants a taxi for the trip.", ["wants"]),
        ("negation_mismatch", "#Person1# doesn't want a taxi. A driver will bring it.", []),
        ("wrong_speaker", "#Person2#'s suitcase is in Madrid before a wedding.", ["#Person2#"]),
        ("wrong_speaker", "#Person1#'s suitcase is in Madrid before a wedding.", []),
        ("wrong_speaker", "#Person1# and #Person2# talk about the lift and the form.", []),
        ("wrong_speaker", "#Person1# helps #Person2# with the lift and the form.", []),
        ("same_person", "Tom invites Tom to a wedding.", ["Tom invites Tom"]),
        ("same_person", "Then #Person1# also tells #Person1# the price.", ["#Person1# also tells #Person1#"]),
        ("same_person", "Peter and Peter are talking.", ["Peter and Peter"]),
        ("same_person", "#Person1# tells #Person2# and #Person2# agrees. #Person1# thinks #Person1# is late.", []),
        ("same_person", "#Person1# shows #Person1#'s room. #Person2# tells, #Person2# asks.", []),
        ("special_token", "They [UNK] talk to #Person9# and Person2.", ["[UNK]", "#Person9#", "Person2"]),
        ("special_token", "##Person1# greets #Person2## and #Person1#.", ["##Person1#", "#Person2##"]),
        ("special_token", "Caf\ufffd and \x07 and it\u00e2\u20ac\u2122s", ["\ufffd", "\x07", "\u00e2\u20ac\u2122"]),
        ("special_token", "#Person1# tells #Person2# about a caf\u00e9 \u4f60\u597d.", []),
        ("too_short", "Hello.", [""]),
        ("too_short", "#Person1#'s suitcase will be brought to the hotel on Thursday.", []),
        ("too_long", "word " * 40, [""]),
        ("too_long", "word " * 15, []),
    ]:
        assert flagged(kind, summary) == spans, (kind, summary)
    # A mark that stands in the dialogue is no leftover.
    dialogue = parse_dialogue("A: What does [UNK] mean?\nB: An unknown word. \ufffd too.")
    assert flagged("special_token", "A asks what [UNK] and \ufffd mean.", dialogue) == []
    # Nor is a tag that stands for a speaker.
    named = parse_dialogue("Ann: Hello there.\nBob: Hi.")
    tags = {"#Person1#": "Ann", "#Person2#": "Bob"}
    assert flagged("special_token", "#Person1# greets #Person3#.", named, tags=tags) == ["#Person3#"]
    # To the other rules such a tag is that speaker.
    trip = parse_dialogue("Ann: My suitcase is still in Madrid.\nBob: A driver brings it to the hotel.")
    for kind, summary, spans in [
        ("wrong_speaker", "#Person1#'s suitcase is in Madrid.", []),
        ("wrong_speaker", "#Person2#'s suitcase is in Madrid.", ["#Person2#"]),
        ("same_person", "#Person1# tells Ann about a driver.", ["#Person1# tells Ann"]),
        ("same_person", "#Person1# tells Bob about a driver.", []),
    ]:
        assert flagged(kind, summary, trip, tags=tags) == spans, (kind, summary)
    # Evidence names turns from one and holds them from zero.
    for kind, summary, turns, evidence in [
        ("number_mismatch", "They stay for two weeks.", (2,), "The summary has “two”, turn 3 has “three”."),
        ("wrong_speaker", "#Person2#'s suitcase is in Madrid.", (0,),
         "“suitcase”, “Madrid”: said by #Person1# (turn 1), not by #Person2#."),
    ]:  # fmt: skip
        found = fault(kind, summary)
        assert (found.turns, str(found.evidence)) == (turns, evidence)
    assert found.value == pytest.approx(1)


def test_length_is_judged_by_the_references_where_there_are_some():
    references = ["one two three four", "one two three four five six"]
    for kind, words, spans in [
        ("too_short", 2, []),  # half of four is not fewer
        ("too_short", 1, [""]), ("too_long", 12, []), ("too_long", 13, [""]),
    ]:  # fmt: skip
        assert flagged(kind, "word " * words, references=references) == spans
    # A short dialogue says nothing about length.
    short = parse_dialogue("A: Hi.\nB: Hello.")
    assert flagged("too_long", "word " * 30, short) == []
    assert flagged("too_short", "Hi", short) == [] and flagged("too_short", "", short) == [""]


def test_a_summary_that_was_cut_is_hinted():
    summary = "#Person1#'s suitcase is in Madrid and the"
    assert flagged("cut_off", summary) == ["the"]
    assert flagged("cut_off", summary, references=["It is in Madrid.", "Lost"]) == ["the"]
    assert flagged("cut_off", summary, references=["Suitcase lost in Madrid"]) == []  # so do people write here
    assert flagged("cut_off", f"{summary}.", ended=False) == ["the"] and flagged("cut_off", summary, ended=True) == []
    assert [flagged("cut_off", each) for each in ("A lost suitcase", f"{summary}!”", f"{summary}。", "")] == [[]] * 4


def test_omitted_turns_need_references():
    summary = "#Person1#'s suitcase is in Madrid."
    reference = "The suitcase is in Madrid. A driver brings it to the hotel before ten."
    assert flagged("omitted_turn", summary) == []
    found = fault("omitted_turn", summary, references=[reference])
    assert found.turns == (1,) and (found.start, found.end) == (0, 0)
    assert "turn 2" in str(found.evidence) and "\u201cdriver\u201d" in str(found.evidence)
    assert flagged("omitted_turn", "A driver comes. The suitcase waits.", references=[reference]) == []
    # Half of the references must be about an omitted turn.
    about = "A driver brings it to the hotel before ten."
    other = "The lift is broken and the form needs a number."
    assert flagged("omitted_turn", "#Person1# talks.", references=[about, other, other]) == [""]
    turns = [fault.turns for fault in find_faults(DIALOGUE, "A talk.", references=[about, other]) if fault.turns]
    assert turns == [(1,), (3,)]


def test_unread_turns_by_attention():
    reference = "A driver brings it to the hotel before ten."
    # turn 2 has 16 of 60 words: its due is a quarter
    little, enough = (0.5, 0.05, 0.25, 0.2), (0.4, 0.2, 0.2, 0.2)
    found = fault("unread_turn", "They talk.", references=[reference], attention=little)
    assert found.turns == (1,) and found.value == 0.05 and "5.0 %" in str(found.evidence)
    assert flagged("unread_turn", "They talk.", references=[reference], attention=enough) == []
    assert flagged("unread_turn", "They talk.", attention=little) == []


def test_low_confidence_joins_neighbours_and_keeps_the_lowest():
    summary = "Ann buys old maps."
    tokens = [Written(0, 3, 0.9), Written(4, 8, 0.08), Written(9, 12, 0.02), Written(13, 17, 0.5)]
    tokens += [Written(17, 18, 0.01), Written(18, 18, 0.001)]  # the end token has no characters
    found = [fault for fault in find_faults(DIALOGUE, summary, tokens=tokens) if fault.kind == "low_confidence"]
    assert [(summary[each.start : each.end], each.value) for each in found] == [("buys old", 0.02), (".", 0.01)]
    assert "2.0 %" in str(found[0].evidence)
    assert flagged("low_confidence", summary, tokens=[Written(0, 3, 0.1)]) == []


def test_odd_input_gives_hints_or_none(snapshot):
    for summary in ["", " ", "Yes", "\u4f60\u597d \U0001f600", "#Person1#", "..", "a" * 3000]:
        for text in ["", "No speakers here.\nNor here.", "A: \u4f60\u597d\nB: ok"]:
            dialogue = parse_dialogue(text)
            for fault in find_faults(dialogue, summary, references=["", "A says hello.", summary]):
                known = fault.end <= len(summary) and all(turn < len(dialogue.turns) for turn in fault.turns)
                assert known and Fault.from_dict(fault.to_dict()) == fault, (text, summary)
    # A long dialogue.
    lines = [f"{'AB'[n % 2]}: We don't go to station number {n} and buy word{n} for the trip." for n in range(900)]
    dialogue = parse_dialogue("\n".join(lines))
    assert len(dialogue.text) > 50_000
    reference = "They buy word8 for the station."
    found = find_faults(dialogue, "A keeps word9 and word11.", references=[reference], attention=[1 / 900] * 900)
    assert [fault.kind for fault in found] == ["novel_word", "wrong_speaker", "omitted_turn"]
    assert [fault.turns[:1] for fault in found] == [(), (9,), (8,)]
    cases = [{"attention": (0.5, 0.5)}, {"tokens": [Written(3, 9, 0.5)]}]
    assert refusals(SettingsError, lambda known: find_faults(DIALOGUE, "Yes.", **known), cases) == snapshot


def test_forty_words_are_enough_to_judge_a_length():
    for words, spans in ((39, []), (40, [""])):
        dialogue = parse_dialogue(f"Ann: {'lake ' * (words - 1)}\nBen: Nice.")
        assert flagged("too_short", "Lake.", dialogue) == spans


def test_unsure_words_with_another_word_between_them_are_two_spans():
    tokens = [Written(0, 3, 0.01), Written(8, 13, 0.01)]  # nothing is known of "saw"
    assert flagged("low_confidence", "Ann saw lakes.", tokens=tokens) == ["Ann", "lakes"]


def test_a_number_is_compared_with_the_one_beside_the_same_unit_or_in_the_best_turn():
    """Two topic words are needed for the best turn: these have one, their unit."""
    assert flagged("number_mismatch", "Two weeks.") == ["Two"]
    assert flagged("number_mismatch", "Two more weeks.") == ["Two"]
    assert flagged("number_mismatch", "Three more weeks.") == []
    best = fault("number_mismatch", "A driver will bring it to the hotel on Monday.")
    assert str(best.evidence) == "The summary has \u201cMonday\u201d, turn 2 has \u201cThursday\u201d."
