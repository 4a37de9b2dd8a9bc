"""Read early layers: logit lens over decoder layers, DecoderLens over encoder layers.

L layers, T target tokens. Row 0 is the input of a stack, row L its output: the model's own prediction.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.experiments.effects import Untouched
from core.runtime.queue import CALLS
from core.trace import Array

if TYPE_CHECKING:
    from core.service import Summarizer

TOP = 5
"""Tokens that the logit lens keeps at each position."""
_WORD = re.compile(r"(?:\w+|#\w+#)(?:['\u2019]\w+)*")


@dataclass(frozen=True, eq=False)
class LogitLens:
    """Predictions of the decoder states after each layer, as if it were the last (nostalgebraist 2020).

    Args:
        top: [L+1, T, TOP] ids of the most probable tokens, best first.
        top_probability: [L+1, T, TOP].
        probability: [L+1, T] of the token that was written.
        rank: [L+1, T] of the token that was written, 1 = first.
    """

    top: NDArray[np.int64]
    top_probability: Array
    probability: Array
    rank: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LayerSummary:
    """The decoder's output for one encoder layer.

    Args:
        text: the summary that it writes.
        log_probabilities: [T] of the tokens of the original summary.
    """

    text: str
    log_probabilities: Array


def logit_lens(summarizer: "Summarizer", base: Untouched) -> LogitLens:
    """Compute the predictions of early decoder states with the whole output head, copying included.

    States of a pre-norm stack pass its last normalisation, those of a post-norm stack are used unchanged. No probe is
    trained: early layers may hold information that this lens does not show. Gates of the run are not used.
    """
    with CALLS.turn():
        logits = summarizer.probes.lens(base.condition.encoded.ids, base.ids)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    probabilities = np.exp(shifted)
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    chosen = np.asarray(base.ids)[None, :, None]
    own = np.take_along_axis(logits, chosen, axis=-1)
    some = np.sort(np.argpartition(-logits, TOP, axis=-1)[..., :TOP], axis=-1)  # to sort them all would take longer
    order = np.argsort(-np.take_along_axis(logits, some, axis=-1), axis=-1, kind="stable")
    best = np.take_along_axis(some, order, axis=-1)
    return LogitLens(
        best,
        np.take_along_axis(probabilities, best, axis=-1),
        np.take_along_axis(probabilities, chosen, axis=-1)[..., 0],
        (logits > own).sum(axis=-1) + 1,
    )


def decoder_lens(summarizer: "Summarizer", base: Untouched) -> list[LayerSummary]:
    """Let the unchanged decoder read each encoder layer instead of the last (Langedijk et al. 2023, arXiv 2310.03686).

    Row 0 is a bag of embeddings, with positions where the model adds some. The decoder never saw such inputs in
    training: nonsense may be due to that, not to missing information. Gates of the run are not used.
    """
    encoded = base.condition.encoded
    with CALLS.turn():
        memories = summarizer.probes.encode_layers(encoded.ids)
        scored = summarizer.probes.score_states(memories, base.ids)
    texts = summarizer.write_rows([encoded] * len(memories), base.settings, memories=memories)
    return [LayerSummary(text, values) for text, values in zip(texts, scored, strict=True)]


def words(text: str) -> list[str]:
    """Return the words of a summary without punctuation."""
    return _WORD.findall(text)


def first_layers(texts: Sequence[str]) -> tuple[list[int], NDArray[np.bool_]]:
    """Find for each word of the last text the first text that has it, and all that have it, [texts, words].

    Case is ignored; a word that occurs twice must occur twice in the other text.
    """
    final = [word.casefold() for word in words(texts[-1])]
    place = [final[:index].count(word) for index, word in enumerate(final)]
    inside = np.zeros((len(texts), len(final)), dtype=bool)
    for row, text in enumerate(texts):
        here = [word.casefold() for word in words(text)]
        inside[row] = [here.count(word) > before for word, before in zip(final, place, strict=True)]
    return [int(np.argmax(column)) for column in inside.T], inside
