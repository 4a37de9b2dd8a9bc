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
    TOKENS_VIEW = "tokens_view"
    TOKENS_OF = "tokens_of"
    TOKENS_TEXT = "tokens_text"
    TOKENS_LINE = "tokens_line"
    TOKENS_PLACE = "tokens_place"
    MERGED_WORD = "merged_word"
    PAD_TO = "pad_to"
    CUT_AT = "cut_at"
    FORCED = "forced"
    LAB = "lab"
    LAB_PRESET = "lab_preset"
    LAB_MATRICES = "lab_matrices"
    LAB_MARK = "lab_mark"
    LAB_SCORING = "lab_scoring"
    LAB_PARAMETERS = "lab_parameters"
    LAB_CELL = "lab_cell"
    LAB_KEYS = "lab_keys"
    LAB_SEED = "lab_seed"
    LAB_BLOCK_OF = "lab_block_of"
    LAB_BLOCK = "lab_block"
    LAB_STACK = "lab_stack"
    LAB_NORM = "lab_norm"
    LAB_HEADS = "lab_heads"
    LAB_LAYER = "lab_layer"
    LAB_TOKEN = "lab_token"
    LAB_SLIP = "lab_slip"
    ARCH_MODEL = "arch_model"
    ARCH_VIEW = "arch_view"
    ARCH_PART = "arch_part"
    ARCH_BATCH = "arch_batch"
    ARCH_SOURCE = "arch_source"
    ARCH_TARGET = "arch_target"
    ARCH_LENGTH = "arch_length"
    MASKS_VIEW = "masks_view"
    MASK_OF = "mask_of"
    MASK_TEXTS = "mask_texts"
    MASK_IDS = "mask_ids"
    MASK_PADS = "mask_pads"
    MASK_KIND = "mask_kind"
    MASK_ROW = "mask_row"
    MASK_HEAD = "mask_head"
    MASK_MISSING = "mask_missing"
    MASK_TOKEN = "mask_token"
    MASK_OTHER = "mask_other"
    MASK_AMOUNT = "mask_amount"
    MASK_WITHOUT = "mask_without"
    MASK_SEED = "mask_seed"
    MASK_STEPS = "mask_steps"
    POS_VIEW = "pos_view"
    POS_TABLE = "pos_table"
    POS_LENGTH = "pos_length"
    POS_WIDTH = "pos_width"
    POS_BASE = "pos_base"
    POS_APART = "pos_apart"
    POS_DIMENSIONS = "pos_dimensions"
    POS_PLACES = "pos_places"
    POS_PLACE = "pos_place"
    POS_DIMENSION = "pos_dimension"
    POS_MEASURE = "pos_measure"
    POS_OFFSET = "pos_offset"
    POS_SUM = "pos_sum"
    POS_TOKEN = "pos_token"
    POS_CHANGE = "pos_change"
    POS_SEED = "pos_seed"
    POS_SHIFT = "pos_shift"
    BERT_VIEW = "bert_view"
    BERT_ENCODER = "bert_encoder"
    BERT_IDF = "bert_idf"
    BERT_CANDIDATE = "bert_candidate"
    BERT_REFERENCE = "bert_reference"
    BERT_OTHER = "bert_other"
    BERT_TEXT = "bert_text"
    BERT_OWN = "bert_own"
    BERT_EDIT = "bert_edit"
    ERR_VIEW = "err_view"
    ERR_DATA = "err_data"
    ERR_BY = "err_by"
    ERR_ROW = "err_row"
    ERR_FIND = "err_find"
    ERR_KIND = "err_kind"
    ERR_SORT = "err_sort"
    ERR_X = "err_x"
    ERR_Y = "err_y"
    ERR_MEASURE = "err_measure"
    ERR_SLICE = "err_slice"
    ERR_PART = "err_part"
    ERR_AGAINST = "err_against"
    ERR_CALIBRATION = "err_calibration"
    TRAIN_VIEW = "train_view"
    TRAIN_RUNS = "train_runs"
    TRAIN_MEASURE = "train_measure"
    TRAIN_SYSTEMS = "train_systems"
    TRAIN_MODEL = "train_model"
    TRAIN_DIALOGUE = "train_dialogue"
    TRAIN_EPOCH = "train_epoch"
    TRAIN_UNIT = "train_unit"
    TRAIN_SCORE = "train_score"
    TRAIN_MERIT = "train_merit"
    TRAIN_TASK = "train_task"
    TRAIN_LENGTH = "train_length"
    TRAIN_LETTERS = "train_letters"
    TRAIN_WIDTH = "train_width"
    TRAIN_LAYERS = "train_layers"
    TRAIN_HEADS = "train_heads"
    TRAIN_SEED = "train_seed"
    TRAIN_KIND = "train_kind"
    TRAIN_WARMUP = "train_warmup"
    TRAIN_D_MODEL = "train_d_model"
    TRAIN_PEAK = "train_peak"
    TRAIN_STEPS = "train_steps"
    TRAIN_PRESETS = "train_presets"

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
    LEFT = "left"
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
    TOKENS_BOX = "tokens_box"
    TOKENS_SEEN = "tokens_seen"
    TOKENS_SHOWN = "tokens_shown"
    MASKS_SHOWN = "masks_shown"
    MASK_TRAINING = "mask_training"
    BERT_BOX = "bert_box"
    BERT_EDITED = "bert_edited"
    ERR_FILES = "err_files"
    ERR_NOTED = "err_noted"
    ERR_OFF = "err_off"
    ERR_SWAPS = "err_swaps"
    TRAIN_FILES = "train_files"
    TRAIN_PLAYING = "train_playing"
    TRAIN_OWN = "train_own"


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
    "tokens": {
        Key.TOKENS_VIEW: (("tokens", "merges", "length", "embedding", "forcing"), "tokens"),
        Key.TOKENS_OF: (("dialogue", "own"), "dialogue"),
        Key.TOKENS_TEXT: (links.Text(600), "Zoë: The café's 40 % off – unbelievable! 😀\nJürgen: SERIOUSLY?"),
        Key.TOKENS_LINE: (("bpe", "word"), "bpe"),
        Key.TOKENS_PLACE: (links.Number("", 0, 9999, 1), 0),
        Key.MERGED_WORD: (links.Text(60), ""),
        Key.PAD_TO: (links.Number("", 2, 4096, 1), 128),
        Key.CUT_AT: (("start", "middle", "end"), "middle"),
        Key.FORCED: (links.Number("", 0, 9, 1), 0),
    },
    "positions": {
        Key.POS_VIEW: (("encoding", "distance", "sum", "test"), "encoding"),
        Key.POS_TABLE: (("sinusoids", "learned"), "sinusoids"),
        Key.POS_LENGTH: (links.Number("", 1, 512, 1), 100),
        Key.POS_WIDTH: (links.Number("", 1, 512, 1), 512),
        Key.POS_BASE: (links.Number("", 1.00001, 1e9, 1.0), 10000.0),
        Key.POS_APART: (("together", "apart"), "together"),
        Key.POS_DIMENSIONS: (links.Text(60), ""),
        Key.POS_PLACES: (links.Text(60), ""),
        Key.POS_PLACE: (links.Number("", 0, 511, 1), 3),
        Key.POS_DIMENSION: (links.Number("", 0, 511, 1), 2),
        Key.POS_MEASURE: (("dot", "distance"), "dot"),
        Key.POS_OFFSET: (links.Number("", 0, 511, 1), 1),
        Key.POS_SUM: (("tokens", "slides"), "tokens"),
        Key.POS_TOKEN: (links.Number("", 1, 9999, 1), 1),
        Key.POS_CHANGE: (("removed", "shuffled", "shifted", "reversed"), "removed"),
        Key.POS_SEED: (links.Number("", 0, 9999, 1), 0),
        Key.POS_SHIFT: (links.Number("", 0, 9999, 1), 20),
    },
    "architecture": {
        Key.ARCH_MODEL: (links.Text(80), ""),
        Key.ARCH_VIEW: (("shapes", "parameters", "cost", "printed"), "shapes"),
        Key.ARCH_PART: (links.Text(80), ""),
        Key.ARCH_BATCH: (links.Number("", 1, 8, 1), 2),
        Key.ARCH_SOURCE: (links.Number("", 1, 256, 1), 12),
        Key.ARCH_TARGET: (links.Number("", 1, 256, 1), 8),
        Key.ARCH_LENGTH: (links.Number("", 1, 16384, 1), 512),
    },
    "masks": {
        Key.MASKS_VIEW: (("batch", "missing", "lesson"), "batch"),
        Key.MASK_OF: (("texts", "ids"), "texts"),
        Key.MASK_TEXTS: (links.Text(600), "Thank you.\nI lost my key today.\nIs it here?"),
        Key.MASK_IDS: (links.Text(600), "1 2 3 4 5 0 0\n1 2 0 0 0 0 0\n1 2 3 4 5 6 7"),
        Key.MASK_PADS: (links.Text(60), "0"),
        Key.MASK_KIND: (("padding", "look_ahead", "target", "cross"), "target"),
        Key.MASK_ROW: (links.Number("", 1, 4, 1), 1),
        Key.MASK_HEAD: (links.Number("", 1, 99, 1), 1),
        Key.MASK_MISSING: (("look_ahead", "padding"), "look_ahead"),
        Key.MASK_TOKEN: (links.Number("", 0, 9999, 1), 0),
        Key.MASK_OTHER: (links.Number("", 0, 999999, 1), 0),
        Key.MASK_AMOUNT: (links.Number("", 0, 128, 1), 128),
        Key.MASK_WITHOUT: (("encoder", "cross", "both"), "both"),
        Key.MASK_SEED: (links.Number("", 0, 9999, 1), 0),
        Key.MASK_STEPS: (links.Number("", 25, 1000, 25), 400),
    },
    "errors": {
        Key.ERR_VIEW: (("examples", "spread", "slices", "hints", "compare", "calibration"), "examples"),
        Key.ERR_BY: (("file", "model"), "model"),
        Key.ERR_ROW: (links.Text(80), ""),
        Key.ERR_FIND: (links.Text(80), ""),
        Key.ERR_KIND: (links.Text(20), ""),
        Key.ERR_SORT: (links.Text(20), ""),
        Key.ERR_X: (links.Text(20), "turns"),
        Key.ERR_Y: (links.Text(20), "rouge1"),
        Key.ERR_MEASURE: (links.Text(20), "rouge1"),
        Key.ERR_SLICE: (links.Text(20), "turns"),
        Key.ERR_PART: (links.Number("", 0, 99, 1), 0),
        Key.ERR_AGAINST: (links.Text(80), ""),
        Key.ERR_CALIBRATION: (("support", "reference"), "support"),
    },
    "training": {
        Key.TRAIN_VIEW: (("curves", "scores", "lapse", "tiny", "schedule"), "curves"),
        Key.TRAIN_RUNS: (links.Text(400), ""),
        Key.TRAIN_SYSTEMS: (links.Text(400), ""),
        Key.TRAIN_MEASURE: (
            ("loss", "rouge1", "rouge2", "rougeL", "learning_rate", "tokens_per_second", "seconds"), "loss"
        ),
        Key.TRAIN_MODEL: (links.Text(80), ""),
        Key.TRAIN_DIALOGUE: (links.Text(80), ""),
        Key.TRAIN_EPOCH: (links.Number("", 0, 9999, 1), 0),
        Key.TRAIN_UNIT: (("turn", "word"), "turn"),
        Key.TRAIN_SCORE: (("rouge1", "rouge2", "rougeL"), "rouge1"),
        Key.TRAIN_MERIT: (("rouge1", "rouge2", "rougeL", "bertscore"), "rouge1"),
        Key.TRAIN_TASK: (("copy", "reverse", "sort", "dialogues"), "reverse"),
        Key.TRAIN_LENGTH: (links.Number("", 6, 12, 1), 8),
        Key.TRAIN_LETTERS: (links.Number("", 4, 26, 1), 10),
        Key.TRAIN_WIDTH: (("32", "64", "128"), "64"),
        Key.TRAIN_LAYERS: (("1", "2"), "1"),
        Key.TRAIN_HEADS: (("1", "2", "4"), "2"),
        Key.TRAIN_SEED: (links.Number("", 0, 9999, 1), 0),
        Key.TRAIN_KIND: (("inverse_sqrt", "cosine"), "inverse_sqrt"),
        Key.TRAIN_WARMUP: (links.Number("", 1, 100000, 1), 4000),
        Key.TRAIN_D_MODEL: (links.Number("", 1, 8192, 1), 512),
        Key.TRAIN_PEAK: (links.Number("", 0.0, 1.0, 0.0001), 0.0),
        Key.TRAIN_STEPS: (links.Number("", 100, 1000000, 100), 20000),
        Key.TRAIN_PRESETS: (links.Text(400), ""),
    },
    "bertscore": {
        Key.BERT_VIEW: (("scores", "matrix", "edit"), "scores"),
        Key.BERT_ENCODER: (links.Text(80), "all-MiniLM-L6-v2"),
        Key.BERT_IDF: (("plain", "idf"), "plain"),
        Key.BERT_CANDIDATE: (
            ("set", "greedy", "beam", "sample", "other", "turns", "human", "floor", "own"), "set"
        ),
        Key.BERT_REFERENCE: (links.Number("", 0, 3, 1), 0),
        Key.BERT_OTHER: (links.Text(80), ""),
        Key.BERT_TEXT: (links.Text(1200), ""),
        Key.BERT_OWN: (links.Text(1200), ""),
        Key.BERT_EDIT: (links.Text(1200), ""),
    },
    "attention_lab": {
        Key.LAB: (("attention", "scoring", "scale", "block", "slips"), "attention"),
        Key.LAB_PRESET: (("reports", "slides", "masked", "hidden", "one"), "reports"),
        Key.LAB_MATRICES: (links.Text(3000), ""),
        Key.LAB_MARK: (("preset", "attend", "blocked"), "preset"),
        Key.LAB_SCORING: (("preset", "scaled", "dot", "multiplicative", "additive"), "preset"),
        Key.LAB_PARAMETERS: (links.Text(3000), ""),
        Key.LAB_CELL: (links.Text(40), ""),
        Key.LAB_KEYS: (links.Number("", 1, 64, 1), 16),
        Key.LAB_SEED: (links.Number("", 0, 9999, 1), 0),
        Key.LAB_BLOCK_OF: (("matrix", "tokens"), "matrix"),
        Key.LAB_BLOCK: (links.Text(3000), ""),
        Key.LAB_STACK: (("encoder", "decoder"), "encoder"),
        Key.LAB_NORM: (("post", "pre"), "post"),
        Key.LAB_HEADS: (links.Number("", 1, 2, 1), 1),
        Key.LAB_LAYER: (links.Number("", 1, 99, 1), 1),
        Key.LAB_TOKEN: (links.Number("", 1, 9999, 1), 1),
        Key.LAB_SLIP: (
            ("convention", "query_mask", "unapplied", "look_ahead", "cross", "softmax", "norm", "words", "axes"),
            "convention",
        ),
    },
}
"""What only one page asks, by the page's path: how it stands in a link, and its value on a first visit."""
