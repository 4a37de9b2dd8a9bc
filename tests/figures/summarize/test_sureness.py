"""What is said of how often such summaries were wrong."""

import json
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest

from core import checkpoints
from core.config import DecodeSettings
from core.evaluation import intake
from core.faults import groups
from core.faults.groups import Readings
from core.faults.measure import Measured
from core.faults.sureness import Sureness
from core.figures.summarize.sureness import how_sure
from core.scoring.agreement import coefficient
from core.text.dialogue import parse_dialogue
from core.text.judged import Verdict

MEASURED = Measured((), 67, {}, "f00", "validation", (Sureness(-2, -0.5, 33, 30), Sureness(-0.4, -0.1, 34, 20)))
USUAL = DecodeSettings(beam_size=4)


def summary(text: str = "Ann: Are you coming tonight?\nBen: No, I have to work late.", **changes: object):
    settings, dialogue = USUAL.replace(**changes), parse_dialogue(text)
    return SimpleNamespace(mean_log_probability=-0.7, settings=settings, dialogue=dialogue)


UNSURE = summary()


def test_the_sentence_has_the_count_and_its_interval():
    assert how_sure(UNSURE, MEASURED, "f00", USUAL).startswith(
        "This model is small and often wrong. It wrote 33 other summaries as surely as this one: 30 of them said "
        "something false (91\xa0%; 95 % interval 76\xa0% to 97\xa0%). A language model read them. Their dialogues "
        "(validation) were not trained on."
    )


def test_groups_have_a_count_of_their_own_where_these_weights_and_settings_were_read():
    group = summary("Ann: Are you coming tonight?\nBen: No, I have to work late.\nCid: Then we wait for you.")
    read = Readings("f00", 48, 44, 33)
    assert how_sure(group, MEASURED, "f00", USUAL, read).startswith(
        "This model is small, and its summaries of groups are rarely right. It summarized 48 dialogues of three to "
        "five people: 44 of these summaries say something false or miss the main point, and 33 name a wrong person."
    )
    usual = how_sure(UNSURE, MEASURED, "f00", USUAL)
    for other in (None, Readings("another", 48, 44, 33)):
        assert how_sure(group, MEASURED, "f00", USUAL, other) == usual
    assert how_sure(UNSURE, MEASURED, "f00", USUAL, read) == usual


def test_the_readings_that_ship_are_of_the_shipped_weights_and_of_every_chat():
    read = groups.shipped()
    assert read and read.checkpoint == checkpoints.read_card("dialoscope")["sha256"]["weights.safetensors"]
    lines = [json.loads(line) for line in groups.FILE.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == [row.id for row in intake.texts("groups").rows]
    assert read.count == len(lines) >= read.wrong > 0.8 * read.count  # "rarely right"
    assert read.wrong >= read.persons > 0
    ratings = np.array([[get_args(Verdict).index(verdict) for verdict in line["verdicts"]] for line in lines]).T
    value, _, _ = coefficient(ratings)
    assert value and value > 0.6  # of two readings that agree by more than chance


def test_other_weights_were_not_measured():
    unmeasured = "How often this model is wrong has not been measured. Check the summary against the dialogue."
    assert how_sure(UNSURE, MEASURED, "another", USUAL) == how_sure(UNSURE, None, "f00", USUAL) == unmeasured


GERMAN = "Ann: Kommst du heute Abend zu uns?\nBen: Nein, ich muss leider arbeiten."
OTHERS = [{"strategy": "greedy"}, {"strategy": "sample"}, {"max_tokens": 6}, {"beam_size": 2}, {"text": GERMAN}]


@pytest.mark.parametrize("changes", OTHERS, ids=str)
def test_other_settings_and_languages_were_not_measured(changes):
    why = "in other languages than English" if "text" in changes else "with these settings"
    unmeasured = f"This model is small and often wrong; how often {why} was not measured."
    assert how_sure(summary(**changes), MEASURED, "f00", USUAL) == unmeasured


def test_a_setting_that_has_no_effect_is_no_other_decoding():
    usual, same = (how_sure(each, MEASURED, "f00", USUAL) for each in (UNSURE, summary(seed=7, temperature=2.0)))
    assert usual == same
