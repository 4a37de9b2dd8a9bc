"""Settings: every bound refused by name, dictionaries round-trip."""

import json
import math

import pytest

from core.config import PRESETS, DecodeSettings, ModelConfig, RecurrentConfig, TrainConfig, transformer_shape
from core.errors import DialoscopeError, SettingsError
from core.explain.architecture import parameters
from tests.refusals import refusals, refused

NAN, INFINITE = math.nan, math.inf

NOT_COUNTS = (0, -1, 1.0, 2.5, "3", None, True, NAN)
NOT_NUMBERS = (NAN, INFINITE, -INFINITE, "1", None, True)


REFUSED = {
    ModelConfig: {
        "d_model num_heads feed_forward_dim encoder_layers decoder_layers": NOT_COUNTS,
        "source_vocabulary target_vocabulary max_source_length max_target_length": (*NOT_COUNTS, 1),
        "head_dim": (0, -3, 1.5, True, "8"),
        "dropout attention_dropout": (*NOT_NUMBERS, -0.1, 0.96, 1),
        "position_base": (*NOT_NUMBERS, 1, 0.5, -10000),
        "norm": ("Post", "", None, 1),
        "positions": ("rotary", None),
        "share_embeddings share_output copy": (1, "no", None),
    },
    RecurrentConfig: {
        "embedding_dim units attention_dim": NOT_COUNTS,
        "source_vocabulary target_vocabulary max_source_length max_target_length": (*NOT_COUNTS, 1),
        "dropout": (*NOT_NUMBERS, -0.1, 0.96),
        "attention": ("scaled", "", None, True),
        "family": ("transformer", None),
        "share_embeddings": (1, "no", None),
    },
    DecodeSettings: {
        "strategy": ("Beam", "", None, 4),
        "truncation": ("none", None),
        "beam_size": (*NOT_COUNTS, 9),
        "length_penalty": (*NOT_NUMBERS, -0.1, 5.1),
        "temperature": (*NOT_NUMBERS, 0, 0.0, -1, 10.1),
        "top_k": (-1, 1.5, True, None),
        "top_p": (*NOT_NUMBERS, 0, -0.5, 1.1),
        "seed": (-1, 2**31, 0.5, True, None),
        "max_tokens": (*NOT_COUNTS, 1025),
        "min_tokens": (-1, 1024, True),
        "no_repeat_ngram": (-1, 11, 2.0),
        "early_stopping": (1, "never", None),
    },
    TrainConfig: {
        "epochs batch_tokens warmup_steps steps_per_call": NOT_COUNTS,
        "patience": (-1, 1.5, True),
        "seed": (-1, 2**31),
        "schedule": ("linear", None),
        "precision": ("float16", None),
        "learning_rate": (0, -1e-3, NAN, INFINITE, "1e-3", True),
        "beta_2": (*NOT_NUMBERS, -0.1, 1),
        "epsilon": (*NOT_NUMBERS, 0),
        "weight_decay clip_norm guided_copy": (*NOT_NUMBERS, -0.1),
        "label_smoothing": (*NOT_NUMBERS, -0.1, 0.96),
        "average": (*NOT_NUMBERS, -0.1, 1),
    },
}


def cases(fields):
    return [(name, value) for names, values in fields.items() for name in names.split() for value in values]


def test_wrong_values_are_refused_by_name(snapshot, subtests):
    for kind, fields in REFUSED.items():
        for name, value in cases(fields):
            with subtests.test(kind=kind.__name__, name=name, value=value), pytest.raises(SettingsError) as caught:
                kind(**{name: value})
            message = str(caught.value)
            assert message.startswith(f"{name} must be ") and message.endswith(f"Received: {name}={value!r}"), message
            assert "\n" not in message, (name, value)
    # Settings that contradict each other.
    sizes = {"source_vocabulary": 30, "target_vocabulary": 31}
    together = [(ModelConfig, {"d_model": 10, "num_heads": 4}), (ModelConfig, sizes | {"share_embeddings": True})]
    together += [(ModelConfig, sizes | {"copy": True}), (RecurrentConfig, sizes | {"share_embeddings": True})]
    together += [(DecodeSettings, {"min_tokens": 80})]
    assert refusals(SettingsError, lambda kind, values: kind(**values), together) == snapshot
    assert issubclass(SettingsError, DialoscopeError) and issubclass(SettingsError, ValueError)


def test_dictionaries_round_trip(snapshot):
    for settings in [
        ModelConfig(head_dim=3, num_heads=19, d_model=15, dropout=0, position_base=1.5),
        ModelConfig(dropout=0.95, norm="pre", positions="learned", share_embeddings=True, copy=True),
        DecodeSettings(beam_size=1, length_penalty=0, temperature=10, top_p=1, max_tokens=1024, min_tokens=1023),
        DecodeSettings(
            beam_size=8, length_penalty=5, seed=2**31 - 1, max_tokens=1, no_repeat_ngram=0, early_stopping=True
        ),
        TrainConfig(learning_rate=1, beta_2=0, clip_norm=0, label_smoothing=0, average=0, patience=0),
        *(part for preset in PRESETS.values() for part in (preset.model, preset.training, preset.decoding)),
    ]:
        stored = json.loads(json.dumps(settings.to_dict()))
        assert stored == settings.to_dict() and type(settings).from_dict(stored) == settings, settings
    readers = [kind.from_dict for kind in (ModelConfig, DecodeSettings, TrainConfig)]
    assert refusals(SettingsError, lambda read: read({"beams": 4}), readers) == snapshot
    # A partial dictionary takes defaults.
    assert DecodeSettings.from_dict({"beam_size": 2}) == DecodeSettings(beam_size=2)
    # Settings are frozen and replace validates.
    settings = DecodeSettings()
    with pytest.raises(AttributeError):
        settings.beam_size = 2
    assert settings.replace(beam_size=2).beam_size == 2
    refused(SettingsError, "beam_size", settings.replace, beam_size=0)


def test_sizes_of_models():
    assert ModelConfig(d_model=256, num_heads=4).key_dim == 64
    assert ModelConfig(d_model=15, num_heads=19, head_dim=7).key_dim == 7
    assert transformer_shape("report-b") == PRESETS["report-b"].model
    refused(SettingsError, "must be a Transformer. Received: 'lstm'", transformer_shape, "lstm")
    # Report b is as the report says.
    model = PRESETS["report-b"].model
    assert (model.encoder_layers, model.decoder_layers, model.d_model, model.feed_forward_dim) == (2, 2, 128, 128)
    assert (model.num_heads, model.key_dim, model.max_source_length, model.norm) == (2, 128, 256, "post")
    assert PRESETS["report-b"].tokenizer == "word"
    attention, others = 4 * 128 * 256 + 3 * 256 + 128, 2 * 128 * 128 + 2 * 128  # and 2 · 128 for each norm
    encoder, decoder = attention + others + 4 * 128, 2 * attention + others + 6 * 128
    assert parameters.total(model) == 2 * 9200 * 128 + 129 * 9200 + 2 * encoder + 2 * decoder
    # The books transformer has about 13 million weights.
    assert 13_000_000 <= parameters.total(transformer_shape("book-mini")) <= 14_000_000
    # Vaswani table 3.
    for name, sizes in [("vaswani-base", (512, 2048, 8, 64)), ("vaswani-big", (1024, 4096, 16, 64))]:
        model = PRESETS[name].model
        assert (model.d_model, model.feed_forward_dim, model.num_heads, model.key_dim) == sizes, name
        assert (model.encoder_layers, model.decoder_layers, model.norm) == (6, 6, "post"), name
        assert model.share_embeddings and model.share_output, name


def test_settings_are_an_object(snapshot):
    assert refusals(SettingsError, DecodeSettings.from_dict, [[{"strategy": "beam"}], "beam", 3, None]) == snapshot
