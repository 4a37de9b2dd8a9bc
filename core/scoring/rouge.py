"""ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum (Lin 2004) by the `rouge-score` library, with stemming.

The library counts words of a-z and 0-9 alone. Texts with other letters get a tokenizer for those of all scripts.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any, Literal, get_args

from core.errors import SettingsError
from core.runtime.imports import without

ReferenceMode = Literal["first", "mean", "max"]
TokenizerName = Literal["a-z 0-9", "letters of all scripts"]
NAMES = ("rouge1", "rouge2", "rougeL")
LSUM = "rougeLsum"
_UNSPACED = "".join(rf"\p{{{each}}}" for each in ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"))
"""Scripts without spaces between words: each letter, with its marks, counts as a word."""
_WORD = rf"[{_UNSPACED}]\p{{M}}*|(?:(?![{_UNSPACED}])[\p{{L}}\p{{M}}\p{{N}}])+"
_OPTIONAL = r"[\u00ad\u0307\u0591-\u05bd\u0640\u064b-\u065f\u0670\u200c\u200d]"
"""Signs that may be there or not: joiners, points of Hebrew and Arabic, and the dot that a small Turkish İ keeps."""


@dataclass(frozen=True, slots=True)
class Rouge:
    """F-measures, 0 to 100; ROUGE-Lsum only where it was asked for."""

    rouge1: float
    rouge2: float
    rougeL: float
    rougeLsum: float | None = field(default=None, repr=False)  # `intake.digest` is one of what it was without

    def to_dict(self) -> dict[str, float]:
        """Return the measures by name, without what was not measured."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def rouge(candidate: str, references: Sequence[str], mode: ReferenceMode = "first", lsum: bool = False) -> Rouge:
    """Score one candidate.

    Args:
        candidate: the summary; an empty one scores 0.
        references: at least one reference.
        mode: "first" reference, "mean" over all, or "max" of each measure over all.
        lsum: also ROUGE-Lsum, which takes each line of a text for a sentence; ROUGE-L takes the text as a whole.

    Returns:
        The F-measures.

    Raises:
        SettingsError: no reference, or an unknown mode.
    """
    used = used_references(references, mode)
    scorer = _scorer(tokenizer_name(candidate, used), lsum)
    scores = [scorer.score(reference, candidate) for reference in used]
    names = (*NAMES, LSUM) if lsum else NAMES
    values = {name: [100.0 * score[name].fmeasure for score in scores] for name in names}
    join = max if mode == "max" else _mean
    return Rouge(**{name: join(column) for name, column in values.items()})


def used_references(references: Sequence[str], mode: ReferenceMode) -> Sequence[str]:
    """Return the references that count; raises SettingsError for none, and for an unknown mode."""
    if mode not in get_args(ReferenceMode):
        raise SettingsError(f"mode must be one of {', '.join(get_args(ReferenceMode))}. Received: mode={mode!r}")
    if not references:
        raise SettingsError("ROUGE needs at least one reference. Received: none")
    return references[:1] if mode == "first" else references


def tokenizer_name(candidate: str, used: Sequence[str]) -> TokenizerName:
    """Return which tokenizer a candidate and its references get: the library's own, unless a letter is beyond it."""
    for text in (candidate, *used):
        if not text.isascii() and any(sign.isalnum() for sign in unicodedata.normalize("NFC", text) if sign > "\x7f"):
            return "letters of all scripts"
    return "a-z 0-9"


def tokens_of(text: str) -> list[str]:
    """Return the words of a text in any script: case, and signs that may be there or not, do not count.

    Words of a-z and 0-9 are stemmed as the library does it, others are compared whole. A Turkish ı counts as i: which
    of the two a capital I stands for depends on the language.
    """
    import regex

    plain = unicodedata.normalize("NFKC", text).casefold().replace("ı", "i")
    words: list[str] = []
    for word in regex.findall(_WORD, regex.sub(_OPTIONAL, "", plain)):
        words += _library_tokenizer().tokenize(word) if word.isascii() else [word]
    return words


def scores_zero_though_equal(score: Rouge, candidate: str, used: Sequence[str]) -> bool:
    """Return whether a candidate is its reference and a measure is 0: no word in it, or no two for ROUGE-2."""
    text = candidate.strip()
    return bool(text) and min(score.to_dict().values()) == 0 and any(reference.strip() == text for reference in used)


def mean_rouge(scores: Sequence[Rouge]) -> Rouge:
    """Return the mean of each measure over a corpus; zeros for an empty one."""
    names = (*NAMES, LSUM) if scores and all(score.rougeLsum is not None for score in scores) else NAMES
    return Rouge(**{name: _mean([getattr(score, name) for score in scores]) for name in names})


def fingerprint(tokenizers: dict[str, int]) -> dict[str, Any]:
    """Return what determines ROUGE, in plain JSON types; `tokenizers` counts the rows that each was used for."""
    return {
        "library": f"rouge-score {version('rouge-score')}",
        "stemmer": "Porter, words of a-z 0-9",
        "tokenizers": {name: count for name, count in tokenizers.items() if count},
        "rougeL": "each text as a whole",
        "rougeLsum": "each line of a text as a sentence",
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


class _Letters:
    """The tokenizer for letters of all scripts, as the library takes one."""

    def tokenize(self, text: str) -> list[str]:
        return tokens_of(text)


@cache
def _library_tokenizer() -> Any:
    with without("scipy", "sklearn"):
        from rouge_score import tokenizers

    return tokenizers.DefaultTokenizer(use_stemmer=True)


@cache
def _scorer(tokenizer: TokenizerName, lsum: bool) -> Any:
    with without("scipy", "sklearn"):
        from rouge_score import rouge_scorer

    own = _library_tokenizer() if tokenizer == "a-z 0-9" else _Letters()
    return rouge_scorer.RougeScorer([*NAMES, *([LSUM] if lsum else [])], tokenizer=own)
