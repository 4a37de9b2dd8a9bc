"""Settings: every bound refused by name, dictionaries round-trip."""

import json
import math

import pytest

from core.config import PRESETS, DecodeSettings, ModelConfig, RecurrentConfig, TrainConfig, transformer_shape
from core.errors import DialoscopeError, SettingsError
from core.explain import parameters

NAN, INFINITE = math.nan, math.inf

NOT_COUNTS = (0, -1, 1.0, 2.5, "3", None, True, NAN)
NOT_NUMBERS = (NAN, INFINITE, -INFINITE, "1", None, True)


def refused(kind, name, values):
    return [pytest.param(kind, name, value, id=f"{kind.__name__}-{name}-{value}") for value in values]


REFUSED = [
    *(
        case
        for name in ("d_model", "num_heads", "feed_forward_dim", "encoder_layers", "decoder_layers")
        for case in refused(ModelConfig, name, NOT_COUNTS)
    ),
    *(
        case
        for name in ("source_vocabulary", "target_vocabulary", "max_source_length", "max_target_length")
        for case in refused(ModelConfig, name, (*NOT_COUNTS, 1))
    ),
    *refused(ModelConfig, "head_dim", (0, -3, 1.5, True, "8")),
    *(
        case
        for name in ("dropout", "attention_dropout")
        for case in refused(ModelConfig, name, (*NOT_NUMBERS, -0.1, 0.96, 1))
    ),
    *refused(ModelConfig, "position_base", (*NOT_NUMBERS, 1, 0.5, -10000)),
    *refused(ModelConfig, "norm", ("Post", "", None, 1)),
    *refused(ModelConfig, "positions", ("rotary", None)),
    *(
        case
        for name in ("share_embeddings", "share_output", "copy")
        for case in refused(ModelConfig, name, (1, "no", None))
    ),
    *(
        case
        for name in ("embedding_dim", "units", "attention_dim")
        for case in refused(RecurrentConfig, name, NOT_COUNTS)
    ),
    *(
        case
        for name in ("source_vocabulary", "target_vocabulary", "max_source_length", "max_target_length")
        for case in refused(RecurrentConfig, name, (*NOT_COUNTS, 1))
    ),
    *refused(RecurrentConfig, "dropout", (*NOT_NUMBERS, -0.1, 0.96)),
    *refused(RecurrentConfig, "attention", ("scaled", "", None, True)),
    *refused(RecurrentConfig, "family", ("transformer", None)),
    *refused(RecurrentConfig, "share_embeddings", (1, "no", None)),
    *refused(DecodeSettings, "strategy", ("Beam", "", None, 4)),
    *refused(DecodeSettings, "truncation", ("none", None)),
    *refused(DecodeSettings, "beam_size", (*NOT_COUNTS, 9)),
    *refused(DecodeSettings, "length_penalty", (*NOT_NUMBERS, -0.1, 5.1)),
    *refused(DecodeSettings, "temperature", (*NOT_NUMBERS, 0, 0.0, -1, 10.1)),
    *refused(DecodeSettings, "top_k", (-1, 1.5, True, None)),
    *refused(DecodeSettings, "top_p", (*NOT_NUMBERS, 0, -0.5, 1.1)),
    *refused(DecodeSettings, "seed", (-1, 2**31, 0.5, True, None)),
    *refused(DecodeSettings, "max_tokens", (*NOT_COUNTS, 513)),
    *refused(DecodeSettings, "min_tokens", (-1, 512, True)),
    *refused(DecodeSettings, "no_repeat_ngram", (-1, 11, 2.0)),
    *(
        case
        for name in ("epochs", "batch_tokens", "warmup_steps", "steps_per_call")
        for case in refused(TrainConfig, name, NOT_COUNTS)
    ),
    *refused(TrainConfig, "patience", (-1, 1.5, True)),
    *refused(TrainConfig, "seed", (-1, 2**31)),
    *refused(TrainConfig, "schedule", ("linear", None)),
    *refused(TrainConfig, "precision", ("float16", None)),
    *refused(TrainConfig, "learning_rate", (0, -1e-3, NAN, INFINITE, "1e-3", True)),
    *refused(TrainConfig, "beta_2", (*NOT_NUMBERS, -0.1, 1)),
    *refused(TrainConfig, "epsilon", (*NOT_NUMBERS, 0)),
    *(
        case
        for name in ("weight_decay", "clip_norm", "guided_copy")
        for case in refused(TrainConfig, name, (*NOT_NUMBERS, -0.1))
    ),
    *refused(TrainConfig, "label_smoothing", (*NOT_NUMBERS, -0.1, 0.96)),
    *refused(TrainConfig, "average", (*NOT_NUMBERS, -0.1, 1)),
]


@pytest.mark.parametrize(("kind", "name", "value"), REFUSED)
def test_a_wrong_value_is_refused_by_name(kind, name, value):
    with pytest.raises(SettingsError) as caught:
        kind(**{name: value})
    message = str(caught.value)
    assert message.startswith(f"{name} must be ")
    assert message.endswith(f"Received: {name}={value!r}")
    assert "\n" not in message


@pytest.mark.parametrize(
    "settings",
    [
        ModelConfig(head_dim=3, num_heads=19, d_model=15, dropout=0, position_base=1.5),
        ModelConfig(dropout=0.95, norm="pre", positions="learned", share_embeddings=True, copy=True),
        DecodeSettings(beam_size=1, length_penalty=0, temperature=10, top_p=1, max_tokens=512, min_tokens=511),
        DecodeSettings(beam_size=8, length_penalty=5, seed=2**31 - 1, max_tokens=1, no_repeat_ngram=0),
        TrainConfig(learning_rate=1, beta_2=0, clip_norm=0, label_smoothing=0, average=0, patience=0),
        *(part for preset in PRESETS.values() for part in (preset.model, preset.training, preset.decoding)),
    ],
)
def test_dictionaries_round_trip(settings):
    assert type(settings).from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


@pytest.mark.parametrize("kind", [ModelConfig, DecodeSettings, TrainConfig])
def test_an_unknown_key_is_refused(kind):
    with pytest.raises(SettingsError, match=f"{kind.__name__} has no setting 'beams'. Allowed: .*seed|d_model"):
        kind.from_dict({"beams": 4})


def test_a_partial_dictionary_takes_defaults():
    assert DecodeSettings.from_dict({"beam_size": 2}) == DecodeSettings(beam_size=2)


def test_settings_are_frozen_and_replace_validates():
    settings = DecodeSettings()
    with pytest.raises(AttributeError):
        settings.beam_size = 2
    assert settings.replace(beam_size=2).beam_size == 2
    with pytest.raises(SettingsError, match="beam_size"):
        settings.replace(beam_size=0)


def test_settings_that_contradict_each_other():
    with pytest.raises(SettingsError, match="d_model=10, num_heads=4"):
        ModelConfig(d_model=10, num_heads=4)
    for setting in ("share_embeddings", "copy"):
        with pytest.raises(SettingsError, match="source_vocabulary=30, target_vocabulary=31"):
            ModelConfig(source_vocabulary=30, target_vocabulary=31, **{setting: True})
    with pytest.raises(SettingsError, match="source_vocabulary=30, target_vocabulary=31"):
        RecurrentConfig(source_vocabulary=30, target_vocabulary=31, share_embeddings=True)
    with pytest.raises(SettingsError, match="min_tokens=80, max_tokens=80"):
        DecodeSettings(min_tokens=80)


def test_head_width():
    assert ModelConfig(d_model=256, num_heads=4).key_dim == 64
    assert ModelConfig(d_model=15, num_heads=19, head_dim=7).key_dim == 7


def test_only_a_transformer_has_its_shape():
    assert transformer_shape("report-b") == PRESETS["report-b"].model
    with pytest.raises(SettingsError, match="must be a Transformer. Received: 'lstm'"):
        transformer_shape("lstm")


def test_errors_can_be_caught_together():
    assert issubclass(SettingsError, DialoscopeError) and issubclass(SettingsError, ValueError)


def test_report_b_is_as_the_report_says():
    model = PRESETS["report-b"].model
    assert (model.encoder_layers, model.decoder_layers, model.d_model, model.feed_forward_dim) == (2, 2, 128, 128)
    assert (model.num_heads, model.key_dim, model.max_source_length, model.norm) == (2, 128, 256, "post")
    assert PRESETS["report-b"].tokenizer == "word"


def test_the_books_transformer_has_about_13_million_weights():
    assert 13_000_000 <= parameters.total(transformer_shape("book-mini")) <= 14_000_000


@pytest.mark.parametrize(
    ("name", "sizes"), [("vaswani-base", (512, 2048, 8, 64)), ("vaswani-big", (1024, 4096, 16, 64))]
)
def test_vaswani_table_3(name, sizes):
    model = PRESETS[name].model
    assert (model.d_model, model.feed_forward_dim, model.num_heads, model.key_dim) == sizes
    assert (model.encoder_layers, model.decoder_layers, model.norm) == (6, 6, "post")
    assert model.share_embeddings and model.share_output
