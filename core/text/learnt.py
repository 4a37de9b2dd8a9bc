"""Learn a tokenizer from the bundled examples, where no checkpoint brings one of a kind."""

from typing import Literal

from core.config import PRESETS
from core.text.examples import load_examples
from core.text.tokenizer import Tokenizer
from core.words import say

Learnt = Literal["bpe", "word"]

SIZE = 2000
"""Ids of a byte-level BPE."""


def learn(kind: Learnt) -> tuple[Tokenizer, str]:
    """Return a tokenizer learnt from the bundled dialogues and their summaries, and what it was learnt from."""
    examples = load_examples()
    texts = [text for example in examples for text in (example.dialogue, *example.references)]
    words = sum(len(text.split()) for text in texts)
    if kind == "word":
        least = PRESETS["report-b"].min_frequency
        tokenizer = Tokenizer.train_words(texts, least)
        return tokenizer, say(
            "learnt just now from the {dialogues} bundled dialogues and their summaries, {words:,} words in all "
            "(words that occur at least {least} times): {ids:,} ids. Most words of other texts are unknown to so small "
            "a vocabulary",
            dialogues=len(examples),
            words=words,
            least=least,
            ids=tokenizer.size,
        )
    tokenizer = Tokenizer.train_bpe(texts, SIZE)
    return tokenizer, say(
        "learnt just now from the {dialogues} bundled dialogues and their summaries, {words:,} words in all "
        "(pairs of bytes that occur most often): {ids:,} ids",
        dialogues=len(examples),
        words=words,
        ids=tokenizer.size,
    )
