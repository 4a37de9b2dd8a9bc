"""BERT as the encoder of our Transformer (Devlin et al. 2019): post-norm, learned positions, embeddings normalised."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.errors import CheckpointError, SettingsError
from core.importing.families import (
    Family,
    Origin,
    activation,
    check_keys,
    check_shapes,
    converted,
    find,
    map_origins,
    norm_origins,
)
from core.importing.folder import open_folder
from core.importing.pieces import read_files
from core.text.vocabulary import Vocabulary

_SEGMENTS = "embeddings.token_type_embeddings.weight"
_WORDS = "embeddings.word_embeddings.weight"
_LEFT_OUT = ("pooler.", "cls.", "embeddings.position_ids")
"""Begins of names of tensors that the hidden states do not depend on."""
_KEYS = frozenset(
    """attention_probs_dropout_prob hidden_act hidden_dropout_prob hidden_size intermediate_size layer_norm_eps
    max_position_embeddings num_attention_heads type_vocab_size vocab_size""".split()
)


def read_encoder(folder: Path) -> tuple[ModelConfig, dict[str, NDArray[Any]], Vocabulary]:
    """Read BERT's weights as those of our encoder.

    Args:
        folder: config.json, *.safetensors and a tokenizer.

    Returns:
        The shape, with the smallest decoder that a `Transformer` can have; the weights of the encoder and of what is
        in front of it, by their paths; and the two orders of ids, [CLS] as the start and [SEP] as the end. A source is
        one segment, whose embedding is part of every position.

    Raises:
        CheckpointError: a file is missing or damaged, or no BERT, or something in it is not known.
    """
    bert = open_folder(folder)
    if bert.config.get("model_type") != "bert":
        raise CheckpointError(f"the encoder must be a BERT. Received: model_type={bert.config.get('model_type')!r}")
    check_keys(bert.config, _BERT)
    tensors = {name.removeprefix("bert."): tensor for name, tensor in bert.tensors.items()}
    words = find(tensors, Origin((_WORDS,)), bert)
    files = read_files(folder, words.shape[0], 0)
    pad = bert.config.get("pad_token_id", 0)
    try:
        vocabulary = Vocabulary(words.shape[0], pad, files.pieces.before[0], files.pieces.after[-1], files.unknown)
        sizes: dict[str, Any] = {"source_vocabulary": vocabulary.size, "target_vocabulary": vocabulary.size}
        model = ModelConfig(**_BERT.shape(bert.config), **sizes)
    except KeyError as error:
        raise CheckpointError(f"config.json has no {error.args[0]}, which a BERT model needs") from None
    except (SettingsError, IndexError, TypeError) as error:
        raise CheckpointError(f"config.json and the tokenizer do not fit: {error}") from None
    origins = dict(_BERT.origins(model))
    weights = {
        path: converted(find(tensors, origin, bert).read(), origin, vocabulary) for path, origin in origins.items()
    }
    check_shapes(model, {path: weight.shape for path, weight in weights.items()}, origins, vocabulary, part="encoder/")
    segments = find(tensors, Origin((_SEGMENTS,)), bert).read()
    if segments.ndim != 2 or segments.shape[1] != model.d_model:
        raise CheckpointError(
            f"{_SEGMENTS} must have rows of {model.d_model} numbers. Received: the shape {list(segments.shape)}"
        )
    weights["source_positions/table"] = weights["source_positions/table"] + segments[0].astype(np.float32)
    used = {_SEGMENTS, *(name for origin in origins.values() for name in origin.names)}
    left = sorted(name for name in tensors if name not in used and not name.startswith(_LEFT_OUT))
    if left:
        raise CheckpointError(f"{folder.name} has a tensor that is not known here. Received: {left[0]!r}")
    return model, weights, vocabulary


def _shape(config: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "d_model": config["hidden_size"],
        "num_heads": config["num_attention_heads"],
        "feed_forward_dim": config["intermediate_size"],
        "encoder_layers": config["num_hidden_layers"],
        "decoder_layers": 1,
        "max_source_length": config["max_position_embeddings"],
        "max_target_length": 2,
        "dropout": config.get("hidden_dropout_prob", 0.1),
        "attention_dropout": config.get("attention_probs_dropout_prob", 0.1),
        "activation": activation(config.get("hidden_act", "gelu")),
        "epsilon": config.get("layer_norm_eps", 1e-12),
        "positions": "learned",
        "embedding_norm": "with_positions",
        "embedding_scale": False,
        "share_embeddings": True,
        "share_output": True,
    }


def _origins(model: ModelConfig) -> Iterator[tuple[str, Origin]]:
    yield "source_embedding/table", Origin((_WORDS,), "table")
    yield "source_positions/table", Origin(("embeddings.position_embeddings.weight",))
    yield from norm_origins("source_norm", "embeddings.LayerNorm")
    for number in range(model.encoder_layers):
        block, peer = f"encoder/block{number + 1}", f"encoder.layer.{number}"
        for projection in ("query", "key", "value"):
            yield from map_origins(f"{block}/self_attention/{projection}", f"{peer}.attention.self.{projection}")
        yield from map_origins(f"{block}/self_attention/output", f"{peer}.attention.output.dense")
        yield from norm_origins(f"{block}/self_residual/normalization", f"{peer}.attention.output.LayerNorm")
        yield from map_origins(f"{block}/feed_forward/expand", f"{peer}.intermediate.dense")
        yield from map_origins(f"{block}/feed_forward/contract", f"{peer}.output.dense")
        yield from norm_origins(f"{block}/feed_forward_residual/normalization", f"{peer}.output.LayerNorm")


_BERT = Family(
    "BERT",
    _shape,
    _origins,
    _KEYS,
    {"is_encoder_decoder": (False,), "position_embedding_type": ("absolute", None)},
)
