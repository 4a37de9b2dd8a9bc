"""What the network would say earlier: logit lens over decoder layers, DecoderLens over encoder layers.

L layers, T target tokens. Row 0 is what goes into a stack, row L what comes out of it: the model's own answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.experiments.interventions import Untouched
from core.trace import Array

if TYPE_CHECKING:
    from core.service import Summarizer

TOP = 5
"""Words that the logit lens names at each place."""
_WORD = re.compile(r"(?:\w+|#\w+#)(?:['\u2019]\w+)*")


@dataclass(frozen=True, eq=False)
class LogitLens:
    """Decoder states after each layer, read as if they were the last (nostalgebraist 2020).

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
    """What the decoder makes of one encoder layer.

    Args:
        text: the summary that it writes.
        log_probabilities: [T] of the untouched summary's tokens.
    """

    text: str
    log_probabilities: Array


def logit_lens(summarizer: "Summarizer", base: Untouched) -> LogitLens:
    """Read the decoder's states early, through the final normalisation and the whole output head, copying included.

    A pre-norm stack's states pass its last normalisation, a post-norm stack's are taken as they are. No probe is
    trained: early layers may hold what this reading does not show. Gates of the run do not count.
    """
    with summarizer.calls:
        logits = summarizer.probes.lens(base.condition.encoded.ids, base.ids)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    probabilities = np.exp(shifted)
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    chosen = np.asarray(base.ids)[None, :, None]
    own = np.take_along_axis(logits, chosen, axis=-1)
    best = np.argsort(-logits, axis=-1, kind="stable")[..., :TOP]
    return LogitLens(
        best,
        np.take_along_axis(probabilities, best, axis=-1),
        np.take_along_axis(probabilities, chosen, axis=-1)[..., 0],
        (logits > own).sum(axis=-1) + 1,
    )


def decoder_lens(summarizer: "Summarizer", base: Untouched) -> list[LayerSummary]:
    """Let the unchanged decoder read each encoder layer instead of the last (Langedijk et al. 2023, arXiv 2310.03686).

    Row 0 is a bag of embeddings with positions. The decoder never saw such inputs in training: nonsense may come of
    that, not of what is missing in them. Gates of the run do not count.
    """
    encoded = base.condition.encoded
    with summarizer.calls:
        memories = summarizer.probes.encode_layers(encoded.ids)
        scored = summarizer.probes.score_states(memories, base.ids)
    texts = [summarizer.write(encoded, base.settings, memory=memory)[0] for memory in memories]
    return [LayerSummary(text, values) for text, values in zip(texts, scored, strict=True)]


def words(text: str) -> list[str]:
    """The words of a summary, punctuation left out."""
    return _WORD.findall(text)


def first_layers(texts: Sequence[str]) -> tuple[list[int], NDArray[np.bool_]]:
    """For each word of the last text, the first one that has it, and which ones have it, [texts, words].

    Upper and lower case are the same, and a word that stands twice is found once for each time.
    """
    final = [word.casefold() for word in words(texts[-1])]
    place = [final[:index].count(word) for index, word in enumerate(final)]
    inside = np.zeros((len(texts), len(final)), dtype=bool)
    for row, text in enumerate(texts):
        here = [word.casefold() for word in words(text)]
        inside[row] = [here.count(word) > before for word, before in zip(final, place, strict=True)]
    return [int(np.argmax(column)) for column in inside.T], inside
