"""Settings as the well-known models publish them are read: old keys that change nothing, and those that count."""

import json
from pathlib import Path

import pytest

from core.config import DecodeSettings, ModelConfig
from core.importing.families import model_config
from core.importing.generation import read_generation
from core.text.vocabulary import Vocabulary

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "published_settings.json").read_text("utf-8"))
"""What their config.json files say, shortened to what is read or must be known."""


def read(name: str, own: bool = True) -> tuple[ModelConfig, DecodeSettings]:
    config = PUBLISHED[name]
    generation = read_generation(config, None, own)
    rows = config["vocab_size"]
    vocabulary = Vocabulary(rows, generation.pad, generation.start, generation.end, rows - 2)
    settings = generation.settings()
    return model_config(config, vocabulary, settings.max_tokens, **generation.forced(vocabulary)), settings


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_settings_are_read(name: str) -> None:
    model, settings = read(name, own=name != "facebook/blenderbot_small-90M")
    assert model.d_model == PUBLISHED[name]["d_model"]
    assert settings.max_tokens == PUBLISHED[name].get("max_length", 21) - 1


def test_generation_of_bart_large_cnn() -> None:
    model, settings = read("facebook/bart-large-cnn")
    assert settings == DecodeSettings(
        beam_size=4, length_penalty=2.0, max_tokens=141, min_tokens=55, no_repeat_ngram=3, early_stopping=True,
        whole_words=False, truncation="end",
    )  # fmt: skip
    assert (model.forced_first, model.forced_last) == (5, True)  # <s>, the first id that has no place of its own here


def test_what_a_family_does_differently() -> None:
    flan, _ = read("google/flan-t5-small")
    assert (flan.gated, flan.activation, flan.output_scale, flan.score_scale) == (True, "gelu_tanh", False, False)
    small, _ = read("google-t5/t5-small")
    assert (small.gated, small.activation, small.output_scale, small.head_dim) == (False, "relu", True, 64)
    marian, settings = read("Helsinki-NLP/opus-mt-en-de")
    assert (marian.positions, marian.activation, marian.suppressed) == ("halves", "silu", (0,))
    assert (settings.beam_size, marian.max_target_length) == (6, 511)
