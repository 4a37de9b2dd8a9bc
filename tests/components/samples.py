"""Data for each component, made by its own Python functions from a small dialogue; no network runs."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from core.config import END, PRESETS, DecodeSettings
from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import Entry, Mark, subject
from core.experiments.start.opening import Opening
from core.experiments.word_effects import TurnWords, WordEffect
from core.explain.attention.inside import HeadStages
from core.explain.attention_lab.lab import attention
from core.explain.attention_lab.presets import PRESETS as LAB_PRESETS
from core.explain.decoding.distribution import Candidate, NextToken
from core.explain.shared.readings import Reading
from core.explain.shared.rollup import Unit
from core.faults.alignment import align
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.faults.source import Source
from core.figures.architecture.stacks import diagram_data
from core.figures.attention.weights import Weights, labels
from core.figures.attention_lab.board import Grid, Group, board_data
from core.figures.shared.shades import strip_data
from core.figures.tokens.tokenized import Chip, Tokenized, turns
from core.text.arrangement import ArrangedTurn
from core.text.dialogue import parse_dialogue
from core.text.encoded import EncodedDialogue
from core.text.examples import load_examples
from core.text.fates import Fates
from core.trace import Alternative, AttentionTrace, DecodingStep, Summary, Token
from pages.parts.attention.attention_matrix import matrix_data
from pages.parts.attention.head_grid import grid_data
from pages.parts.attention.head_stages import stages_data
from pages.parts.attention.head_view import view_data
from pages.parts.attention.ribbons import ribbon_data
from pages.parts.decoding.probability_table import table_data
from pages.parts.decoding.stepper import stepper_data
from pages.parts.errors.label_bar import bar_data
from pages.parts.errors.summary_check import check_data, label_data
from pages.parts.experiments.head_switches import switches_data
from pages.parts.experiments.turn_bench import bench_data
from pages.parts.experiments.word_map import map_data
from pages.parts.start.writing import writing_data
from pages.parts.summarize.conversation import conversation_data
from pages.shared.components.class_bar import class_data
from tests.figures.attention.test_stage_cells import made

TEXT = (
    "Anna: Have you seen my <b>suitcase</b>? The blue one.\n"
    "Ben: It stands in the hall, beside the 3 umbrellas.\n"
    "Anna: No, that one is yours. Mine has a red handle.\n"
    "Ben: Then the neighbour took it. He left for Rome an hour ago!\n"
    "Anna: Call him, please."
)
WORDS = "Anna misses her blue suitcase , and Ben thinks that the aunt took it ."
DIALOGUE = parse_dialogue(TEXT)


def step(text: str, start: int, end: int, probability: float, id: int = 9, copied: float | None = None) -> DecodingStep:
    """One token of a summary; another token had a tenth of the probability."""
    token = Token(text, id, start, end, None, None, 0)
    best = (Alternative(id, text, probability), Alternative(8, " other", 0.1))
    return DecodingStep(token, math.log(probability), 0.5, 1, best, 0, copied)


def run(text: str, *steps: DecodingStep) -> Summary:
    """A summary that nobody had to compute."""
    tokens = tuple(each.token for each in steps)
    logits, read, written = np.zeros((len(steps), 3)), np.zeros((2, 0, 4)), np.zeros((2, len(steps), 4))
    return Summary(
        text, parse_dialogue("Anna: Hi"), steps, AttentionTrace((), tokens), logits, read, written, (2,), (), (), None,
        True, DecodeSettings(), "tiny@abc", 0.25,
    )  # fmt: skip


def summary(copied: float | None = None) -> Summary:
    """Fifteen words and the end, the probabilities between 0.01 and 1: every shade."""
    steps, text = [], ""
    for place, word in enumerate(WORDS.split()):
        text += ("" if word in ",." or not text else " ") + word
        probability = 1 - 0.99 * (place * 7 % 11) / 10
        steps.append(step(word, len(text) - len(word), len(text), probability, 30 + place, copied))
    steps.append(step("[EOS]", len(text), len(text), 0.9, END))
    return run(text, *steps)


def random(*shape: int, seed: int = 3) -> np.ndarray:
    """Rows that sum to 1, float32."""
    values = np.random.default_rng(seed).random(shape) ** 6
    return (values / values.sum(-1, keepdims=True)).astype(np.float32)


def source_tokens() -> list[Token]:
    """The dialogue's words as tokens with their turns."""
    found = []
    for turn in DIALOGUE.turns:
        place = turn.start
        for word in turn.text.split():
            start = TEXT.index(word, place)
            place = start + len(word)
            found.append(Token(word, 40, start, place, turn.index, turn.speaker, len(found)))
    return found


def target_tokens() -> list[Token]:
    """The summary's tokens."""
    return [each.token for each in summary().steps]


def weights(*heads: int, unit: Unit = "token") -> Weights:
    """Attention from the summary's tokens to the dialogue's tokens or turns."""
    rows, columns = labels(target_tokens(), "token"), labels(source_tokens(), unit, DIALOGUE)
    return Weights("cross", "layer 1, head 2", random(*heads, len(rows), len(columns)), rows, columns)


def stages() -> HeadStages:
    """A head of width 8 in a model of width 16 with 30 keys, two of them masked."""
    draw = np.random.default_rng(5)
    return made(
        *(draw.normal(size=size) for size in ((8,), (30, 8), (30, 8))), np.arange(30) < 28, draw.normal(size=16), 27
    )


def next_token() -> NextToken:
    """Four tokens, of which top-p 0.9 keeps three."""
    rows = zip((0.5, 0.3, 0.15, 0.05), (0.5263, 0.3158, 0.1579, 0.0), ("", "", "", "top-p"), strict=True)
    found = tuple(
        Candidate(20 + row, f" word{row}", row + 1, math.log(before), 2 * math.log(before), before, cut, after)
        for row, (before, after, cut) in enumerate(rows)
    )
    return NextToken(found, 996, 0, 0.0, 0.0, 3, 0.95, 1.1421, 0.9933)


def chip_line(name: str, tokens: list[Token], kinds: tuple[str, ...] = ("",)) -> Tokenized:
    """What a tokenizer made of a text, with the kinds of the chips in turn; no character is counted."""
    chips = [Chip(each.text, each.id, kinds[place % len(kinds)], f"about {each.text}")
             for place, each in enumerate(tokens)]  # fmt: skip
    return Tokenized(name, EncodedDialogue(DIALOGUE, tuple(tokens), (), (), {}), chips, Fates(0, 0, 0, 0, 0, 0))


def _chips() -> dict[str, Any]:
    kinds = ("", "unknown", "mark", "tag", "part")
    lines = [chip_line("Ours", source_tokens(), kinds), chip_line("Words", source_tokens())]
    return {"lines": ["Ours", "Words"], "turns": turns(DIALOGUE, lines, len(TEXT)), "chosen": (0, 1)}


def _board() -> dict[str, Any]:
    grids = [Grid(each) for each in attention(LAB_PRESETS["reports"].inputs)]
    return board_data([Group("First", grids[:3], "a remark"), Group("Second", grids[3:])], "board", "", 0)


def _check() -> dict[str, Any]:
    text = summary().text
    start = text.index("aunt")
    faults = [
        Fault("novel_name", start, start + 4, (3,), Evidence("Turn 4 says “neighbour”.")),
        Fault("omitted_turn", 0, 0, (4,), Evidence("Nothing of turn 5 is in the summary.")),
    ]
    labels = {"novel_name": ("New name", "right in 6 of 10"), "omitted_turn": ("Turn missed", "")}
    row = ScoredSummary("row", DIALOGUE.text, (), "", text)
    said = Entry().marked(Mark("Wrong name", start, start + 4, ((3, 0, 3),)))
    books = {"Anna": {subject(row): said}, "Ben": {subject(row): said.tagged("Missing", True)}}
    data = check_data(
        align(Source(DIALOGUE), text), faults, labels, {0: "right"}, ["Anna wants Ben to call the neighbour."]
    )
    return data | label_data(row, books, "Anna")


def _switches() -> dict[str, Any]:
    shape = {"encoder": (2, 4), "decoder": (2, 4), "cross": (2, 4)}
    damage = {("encoder", 0, head): value for head, value in enumerate((0.5, -0.25, 0.004, None))}
    return switches_data(damage, {("encoder", 0, 0), ("cross", 1, 1)}, shape, {("encoder", 0, 1): "copy"})


def _bench() -> dict[str, Any]:
    rows = [
        ArrangedTurn(0, "Anna", DIALOGUE.turns[0].text, read=False),
        ArrangedTurn(2, "Anna", DIALOGUE.turns[2].text, moved=True, said_by="Ben"),
        ArrangedTurn(1, "Ben", DIALOGUE.turns[1].text, state="deleted"),
        ArrangedTurn(3, "Ben", DIALOGUE.turns[3].text, state="masked"),
        ArrangedTurn(4, "Anna", DIALOGUE.turns[4].text),
    ]
    return bench_data(rows, DIALOGUE.speakers, {2: -0.5, 1: 2.0, 3: 0.001})


def _map() -> dict[str, Any]:
    target = [WordEffect(each.text, " " if place else "") for place, each in enumerate(target_tokens()[:-1])]
    target.append(WordEffect("the end", " ", special=True))
    draw = np.random.default_rng(1)

    def words(text: str) -> list[WordEffect]:
        return [WordEffect(word, " " if place else "", float(draw.normal())) for place, word in enumerate(text.split())]

    rows = [TurnWords(turn.index + 1, turn.speaker, words(turn.text)) for turn in DIALOGUE.turns]
    return map_data(target, 4, [0.1, -0.2, 0.7, 0.0, -1.0], rows, 1.5)


def _strip() -> dict[str, Any]:
    """The summary of `summary`, whose tokens read one turn after the other."""
    reads = [
        [place % 5, f"Turn {place % 5 + 1} gets the most attention, 60 %: “Mine has a red …”"] for place in range(16)
    ]
    data = {"reads": reads, "attention": "cross-attention, layer 3, mean of the heads", "shade": "probability"}
    return strip_data(summary(0.4)) | data


def _writing() -> dict[str, Any]:
    """The summary of `summary`, whose tokens read one turn after the other."""
    turns, found = len(DIALOGUE.turns), summary()
    shares = [tuple(0.6 if turn == place % turns else 0.05 for turn in range(turns)) for place in range(16)]
    steps = tuple(Reading(step.token, step.probability, row) for step, row in zip(found.steps, shares, strict=True))
    return writing_data("tiny", Opening(load_examples()[0], DIALOGUE, found.text, "3.mean", steps), "0d14015dbb1c")


def _diff() -> dict[str, Any]:
    changes = [["same", "Anna misses"], ["removed", " her bag"], ["added", " a suitcase"], ["same", "."]]
    return {"changes": changes}


def _projector() -> dict[str, Any]:
    return {"view": "see", "chosen": "a b", "pictures": [".st-key-grid"], "drawn": 1, "switch": "switch"}


SAMPLES: dict[str, Callable[[], dict[str, Any]]] = {
    "summarize/conversation": lambda: conversation_data(DIALOGUE, DIALOGUE, (3,), (4,)),
    "shared/token_strip": _strip,
    "shared/word_diff": _diff,
    "shared/projector_keys": _projector,
    "shared/class_bar": lambda: class_data(over="No class has the code 'GGM34V' here."),
    "start/writing": _writing,
    "decoding/stepper": lambda: stepper_data(summary(), 3, 0),
    "decoding/probability_table": lambda: table_data(next_token(), 20, 21, (0.5, 0, 0.9)),
    "attention/head_grid": lambda: grid_data("cross", random(2, 4, 16, 40), 1, 2, {(0, 0): "copy"}),
    "attention/attention_matrix": lambda: matrix_data(weights(), 2),
    "attention/head_view": lambda: view_data(weights(4), range(4), on=None, share=0.5, locked=None, version=0),
    "attention/ribbons": lambda: ribbon_data(weights(unit="turn"), 0.8),
    "attention/head_stages": lambda: stages_data(stages(), "took", [f"w{place}" for place in range(30)], None, 16, 0),
    "attention_lab/matrix_board": _board,
    "experiments/head_switches": _switches,
    "experiments/turn_bench": _bench,
    "experiments/word_map": _map,
    "tokens/token_chips": _chips,
    "architecture/stack_diagram": lambda: diagram_data(PRESETS["dialoscope"].model, "", 6),
    "errors/summary_check": _check,
    "errors/label_bar": lambda: bar_data(
        "row-2", Entry(tags=("Invented",)), (2, 3), (1, 4), "a hint of row-1", "Done."
    ),
}
