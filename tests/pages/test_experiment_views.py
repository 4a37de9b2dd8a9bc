"""Heads as switches, turns on a bench, words with signed effects: what the scripts are given, worked out by hand."""

import re
import tomllib
from dataclasses import replace

import pytest

from core.experiments.word_effects import TurnWords, WordEffect
from core.figures.experiments.effect_scale import COLORS
from core.text.arrangement import ArrangedTurn
from pages.parts.experiments.head_switches import switches_data
from pages.parts.experiments.turn_bench import bench_data
from pages.parts.experiments.word_map import map_data
from pages.shared.components import HERE
from tests.figures.shared.test_palette import contrast
from tests.pages.components import given
from tests.pages.conftest import ROOT

SHAPE = {"cross": (1, 2), "encoder": (2, 2), "decoder": (1, 2)}
DAMAGE = {("encoder", 0, 0): 0.5, ("encoder", 1, 1): -0.25, ("cross", 0, 1): 0.004, ("decoder", 0, 0): None}
OFF = {("encoder", 0, 0), ("cross", 0, 0), ("cross", 0, 1)}
ONE_LAYER = {"cross": (1, 2)}
NAMES = ("Anna", "Ben", "<b>Cy")
TURNS = (
    ArrangedTurn(0, "Anna", "left out", read=False),
    ArrangedTurn(2, "Anna", "three", moved=True, said_by="Ben"),
    ArrangedTurn(1, "Ben", "two", state="deleted"),
    ArrangedTurn(3, "<b>Cy", "four", state="masked"),
    ArrangedTurn(4, None, "five"),
)
DROPS = {2: -0.5, 1: 2.0, 3: 0.001}
ALONE = ArrangedTurn(0, "Anna", "one")
TARGET = (WordEffect("Anna"), WordEffect("na", " "), WordEffect("\n"), WordEffect("the end", special=True))
DIALOGUE = (
    TurnWords(1, "Ben", (WordEffect("Hi"),)),
    TurnWords(3, None, (WordEffect("Friday", value=0.41), WordEffect("<i>", " ", -2.0), WordEffect("!", "", 0.0))),
)


def switches(damage, off, shape=SHAPE, tags=None):
    return switches_data(damage, off, shape, tags)


def word_map(chosen=1, prefix=(0.2, -0.1), scale=1.0):
    return map_data(TARGET, chosen, prefix, DIALOGUE, scale)


GIVEN = {
    "heads: the largest effect, 0.5, is the end of the scale; a layer may be on, off or mixed":
        lambda: switches(DAMAGE, OFF, tags={("cross", 0, 1): "copy"}),
    "heads: another one has the largest effect": lambda: switches({**DAMAGE, ("decoder", 0, 1): -2.0}, OFF),
    "heads: nothing is measured": lambda: switches({}, (), ONE_LAYER),
    "heads: none has an effect": lambda: switches({("cross", 0, 0): 0.0, ("cross", 0, 1): -0.0}, (), ONE_LAYER),
    "turns: the first and the last that are read stay there; nobody can swap where nobody spoke":
        lambda: bench_data(TURNS, NAMES, DROPS),
    "turns: the last that is heard stays": lambda: bench_data(TURNS[2:], NAMES, {}),
    "turns: after the last speaker a swap goes back to the first":
        lambda: bench_data((replace(ALONE, said_by="<b>Cy"),), NAMES, {}),
    "turns: one speaker has nobody to swap with": lambda: bench_data((ALONE,), NAMES[:1], {}),
    "words: what stands behind the chosen token has no effect": word_map,
    "words: the first token, and what is beyond the end of the scale": lambda: word_map(0, (0.2,), 0.82),
    "words: the end": lambda: word_map(3, (0.2, 0.1, 0.0, -0.3)),
    "words: no effect at all": lambda: word_map(scale=0),
}  # fmt: skip


@pytest.mark.parametrize("case", GIVEN)
def test_what_the_scripts_are_given(case, snapshot):
    assert given(GIVEN[case]()) == snapshot


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: switches({("encoder", 2, 0): 0.1}, ()), r"inside .*\. Received: \('"),
        (lambda: switches({}, [("cross", 0, 2)]), r"inside .*\. Received: \('"),
        (lambda: bench_data(TURNS, NAMES[:2], {}), r"Received: \['Anna', 'Ben'\] without <b>Cy"),
        (lambda: word_map(4, (0.0,) * 5), r"one of 4 tokens\. Received: 4"),
        (lambda: word_map(1, (0.1, 0.2, 0.3)), r"2 in all\. Received: 3"),
    ],
)
def test_what_does_not_fit_is_refused(draw, said):
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
