"""Turn a corpus into the input of training: a tokenizer, and pairs of token ids."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from core.config import Preset
from core.errors import CorpusError, DialogueError
from core.text.corpus import Corpus
from core.text.dialogue import parse_dialogue
from core.text.encoded import AnyTokenizer
from core.text.tokenizer import Tokenizer
from core.training.augmentation import Augmentation, Example
from core.training.batches import Pair
from core.training.loop import MakePairs

WHOLE = 0.5
"""A dialogue counts as a repetition if at least this share of its runs of ids was seen before."""
_RUN = 8


def learn_tokenizer(corpus: Corpus, preset: Preset) -> Tokenizer:
    """Learn the preset's tokenizer from the dialogues and first references of a corpus."""
    texts = (text for row in _rows(corpus) for text in (row["dialogue"], *row["references"][:1]))
    if preset.tokenizer == "bpe":
        return Tokenizer.train_bpe(texts, preset.model.source_vocabulary)
    return Tokenizer.train_words(texts, preset.min_frequency, preset.model.source_vocabulary)


def encode_pair(dialogue: str, summary: str, tokenizer: AnyTokenizer, preset: Preset) -> Pair | None:
    """Encode a dialogue and its summary as token ids; None for a dialogue without a word."""
    try:
        encoded = tokenizer.encode_dialogue(parse_dialogue(dialogue), preset.model.max_source_length)
    except DialogueError:
        return None
    target = tokenizer.encode_summary(summary, encoded.speakers)
    return encoded.ids, target[: preset.model.max_target_length]


def encode_examples(corpus: Corpus, tokenizer: AnyTokenizer, preset: Preset) -> list[Example]:
    """Encode every dialogue with its first reference; dialogues without a word are left out.

    Raises CorpusError if none is left.
    """
    examples = []
    for row in _rows(corpus):
        dialogue, summary = row["dialogue"], row["references"][0]
        pair = encode_pair(dialogue, summary, tokenizer, preset)
        if pair:
            examples.append(Example(dialogue, summary, pair))
    if not examples:
        raise CorpusError(f"{corpus.name} has no dialogue to train on")
    return examples


def fitted(preset: Preset, tokenizer: AnyTokenizer) -> Preset:
    """Return the preset with the vocabulary sizes of the trained tokenizer, and decoding within the model's length."""
    model = preset.model.replace(source_vocabulary=tokenizer.size, target_vocabulary=tokenizer.size)
    longest = min(preset.decoding.max_tokens, model.max_target_length)
    return replace(preset, model=model, decoding=preset.decoding.replace(max_tokens=longest))


def training_pairs(examples: Sequence[Example], tokenizer: AnyTokenizer, preset: Preset) -> Sequence[Pair] | MakePairs:
    """Return the pairs for `train`: the same in every epoch, or changed ones if the preset augments."""
    if not preset.training.augment:
        return [example.pair for example in examples]
    return Augmentation(
        examples,
        lambda dialogue, summary: encode_pair(dialogue, summary, tokenizer, preset),
        preset.training.epochs,
        preset.training.seed,
    )


def fresh(dialogues: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Leave out repetitions: dialogues with at least half of their runs of eight ids in earlier ones."""
    seen: set[tuple[int, ...]] = set()
    kept: list[Sequence[int]] = []
    for ids in dialogues:
        runs = {tuple(ids[place : place + _RUN]) for place in range(max(len(ids) - _RUN + 1, 1))}
        if len(runs & seen) < WHOLE * len(runs):
            kept.append(ids)
        seen |= runs
    return kept


def encode_dialogues(corpus: Corpus, tokenizer: AnyTokenizer, longest: int) -> list[list[int]]:
    """Return the source ids of every dialogue that has a word."""
    sources = []
    for row in _rows(corpus):
        with suppress(DialogueError):
            sources.append(tokenizer.encode_dialogue(parse_dialogue(row["dialogue"]), longest).ids)
    return sources


def _rows(corpus: Corpus) -> Iterable[dict[str, Any]]:
    return corpus.dataset  # type: ignore[no-any-return]
