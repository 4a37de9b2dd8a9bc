"""Learn a tokenizer from the bundled examples, where no checkpoint brings one of a kind."""

from typing import Literal

from core.config import PRESETS
from core.text.examples import load_examples
from core.text.tokenizer import Tokenizer

Learnt = Literal["bpe", "word"]

SIZE = 2000
"""Ids of a byte-level BPE."""


def learn(kind: Learnt) -> tuple[Tokenizer, str]:
    """Return a tokenizer learnt from the bundled dialogues and their summaries, and what it was learnt from."""
    examples = load_examples()
    texts = [text for each in examples for text in (each.dialogue, *each.references)]
    if kind == "word":
        least = PRESETS["report-b"].min_frequency
        tokenizer = Tokenizer.train_words(texts, least)
        rule, rest = f"words that occur at least {least} times", ". Most words of other texts are unknown to so small a"
        rest += " vocabulary"
    else:
        tokenizer, rule, rest = Tokenizer.train_bpe(texts, SIZE), "pairs of bytes that occur most often", ""
    words = sum(len(text.split()) for text in texts)
    return tokenizer, (
        f"learnt just now from the {len(examples)} bundled dialogues and their summaries, {words:,} words in all "
        f"({rule}): {tokenizer.size:,} ids{rest}"
    )
