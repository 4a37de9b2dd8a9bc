"""What the custom components are given and what can be saved; numbers worked out by hand."""

import json
import math

import numpy as np
import pytest

from core.config import END, DecodeSettings
from core.text.dialogue import parse_dialogue, replace_turn
from core.trace import Alternative, AttentionTrace, DecodingStep, Summary, Token
from pages.shared import components, controls, errors, exports


def step(text: str, start: int, end: int, probability: float, id: int = 9, copied: float | None = None) -> DecodingStep:
    token = Token(text, id, start, end, None, None, 0)
    best = (Alternative(id, text, probability), Alternative(8, " other", 0.1))
    return DecodingStep(token, math.log(probability), 0.5, 1, best, 0, copied)


def run(text: str, *steps: DecodingStep) -> Summary:
    tokens = tuple(each.token for each in steps)
    logits, read, written = np.zeros((len(steps), 3)), np.zeros((2, 0, 4)), np.zeros((2, len(steps), 4))
    return Summary(
        text, "Anna: Hi", steps, AttentionTrace((), tokens), logits, read, written, (2,), (), (), None, True,
        DecodeSettings(), "tiny@abc", 0.25,
    )  # fmt: skip


SUMMARY = run("Anna naps.", step("Anna", 0, 4, 0.8), step("naps", 5, 9, 0.25), step(".", 9, 10, 0.9), step("[EOS]", 10, 10, 0.5, END))  # noqa: E501


def test_the_strip_can_be_read_as_the_summary():
    strip = components.strip_data(SUMMARY)
    assert [(each["gap"], each["text"], each["special"]) for each in strip["tokens"]] == [
        ("", "Anna", ""), (" ", "naps", ""), ("", ".", ""), ("", "", "end")
    ]  # fmt: skip
    assert strip["weakest"] == 1 and strip["copies"] is False
    assert strip["tokens"][1]["rest"] == pytest.approx(0.65)
    assert strip["tokens"][1]["alternatives"] == [["naps", 0.25, True], [" other", 0.1, False]]


def test_pieces_of_one_character_are_not_written_twice():
    strip = components.strip_data(run("😀", step("😀", 0, 1, 0.5), step("😀", 0, 1, 0.5), step("😀", 0, 1, 0.5)))
    assert "".join(each["gap"] + each["text"] for each in strip["tokens"]) == "😀"
    assert [each["special"] for each in strip["tokens"]] == ["", "·", "·"]


def test_the_caption_names_the_weakest_token_and_the_mean():
    said = components.caption(SUMMARY).replace("\u00a0", " ")
    assert said == "The model was least sure of “naps” (25 %); on average a token got 61 %."
    assert components.caption(run("")) == "The model wrote nothing."


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.0 %"), (0.0004, "under 0.1 %"), (0.052, "5.2 %"), (0.42, "42 %"), (0.9999, "over 99.9 %"), (1, "100 %")],
)
def test_percent(value, text):
    assert components.percent(value).replace("\u00a0", " ") == text


@pytest.mark.parametrize(("indices", "text"), [((2, 3, 4, 8), "3–5, 9"), ((0,), "1"), ((0, 1), "1–2"), ((), "")])
def test_spans(indices, text):
    assert components.spans(indices) == text


def test_a_conversation_marks_what_was_left_out_cut_and_edited():
    original = parse_dialogue("Ann: one\nBob: two\nAnn: three\nBob: four")
    dialogue = replace_turn(original, 1, "2")
    drawn = components.conversation_data(dialogue, original, (2,), (3,))
    assert [turn["state"] for turn in drawn["turns"]] == ["", "", "omitted", "shortened"]
    assert [turn["edited"] for turn in drawn["turns"]] == [False, True, False, False]
    assert [turn["speaker"] for turn in drawn["turns"]] == [0, 1, 0, 1] and drawn["speakers"] == 2


def test_a_removed_turn_does_not_mark_its_neighbours():
    original = parse_dialogue("Ann: one\nBob: two\nAnn: three\nBob: four")
    drawn = components.conversation_data(replace_turn(original, 1, ""), original, (), ())
    assert len(drawn["turns"]) == 3 and not any(turn["edited"] for turn in drawn["turns"])


def test_the_json_has_the_names_of_the_command_line():
    values = json.loads(exports.to_json(SUMMARY))
    assert {"summary", "tokens", "log_probability", "checkpoint", "settings", "seconds"} <= set(values)
    assert values["summary"] == "Anna naps." and values["omitted_turns"] == [2]
    assert values["tokens"][1]["probability"] == pytest.approx(0.25)
    assert values["log_probability"] == pytest.approx(math.log(0.8 * 0.25 * 0.9 * 0.5))


def test_facts_of_a_card_with_little_or_much_on_it():
    assert controls.facts({}) == "  \nLicence of the weights: not stated"
    card = {
        "preset": "dialoscope",
        "epochs": 20,
        "validation_loss": 3.14159,
        "scores": {"rouge": {"rouge1": 35.04, "rouge2": 10.2, "rougeL": 28.0}},
        "licence": "CC BY-NC-SA 4.0",
    }
    said = controls.facts(card).replace("\\", "")
    for part in ("Preset dialoscope", "20 epochs", "loss 3.14", "35.0 / 10.2 / 28.0", "CC BY-NC-SA 4.0"):
        assert part in said


def test_literal_escapes_what_markdown_would_interpret():
    assert errors.literal("![i](http://c) `x`\n# y") == r"\!\[i\]\(http\://c\) \`x\` \# y"
