"""What a summary of a made chat says is what its people have written."""

import numpy as np
import pytest

from benchmarks.chats import facts
from benchmarks.chats.casting import TAG
from benchmarks.chats.facts import FACTS, Fact, doings, group_chat, of_another, told
from core.text.dialogue import parse_dialogue

DOING = ("feed the cat", "paint the kitchen")
THREE = {"A": "#Person2#", "B": "#Person3#", "C": "#Person1#"}


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.summary[0])
def test_every_way_to_tell_a_fact_names_who_is_in_its_summary(fact):
    for way in fact.told:
        for sentence in fact.summary:
            messages, summary = told(Fact([way], [sentence]), THREE, DOING, np.random.default_rng(1))
            written = "\n".join(f"{message.speaker}: {message.text}" for message in messages)
            assert not {*"{}|"} & {*written, *summary}
            assert {*TAG.findall(summary)} <= {*TAG.findall(written)} and summary.endswith(".")


def test_who_offers_is_who_the_summary_says():
    offered = Fact(["{B}: Who can {do}? | {C}: Not me. | {A}: I can."], ["{A} will {do}."])
    messages, summary = told(offered, THREE, DOING[:1], np.random.default_rng(0))
    assert [(message.speaker, message.text) for message in messages] == [
        ("#Person3#", "Who can feed the cat?"), ("#Person1#", "Not me."), ("#Person2#", "I can."),
    ]  # fmt: skip
    assert summary == "#Person2# will feed the cat."


def test_two_people_tell_nothing_of_a_third_one():
    pair = {role: THREE[role] for role in "AB"}
    for fact in FACTS:
        messages, summary = told(fact, pair, DOING, np.random.default_rng(2))
        assert {message.speaker for message in messages} <= {*pair.values()} and "{" not in summary


@pytest.mark.parametrize(
    ("clause", "other"),
    [
        ("I'm ill", "#Person4# is ill"),
        ("I have to work", "#Person4# has to work"),
        ("I've lost my passport", "#Person4# has lost #Person4#'s passport"),
        ("I was promoted", "#Person4# was promoted"),
        ("I failed the exam", "#Person4# failed the exam"),
        ("my son is sick", "#Person4#'s son is sick"),
    ],
)
def test_said_of_somebody_else(clause, other):
    assert of_another(clause, "#Person4#") == other


@pytest.mark.parametrize(
    "clause", [clause for name in ("reason", "happened", "mishap") for clause in facts.WORDS[name]]
)
def test_a_clause_of_the_table_speaks_of_nobody_who_is_not_named(clause):
    assert not {"I", "my", "me", "I'm", "I've"} & set(of_another(clause, "Ana").split())


def test_what_people_may_do_names_no_person():
    texts = [
        "#Person1# wants to rent a small flat because #Person1# moves.",
        "#Person1#: Can you please water the plants? I'll call you back.",
        "#Person2# will tell Mary about the old house. #Person2# is going to see him after the game.",
    ]
    assert doings(texts) == ["rent a small flat", "water the plants"]


def test_people_of_the_summary_write_in_the_chat():
    sizes = set()
    for seed in range(60):
        chat = group_chat(DOING, np.random.default_rng(seed))
        if chat:
            speakers = parse_dialogue(chat.dialogue).speakers
            sizes.add(len(speakers))
            assert any(speaker in chat.summary for speaker in speakers) and "#Person" not in chat.summary
    assert {2, 3, 4} <= sizes


def test_the_same_seed_makes_the_same_chat():
    assert group_chat(DOING, np.random.default_rng(3)) == group_chat(DOING, np.random.default_rng(3))
