"""Tasks that a tiny network learns in seconds: letters to copy, reverse or sort, and the bundled dialogues.

Every batch of a task has one shape, so that few functions are compiled.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Literal, cast, get_args

import numpy as np

from core.config import END, DecodeSettings, ModelConfig, TrainConfig
from core.errors import SettingsError
from core.text.dialogue import parse_dialogue
from core.text.examples import Example, load_examples
from core.text.tokenizer import Tokenizer
from core.training.batches import SOURCE_STEP, TARGET_STEP, Pair
from core.words import later, say

Toy = Literal["copy", "reverse", "sort"]
EPOCHS = {"copy": 12, "reverse": 20, "sort": 20, "dialogues": 25}
"""Epochs after which each task is learnt."""
LENGTHS, LETTERS = (6, 12), (4, 26)
"""Fewest and most letters of a sequence, and of the alphabet."""
ROWS, STEPS, HELD_OUT = 64, 32, 128
"""Sequences of a batch, batches of an epoch, and sequences that are never trained on; twice `ROWS`: one batch."""
DIALOGUE_LENGTH, SUMMARY_LENGTH = 3 * SOURCE_STEP, 2 * TARGET_STEP
"""Longest bundled dialogue (its middle is left out) and longest summary, in tokens."""
DIALOGUES_HELD_OUT, REPEATS = 5, 6
"""Number of held-out dialogues, and passes over the others in one epoch."""
ABOUT = {
    "copy": later("A toy, trained in the page: it copies {low} to {high} letters of {alphabet}."),
    "reverse": later("A toy, trained in the page: it reverses {low} to {high} letters of {alphabet}."),
    "sort": later("A toy, trained in the page: it sorts {low} to {high} letters of {alphabet}."),
}
"""What cards say; `alphabet` is the number of its letters."""


@dataclass(frozen=True, slots=True)
class Item:
    """An input with its right answer; a held-out one is never trained on."""

    text: str
    answer: str
    held_out: bool


@dataclass(frozen=True, eq=False)
class Task:
    """A task with all settings and data of its training.

    Args:
        name: "copy", "reverse", "sort" or "dialogues".
        about: one sentence for the card.
        model: the network's shape.
        training: its settings.
        decoding: settings of decoding.
        tokenizer: of inputs and answers.
        pairs: makes the pairs of an epoch, counted from 1.
        validation: pairs for the validation loss.
        items: inputs that are tried after each epoch.
    """

    name: str
    about: str
    model: ModelConfig
    training: TrainConfig
    decoding: DecodeSettings
    tokenizer: Tokenizer
    pairs: Callable[[int], Sequence[Pair]]
    validation: tuple[Pair, ...]
    items: tuple[Item, ...]

    def source(self, item: Item) -> list[int]:
        """Return token ids of an input, cut to what the network reads."""
        return self.tokenizer.encode_dialogue(parse_dialogue(item.text), self.model.max_source_length).ids


def answer(toy: Toy, letters: str) -> str:
    """Return the right answer to a sequence of letters without blanks."""
    if toy == "copy":
        return letters
    return letters[::-1] if toy == "reverse" else "".join(sorted(letters))


def draw(random: np.random.Generator, letters: int, length: int) -> str:
    """Draw a random sequence of at least half of `length` letters and at most `length`."""
    size = int(random.integers(-(-length // 2), length + 1))
    return "".join(ascii_lowercase[place] for place in random.integers(0, letters, size))


def task(name: str, **sizes: int) -> Task:
    """Make a task with the epochs that it needs.

    Args:
        name: a key of `EPOCHS`.
        sizes: what `letters_task` or, for the dialogues, `dialogues_task` takes beside them.
    """
    if name == "dialogues":
        return dialogues_task(**sizes, epochs=EPOCHS[name])
    return letters_task(cast(Toy, name), **sizes, epochs=EPOCHS[name])


def letters_task(
    toy: Toy, length: int, letters: int, *, width: int, layers: int, heads: int, seed: int, epochs: int
) -> Task:
    """Make the task to copy, reverse or sort letters; every epoch has new sequences, never held-out ones.

    Args:
        toy: "copy", "reverse" or "sort".
        length: of the longest sequence; the shortest are half as long.
        letters: of the alphabet.
        width: d_model.
        layers: of the encoder and of the decoder.
        heads: of each attention.
        seed: of weights and data.
        epochs: of `ROWS` · `STEPS` sequences.

    Raises:
        SettingsError: an unknown task, or a length, alphabet, width or number of heads that is not allowed.
    """
    _check(toy, length, letters)
    alphabet = " ".join(ascii_lowercase[:letters])
    tokenizer = Tokenizer.train_words([alphabet], min_frequency=1)
    model = _model(tokenizer, width, layers, heads, SOURCE_STEP, TARGET_STEP)
    ids = dict(zip(alphabet.split(), tokenizer.encode_summary(alphabet), strict=False))
    random = np.random.default_rng(seed)
    held_out: dict[str, None] = {}
    while len(held_out) < HELD_OUT:
        held_out[draw(random, letters, length)] = None

    def pair(text: str) -> Pair:
        return [ids[letter] for letter in text] + [END], [ids[letter] for letter in answer(toy, text)] + [END]

    def pairs(epoch: int) -> list[Pair]:
        fresh = np.random.default_rng([seed, epoch])
        drawn: list[Pair] = []
        while len(drawn) < ROWS * STEPS:
            text = draw(fresh, letters, length)
            if text not in held_out:
                drawn.append(pair(text))
        return drawn

    return Task(
        toy,
        say(ABOUT[toy], low=-(-length // 2), high=length, alphabet=letters),
        model,
        _training(epochs, ROWS * (SOURCE_STEP + TARGET_STEP), seed),
        DecodeSettings(strategy="greedy", max_tokens=length + 1, no_repeat_ngram=0, whole_words=False),
        tokenizer,
        pairs,
        tuple(map(pair, held_out)),
        tuple(Item(" ".join(text), " ".join(answer(toy, text)), True) for text in held_out),
    )


def _check(toy: str, length: int, letters: int) -> None:
    if toy not in get_args(Toy):
        allowed = ", ".join(get_args(Toy))
        raise SettingsError("task must be one of {allowed}. Received: {task}", allowed=allowed, task=repr(toy))
    for name, value, (low, high) in (("length", length, LENGTHS), ("letters", letters, LETTERS)):
        if not low <= value <= high:
            raise SettingsError(
                "{name} must be from {low} to {high}. Received: {received}",
                name=name,
                low=low,
                high=high,
                received=f"{name}={value}",
            )


def dialogues_task(*, width: int, layers: int, heads: int, seed: int, epochs: int) -> Task:
    """Make the task to learn the bundled dialogues by heart; they are far too few to learn to summarize.

    Args:
        width: d_model.
        layers: of the encoder and of the decoder.
        heads: of each attention.
        seed: of weights and order.
        epochs: each goes `REPEATS` times over the dialogues that are not held out.

    Raises:
        SettingsError: a width or number of heads that is not allowed.
    """
    examples = load_examples()
    seen, held_out = examples[:-DIALOGUES_HELD_OUT], examples[-DIALOGUES_HELD_OUT:]
    texts = [text for example in seen for text in (example.dialogue, *example.references)]
    tokenizer = Tokenizer.train_words(texts, min_frequency=1)
    model = _model(tokenizer, width, layers, heads, DIALOGUE_LENGTH, SUMMARY_LENGTH)

    def of(examples: Sequence[Example]) -> list[Pair]:
        return [_pair(tokenizer, model, example.dialogue, text) for example in examples for text in example.references]

    pairs = of(seen)
    items = [Item(example.dialogue, example.references[0], False) for example in seen[:4]]
    items += [Item(example.dialogue, example.references[0], True) for example in held_out[:4]]
    return Task(
        "dialogues",
        say(
            "Trained in the page on {count} of the bundled dialogues: it knows them by heart, and little else.",
            count=len(seen),
        ),
        model,
        _training(epochs, len(pairs) * (DIALOGUE_LENGTH + SUMMARY_LENGTH), seed),
        DecodeSettings(strategy="greedy", max_tokens=SUMMARY_LENGTH, whole_words=False),
        tokenizer,
        lambda _: pairs * REPEATS,
        tuple(of(held_out)),
        tuple(items),
    )


def _model(
    tokenizer: Tokenizer, width: int, layers: int, heads: int, longest_source: int, longest_target: int
) -> ModelConfig:
    return ModelConfig(
        source_vocabulary=tokenizer.size,
        target_vocabulary=tokenizer.size,
        d_model=width,
        num_heads=heads,
        feed_forward_dim=2 * width,
        encoder_layers=layers,
        decoder_layers=layers,
        max_source_length=longest_source,
        max_target_length=longest_target,
        dropout=0.0,
        norm="pre",
        share_embeddings=True,
        share_output=True,
    )


def _training(epochs: int, batch_tokens: int, seed: int) -> TrainConfig:
    return TrainConfig(
        epochs=epochs,
        batch_tokens=batch_tokens,
        schedule="cosine",
        learning_rate=3e-3,
        warmup_steps=50,
        label_smoothing=0.0,
        average=0.0,
        patience=0,
        seed=seed,
        steps_per_call=8,
    )


def _pair(tokenizer: Tokenizer, model: ModelConfig, text: str, answer: str) -> Pair:
    encoded = tokenizer.encode_dialogue(parse_dialogue(text), model.max_source_length)
    return encoded.ids, tokenizer.encode_summary(answer)[: model.max_target_length]
