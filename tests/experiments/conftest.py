"""Two small summarizers of random weights: pre-norm with copying and sub-words, post-norm without copying and words."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core import checkpoints
from core.config import DecodeSettings, ModelConfig
from core.experiments.interventions import Condition, Untouched, untouched
from core.model.transformer import Transformer
from core.service import Summarizer
from core.text.examples import load_examples
from core.text.tokenizer import Tokenizer

TURNS = (
    ("#Person1#", "Hello, how are you today?"),
    ("#Person2#", "I am fine, thank you. We go to the party tomorrow."),
    ("#Person1#", "I will bring some cake then."),
    ("#Person2#", "Good. See you there!"),
)
SETTINGS = DecodeSettings(strategy="greedy", max_tokens=11, no_repeat_ngram=2)


def script(turns=TURNS) -> str:
    return "\n".join(f"{speaker}: {text}" for speaker, text in turns)


def build(folder: Path, norm: str, copy: bool, kind: str) -> Summarizer:
    """Random weights that depend on their place alone, strong enough for every change to be seen."""
    first = load_examples()[:20]  # the models stay the same when examples are added
    texts = [text for example in first for text in (example.dialogue, *example.references)]
    texts += [script()] * 3
    tokenizer = Tokenizer.train_bpe(texts, 500) if kind == "bpe" else Tokenizer.train_words(texts, 3)
    config = ModelConfig(
        source_vocabulary=tokenizer.size, target_vocabulary=tokenizer.size, d_model=12, num_heads=3, head_dim=5,
        feed_forward_dim=16, encoder_layers=2, decoder_layers=2, max_source_length=100, max_target_length=12,
        norm=norm, copy=copy, share_embeddings=copy, share_output=copy,
    )  # fmt: skip
    model = Transformer(config)
    random = np.random.default_rng(4)
    for variable in model.trainable_variables:
        start = 1.0 if variable.path.endswith("gamma") else 0.0
        variable.assign(start + 0.5 * random.standard_normal(variable.shape).astype("float32"))
    card = {"decoding": SETTINGS.to_dict()}
    checkpoints.write(folder, config, tokenizer, checkpoints.weights_of(model), [], card)
    return Summarizer.load(folder)


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Callable[..., tuple[Summarizer, Untouched]]:
    """Builds a summarizer and its untouched run of the four turns, once: pytest drops a fixture of another param."""

    @cache
    def once(norm: str, copy: bool, kind: str) -> tuple[Summarizer, Untouched]:
        summarizer = build(tmp_path_factory.mktemp("checkpoints") / norm, norm, copy, kind)
        encoded = summarizer.encode(script())
        text, ids = summarizer.write(encoded)
        return summarizer, untouched(summarizer, Condition(encoded), ids, summarizer.settings, text)

    return once


@pytest.fixture(params=[("pre", True, "bpe"), ("post", False, "word")], ids=["pre", "post"], scope="session")
def pair(request, built) -> tuple[Summarizer, Untouched]:
    return built(*request.param)


@pytest.fixture(scope="session")
def summarizer(pair: tuple[Summarizer, Untouched]) -> Summarizer:
    return pair[0]


@pytest.fixture(scope="session")
def base(pair: tuple[Summarizer, Untouched]) -> Untouched:
    return pair[1]
