"""Summaries of random numbers that no model wrote, with every array that a trace may hold."""

import numpy as np

from core.config import END, DecodeSettings
from core.text.dialogue import parse_dialogue
from core.trace import Alternative, AttentionTrace, DecodingStep, Summary, Token

S, L, H, D, V = 3, 2, 2, 4, 9
SOURCE = tuple(Token(f"s{number}", 5 + number, number, number + 1, 0, "Anna", number) for number in range(S))
ENCODER = np.random.default_rng(0).random((L, H, S, S), dtype=np.float32)


def summary(*ids: int, forced: int = 0) -> Summary:
    """A summary of these tokens; all share what the encoder did."""
    random, count = np.random.default_rng(ids), len(ids)
    target = tuple(Token(f"t{token}", token, 0, 0, None, None, place) for place, token in enumerate(ids))
    steps = tuple(DecodingStep(each, -0.25, 1.0, 1, (Alternative(each.id, each.text, 0.75),)) for each in target)
    decoder_self, cross = random.random((L, H, count, count)), random.random((L, H, count, S))
    return Summary(
        " ".join(each.text for each in target), parse_dialogue("Anna: s0 s1"), steps,
        AttentionTrace(SOURCE, target, encoder_self=ENCODER, decoder_self=decoder_self, cross=cross),
        random.random((count, V)), random.random((L + 1, S, D)), random.random((L + 1, count, D)), (), (), (), None,
        ids[-1:] == (END,), DecodeSettings(), "tiny@0123456789ab", 0.5, forced=forced,
    )  # fmt: skip
