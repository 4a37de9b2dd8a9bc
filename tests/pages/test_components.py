"""What the custom components are given and what can be saved; numbers worked out by hand."""

import json
import math
from dataclasses import replace

import pytest

from core.config import END
from core.explain.decoding.distribution import NextToken
from core.figures.shared import card_facts
from core.figures.shared.shades import caption, strip_data
from core.figures.shared.wording import percent, turn_ranges
from core.text.dialogue import parse_dialogue, replace_turn
from pages.parts.decoding.probability_table import table_data
from pages.parts.decoding.stepper import stepper_data
from pages.parts.summarize import written
from pages.parts.summarize.conversation import conversation_data
from pages.shared.session import notices
from tests.components.samples import next_token, run, step
from tests.pages.components import given

SUMMARY = run(
    "Anna naps.",
    step("Anna", 0, 4, 0.8),
    step("naps", 5, 9, 0.25),
    step(".", 9, 10, 0.9),
    step("[EOS]", 10, 10, 0.5, END),
)
FORCED = replace(run("Hi", step("<s>", 0, 0, 0.01), step("Hi", 0, 2, 0.5)), forced=1)
CUT = replace(next_token(), others=0)
"""p = (0.5, 0.3, 0.15, 0.05) over four tokens; top-p 0.9 keeps three (METHODS 8)."""
ENDS = replace(CUT.candidates[0], id=END, text="[EOS]")
TALK = parse_dialogue("Ann: one\nBob: two\nAnn: three\nBob: four")


def with_cuts(*cuts: str, **changes: object) -> NextToken:
    """The first candidates with other reasons for being cut."""
    rows = zip(CUT.candidates, cuts, strict=False)
    return replace(CUT, candidates=tuple(replace(row, cut=cut) for row, cut in rows), **changes)


OTHERS = with_cuts("", "", others=7998, others_kept=12, others_probability=0.2, others_after=0.0004)
GIVEN = {
    "strip: it can be read as the summary": lambda: strip_data(SUMMARY),
    "strip: a character of three tokens is written once": lambda: strip_data(run("😀", *[step("😀", 0, 1, 0.5)] * 3)),
    "strip: a token that was forced is not the least sure one": lambda: strip_data(FORCED),
    "stepper: the same text without numbers, since it redraws with every move":
        lambda: stepper_data(replace(SUMMARY, forced=2), 1, 7),
    "stepper: the end was forced": lambda: stepper_data(replace(SUMMARY, finished=False), 0, 0),
    "stepper: an empty summary": lambda: stepper_data(run(""), 5, 0),
    "conversation: turns that were edited, left out and cut":
        lambda: conversation_data(replace_turn(TALK, 1, "2"), TALK, (2,), (3,)),
    "conversation: a removed turn marks no neighbours":
        lambda: conversation_data(replace_turn(TALK, 1, ""), TALK, (), ()),
    "table: the reference has the second token": lambda: table_data(CUT, 20, 21, (0.5, 0, 0.9)),
    "table: the reference ends here":
        lambda: table_data(replace(CUT, candidates=(ENDS,)), 20, END, (1.0, 0, 1.0)),
    "table: there is no reference, and little was written":
        lambda: table_data(replace(CUT, kept=1, kept_probability=0.5, others_after=0.5), 20, None, (0.5, 1, 0.9)),
    "table: the last row holds all other tokens": lambda: table_data(OTHERS, 20, None, (1.0, 14, 1.0)),
}  # fmt: skip


@pytest.mark.parametrize("case", GIVEN)
def test_what_the_scripts_are_given(case, snapshot):
    assert given(GIVEN[case]()) == snapshot


@pytest.mark.parametrize(("asked", "nearest"), [(-1, 0), (0, 0), (3, 3), (4, 3)])
def test_the_stepper_stays_inside_the_summary(asked, nearest):
    assert stepper_data(SUMMARY, asked, 0)["step"] == nearest


def test_the_caption_names_the_weakest_token_and_the_mean(snapshot):
    ended = run("Hi", step("Hi", 0, 2, 0.5), replace(SUMMARY.steps[-1], log_probability=-9.0))
    assert given(caption(SUMMARY), caption(run("")), caption(replace(ended, finished=False))) == snapshot


def test_the_json_has_the_names_of_the_command_line():
    values = json.loads(written.to_json(SUMMARY))
    assert {"summary", "tokens", "log_probability", "checkpoint", "settings", "seconds"} <= set(values)
    assert values["summary"] == "Anna naps." and values["omitted_turns"] == [2]
    assert values["tokens"][1]["probability"] == pytest.approx(0.25)
    assert values["log_probability"] == pytest.approx(math.log(0.8 * 0.25 * 0.9 * 0.5))


def test_shares_and_turns_are_written_for_readers():
    shares = {0: "0.0 %", 0.0004: "under 0.1 %", 0.052: "5.2 %", 0.405: "41 %", 0.9999: "over 99.9 %", 1: "100 %"}
    assert {value: percent(value).replace("\u00a0", " ") for value in shares} == shares
    turns = {(2, 3, 4, 8): "3–5, 9", (0,): "1", (0, 1): "1–2", (): ""}
    assert {indices: turn_ranges(indices) for indices in turns} == turns


def test_literal_escapes_what_markdown_would_interpret():
    assert notices.literal("![i](http://c) `x`\n# y") == r"\!\[i\]\(http\://c\) \`x\` \# y"


def test_facts_of_a_card_with_little_or_much_on_it(snapshot):
    trained = {"preset": "dialoscope", "epochs": 20, "validation_loss": 3.14159, "licence": "CC BY-NC"}
    scores = {"rouge": {"rouge1": 35.04, "rouge2": 10.2, "rougeL": 28.0}}
    imported = {"family": "BART", "parameters": 406_290_432, "source": "facebook/bart-large-cnn", "licence": "mit"}
    assert given(*map(card_facts.facts, ({}, trained | {"scores": scores}, imported))) == snapshot


@pytest.mark.parametrize(
    ("cuts", "others", "kept", "row"),
    [
        (("", "top-k", "top-k", "top-k"), 9, 0, 0),
        (("", "rule", "", "top-p"), 9, 0, 2),  # what a rule forbids has nothing to do with the rank
        (("", "", "rule"), 9, 0, 1),
        (("", ""), 9, 0, 1),  # all rows are kept, nothing below them
        (("", ""), 9, 4, -1),  # the cut lies among the other tokens
        (("", "rule"), 0, 0, -1),
        (("", "top-p", ""), 9, 0, -1),  # the kept ones are not the first
        (("rule", "rule"), 9, 1, -1),
    ],
)
def test_the_line_of_the_cut_is_below_the_last_kept_row(cuts, others, kept, row):
    assert table_data(with_cuts(*cuts, others=others, others_kept=kept), 20, None, (1.0, 0, 1.0))["cut"] == row
