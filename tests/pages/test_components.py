"""What the custom components are given and what can be saved; numbers worked out by hand."""

import json
import math
from dataclasses import replace

import pytest

from core.config import END
from core.explain.distribution import NextToken
from core.figures import card_facts
from core.figures.shades import caption, strip_data
from core.figures.wording import percent, turn_ranges
from core.text.dialogue import parse_dialogue, replace_turn
from pages.parts.decoding.probability_table import table_data
from pages.parts.decoding.stepper import stepper_data
from pages.parts.summarize import written
from pages.parts.summarize.conversation import conversation_data
from pages.shared.frame import notices
from tests.components.samples import next_token, run, step

SUMMARY = run(
    "Anna naps.",
    step("Anna", 0, 4, 0.8),
    step("naps", 5, 9, 0.25),
    step(".", 9, 10, 0.9),
    step("[EOS]", 10, 10, 0.5, END),
)
SHOWN = [("", "Anna", ""), (" ", "naps", ""), ("", ".", ""), ("", "", "end")]
"""Gap, text and mark of each token."""
CUT = replace(next_token(), others=0)


def shown(drawn: dict) -> list[tuple[str, str, str]]:
    """Gap, text and mark of each token that a component gets."""
    return [(each["gap"], each["text"], each["special"]) for each in drawn["tokens"]]


# Summaries -----------------------------------------------------------------------------------------------------------


def test_the_strip_can_be_read_as_the_summary():
    strip = strip_data(SUMMARY)
    assert shown(strip) == SHOWN and strip["weakest"] == 1 and strip["copies"] is False
    assert strip["tokens"][1]["rest"] == pytest.approx(0.65)
    assert strip["tokens"][1]["alternatives"] == [["naps", 0.25, True], [" other", 0.1, False]]
    pieces = strip_data(run("😀", *[step("😀", 0, 1, 0.5)] * 3))  # of one character, which is not written twice
    assert shown(pieces) == [("", "😀", ""), ("", "", "·"), ("", "", "·")]
    given = replace(run("Hi", step("<s>", 0, 0, 0.01), step("Hi", 0, 2, 0.5)), forced=1)
    assert shown(strip_data(given)) == [("", "", "<s>"), ("", "Hi", "")]
    said = strip_data(given)["caption"].replace("\xa0", " ")
    assert said == "The model was least sure of “Hi” (50 %); on average a token got 50 %."


def test_the_stepper_draws_the_same_text_as_the_strip_and_marks_what_was_forced():
    drawn = stepper_data(replace(SUMMARY, forced=2), 1, 7)
    assert shown(drawn) == SHOWN and [each["label"] for each in drawn["tokens"]] == ["Anna", "naps", ".", "[EOS]"]
    assert set(drawn["tokens"][0]) == {"gap", "text", "special", "label"}  # no numbers: it redraws with every move
    assert (drawn["step"], drawn["version"], drawn["forced"], drawn["forcedEnd"]) == (1, 7, 2, False)
    assert stepper_data(replace(SUMMARY, finished=False), 0, 0)["forcedEnd"]
    for asked, nearest in ((-1, 0), (0, 0), (3, 3), (4, 3)):
        assert stepper_data(SUMMARY, asked, 0)["step"] == nearest
    empty = stepper_data(run(""), 5, 0)
    assert empty["tokens"] == [] and empty["step"] == 0


def test_the_caption_names_the_weakest_token_and_the_mean():
    said = caption(SUMMARY).replace("\u00a0", " ")
    assert said == "The model was least sure of “naps” (25 %); on average a token got 61 %."
    assert caption(run("")) == "The model wrote nothing."
    ended = run("Hi", step("Hi", 0, 2, 0.5), replace(SUMMARY.steps[-1], log_probability=-9.0))
    said = caption(replace(ended, finished=False)).replace("\u00a0", " ")
    assert said.startswith("The model was least sure of “Hi” (50 %)") and said.endswith(
        "Its end was forced: it may not be longer."
    )


def test_the_json_has_the_names_of_the_command_line():
    values = json.loads(written.to_json(SUMMARY))
    assert {"summary", "tokens", "log_probability", "checkpoint", "settings", "seconds"} <= set(values)
    assert values["summary"] == "Anna naps." and values["omitted_turns"] == [2]
    assert values["tokens"][1]["probability"] == pytest.approx(0.25)
    assert values["log_probability"] == pytest.approx(math.log(0.8 * 0.25 * 0.9 * 0.5))


# Texts ---------------------------------------------------------------------------------------------------------------


def test_shares_and_turns_are_written_for_readers():
    shares = {0: "0.0 %", 0.0004: "under 0.1 %", 0.052: "5.2 %", 0.42: "42 %", 0.9999: "over 99.9 %", 1: "100 %"}
    assert {value: percent(value).replace("\u00a0", " ") for value in shares} == shares
    turns = {(2, 3, 4, 8): "3–5, 9", (0,): "1", (0, 1): "1–2", (): ""}
    assert {indices: turn_ranges(indices) for indices in turns} == turns


def test_literal_escapes_what_markdown_would_interpret():
    assert notices.literal("![i](http://c) `x`\n# y") == r"\!\[i\]\(http\://c\) \`x\` \# y"


def test_a_conversation_marks_what_was_left_out_cut_and_edited():
    original = parse_dialogue("Ann: one\nBob: two\nAnn: three\nBob: four")
    drawn = conversation_data(replace_turn(original, 1, "2"), original, (2,), (3,))
    assert [turn["state"] for turn in drawn["turns"]] == ["", "", "omitted", "shortened"]
    assert [turn["edited"] for turn in drawn["turns"]] == [False, True, False, False]
    assert [turn["speaker"] for turn in drawn["turns"]] == [0, 1, 0, 1] and drawn["speakers"] == 2
    shorter = conversation_data(replace_turn(original, 1, ""), original, (), ())["turns"]
    assert len(shorter) == 3 and not any(turn["edited"] for turn in shorter)  # a removed turn marks no neighbours


def test_facts_of_a_card_with_little_or_much_on_it():
    assert card_facts.facts({}) == "  \nLicence of the weights: not stated"
    scores = {"rouge": {"rouge1": 35.04, "rouge2": 10.2, "rougeL": 28.0}}
    card = {"preset": "dialoscope", "epochs": 20, "validation_loss": 3.14159, "scores": scores, "licence": "CC BY-NC"}
    said = card_facts.facts(card).replace("\\", "")
    for part in ("Preset dialoscope", "20 epochs", "loss 3.14", "35.0 / 10.2 / 28.0", "CC BY-NC"):
        assert part in said
    card = {"family": "BART", "parameters": 406_290_432, "source": "facebook/bart-large-cnn", "licence": "mit"}
    said = card_facts.facts(card).replace("\\", "")
    assert said == "BART · 406,290,432 weights · from facebook/bart-large-cnn  \nLicence of the weights: mit"


# The table of the next token: p = (0.5, 0.3, 0.15, 0.05) over four tokens; top-p 0.9 keeps three (METHODS 8) ---------


def with_cuts(*cuts: str, **changes: object) -> NextToken:
    """The first candidates with other reasons for being cut."""
    rows = zip(CUT.candidates, cuts, strict=False)
    return replace(CUT, candidates=tuple(replace(row, cut=cut) for row, cut in rows), **changes)


def test_a_row_of_the_table():
    row = table_data(CUT, 20, 21, (0.5, 0, 0.9))["rows"][1]
    assert row == {
        "id": 21, "text": " word1", "end": False, "action": "Write “word1” here instead", "rank": "2",
        "logit": "−1.20", "scaled": "−2.41", "kept": "✓", "before": [0.3, "30\u00a0%"], "after": [0.3158, "32\u00a0%"],
        "chosen": False, "reference": True,
    }  # fmt: skip
    end = replace(CUT.candidates[0], id=END, text="[EOS]")
    row = table_data(replace(CUT, candidates=(end,)), 20, END, (1.0, 0, 1.0))["rows"][0]
    assert row["end"] and row["reference"] and row["action"] == "End the summary here instead"


def test_the_table_marks_what_was_written_what_the_reference_has_and_what_was_cut():
    drawn = table_data(CUT, 20, None, (0.5, 0, 0.9))
    assert [row["chosen"] for row in drawn["rows"]] == [True, False, False, False]
    assert not any(row["reference"] for row in drawn["rows"])
    assert [row["kept"] for row in drawn["rows"]] == ["✓", "✓", "✓", "top-p"]
    assert drawn["rows"][3]["after"] == [0, "0\u00a0%"]
    assert drawn["cut"] == 2 and drawn["others"] is None and drawn["temperature"] == "0.5"
    meaning = "✓: it can be drawn. top-p: not needed to reach 90 % with the most probable tokens. "
    assert drawn["meaning"].replace("\u00a0", " ") == meaning + "rule: not allowed at this step."


def test_the_line_under_the_table_adds_up_both_columns():
    def total(table: NextToken, top_k: int = 0) -> str:
        return table_data(table, 20, None, (0.5, top_k, 0.9))["sum"].replace("\u00a0", " ")

    assert total(CUT) == (
        "Together 100 % · entropy 1.14 nats over the whole vocabulary, 0.99 after the cut · "
        "3 of 4 tokens kept, which hold 95 % of the whole vocabulary's probability"
    )
    assert total(replace(CUT, others_after=0.5)).startswith("Together 100 % and 150 %")
    assert "1 of 4 tokens kept, which holds 50" in total(replace(CUT, kept=1, kept_probability=0.5), 1)


def test_the_last_row_holds_all_other_tokens():
    many = with_cuts("", "", others=7998, others_kept=12, others_probability=0.2, others_after=0.0004)
    assert table_data(many, 20, None, (1.0, 14, 1.0))["others"] == {
        "text": "all other tokens (7,998)", "kept": "12 kept", "removed": False, "before": [0.2, "20\u00a0%"],
        "after": [0.0004, "< 0.1\u00a0%"],
    }  # fmt: skip


def test_the_line_of_the_cut_is_below_the_last_kept_row():
    for cuts, others, kept, row in (
        (("", "top-k", "top-k", "top-k"), 9, 0, 0),
        (("", "rule", "", "top-p"), 9, 0, 2),  # what a rule forbids has nothing to do with the rank
        (("", "", "rule"), 9, 0, 1),
        (("", ""), 9, 0, 1),  # all rows are kept, nothing below them
        (("", ""), 9, 4, -1),  # the cut lies among the other tokens
        (("", "rule"), 0, 0, -1),
        (("", "top-p", ""), 9, 0, -1),  # the kept ones are not the first
        (("rule", "rule"), 9, 1, -1),
    ):
        table = with_cuts(*cuts, others=others, others_kept=kept)
        assert table_data(table, 20, None, (1.0, 0, 1.0))["cut"] == row, (cuts, others, kept)
