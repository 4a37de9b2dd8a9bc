"""Tiny networks of every family with random weights, made and saved by transformers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

ROWS = 60
"""Tokens of the vocabulary; 10 to 57 are ordinary ones in every family."""
_BART = {
    **{"vocab_size": ROWS, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 48},
    **{"decoder_ffn_dim": 48, "encoder_attention_heads": 4, "decoder_attention_heads": 4},
    **{"max_position_embeddings": 40},
}
_T5 = {
    **{"vocab_size": ROWS, "d_model": 32, "num_layers": 2, "num_decoder_layers": 2, "d_ff": 48, "d_kv": 6},
    **{"num_heads": 4, "decoder_start_token_id": 0, "relative_attention_num_buckets": 8},
    **{"relative_attention_max_distance": 16},
}
_SCALED = {**_BART, "scale_embedding": True}
NETWORKS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "bart": ("Bart", _BART),
    "bart, scaled, ReLU": ("Bart", {**_SCALED, "activation_function": "relu"}),
    "mbart": ("MBart", {**_SCALED, "decoder_start_token_id": 9}),
    "pegasus": ("Pegasus", {**_SCALED, "activation_function": "relu"}),
    "marian": ("Marian", {**_SCALED, "activation_function": "swish", "pad_token_id": 58, "decoder_start_token_id": 58}),
    "blenderbot-small": ("BlenderbotSmall", _BART),
    "blenderbot": ("Blenderbot", {**_SCALED, "encoder_no_repeat_ngram_size": 0}),
    "t5": ("T5", _T5),
    "flan-t5": ("T5", {**_T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}),
    "mt5": ("MT5", {**_T5, "feed_forward_proj": "gated-gelu"}),
}
"""For each network its family's name in transformers, and its settings."""


def classes(family: str) -> tuple[Any, Any]:
    """Return the classes of settings and model."""
    import transformers

    name = "MarianMTModel" if family == "Marian" else f"{family}ForConditionalGeneration"
    return getattr(transformers, f"{family}Config"), getattr(transformers, name)


def save(network: str, folder: Path, generation: Mapping[str, Any] | None = None, rows: int = ROWS, **own: Any) -> Any:
    """Make a network, save it, and return it as transformers loads it.

    Padding and the start token are never written: ours never writes padding, and a start token that is written again
    counts among the n-grams of the peer alone.

    Args:
        network: a key of `NETWORKS`.
        folder: for its files.
        generation: settings of generation.
        rows: of the vocabulary.
        own: other settings of the network.
    """
    import torch

    family, settings = NETWORKS[network]
    config_of, model_of = classes(family)
    torch.manual_seed(1)
    model = model_of(config_of(**{**settings, "vocab_size": rows, **own}))
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if not ("embed_positions" in name and family in ("Pegasus", "Marian")):  # sinusoids are none to be learnt
                weights.add_(torch.randn_like(weights) * 0.15)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_()
    config = model.config
    never = {config.pad_token_id, config.decoder_start_token_id} - {config.eos_token_id}
    values = {"suppress_tokens": sorted(never), **(generation or {})}
    for key, value in values.items():
        setattr(model.generation_config, key, value)
    model.save_pretrained(folder)
    return model_of.from_pretrained(folder, attn_implementation="eager").eval()


def sources(count: int, length: int, seed: int = 0) -> np.ndarray:
    """Return random sources of ordinary tokens in the peer's ids, [count, length]."""
    return np.random.default_rng(seed).integers(10, 57, (count, length)).astype(np.int32)
