"""Likelihood swaps with a trained checkpoint, on our own dialogues."""

import pytest

from core.faults.alternatives import alternatives
from core.faults.swaps import MAX_ALTERNATIVES, swap_faults, weigh_swaps
from core.text.examples import example_by_id
from tests.closeness import same_network


def read(scratch, name):
    example = example_by_id(name)
    return scratch.encode(example.dialogue), example.references[0]


def total(scratch, encoded, text):
    return scratch.force(encoded, text).log_probability


def test_exchanged_speakers_are_flagged_and_the_right_ones_are_not(scratch):
    for name in ["lost-suitcase", "back-pain"]:
        encoded, reference = read(scratch, name)
        wrong = alternatives(encoded.dialogue, reference, 1)[0].summary
        assert wrong != reference
        (fault,) = [each for each in swap_faults(scratch, encoded, wrong) if each.start == each.end]
        assert fault.kind == "speaker_swap" and fault.value > 0, name
        assert "exchanged throughout: more likely by" in str(fault.evidence)
        assert all(each.start < each.end for each in swap_faults(scratch, encoded, reference)), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "right", "wrong", "kind"),
    [
        ("twice-told", "Mila tells", "Robert tells", "speaker_swap"),
        ("team-channel", "Viktor", "Ines", "speaker_swap"),
        ("train-times", "Carlton", "Elm Park", "name_swap"),
        ("back-pain", "two weeks", "nine weeks", "number_swap"),
        ("not-coming", "Sunday", "Monday", "number_swap"),
        ("not-coming", "can't join", "can join", "negation_swap"),
        ("wrong-coat", "wants", "doesn't want", "negation_swap"),
    ],
)
def test_one_wrong_word_is_flagged_in_its_place(scratch, name, right, wrong, kind):
    encoded, reference = read(scratch, name)
    text = reference.replace(right, wrong, 1)
    place = reference.index(right)

    def hints(summary):
        found = swap_faults(scratch, encoded, summary)
        return [each for each in found if each.kind == kind and place <= each.start < each.end <= place + len(wrong)]

    (fault,) = hints(text)
    assert fault.value > 0 and f"for \u201c{text[fault.start : fault.end].strip()}\u201d" in str(fault.evidence)
    assert hints(reference) == []


def test_margins_are_those_of_forced_runs(scratch):
    encoded, reference = read(scratch, "train-times")
    swaps = weigh_swaps(scratch, encoded, reference)
    assert 8 < len(swaps) <= MAX_ALTERNATIVES
    base = total(scratch, encoded, reference)
    tokens = len(scratch.tokenizer.encode_summary(reference, encoded.speakers))
    for swap in (swaps[0], swaps[9]):
        other = swap.alternative.summary
        score = total(scratch, encoded, other)
        length = len(scratch.tokenizer.encode_summary(other, encoded.speakers))
        same_network(swap.total, score - base, scratch.config)
        same_network(swap.per_token, score / length - base / tokens, scratch.config)
        assert swap.wins == (swap.total > 0 and swap.per_token > 0)


def test_nothing_to_swap_and_too_long(scratch, tiny):
    encoded, _ = read(scratch, "lost-suitcase")
    assert swap_faults(scratch, encoded, "") == swap_faults(scratch, encoded, "They talk.") == ()
    assert weigh_swaps(scratch, encoded, "#Person1# talks. " * 200) == ()
    # A model of random weights takes any text.
    encoded = tiny.encode(example_by_id("surprise-cake").dialogue)
    for text in ("Leo bakes.", "\U0001f600 Maya", "#Person7# is Leo at 7."):
        assert all(each.value > 0 for each in swap_faults(tiny, encoded, text))


def test_a_summary_of_as_many_tokens_as_the_model_has_positions_is_weighed(tiny):
    encoded = tiny.encode("Ann: I met Ben by the lake.\nBen: We met.")
    text = "Ann met Ben."
    while len(tiny.tokenizer.encode_summary(text, encoded.speakers)) < tiny.engine.length:
        text += "."
    assert len(tiny.tokenizer.encode_summary(text, encoded.speakers)) == tiny.engine.length
    assert weigh_swaps(tiny, encoded, text)
    assert weigh_swaps(tiny, encoded, f"{text}.") == ()
