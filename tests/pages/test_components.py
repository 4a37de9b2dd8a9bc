"""What the custom components are given and what can be saved; numbers worked out by hand."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from core.config import END, DecodeSettings
from core.explain.distribution import Candidate, Cut, NextToken
from core.figures.shades import caption
from core.figures.wording import percent, turn_ranges
from core.text.dialogue import parse_dialogue, replace_turn
from core.trace import Alternative, AttentionTrace, DecodingStep, Summary, Token
from pages.parts.decoding.probability_table import table_data
from pages.parts.decoding.stepper import stepper_data
from pages.parts.summarize import written
from pages.parts.summarize.conversation import conversation_data
from pages.shared.components.token_strip import strip_data
from pages.shared.controls import sidebar
from pages.shared.frame import notices


def step(text: str, start: int, end: int, probability: float, id: int = 9, copied: float | None = None) -> DecodingStep:
    token = Token(text, id, start, end, None, None, 0)
    best = (Alternative(id, text, probability), Alternative(8, " other", 0.1))
    return DecodingStep(token, math.log(probability), 0.5, 1, best, 0, copied)


def run(text: str, *steps: DecodingStep) -> Summary:
    tokens = tuple(each.token for each in steps)
    logits, read, written = np.zeros((len(steps), 3)), np.zeros((2, 0, 4)), np.zeros((2, len(steps), 4))
    return Summary(
        text, parse_dialogue("Anna: Hi"), steps, AttentionTrace((), tokens), logits, read, written,
        (2,), (), (), None, True, DecodeSettings(), "tiny@abc", 0.25,
    )  # fmt: skip


SUMMARY = run(
    "Anna naps.",
    step("Anna", 0, 4, 0.8),
    step("naps", 5, 9, 0.25),
    step(".", 9, 10, 0.9),
    step("[EOS]", 10, 10, 0.5, END),
)


def test_the_strip_can_be_read_as_the_summary():
    strip = strip_data(SUMMARY)
    assert [(each["gap"], each["text"], each["special"]) for each in strip["tokens"]] == [
        ("", "Anna", ""), (" ", "naps", ""), ("", ".", ""), ("", "", "end")
    ]  # fmt: skip
    assert strip["weakest"] == 1 and strip["copies"] is False
    assert strip["tokens"][1]["rest"] == pytest.approx(0.65)
    assert strip["tokens"][1]["alternatives"] == [["naps", 0.25, True], [" other", 0.1, False]]


def test_pieces_of_one_character_are_not_written_twice():
    strip = strip_data(run("😀", step("😀", 0, 1, 0.5), step("😀", 0, 1, 0.5), step("😀", 0, 1, 0.5)))
    assert "".join(each["gap"] + each["text"] for each in strip["tokens"]) == "😀"
    assert [each["special"] for each in strip["tokens"]] == ["", "·", "·"]


def test_the_caption_names_the_weakest_token_and_the_mean():
    said = caption(SUMMARY).replace("\u00a0", " ")
    assert said == "The model was least sure of “naps” (25 %); on average a token got 61 %."
    assert caption(run("")) == "The model wrote nothing."


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.0 %"), (0.0004, "under 0.1 %"), (0.052, "5.2 %"), (0.42, "42 %"), (0.9999, "over 99.9 %"), (1, "100 %")],
)
def test_percent(value, text):
    assert percent(value).replace("\u00a0", " ") == text


@pytest.mark.parametrize(("indices", "text"), [((2, 3, 4, 8), "3–5, 9"), ((0,), "1"), ((0, 1), "1–2"), ((), "")])
def test_spans(indices, text):
    assert turn_ranges(indices) == text


def test_a_conversation_marks_what_was_left_out_cut_and_edited():
    original = parse_dialogue("Ann: one\nBob: two\nAnn: three\nBob: four")
    dialogue = replace_turn(original, 1, "2")
    drawn = conversation_data(dialogue, original, (2,), (3,))
    assert [turn["state"] for turn in drawn["turns"]] == ["", "", "omitted", "shortened"]
    assert [turn["edited"] for turn in drawn["turns"]] == [False, True, False, False]
    assert [turn["speaker"] for turn in drawn["turns"]] == [0, 1, 0, 1] and drawn["speakers"] == 2


def test_a_removed_turn_does_not_mark_its_neighbours():
    original = parse_dialogue("Ann: one\nBob: two\nAnn: three\nBob: four")
    drawn = conversation_data(replace_turn(original, 1, ""), original, (), ())
    assert len(drawn["turns"]) == 3 and not any(turn["edited"] for turn in drawn["turns"])


def test_the_json_has_the_names_of_the_command_line():
    values = json.loads(written.to_json(SUMMARY))
    assert {"summary", "tokens", "log_probability", "checkpoint", "settings", "seconds"} <= set(values)
    assert values["summary"] == "Anna naps." and values["omitted_turns"] == [2]
    assert values["tokens"][1]["probability"] == pytest.approx(0.25)
    assert values["log_probability"] == pytest.approx(math.log(0.8 * 0.25 * 0.9 * 0.5))


def test_facts_of_a_card_with_little_or_much_on_it():
    assert sidebar.facts({}) == "  \nLicence of the weights: not stated"
    card = {
        "preset": "dialoscope",
        "epochs": 20,
        "validation_loss": 3.14159,
        "scores": {"rouge": {"rouge1": 35.04, "rouge2": 10.2, "rougeL": 28.0}},
        "licence": "CC BY-NC-SA 4.0",
    }
    said = sidebar.facts(card).replace("\\", "")
    for part in ("Preset dialoscope", "20 epochs", "loss 3.14", "35.0 / 10.2 / 28.0", "CC BY-NC-SA 4.0"):
        assert part in said


def test_literal_escapes_what_markdown_would_interpret():
    assert notices.literal("![i](http://c) `x`\n# y") == r"\!\[i\]\(http\://c\) \`x\` \# y"


def test_the_stepper_draws_the_same_text_as_the_strip_and_marks_what_was_forced():
    drawn = stepper_data(replace(SUMMARY, forced=2), 1, 7)
    assert [(each["gap"], each["text"], each["special"], each["label"]) for each in drawn["tokens"]] == [
        ("", "Anna", "", "Anna"), (" ", "naps", "", "naps"), ("", ".", "", "."), ("", "", "end", "[EOS]")
    ]  # fmt: skip
    assert set(drawn["tokens"][0]) == {"gap", "text", "special", "label"}  # no numbers: it redraws with every move
    assert (drawn["step"], drawn["version"], drawn["forced"]) == (1, 7, 2)


@pytest.mark.parametrize(("asked", "drawn"), [(-1, 0), (0, 0), (3, 3), (4, 3)])
def test_a_step_outside_the_summary_is_the_nearest_inside(asked, drawn):
    assert stepper_data(SUMMARY, asked, 0)["step"] == drawn


def test_the_stepper_of_an_empty_summary_has_no_tokens():
    drawn = stepper_data(run(""), 5, 0)
    assert drawn["tokens"] == [] and drawn["step"] == 0


def candidates(*cuts: Cut) -> tuple[Candidate, ...]:
    """p = (0.5, 0.3, 0.15, 0.05) over four tokens; top-p 0.9 keeps three (METHODS 8)."""
    probabilities, after = (0.5, 0.3, 0.15, 0.05), (0.5263, 0.3158, 0.1579, 0.0)
    return tuple(
        Candidate(
            20 + row,
            f" w{row}",
            row + 1,
            math.log(probabilities[row]),
            math.log(probabilities[row]) / 0.5,
            probabilities[row],
            cut,
            after[row],
        )
        for row, cut in enumerate(cuts)
    )


CUT = NextToken(candidates("", "", "", "top-p"), 0, 0, 0.0, 0.0, 3, 0.95, 1.1421, 0.9933)


def test_a_row_of_the_table():
    row = table_data(CUT, 20, 21, (0.5, 0, 0.9))["rows"][1]
    assert row == {
        "id": 21, "text": " w1", "end": False, "action": "Write “w1” here instead", "rank": "2", "logit": "−1.20",
        "scaled": "−2.41", "kept": "✓", "before": [0.3, "30\u00a0%"], "after": [0.3158, "32\u00a0%"], "chosen": False,
        "reference": True,
    }  # fmt: skip


def test_the_table_marks_what_was_written_what_the_reference_has_and_what_was_cut():
    drawn = table_data(CUT, 20, None, (0.5, 0, 0.9))
    assert [row["chosen"] for row in drawn["rows"]] == [True, False, False, False]
    assert not any(row["reference"] for row in drawn["rows"])
    assert [row["kept"] for row in drawn["rows"]] == ["✓", "✓", "✓", "top-p"]
    assert drawn["rows"][3]["after"] == [0, "0\u00a0%"]
    assert drawn["cut"] == 2 and drawn["others"] is None and drawn["temperature"] == "0.5"
    assert drawn["meaning"].replace("\u00a0", " ") == (
        "✓: it can be drawn. top-p: not needed to reach 90 % with the most probable tokens. "
        "rule: not allowed at this step."
    )


def test_the_line_under_the_table_adds_up_both_columns():
    said = table_data(CUT, 20, None, (0.5, 0, 0.9))["sum"].replace("\u00a0", " ")
    assert said == (
        "Together 100 % · entropy 1.14 nats over the whole vocabulary, 0.99 after the cut · "
        "3 of 4 tokens kept, which hold 95 % of the whole vocabulary's probability"
    )
    wrong = table_data(replace(CUT, others_after=0.5), 20, None, (0.5, 0, 0.9))["sum"]
    assert wrong.replace("\u00a0", " ").startswith("Together 100 % and 150 %")
    one = table_data(replace(CUT, kept=1, kept_probability=0.5), 20, None, (0.5, 1, 1.0))["sum"]
    assert "1 of 4 tokens kept, which holds 50" in one


def test_the_last_row_holds_all_other_tokens():
    many = NextToken(candidates("", ""), 7998, 12, 0.2, 0.0004, 14, 0.87, 1.83, 0.92)
    assert table_data(many, 20, None, (1.0, 14, 1.0))["others"] == {
        "text": "all other tokens (7,998)", "kept": "12 kept", "removed": False, "before": [0.2, "20\u00a0%"],
        "after": [0.0004, "< 0.1\u00a0%"],
    }  # fmt: skip


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
    table = replace(CUT, candidates=candidates(*cuts), others=others, others_kept=kept)
    assert table_data(table, 20, None, (1.0, 0, 1.0))["cut"] == row


def test_the_end_token_can_be_written_instead():
    end = replace(CUT.candidates[0], id=END, text="[EOS]")
    row = table_data(replace(CUT, candidates=(end,)), 20, END, (1.0, 0, 1.0))["rows"][0]
    assert row["end"] and row["reference"] and row["action"] == "End the summary here instead"
