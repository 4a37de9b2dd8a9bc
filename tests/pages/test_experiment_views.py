"""Heads as switches, turns on a bench, words with signed effects: what the scripts are given, worked out by hand."""

import re
import tomllib
from dataclasses import replace

import pytest

from core.experiments.word_effects import TurnWords, WordEffect
from core.figures.effect_scale import COLORS
from core.figures.palette import BLUE, ORANGE
from core.text.arrangement import ArrangedTurn, next_speaker
from pages.parts.experiments.head_switches import switches_data
from pages.parts.experiments.turn_bench import bench_data
from pages.parts.experiments.word_map import map_data
from pages.shared.components import HERE
from tests.figures.test_palette import contrast
from tests.pages.conftest import ROOT

SHAPE = {"cross": (1, 2), "encoder": (2, 2), "decoder": (1, 2)}
DAMAGE = {("encoder", 0, 0): 0.5, ("encoder", 1, 1): -0.25, ("cross", 0, 1): 0.004, ("decoder", 0, 0): None}
OFF = {("encoder", 0, 0), ("cross", 0, 0), ("cross", 0, 1)}
NAMES = ("Anna", "Ben", "<b>Cy")
TURNS = (
    ArrangedTurn(0, "Anna", "left out", read=False),
    ArrangedTurn(2, "Anna", "three", moved=True, said_by="Ben"),
    ArrangedTurn(1, "Ben", "two", state="deleted"),
    ArrangedTurn(3, "<b>Cy", "four", state="masked"),
    ArrangedTurn(4, None, "five"),
)
DROPS = {2: -0.5, 1: 2.0, 3: 0.001}
TARGET = (WordEffect("Anna"), WordEffect("na", " "), WordEffect("\n"), WordEffect("the end", special=True))
DIALOGUE = (
    TurnWords(1, "Ben", (WordEffect("Hi"),)),
    TurnWords(3, None, (WordEffect("Friday", value=0.41), WordEffect("<i>", " ", -2.0), WordEffect("!", "", 0.0))),
)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def switches(damage=DAMAGE, off=OFF, shape=SHAPE, tags=None):
    return switches_data(damage, off, shape, tags)


def cells(drawn, kind: str, name: str) -> list[list]:
    (grid,) = [each for each in drawn["grids"] if each["kind"] == kind]
    return [[plain(cell[name]) if name == "tip" else cell[name] for cell in row["cells"]] for row in grid["rows"]]


def test_one_scale_for_all_heads():
    drawn = switches()
    assert [(grid["title"], grid["heads"], len(grid["rows"])) for grid in drawn["grids"]] == [
        ("Encoder self", 2, 2), ("Decoder self", 2, 1), ("Cross", 2, 1)
    ]  # fmt: skip
    assert cells(drawn, "encoder", "share") == [[1.0, None], [None, -0.5]]  # 0.5 is the largest, −0.25 half of it
    assert cells(drawn, "cross", "share") == [[None, 0.008]] and drawn["scale"] == ["−0.50", "0", "+0.50"]
    assert cells(drawn, "encoder", "text") == [["0.50", "·"], ["·", "−0.25"]]
    assert drawn["unmeasured"] and drawn["colors"] == (BLUE, ORANGE)
    drawn = switches(DAMAGE | {("decoder", 0, 1): -2.0})
    assert cells(drawn, "encoder", "share") == [[0.25, None], [None, -0.125]]
    assert drawn["scale"] == ["−2.00", "0", "+2.00"]
    # Nothing measured, or everything.
    drawn = switches({}, ())
    assert drawn["scale"] is None and drawn["meaning"] == "" and drawn["unmeasured"] == "not measured yet"
    drawn = switches({("cross", 0, 0): 0.0, ("cross", 0, 1): -0.0}, (), {"cross": (1, 2)})
    assert cells(drawn, "cross", "share") == [[0, 0]] and cells(drawn, "cross", "text") == [["0.00", "0.00"]]
    assert drawn["scale"] == ["0", "0", "0"] and drawn["unmeasured"] == "" and len(drawn["grids"]) == 1


def test_heads_and_layers_that_are_off_and_what_is_said_of_them():
    drawn = switches(tags={("cross", 0, 1): "copy"})
    assert cells(drawn, "encoder", "on") == [[False, True], [True, True]]
    assert cells(drawn, "cross", "on") == [[False, False]]
    rows = [row for grid in drawn["grids"] for row in grid["rows"]]
    assert [row["pressed"] for row in rows] == ["mixed", "true", "true", "false"]
    assert rows[1]["tip"] == "Encoder self-attention, layer 2: switch all its heads off"
    assert rows[3]["tip"] == "Cross-attention, layer 1: switch all its heads on again"
    unknown, less = "Its effect is not measured yet.", "nats a token: without it the summary is less probable."
    assert [tip.removeprefix("Encoder self-attention, ") for row in cells(drawn, "encoder", "tip") for tip in row] == [
        f"layer 1, head 1: off. Effect 0.50 {less}",
        f"layer 1, head 2: on. {unknown}",
        f"layer 2, head 1: on. {unknown}",
        f"layer 2, head 2: on. Effect −0.25 {less.replace('less', 'more')}",
    ]
    last = f"Cross-attention, layer 1, head 2: off. Effect 0.0040 {less} In the catalogue: copy."
    assert cells(drawn, "cross", "tip")[0][1] == last


def able(row) -> dict[str, bool]:
    return {action["action"]: action["able"] for action in row["actions"]}


def test_changes_of_turns_are_said_in_words():
    rows = bench_data(TURNS, NAMES, DROPS)["turns"]
    assert [row["number"] for row in rows] == [1, 3, 2, 4, 5]  # their numbers in the original, in the order given
    assert [row["marks"] for row in rows] == [
        ["not read by the model"], ["moved", "said by Ben"], ["deleted"], ["masked"], []
    ]  # fmt: skip
    assert [row["state"] for row in rows] == ["unread", "", "deleted", "masked", ""]
    assert [(row["was"], row["name"], row["speaker"]) for row in rows] == [
        ("", "Anna", 0), ("Anna", "Ben", 1), ("", "Ben", 1), ("", "<b>Cy", 2), ("", "", -1)
    ]  # fmt: skip


def test_what_can_be_done_with_each_turn():
    rows = bench_data(TURNS, NAMES, DROPS)["turns"]
    assert able(rows[0]) == {} and able(rows[2]) == {"restore": True}
    # The first and the last that are read stay there; a deleted or unread neighbour is none.
    assert able(rows[1]) == {"delete": True, "mask": True, "swap": True, "up": False, "down": True}
    assert able(rows[3]) == {"delete": True, "unmask": True, "swap": True, "up": True, "down": True}
    assert able(rows[4]) == {"delete": True, "mask": True, "up": True, "down": False}  # nobody to swap
    tips = [action["tip"] for action in rows[1]["actions"]]
    assert tips[2] == "Let <b>Cy say turn 3" and tips[3] == "Move turn 3 up"
    # The last turn that is heard stays.
    rows = bench_data(TURNS[2:], NAMES, DROPS)["turns"]
    assert able(rows[2]) == {"delete": False, "mask": False, "up": True, "down": False}
    assert able(rows[1]) == {"delete": True, "unmask": True, "swap": True, "up": False, "down": True}  # nobody hears it
    assert rows[2]["actions"][0]["tip"] == "Turn 5 stays: the model needs something to read"
    # A swap goes round.
    turn = ArrangedTurn(0, "Anna", "one")
    assert next_speaker(turn, NAMES) == "Ben"
    assert next_speaker(replace(turn, said_by="<b>Cy"), NAMES) == "Anna"
    assert next_speaker(turn, NAMES[:1]) is None and next_speaker(TURNS[4], NAMES) is None
    (row,) = bench_data((replace(turn, said_by="<b>Cy"),), NAMES, {})["turns"]
    assert "Give turn 1 back to Anna" in [action["tip"] for action in row["actions"]]
    assert "swap" not in able(bench_data((turn,), NAMES[:1], {})["turns"][0])


def test_drops_share_one_scale():
    drawn = bench_data(TURNS, NAMES, DROPS)
    drops = [row["drop"] for row in drawn["turns"]]
    assert drops[0] is None and drops[4] is None and drawn["scale"] == ["−2.00", "0", "+2.00"]
    assert [each["share"] for each in drops[1:4]] == [-0.25, 1.0, 0.0005]
    assert [each["text"] for each in drops[1:4]] == ["−0.50", "+2.00", "0.00"]
    assert plain(drops[1]["tip"]) == "Without turn 3 the summary is more probable, by 0.50 nats."
    assert plain(drops[3]["tip"]) == "Without turn 4 the summary is less probable, by 0.0010 nats."
    assert bench_data(TURNS[4:], NAMES, {})["scale"] is None


def word_map(chosen=1, prefix=(0.2, -0.1), scale=1.0):
    return map_data(TARGET, chosen, prefix, DIALOGUE, scale)


def test_the_map_of_a_token():
    drawn = word_map()
    assert drawn["chosen"] == 1 and drawn["scale"] == ["−1.00", "0", "+1.00"]
    assert drawn["start"]["share"] == 0.2 and plain(drawn["start"]["tip"]) == "The start token: +0.20 nats"
    assert [(each["gap"], each["text"], each["special"], each["share"]) for each in drawn["target"]] == [
        ("", "Anna", False, -0.1), (" ", "na", False, None), ("", "↵", False, None), ("", "the end", True, None)
    ]  # fmt: skip
    assert [plain(each["tip"]) for each in drawn["target"]] == [
        "“Anna” in the summary: −0.10 nats",
        "“na” in the summary: the chosen token",
        "“↵” in the summary: not written yet when the model chose “na”",
        "The end: not written yet when the model chose “na”",
    ]
    assert "supports “na” (+, orange)" in drawn["meaning"]
    first, last = word_map(0, (0.2,)), word_map(3, (0.2, 0.1, 0.0, -0.3))
    assert [each["share"] for each in first["target"]] == [None] * 4
    assert [each["share"] for each in last["target"]] == [0.1, 0.0, -0.3, None]
    assert "supports the end (+, orange)" in last["meaning"] and word_map(scale=0)["start"]["share"] == 0
    # The words of the dialogue.
    turns = word_map(scale=0.82)["turns"]
    assert [(turn["number"], turn["name"]) for turn in turns] == [(1, "Ben"), (3, "")]
    words = [word for turn in turns for word in turn["words"]]
    assert [word["share"] for word in words] == [None, 0.5, -1.0, 0.0]  # −2.00 is beyond the scale's end
    assert [plain(word["tip"]) for word in words] == [
        "“Hi”, turn 1: not read by the model",
        "“Friday”, turn 3: +0.41 nats",
        "“<i>”, turn 3: −2.00 nats",
        "“!”, turn 3: 0.00 nats",
    ]


def test_what_does_not_fit_is_refused():
    for draw, said in (
        (lambda: switches({("encoder", 2, 0): 0.1}, ()), r"inside .*\. Received: \('"),
        (lambda: switches({}, [("cross", 0, 2)]), r"inside .*\. Received: \('"),
        (lambda: bench_data(TURNS, NAMES[:2], {}), r"Received: \['Anna', 'Ben'\] without <b>Cy"),
        (lambda: word_map(4, (0.0,) * 5), r"one of 4 tokens\. Received: 4"),
        (lambda: word_map(1, (0.1, 0.2, 0.3)), r"2 in all\. Received: 3"),
    ):
        with pytest.raises(ValueError, match=said):
            draw()


def test_texts_can_be_read_on_the_strongest_colour():
    themes = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
    share = int(re.search(r"STRONGEST = (\d+);", (HERE / "kit.js").read_text(encoding="utf-8"))[1]) / 100
    for theme in (themes["light"], themes["dark"]):
        for color in COLORS:
            parts = [[int(each[at : at + 2], 16) for at in (1, 3, 5)] for each in (color, theme["backgroundColor"])]
            mixed = [round(share * ink + (1 - share) * ground) for ink, ground in zip(*parts, strict=True)]
            assert contrast(theme["textColor"], "#" + bytes(mixed).hex()) >= 4.5
