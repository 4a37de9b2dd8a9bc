"""What the settings and tensors of other libraries' models are called here.

A family turns the peer's settings into a `ModelConfig` and names the tensor that each of our weights comes from. A key
of config.json or a tensor that is on no list is refused by name.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.config import START, Activation, ModelConfig
from core.errors import CheckpointError, SettingsError
from core.importing.folder import Folder, Tensor
from core.importing.generation import KEYS as GENERATION_KEYS
from core.importing.generation import either
from core.text.vocabulary import NONE, Vocabulary
from core.words import later, say

NEVER_WRITTEN = -3e4
"""Bias of a token without a row of its own: its probability is exactly 0, and float16 can hold it."""
OFFSET = 2
"""Rows in front of the first position in the tables of BART and mBART."""
LONGEST_RELATIVE = 1024
"""Longest source of a model whose positions are relative: it has no longest one of its own."""

Kind = Literal["table", "output", "vector", "matrix", "positions", "bias"]
"""How a tensor becomes a weight: tables get our order of ids, matrices are transposed, positions lose their offset."""


@dataclass(frozen=True)
class Origin:
    """Where one of our weights comes from: the peer's names, of which the first that is there counts, and how."""

    names: tuple[str, ...]
    kind: Kind = "vector"


@dataclass(frozen=True)
class Family:
    """A family of encoder-decoders.

    Args:
        title: its name in words.
        shape: turns the peer's settings into ours, vocabulary sizes and lengths left out.
        origins: yields our weights' paths with their origin.
        known: keys of config.json that `shape` reads.
        fixed: keys that must have one of some values, because no other is supported.
    """

    title: str
    shape: Callable[[Mapping[str, Any]], dict[str, Any]]
    origins: Callable[[ModelConfig], Iterator[tuple[str, Origin]]]
    known: frozenset[str]
    fixed: Mapping[str, tuple[Any, ...]]


ACTIVATIONS: Mapping[str, Activation] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}
_TABLES = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight")
"""Names of the table of tokens: the first that is there counts, the others are copies."""
_LEFT_OUT = ("EncDecAttention.relative_attention_bias.weight",)
"""Ends of names of tensors that the peer leaves out, too."""
_STORED_WAVES = "embed_positions.weight"
"""End of the names of tables of sinusoids, which are computed here."""
_IGNORED = frozenset(
    """_attn_implementation_autoset _commit_hash _name_or_path _num_labels activation_dropout add_bias_logits
    add_final_layer_norm architectures attn_implementation bad_words_ids bos_token_id chunk_size_feed_forward
    classif_dropout classifier_dropout decoder_layerdrop decoder_start_token_id do_blenderbot_90_layernorm dtype
    encoder_layerdrop eos_token_id extra_layer_norm extra_pos_embeddings finetuning_task
    force_bos_token_to_be_generated gradient_checkpointing hidden_dropout_prob id2label init_std initializer_factor
    initializer_range label2id layernorm_variant mask_token_id
    max_length_encoder model_type normalize_before normalize_embedding num_hidden_layers num_labels
    output_attentions output_hidden_states output_past pad_token_id prefix problem_type return_dict save_step
    sep_token_id static_position_embeddings task_specific_params tokenizer_class torch_dtype torchscript
    transformers_version unk_token_id use_bfloat16 use_cache""".split()
)
"""Keys that change nothing in what the installed transformers computes when a text is written."""
_COMMON: Mapping[str, tuple[Any, ...]] = {
    "is_encoder_decoder": (True,),
    "is_decoder": (False,),
    "add_cross_attention": (False,),
    "cross_attention_hidden_size": (None,),
    "tie_encoder_decoder": (False,),
    "pruned_heads": ({}, None),
    "quantization_config": (None,),
}


def family_of(config: Mapping[str, Any]) -> str:
    """Return the `model_type` of a config.json; raises CheckpointError if it is not one of `FAMILIES`."""
    name = config.get("model_type")
    if isinstance(name, str) and name in FAMILIES:
        return name
    allowed = ", ".join(FAMILIES)
    if isinstance(name, str) and name in OTHERS:
        title, why, instead = OTHERS[name]
        raise CheckpointError(
            "{title} ({name}) is not read here: {why}. What would do instead: {instead}; allowed: {allowed}",
            title=title,
            name=name,
            why=say(why),
            instead=say(instead),
            allowed=allowed,
        )
    if config.get("is_encoder_decoder") is True:
        raise CheckpointError(
            "this family of encoder-decoders is not known. Received: {name!r}; allowed: {allowed}",
            name=name,
            allowed=allowed,
        )
    raise CheckpointError(
        "{what}. Allowed: {allowed}, as model_type in config.json",
        what=_what_is(name, str(config.get("architectures"))),
        allowed=allowed,
    )


def _what_is(name: Any, made_for: str) -> str:
    """Say what a model is that is no encoder-decoder."""
    if "CausalLM" in made_for or "LMHead" in made_for or str(name) in _DECODERS:
        return say("{name!r} is a decoder-only language model: it has no encoder", name=name)
    if "MaskedLM" in made_for or str(name) in _ENCODERS:
        return say("{name!r} is an encoder alone: it writes nothing", name=name)
    return say("{name!r} is no encoder-decoder that is known here", name=name)


def checked(config: Mapping[str, Any]) -> Family:
    """Return the family of a config.json; raises CheckpointError if the family, a setting or a value is not known."""
    family = FAMILIES[family_of(config)]
    check_keys(config, family)
    return family


def model_config(config: Mapping[str, Any], vocabulary: Vocabulary, longest: int, **forced: Any) -> ModelConfig:
    """Turn the peer's settings into ours.

    Args:
        config: content of config.json.
        vocabulary: the two orders of ids.
        longest: tokens of the longest summary that its own settings ask for.
        forced: settings of `ModelConfig` that come from generation_config.json.

    Raises:
        CheckpointError: an unknown family, a key that is not known, or a value that is not supported.
    """
    family = FAMILIES[family_of(config)]
    check_keys(config, family)
    try:
        shape = family.shape(config)
        sizes: dict[str, Any] = {"source_vocabulary": vocabulary.size, "target_vocabulary": vocabulary.size}
        room = shape.pop("room")
        sizes["max_source_length"] = room
        sizes["max_target_length"] = min(room, max(128, longest), 512)
        return ModelConfig(**shape, **sizes, **forced, share_embeddings=True)
    except KeyError as error:
        raise CheckpointError(
            "config.json has no {key}, which a {family} model needs", key=error.args[0], family=family.title
        ) from None
    except (SettingsError, TypeError, ValueError) as error:
        raise CheckpointError("config.json: {error}", error=error) from None


def check_keys(config: Mapping[str, Any], family: Family) -> None:
    """Refuse settings that are not known, or whose value is not supported; raises CheckpointError."""
    for key, allowed in {**_COMMON, **family.fixed}.items():
        if key in config and config[key] not in allowed:
            choices = either(allowed)
            raise CheckpointError(
                "config.json: {key} must be {said} for an import. Received: {key}={value!r}",
                key=key,
                said=choices,
                value=config[key],
            )
    layers = config.get("encoder_layers", config.get("num_layers"))
    if layers is not None and config.get("num_hidden_layers", layers) != layers:
        raise CheckpointError(
            "config.json counts the encoder's layers twice: num_hidden_layers must be the same "
            "number. Received: num_hidden_layers={hidden!r} and {layers!r}",
            hidden=config["num_hidden_layers"],
            layers=layers,
        )
    known = family.known | _IGNORED | GENERATION_KEYS | set(_COMMON) | set(family.fixed)
    unknown = sorted(set(config) - known)
    if unknown:
        raise CheckpointError(
            "config.json has a setting that is not known here, and it may change what the model "
            "computes. Received: {key}={value!r}. If it should not be there, download the file "
            "again",
            key=unknown[0],
            value=config[unknown[0]],
        )


def check_rows(folder: Folder) -> int:
    """Return the rows of the table of tokens; raises CheckpointError if config.json has another number."""
    rows = folder.config.get("vocab_size")
    tensors = _bare(folder)
    table = find(tensors, Origin(_TABLES), folder)
    if type(rows) is not int or table.shape[:1] != (rows,):
        raise CheckpointError(
            "config.json does not fit the weights: {table} must have vocab_size rows. Received: "
            "vocab_size={rows!r} and the shape {shape}",
            table=table.name,
            rows=rows,
            shape=list(table.shape),
        )
    return rows


def read_weights(
    folder: Folder, model: ModelConfig, vocabulary: Vocabulary, step: Callable[[], None] = lambda: None
) -> tuple[ModelConfig, dict[str, NDArray[Any]], dict[str, Origin]]:
    """Read every weight of a model.

    Args:
        folder: the peer's files.
        model: what `model_config` made of its settings; the tensors decide whether the output layer is shared.
        vocabulary: the two orders of ids.
        step: called before each tensor is read; what it raises ends the reading.

    Returns:
        The settings, the weights by their paths inside our model, and the origin of each.

    Raises:
        CheckpointError: a tensor is missing, not known, or a copy that differs from its original.
    """
    tensors = _bare(folder)
    origins = dict(FAMILIES[family_of(folder.config)].origins(model))
    copies = origins["source_embedding/table"].names
    table = find(tensors, origins["source_embedding/table"], folder)
    held = {table.name: table.read()}
    own = tensors.get("lm_head.weight")
    step()
    output = None if own is None or own is table else own.read()
    if own is not None and output is not None and not np.array_equal(output, held[table.name]):
        held[own.name] = output
        origins |= output_origins(shared=False)
        copies = tuple(name for name in copies if name != "lm_head.weight")
    else:
        if own is None and model.positions != "relative" and folder.config.get("tie_word_embeddings") is False:
            raise CheckpointError(
                "{folder} has no lm_head.weight, but its output layer is its own: tie_word_embeddings=False",
                folder=folder.path.name,
            )
        model = model.replace(share_output=True, output_bias=True)
        origins |= output_origins(shared=True)
    del output
    for name in copies:
        step()
        if tensors.get(name) not in (None, table, own) and not np.array_equal(tensors[name].read(), held[table.name]):
            raise CheckpointError(
                "{name} differs from {table}, of which it must be a copy", name=name, table=table.name
            )
    weights = {}
    for path, origin in origins.items():
        tensor = find(tensors, origin, folder) if origin.kind != "bias" else tensors.get(origin.names[0])
        step()
        if tensor is None:
            values = np.zeros(vocabulary.rows, np.float32)
        else:
            values = held.pop(tensor.name) if tensor.name in held else tensor.read()
        weights[path] = converted(values, origin, vocabulary)
    if model.positions == "halves":
        _check_sinusoids(tensors)
    return model, weights, origins


def check_tensors(folder: Folder, model: ModelConfig, vocabulary: Vocabulary) -> None:
    """Compare names and shapes of all tensors with what the settings ask for, without reading their numbers.

    Raises:
        CheckpointError: a tensor is missing, not known, or of another shape.
    """
    tensors = _bare(folder)
    _check_layers(model, len(tensors))
    shared = "lm_head.weight" not in tensors
    origins = dict(FAMILIES[family_of(folder.config)].origins(model)) | output_origins(shared)
    used: set[str] = {*_TABLES}
    shapes: dict[str, tuple[int, ...]] = {}
    for path, origin in origins.items():
        used |= {*origin.names}
        if origin.kind == "bias" and origin.names[0] not in tensors:
            shapes[path] = (vocabulary.size,)
        else:
            shapes[path] = _our_shape(find(tensors, origin, folder), origin.kind, vocabulary)
    if model.positions == "halves":
        used |= {name for name in tensors if name.endswith(_STORED_WAVES)}
    left = [name for name in tensors if name not in used and not name.endswith(_LEFT_OUT)]
    if left:
        raise CheckpointError(
            "{folder} has a tensor that is not known here. Received: {name!r} ({count} of {tensors} tensors)",
            folder=folder.path.name,
            name=min(left),
            count=len(left),
            tensors=len(tensors),
        )
    check_shapes(model.replace(share_output=shared, output_bias=shared), shapes, origins, vocabulary)


def output_origins(shared: bool) -> dict[str, Origin]:
    """Return the origins of the output layer, which shares the table of tokens or has one of its own."""
    bias = Origin(("final_logits_bias",), "bias")
    if shared:
        return {"source_embedding/bias": bias}
    return {"output_layer/kernel": Origin(("lm_head.weight",), "output"), "output_layer/bias": bias}


def _check_layers(model: ModelConfig, tensors: int) -> None:
    for name in ("encoder_layers", "decoder_layers"):
        if getattr(model, name) > tensors:
            raise CheckpointError(
                "config.json does not fit the weights, which are {tensors} tensors. Received: {name}={value}",
                tensors=tensors,
                name=name,
                value=getattr(model, name),
            )


def check_shapes(
    config: ModelConfig,
    shapes: Mapping[str, tuple[int, ...]],
    origins: Mapping[str, Origin],
    vocabulary: Vocabulary,
    part: str = "",
) -> None:
    """Compare the shapes of weights with those that the settings ask for; raises CheckpointError.

    Args:
        config: the settings.
        shapes: of weights, by their paths inside our model.
        origins: of each.
        vocabulary: the two orders of ids.
        part: begins the paths that must be there.
    """
    from core.model.transformer import Transformer
    from core.runtime.backend import keras

    with keras.StatelessScope(initialize_variables=False):  # shapes without numbers
        wanted = {variable.path: tuple(variable.shape) for variable in Transformer(config).trainable_variables}
    for path, shape in wanted.items():
        if path not in shapes:
            if not path.startswith(part):
                continue
            raise CheckpointError("the model has no weights for {path}", path=path)
        got = shapes[path]
        if got != shape:
            kind = origins[path].kind
            raise CheckpointError(
                "config.json does not fit the weights: {name} must have the shape {wanted}. Received: {shape}",
                name=origins[path].names[0],
                wanted=_peer_shape(shape, kind, vocabulary),
                shape=_peer_shape(got, kind, vocabulary),
            )


def _peer_shape(shape: tuple[int, ...], kind: Kind, vocabulary: Vocabulary) -> list[int]:
    """Return the shape of the tensor that gives a weight of a shape of ours."""
    if kind in ("table", "output"):
        return [vocabulary.rows, shape[0 if kind == "output" else 1]]
    if kind == "bias":
        return [1, vocabulary.rows]
    if kind == "positions":
        return [shape[0] + OFFSET, *shape[1:]]
    return [*(reversed(shape) if kind == "matrix" else shape)]


def _our_shape(tensor: Tensor, kind: Kind, vocabulary: Vocabulary) -> tuple[int, ...]:
    """Return the shape of the weight that a tensor gives; raises CheckpointError for other rows than there are tokens.

    It is that of `converted`.
    """
    shape = tensor.shape
    if kind in ("table", "output", "bias"):
        size = int(np.prod(shape)) if kind == "bias" else shape[0] if shape else 0
        if size != vocabulary.rows:
            raise _wrong_rows(tensor.name, shape, vocabulary)
        shape = (vocabulary.size, *(shape[1:] if kind != "bias" else ()))
    if kind == "positions":
        return (shape[0] - OFFSET, *shape[1:])
    return shape[::-1] if kind in ("matrix", "output") else shape


def _wrong_rows(name: str, shape: tuple[int, ...], vocabulary: Vocabulary) -> CheckpointError:
    return CheckpointError(
        "{name} must have a row for each of the {rows} tokens of the vocabulary. Received: the "
        "shape {shape} in the weights",
        name=name,
        rows=vocabulary.rows,
        shape=list(shape),
    )


def _bare(folder: Folder) -> dict[str, Tensor]:
    """Return the tensors by their names without the part that files of a whole model have in front."""
    return {name.removeprefix("model."): tensor for name, tensor in folder.tensors.items()}


def _check_sinusoids(tensors: Mapping[str, Tensor]) -> None:
    """Read stored tables of sinusoids; raises CheckpointError if one holds anything else."""
    from core.model.positional import sinusoidal_encoding

    for name in (name for name in tensors if name.endswith(_STORED_WAVES)):
        table = tensors[name].read()
        if not np.allclose(table, sinusoidal_encoding(table.shape[0], table.shape[1], halves=True), rtol=0, atol=2e-3):
            raise CheckpointError("{name} does not hold the sinusoids of its family", name=name)


def find(tensors: Mapping[str, Tensor], origin: Origin, folder: Folder) -> Tensor:
    """Return the tensor of an origin; raises CheckpointError if there is none."""
    tensor = next((tensors[name] for name in origin.names if name in tensors), None)
    if tensor is None:
        raise CheckpointError(
            "{folder} has no tensor {name}, which its config.json asks for",
            folder=folder.path.name,
            name=origin.names[0],
        )
    return tensor


def converted(values: NDArray[Any], origin: Origin, vocabulary: Vocabulary) -> NDArray[Any]:
    """Turn a tensor into one of our weights; raises CheckpointError if it has other rows than there are tokens."""
    kind = origin.kind
    if kind == "bias":
        values = values.reshape(-1).astype(np.float32)
    if kind in ("table", "output", "bias") and values.shape[:1] != (vocabulary.rows,):
        raise _wrong_rows(origin.names[0], values.shape, vocabulary)
    if kind == "bias":
        bias = _ordered(values, vocabulary)
        bias[START] = NEVER_WRITTEN
        bias[np.array(vocabulary.peer) == NONE] = NEVER_WRITTEN
        return bias
    if kind == "positions":
        return values[OFFSET:]
    if kind in ("table", "output"):
        values = _ordered(values, vocabulary)
    return np.ascontiguousarray(values.T) if kind in ("matrix", "output") else values


def _ordered(rows: NDArray[Any], vocabulary: Vocabulary) -> NDArray[Any]:
    """Put rows [V, ...] into our order of ids; a token that the peer does not have gets zeros."""
    peer = np.array(vocabulary.peer)
    ordered: NDArray[Any] = rows[np.maximum(peer, 0)]
    ordered[peer == NONE] = 0
    return ordered


def _bart(config: Mapping[str, Any], **own: Any) -> dict[str, Any]:
    """Settings of BART and its relatives (Lewis et al. 2020)."""
    for name in ("attention_heads", "ffn_dim"):
        both = config[f"encoder_{name}"], config[f"decoder_{name}"]
        if both[0] != both[1]:
            raise SettingsError(
                "encoder_{name} and decoder_{name} must be equal here. Received: {encoder!r} and {decoder!r}",
                name=name,
                encoder=both[0],
                decoder=both[1],
            )
    positions = config["max_position_embeddings"]
    return {
        "d_model": config["d_model"],
        "num_heads": config["encoder_attention_heads"],
        "feed_forward_dim": config["encoder_ffn_dim"],
        "encoder_layers": config["encoder_layers"],
        "decoder_layers": config["decoder_layers"],
        "dropout": config.get("dropout", 0.1),
        "attention_dropout": config.get("attention_dropout", 0.0),
        "activation": activation(config["activation_function"]),
        "embedding_scale": config.get("scale_embedding", False),
        "epsilon": 1e-5,
        "positions": "learned",
        "room": positions,
        "source_positions": positions,
        "target_positions": positions,
        **own,
    }


def _t5(config: Mapping[str, Any], **own: Any) -> dict[str, Any]:
    """Settings of T5 and its relatives (Raffel et al. 2020; Shazeer 2020 for the gated ones)."""
    projection = str(config.get("feed_forward_proj", "relu"))
    first, _, last = projection.partition("-")
    gated = config.get("is_gated_act", first == "gated")
    name = config.get("dense_act_fn", "gelu_new" if projection == "gated-gelu" else last or first)
    return {
        "d_model": config["d_model"],
        "num_heads": config["num_heads"],
        "head_dim": config["d_kv"],
        "feed_forward_dim": config["d_ff"],
        "encoder_layers": config["num_layers"],
        "decoder_layers": config.get("num_decoder_layers") or config["num_layers"],
        "dropout": config.get("dropout_rate", 0.1),
        "norm": "pre",
        "normalization": "rms",
        "epsilon": config.get("layer_norm_epsilon", 1e-6),
        "positions": "relative",
        "relative_buckets": config.get("relative_attention_num_buckets", 32),
        "relative_distance": config.get("relative_attention_max_distance", 128),
        "activation": activation(name),
        "gated": gated,
        "biases": False,
        "embedding_scale": False,
        "score_scale": False,
        "output_scale": bool(config.get("scale_decoder_outputs", config.get("tie_word_embeddings") is not False)),
        "room": LONGEST_RELATIVE,
        **own,
    }


def activation(name: Any) -> Activation:
    """Return our name of an activation; raises SettingsError if it is not known."""
    if name not in ACTIVATIONS:
        raise SettingsError(
            "the activation must be one of {allowed}. Received: {name!r}", allowed=", ".join(ACTIVATIONS), name=name
        )
    return ACTIVATIONS[name]


def norm_origins(path: str, peer: str, rms: bool = False) -> Iterator[tuple[str, Origin]]:
    """Yield the weights of a normalisation."""
    yield f"{path}/gamma", Origin((f"{peer}.weight",))
    if not rms:
        yield f"{path}/beta", Origin((f"{peer}.bias",))


def map_origins(path: str, peer: str, bias: bool = True) -> Iterator[tuple[str, Origin]]:
    """Yield the weights of a linear map."""
    yield f"{path}/kernel", Origin((f"{peer}.weight",), "matrix")
    if bias:
        yield f"{path}/bias", Origin((f"{peer}.bias",))


_PROJECTIONS = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}


def _bart_origins(model: ModelConfig) -> Iterator[tuple[str, Origin]]:
    yield "source_embedding/table", Origin(_TABLES, "table")
    for ours, stack in (("source", "encoder"), ("target", "decoder")):
        if model.positions == "learned":  # tables of sinusoids are computed
            kind: Kind = "positions" if model.embedding_norm == "with_positions" else "vector"  # of both Blenderbots
            yield f"{ours}_positions/table", Origin((f"{stack}.embed_positions.weight",), kind)
        if model.embedding_norm != "none":
            yield from norm_origins(f"{ours}_norm", f"{stack}.layernorm_embedding")
        if model.norm == "pre":
            yield from norm_origins(f"{stack}/norm", f"{stack}.layer_norm")
        for number in range(model.encoder_layers if stack == "encoder" else model.decoder_layers):
            block, peer = f"{stack}/block{number + 1}", f"{stack}.layers.{number}"
            parts = {"self": "self_attn", **({"cross": "encoder_attn"} if stack == "decoder" else {})}
            for part, name in parts.items():
                for projection, short in _PROJECTIONS.items():
                    yield from map_origins(f"{block}/{part}_attention/{projection}", f"{peer}.{name}.{short}")
                yield from norm_origins(f"{block}/{part}_residual/normalization", f"{peer}.{name}_layer_norm")
            yield from map_origins(f"{block}/feed_forward/expand", f"{peer}.fc1")
            yield from map_origins(f"{block}/feed_forward/contract", f"{peer}.fc2")
            yield from norm_origins(f"{block}/feed_forward_residual/normalization", f"{peer}.final_layer_norm")


def _t5_origins(model: ModelConfig) -> Iterator[tuple[str, Origin]]:
    yield "source_embedding/table", Origin(_TABLES, "table")
    for stack in ("encoder", "decoder"):
        yield from norm_origins(f"{stack}/norm", f"{stack}.final_layer_norm", rms=True)
        bias = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        yield f"{stack}/relative_bias/table", Origin((bias,))
        parts = {"self": "SelfAttention", **({"cross": "EncDecAttention"} if stack == "decoder" else {})}
        for number in range(model.encoder_layers if stack == "encoder" else model.decoder_layers):
            block, peer = f"{stack}/block{number + 1}", f"{stack}.block.{number}.layer"
            for place, (part, name) in enumerate(parts.items()):
                for projection in _PROJECTIONS:
                    short = f"{peer}.{place}.{name}.{projection[0]}"
                    yield from map_origins(f"{block}/{part}_attention/{projection}", short, bias=False)
                yield from norm_origins(
                    f"{block}/{part}_residual/normalization", f"{peer}.{place}.layer_norm", rms=True
                )
            dense = f"{peer}.{len(parts)}.DenseReluDense"
            maps = {"expand": "wi_0", "gate": "wi_1"} if model.gated else {"expand": "wi"}
            for ours, name in {**maps, "contract": "wo"}.items():
                yield from map_origins(f"{block}/feed_forward/{ours}", f"{dense}.{name}", bias=False)
            norm = f"{peer}.{len(parts)}.layer_norm"
            yield from norm_origins(f"{block}/feed_forward_residual/normalization", norm, rms=True)


_BART_KEYS = frozenset(
    """vocab_size max_position_embeddings encoder_layers encoder_ffn_dim encoder_attention_heads decoder_layers
    decoder_ffn_dim decoder_attention_heads activation_function d_model dropout attention_dropout scale_embedding
    tie_word_embeddings""".split()
)
_T5_KEYS = frozenset(
    """vocab_size d_model d_kv d_ff num_layers num_decoder_layers num_heads relative_attention_num_buckets
    relative_attention_max_distance dropout_rate layer_norm_epsilon feed_forward_proj dense_act_fn is_gated_act
    n_positions scale_decoder_outputs tie_word_embeddings""".split()
)


def _relative(title: str, shape: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Family:
    return Family(title, shape, _t5_origins, _T5_KEYS, {})


def _like_bart(title: str, **own: Any) -> Family:
    return Family(title, lambda config: _bart(config, **own), _bart_origins, _BART_KEYS, _ONE_VOCABULARY)


_ONE_VOCABULARY: Mapping[str, tuple[Any, ...]] = {"share_encoder_decoder_embeddings": (True,)}
_WINDOWS = later("its encoder reads a long text in windows or blocks")
_EXPERTS = later("each layer chooses among several feed-forward networks, its experts")
_OF_BART = later("a BART or Pegasus that was trained on the same texts")
_OF_T5 = later("a T5 or Flan-T5")
_TRANSLATOR = later("a Marian translator, or mBART")
OTHERS: Mapping[str, tuple[str, str, str]] = {
    "led": ("LED", _WINDOWS, _OF_BART),
    "bigbird_pegasus": ("BigBird-Pegasus", _WINDOWS, _OF_BART),
    "pegasus_x": ("Pegasus-X", _WINDOWS, _OF_BART),
    "longt5": ("LongT5", _WINDOWS, _OF_T5),
    "prophetnet": ("ProphetNet", later("its decoder predicts several tokens at once"), _OF_BART),
    "xlm-prophetnet": ("XLM-ProphetNet", later("its decoder predicts several tokens at once"), _OF_BART),
    "umt5": ("UMT5", later("each of its layers has a bias by distance of its own"), later("an mT5 or Flan-T5")),
    "switch_transformers": ("Switch", _EXPERTS, _OF_T5),
    "nllb-moe": ("NLLB-MoE", _EXPERTS, _TRANSLATOR),
    "m2m_100": ("M2M100 or NLLB", later("its sinusoids have other wavelengths than those here"), _TRANSLATOR),
    "plbart": (
        "PLBart",
        later("it reads and writes program code, with a tokenizer of its own"),
        later("a BART or mBART"),
    ),
    "fsmt": ("FSMT", later("it has a vocabulary for each side"), _TRANSLATOR),
    "encoder-decoder": ("EncoderDecoderModel", later("it joins two models of other families"), _OF_BART),
}
"""Encoder-decoders that are known and not read, by `model_type`: their name, why not, and what would do instead."""
FAMILIES: Mapping[str, Family] = {
    "bart": _like_bart("BART", embedding_norm="with_positions"),
    "mbart": _like_bart("mBART", norm="pre", embedding_norm="with_positions"),
    "pegasus": _like_bart("Pegasus", norm="pre", positions="halves"),
    "marian": Family(
        "Marian",
        lambda config: _bart(config, positions="halves"),
        _bart_origins,
        _BART_KEYS | {"decoder_vocab_size", "share_encoder_decoder_embeddings"},
        _ONE_VOCABULARY,
    ),
    "blenderbot-small": _like_bart("Blenderbot-small", embedding_norm="before_positions"),
    "blenderbot": _like_bart("Blenderbot", norm="pre"),
    "t5": _relative("T5", _t5),
    "mt5": _relative("mT5", lambda config: _t5(config, output_scale=False)),
}
"""The families that can be imported, by `model_type`."""
_DECODERS = frozenset("gpt2 gpt_neo gptj gpt_neox llama mistral mixtral qwen2 qwen3 gemma gemma2 phi opt bloom".split())
_ENCODERS = frozenset("bert roberta distilbert albert electra deberta deberta-v2 xlm-roberta mpnet".split())
