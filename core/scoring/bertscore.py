"""BERTScore (Zhang et al. 2020) by the `bert-score` library."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from math import isnan
from typing import Any, get_args

import numpy as np

from core.errors import ScoringError, SettingsError
from core.scoring import baselines, loaded
from core.scoring.encoders import EMBEDDED, Encoder, find
from core.scoring.matching import Match, Side
from core.scoring.rouge import ReferenceMode
from core.words import say

DIGITS = 6
"""Decimals of a score; further ones depend on the number of threads."""
LIBRARIES = ("bert-score", "tokenizers", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class BertScore:
    """Precision, recall and F1 of one candidate; raw ones are at most 1, rescaled ones may be negative."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of texts that cannot be scored as they are.

    Args:
        blank: candidates that are blank, or have a blank reference among those that are used: such a pair scores 0.
        cut: candidates that are longer than the encoder reads, or have such a reference: the rest is not scored.
        weightless: candidates without any token of weight, or with such a reference, under idf: such a pair scores 0.
    """

    blank: int
    cut: int
    weightless: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        """Return the counts of both."""
        return Counts(self.blank + other.blank, self.cut + other.cut, self.weightless + other.weightless)


class BertScorer:
    """Scores of one encoder under one set of settings; several threads may use it.

    Args:
        encoder: the encoder or its name, see `encoders.find`.
        idf_references: weigh each token by ln((M + 1) / (c + 1)), c of these M references having it (blank ones are
            left out); None: all tokens count the same.
        rescale: put the mean of random pairs at 0: (x - b) / (1 - b).

    Raises:
        ScoringError: the encoder is missing or damaged, has no baseline to rescale with, or no reference for idf.
    """

    def __init__(
        self, encoder: str | Encoder = EMBEDDED, *, idf_references: Sequence[str] | None = None, rescale: bool = False
    ) -> None:
        self.encoder = find(encoder) if isinstance(encoder, str) else encoder
        self.baseline = baselines.read(self.encoder) if rescale else None
        self._idf_references = None if idf_references is None else [text for text in idf_references if text.strip()]
        if self._idf_references is not None and len(self._idf_references) < 2:
            message = say(
                "idf weights need at least 2 references that are not blank: of one alone every token has weight 0. "
                "Received: {got}",
                got=len(self._idf_references),
            )
            raise ScoringError(message)
        self._loaded = loaded.load(self.encoder)
        references = self._idf_references
        self._weights = self._loaded.idf_weights(references) if references else self._loaded.plain_weights()
        if references and not any(self._weights.values()):
            message = say(
                "idf weights need references that differ: each token is in all {got}, and has weight 0. Leave out idf, "
                "or take other references",
                got=len(references),
            )
            raise ScoringError(message)

    @property
    def max_tokens(self) -> int:
        """Longest text of the encoder in tokens, its two special ones included; the library cuts off the rest."""
        return self._loaded.max_tokens

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Everything that determines the scores, in plain JSON types; only scores with equal fingerprints compare."""
        references, base = self._idf_references, self.baseline
        digest = sha256(json.dumps(references, ensure_ascii=False).encode()).hexdigest()
        return {
            "encoder": self.encoder.name,
            "weights_sha256": self._loaded.weights_sha256,
            "layer": self.encoder.layers,
            "idf": {"references": len(references), "sha256": digest} if references else None,
            "baseline": {"precision": base.precision, "recall": base.recall, "f1": base.f1} if base else None,
            "versions": {name: version(name) for name in LIBRARIES},
        }

    def score(
        self, candidates: Sequence[str], references: Sequence[Sequence[str]], mode: ReferenceMode = "first"
    ) -> list[BertScore]:
        """Score candidates.

        A blank text scores 0 (before rescaling): with these versions the library refuses it. A pair without any weight
        scores 0 too; the library would return NaN.

        Args:
            candidates: N summaries.
            references: at least one reference for each.
            mode: the "first" reference, the "mean" over all, or the "max" over all of each measure apart, as the
                library does it.

        Returns:
            N scores, rounded to `DIGITS` decimals; they do not depend on other pairs of the call.

        Raises:
            SettingsError: different numbers of candidates and references, a candidate without reference, or an
                unknown mode.
        """
        encode = lru_cache(maxsize=64)(lambda text: self._loaded.encode(text, self._weights))
        scores = []
        for candidate, used in _pairs(candidates, references, mode):
            rows = [
                _numbers(loaded.match(encode(candidate), encode(reference)))
                if candidate.strip() and reference.strip()
                else (0.0, 0.0, 0.0)
                for reference in used
            ]
            join = max if mode == "max" else _mean
            precision, recall, f1 = (join(column) for column in zip(*rows, strict=True))
            if self.baseline:
                precision, recall, f1 = self.baseline.rescale(precision, recall, f1)
            scores.append(BertScore(*(round(value, DIGITS) for value in (precision, recall, f1))))
        return scores

    def count(
        self, candidates: Sequence[str], references: Sequence[Sequence[str]], mode: ReferenceMode = "first"
    ) -> Counts:
        """Count the candidates that cannot be scored as they are; arguments and errors as in `score`."""
        blank = cut = weightless = 0
        for candidate, used in _pairs(candidates, references, mode):
            texts = (candidate, *used)
            blank += any(not text.strip() for text in texts)
            cut += any(self._loaded.length(text) > self.max_tokens for text in texts)
            if self._idf_references:
                weightless += any(text.strip() and not self._loaded.weighs(text, self._weights) for text in texts)
        return Counts(blank, cut, weightless)

    def match(self, candidate: str, reference: str) -> Match:
        """Compute the matrix behind the score of one pair, before rescaling; raises ScoringError for a blank text."""
        if not candidate.strip():
            raise ScoringError("there is nothing to match: the candidate is blank. It scores 0")
        if not reference.strip():
            raise ScoringError("there is nothing to match: the reference is blank. It scores 0")
        texts = [self._loaded.encode(text, self._weights) for text in (candidate, reference)]
        sides = [Side(text.texts, text.special, text.weights[0].numpy().astype(np.float64)) for text in texts]
        return Match(sides[0], sides[1], loaded.similarity(texts[0], texts[1]))


def _pairs(
    candidates: Sequence[str], references: Sequence[Sequence[str]], mode: ReferenceMode
) -> Iterable[tuple[str, Sequence[str]]]:
    """Pair each candidate with the references that are used."""
    if mode not in get_args(ReferenceMode):
        raise SettingsError(f"mode must be one of {', '.join(get_args(ReferenceMode))}. Received: mode={mode!r}")
    if len(candidates) != len(references):
        sizes = (len(candidates), len(references))
        raise SettingsError(f"BERTScore needs as many candidates as lists of references. Received: {sizes}")
    if any(isinstance(texts, str) or not texts for texts in references):
        raise SettingsError("BERTScore needs a list of at least one reference for each candidate. Received: none")
    used = [texts[:1] if mode == "first" else texts for texts in references]
    return zip(candidates, used, strict=True)


def _numbers(values: Any) -> tuple[float, float, float]:
    precision, recall, f1 = (0.0 if isnan(value) else float(value) for value in values.tolist())
    return precision, recall, f1


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
