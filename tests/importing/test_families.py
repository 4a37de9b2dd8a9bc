"""Settings as the well-known models publish them are read: old keys that change nothing, and those that count."""

from collections.abc import Mapping
from typing import Any

import pytest

from core.config import DecodeSettings, ModelConfig
from core.importing.families import model_config
from core.importing.generation import read_generation
from core.text.vocabulary import Vocabulary

_LABELS = {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}
_OLD: Mapping[str, Any] = {
    "_num_labels": 3,
    "activation_dropout": 0.1,
    "activation_function": "gelu",
    "add_bias_logits": False,
    "add_final_layer_norm": False,
    "attention_dropout": 0.1,
    "bos_token_id": 0,
    "classif_dropout": 0.0,
    "classifier_dropout": 0.0,
    "d_model": 1024,
    "decoder_attention_heads": 16,
    "decoder_ffn_dim": 4096,
    "decoder_layerdrop": 0.0,
    "decoder_layers": 12,
    "decoder_start_token_id": 2,
    "dropout": 0.1,
    "encoder_attention_heads": 16,
    "encoder_ffn_dim": 4096,
    "encoder_layerdrop": 0.0,
    "encoder_layers": 12,
    "eos_token_id": 2,
    "extra_pos_embeddings": 2,
    "force_bos_token_to_be_generated": False,
    "gradient_checkpointing": False,
    "id2label": _LABELS,
    "init_std": 0.02,
    "is_encoder_decoder": True,
    "label2id": {name: int(number) for number, name in _LABELS.items()},
    "max_position_embeddings": 1024,
    "normalize_before": False,
    "normalize_embedding": True,
    "num_hidden_layers": 12,
    "output_past": True,
    "pad_token_id": 1,
    "scale_embedding": False,
    "static_position_embeddings": False,
    "torch_dtype": "float32",
    "transformers_version": "4.7.0.dev0",
    "use_cache": True,
}
"""Keys that many files of BART and its relatives have."""
_CNN: Mapping[str, Any] = {
    **{"early_stopping": True, "forced_bos_token_id": 0, "forced_eos_token_id": 2, "length_penalty": 2.0},
    **{"max_length": 142, "min_length": 56, "no_repeat_ngram_size": 3, "num_beams": 4},
}
_SMALL = {"d_model": 512, "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048, "max_position_embeddings": 512}
_T5: Mapping[str, Any] = {
    **{"architectures": ["T5ForConditionalGeneration"], "d_ff": 2048, "d_kv": 64, "d_model": 512},
    **{"decoder_start_token_id": 0, "dropout_rate": 0.1, "eos_token_id": 1, "initializer_factor": 1.0},
    **{"is_encoder_decoder": True, "layer_norm_epsilon": 1e-06, "model_type": "t5", "n_positions": 512},
    **{"num_heads": 8, "num_layers": 6, "output_past": True, "pad_token_id": 0, "use_cache": True},
    **{"relative_attention_num_buckets": 32, "vocab_size": 32128},
}
PUBLISHED: dict[str, dict[str, Any]] = {
    "facebook/bart-large-cnn": {
        **{**_OLD, **_CNN, "model_type": "bart", "vocab_size": 50264, "prefix": " "},
        "architectures": ["BartForConditionalGeneration"],
        "task_specific_params": {"summarization": {**_CNN}},
    },
    "philschmid/bart-large-cnn-samsum": {
        **{**_OLD, **_CNN, "model_type": "bart", "vocab_size": 50264, "_name_or_path": "facebook/bart-large-cnn"},
        **{"task_specific_params": {"summarization": {**_CNN}}, "tokenizer_class": "BartTokenizer", "prefix": " "},
    },
    "google/pegasus-xsum": {
        **{**_OLD, "model_type": "pegasus", "vocab_size": 96103, "activation_function": "relu"},
        **{"encoder_layers": 16, "decoder_layers": 16, "num_hidden_layers": 16, "pad_token_id": 0, "eos_token_id": 1},
        **{"decoder_start_token_id": 0, "forced_eos_token_id": 1, "length_penalty": 0.6, "max_length": 64},
        **{"num_beams": 8, "max_position_embeddings": 512, "scale_embedding": True, "extra_pos_embeddings": 1},
        **{"normalize_before": True, "add_final_layer_norm": True, "static_position_embeddings": True},
        "task_specific_params": {"summarization_xsum": {"max_length": 64}},
    },
    "google-t5/t5-small": {
        **_T5,
        "task_specific_params": {"summarization": {**_CNN, "max_length": 200, "prefix": "summarize: "}},
    },
    "google/flan-t5-small": {
        **{**_T5, "d_ff": 1024, "num_heads": 6, "num_layers": 8, "num_decoder_layers": 8, "dense_act_fn": "gelu_new"},
        **{"feed_forward_proj": "gated-gelu", "is_gated_act": True, "tie_word_embeddings": False},
        **{"relative_attention_max_distance": 128, "classifier_dropout": 0.0},
    },
    "Helsinki-NLP/opus-mt-en-de": {
        **{**_OLD, **_SMALL, "model_type": "marian", "vocab_size": 58101, "activation_function": "swish"},
        **{"encoder_layers": 6, "decoder_layers": 6, "num_hidden_layers": 6, "eos_token_id": 0, "pad_token_id": 58100},
        **{"encoder_attention_heads": 8, "decoder_attention_heads": 8, "bad_words_ids": [[58100]], "max_length": 512},
        **{"decoder_start_token_id": 58100, "decoder_vocab_size": 58101, "forced_eos_token_id": 0, "num_beams": 6},
        **{"scale_embedding": True, "share_encoder_decoder_embeddings": True, "static_position_embeddings": True},
        "normalize_embedding": False,
    },
    "facebook/mbart-large-50": {
        **{**_OLD, "model_type": "mbart", "vocab_size": 250054, "normalize_before": True, "scale_embedding": True},
        **{"add_final_layer_norm": True, "tokenizer_class": "MBart50Tokenizer", "forced_eos_token_id": 2},
        **{"early_stopping": True, "max_length": 200, "num_beams": 5, "output_past": True},
    },
    "facebook/blenderbot_small-90M": {
        **{**_OLD, **_SMALL, "model_type": "blenderbot-small", "vocab_size": 54944, "bos_token_id": 1},
        **{"decoder_start_token_id": 1, "do_blenderbot_90_layernorm": True, "encoder_no_repeat_ngram_size": 3},
        **{"encoder_layers": 8, "decoder_layers": 8, "num_hidden_layers": 8, "extra_layer_norm": False},
        **{"forced_eos_token_id": 2, "layernorm_variant": "xlm", "length_penalty": 0.65, "max_length": 128},
        **{"min_length": 20, "num_beams": 10, "pad_token_id": 0, "scale_embedding": True, "unk_token_id": 3},
        "extra_pos_embeddings": 0,
    },
}
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
        beam_size=4,
        length_penalty=2.0,
        max_tokens=141,
        min_tokens=55,
        no_repeat_ngram=3,
        early_stopping=True,
        whole_words=False,
        truncation="end",
    )
    assert (model.forced_first, model.forced_last) == (5, True)  # <s>, the first id that has no place of its own here


def test_what_a_family_does_differently() -> None:
    flan, _ = read("google/flan-t5-small")
    assert (flan.gated, flan.activation, flan.output_scale, flan.score_scale) == (True, "gelu_tanh", False, False)
    small, _ = read("google-t5/t5-small")
    assert (small.gated, small.activation, small.output_scale, small.head_dim) == (False, "relu", True, 64)
    marian, settings = read("Helsinki-NLP/opus-mt-en-de")
    assert (marian.positions, marian.activation, marian.suppressed) == ("halves", "silu", (0,))
    assert (settings.beam_size, marian.max_target_length) == (6, 511)
