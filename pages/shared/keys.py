"""Keys of the session, and what of them stands in a link: nothing else names one."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pages.shared import links


class Key(StrEnum):
    """Keys of the session; the first two groups stand in links under the same names, the second on its own page."""

    EXAMPLE = "example"
    INPUT = "input"
    CHECKPOINT = "checkpoint"
    STRATEGY = "strategy"
    BEAM = "beam"
    PENALTY = "penalty"
    TEMPERATURE = "temperature"
    TOP_K = "top_k"
    TOP_P = "top_p"
    SEED = "seed"
    MAX_TOKENS = "max_tokens"
    NO_REPEAT = "no_repeat"
    TRUNCATION = "truncation"
    WORDS = "words"

    VIEW = "view"
    STEP = "step"
    BRANCH = "branch"
    RIVAL = "with"
    HEADS = "heads"
    TURN = "turn"
    LOOK_TEMPERATURE = "look_temperature"
    LOOK_TOP_K = "look_top_k"
    LOOK_TOP_P = "look_top_p"
    RERANK = "rerank"
    FORMULA = "formula"
    SEE = "see"
    KIND = "kind"
    LAYER = "layer"
    HEAD = "head"
    TOKEN = "token"
    TOKEN_END = "to"
    ROW_UNIT = "row_unit"
    COLUMN_UNIT = "column_unit"
    SINKS = "sinks"
    SHARE = "share"
    MEASURE = "measure"
    GRAIN = "by"
    ROW_LABELS = "rows_are"
    EXPERIMENT = "experiment"
    CONTROL = "control"
    OFF = "off"
    ABLATION = "ablation"
    TURNS = "turns"
    WORD = "word"
    FOIL = "instead"
    LENS_COLOR = "lens_color"

    TEXT = "t"
    PASTE_BOX = "paste_box"
    REFERENCE_BOX = "reference_box"
    UPLOADS = "uploads"
    DIALOGUE = "own_dialogue"
    CONVERSATION = "conversation"
    EDITS = "edits"
    COMPLAINT = "complaint"
    NOTES = "notes"
    STARTED = "started"
    PAGE = "page"
    TREES = "trees"
    PRUNED = "pruned"
    OPENED = "opened"
    JUMPS = "jumps"
    PLAYING = "playing"
    ABOUT = "about"
    SEEN = "seen"
    SHOWN = "shown"
    TRIED = "tried"
    SWEEPS = "sweeps"
    SWEEPING = "sweeping"


NUMBERS: Mapping[Key, links.Number] = {
    Key.BEAM: links.Number("beam_size", 1, 8, 1),
    Key.PENALTY: links.Number("length_penalty", 0.0, 3.0, 0.1),
    Key.TEMPERATURE: links.Number("temperature", 0.1, 2.0, 0.1),
    Key.TOP_K: links.Number("top_k", 0, 100, 1),
    Key.TOP_P: links.Number("top_p", 0.05, 1.0, 0.05),
    Key.SEED: links.Number("seed", 0, 9999, 1),
    Key.MAX_TOKENS: links.Number("max_tokens", 5, 96, 1),
    Key.NO_REPEAT: links.Number("no_repeat_ngram", 0, 6, 1),
}
WORDS = ("whole", "free")
PAGE_FIELDS: Mapping[str, Mapping[Key, tuple[links.Field, Any]]] = {
    "decoding": {
        Key.VIEW: (("steps", "branches", "beam", "bench"), "steps"),
        Key.STEP: (links.Number("", 1, 9999, 1), 1),
        Key.BRANCH: (links.Text(600), ""),
        Key.RIVAL: (links.Text(600), ""),
        Key.HEADS: (links.Text(12), ""),
        Key.TURN: (links.Number("", 0, 9999, 1), 0),
        Key.LOOK_TEMPERATURE: (links.Number("", 0.1, 2.0, 0.1), 1.0),
        Key.LOOK_TOP_K: (links.Number("", 0, 100, 1), 0),
        Key.LOOK_TOP_P: (links.Number("", 0.05, 1.0, 0.05), 1.0),
        Key.RERANK: (links.Number("", 0.0, 3.0, 0.1), 1.0),
        Key.FORMULA: (("power", "gnmt"), "power"),
    },
    "attention": {
        Key.SEE: (("turns", "heads", "head", "inside", "catalogue"), "turns"),
        Key.KIND: (("cross", "encoder", "decoder"), "cross"),
        Key.LAYER: (links.Number("", 0, 99, 1), 0),
        Key.HEAD: (links.Number("", 0, 99, 1), 0),
        Key.TOKEN: (links.Number("", 0, 9999, 1), 0),
        Key.TOKEN_END: (links.Number("", 0, 9999, 1), 0),
        Key.ROW_UNIT: (("token", "word", "turn", "speaker"), "word"),
        Key.COLUMN_UNIT: (("token", "word", "turn", "speaker"), "turn"),
        Key.SINKS: (("with", "without"), "with"),
        Key.SHARE: (links.Number("", 10, 100, 5), 75),
        Key.MEASURE: (links.Text(20), ""),
        Key.ROW_LABELS: (("predicted", "input"), "predicted"),
        Key.GRAIN: (("token", "word", "turn", "speaker"), "token"),
    },
    "experiments": {
        Key.EXPERIMENT: (("turns", "heads", "words", "lenses"), "turns"),
        Key.CONTROL: (("none", "untrained", "shuffled"), "none"),
        Key.OFF: (links.Text(4000), ""),
        Key.ABLATION: (("zero", "mean"), "zero"),
        Key.TURNS: (links.Text(4000), ""),
        Key.WORD: (links.Number("", 0, 9999, 1), 0),
        Key.FOIL: (links.Number("", 0, 999999, 1), 0),
        Key.LENS_COLOR: (("probability", "rank"), "probability"),
    },
}
"""What only one page asks, by the page's path: how it stands in a link, and its value on a first visit."""
