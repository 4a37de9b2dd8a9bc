"""The list of visits: one entry a thing, own names stay, the limits hold."""

import tracemalloc
from dataclasses import replace
from datetime import timedelta

import pytest

from core.errors import VisitedError
from core.limits import limits
from core.visited.visit import LONGEST_NAME, Visited, characters, how
from tests.visited.visits import MASKS, NOON, STEP, at, of


def names(found: Visited) -> list[str]:
    return [each.name for each in found.items]


def test_small_steps_of_one_thing_are_one_entry_that_leads_to_the_last():
    found = Visited().add(MASKS)
    for step in range(1, 21):
        found = found.add(at(step))
    assert [each.place.address for each in found.items] == ["/decoding?step=20", "/masks"]
    assert names(found.add(MASKS)) == [MASKS.name, "Step 20"]


@pytest.mark.parametrize(
    "other",
    [
        {"place": replace(STEP.place, dialogue="Ann: Bye.")},
        {"subject": "branches"},
        {"checkpoint": "report-b"},
        {"place": replace(STEP.place, page="attention")},
        {"settings": {"strategy": "greedy"}},
        {"place": replace(STEP.place, references=())},
    ],
    ids=["dialogue", "subject", "checkpoint", "page", "settings", "references"],
)
def test_another_thing_has_an_entry_of_its_own(other):
    assert len(Visited().add(STEP).add(replace(STEP, **other)).items) == 2


def test_an_entry_with_a_name_of_its_own_stays_and_is_found_again():
    found = Visited().add(at(3))
    found = found.rename(found.items[0].number, "  The   turning\npoint ")
    found = found.add(at(4)).add(at(5, minutes=2))
    assert names(found) == ["Step 5", "The turning point"]
    again = found.add(at(3, minutes=9))
    assert names(again) == ["The turning point", "Step 5"] and again.items[0].time == NOON + timedelta(minutes=9)


def test_a_summary_that_was_there_stays_while_the_state_is_the_same():
    unread = replace(STEP, summary="")
    assert Visited().add(STEP).add(unread).items[0].summary == STEP.summary
    assert Visited().add(STEP).add(of(unread, link={"step": "4"})).items[0].summary == ""


def test_entries_are_renamed_and_removed_by_their_number():
    found = Visited().add(MASKS).add(STEP)
    first, second = (each.number for each in found.items)
    assert names(found.rename(second, "M")) == [STEP.name, "M"]
    assert names(found.remove(first)) == [MASKS.name]
    assert found.remove(first).add(STEP).items[0].number not in (first, second)


@pytest.mark.parametrize("name", ["", " \n ", "x" * (LONGEST_NAME + 1)])
def test_a_name_is_refused_with_what_is_allowed(name):
    with pytest.raises(VisitedError, match=f"allowed: 1 to {LONGEST_NAME}"):
        Visited().add(STEP).rename(1, name)


def test_the_oldest_go_first_and_those_with_names_last(set_limits):
    set_limits(visits=3)
    found = Visited().add(replace(MASKS, subject="0", name="named", named=True))
    for number in range(1, 6):
        found = found.add(replace(MASKS, subject=str(number), name=str(number)))
    assert names(found) == ["5", "4", "named"]


def test_long_dialogues_push_older_ones_out_and_one_shared_counts_once(set_limits):
    set_limits(visited_characters=1_000)
    long, other = "A: " + "x" * 600, "B: " + "y" * 600
    found = Visited().add(of(STEP, dialogue=long)).add(replace(of(STEP, dialogue=long), subject="branches"))
    assert len(found.items) == 2 and characters(found.items) < 1_000
    assert [each.place.dialogue for each in found.add(of(STEP, dialogue=other)).items] == [other]


def test_merged_lists_are_ordered_by_time_without_doubles():
    mine = Visited().add(MASKS).add(at(3))
    found = mine.merge([at(3), at(7, minutes=-30), replace(at(3), named=True, name="kept")])
    assert names(found) == ["Step 3", "kept", "Step 7", MASKS.name]
    assert len({each.number for each in found.items}) == 4


def test_a_full_list_takes_less_than_two_megabytes():
    most = limits().visits
    tracemalloc.start()
    found = Visited()
    for number in range(most + 10):
        text = f"{number} " + "ё" * (limits().visited_characters // most - 600)
        found = found.add(of(STEP, dialogue=text, link={"step": str(number), "branch": "9" * 300}))
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(found.items) == most and size < 2_000_000


def test_how_a_summary_was_decoded_in_short():
    assert [how(STEP.settings), how({"strategy": "greedy", "beam_size": 4}), how({})] == ["beam 4", "greedy", ""]
    assert how({"strategy": "sample", "seed": 7}) == "sample 7"
