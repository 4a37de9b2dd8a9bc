"""Write an imported checkpoint back as a Hugging Face folder, which `transformers` opens.

Settings and names are those of `core.importing.families`, read backwards; config.json is read once more, and has to
give the settings of the checkpoint. The weights are float32: half precision would make `transformers` compute others.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checkpoints
from core.checkpoints import Checkpoint
from core.config import START, DecodeSettings, ModelConfig
from core.errors import CheckpointError, SettingsError
from core.files import cause, read_bytes
from core.importing import families
from core.importing.families import FAMILIES, NEVER_WRITTEN, OFFSET, Origin
from core.importing.folder import open_folder
from core.text.imported import SHUT, ImportedTokenizer
from core.text.vocabulary import Vocabulary

ARCHITECTURES: Mapping[str, str] = {
    "bart": "BartForConditionalGeneration",
    "mbart": "MBartForConditionalGeneration",
    "pegasus": "PegasusForConditionalGeneration",
    "marian": "MarianMTModel",
    "blenderbot": "BlenderbotForConditionalGeneration",
    "blenderbot-small": "BlenderbotSmallForConditionalGeneration",
    "t5": "T5ForConditionalGeneration",
    "mt5": "MT5ForConditionalGeneration",
}
_ACTIVATIONS = {ours: peer for peer, ours in reversed([*families.ACTIVATIONS.items()])}
"""The peer's first name of each of our activations."""
TOKENIZER = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "spiece.model", "sentencepiece.bpe.model"),
    *("source.spm", "target.spm", "vocab.json", "merges.txt", "added_tokens.json"),
)
"""Files of a tokenizer."""
_OUTSIDE = ("lm_head.weight", "final_logits_bias")
"""Tensors of BART's relatives that lie outside of `model.`."""


@dataclass(frozen=True)
class Exported:
    """What was written.

    Args:
        folder: its place.
        family: `model_type` of config.json.
        parameters: numbers in the weights.
        notes: sentences about what differs from the folder that was imported.
    """

    folder: Path
    family: str
    parameters: int
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"folder": str(self.folder), **{key: getattr(self, key) for key in ("family", "parameters", "notes")}}


def export(name: str | Path, output: Path, files: Path | None = None) -> Exported:
    """Write a checkpoint as config.json, generation_config.json, model.safetensors and a tokenizer.

    Args:
        name: of an installed checkpoint, or its folder.
        output: a new folder.
        files: folder whose tokenizer's files are copied; Marian's pieces of two sides need that.

    Raises:
        CheckpointError: no family of `transformers` holds what the network computes, the checkpoint is damaged, or the
            folder cannot be written.
        SettingsError: the output exists and is not empty.
    """
    checkpoint = checkpoints.read(name)
    family, config, tokenizer = _held(checkpoint)
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise SettingsError("the folder of an export must be new or empty. Received: {folder}", folder=str(output))
    weights, start, notes = _tensors(checkpoint.weights, family, config, tokenizer.vocabulary)
    rows = len(weights["shared.weight"])
    settings = _settings(family, config, rows) | _ids(tokenizer.vocabulary, start)
    _check_same(settings, config, tokenizer.vocabulary)
    generation = _generation(checkpoints.card_decoding(checkpoint.card), config, tokenizer.vocabulary, start)
    if notes:  # its output row is no token's any more
        generation["suppress_tokens"] = sorted({*generation.get("suppress_tokens", ()), start})
    if tokenizer.conventions.prefix:
        settings["prefix"] = tokenizer.conventions.prefix
        notes.append(f"A text needs {tokenizer.conventions.prefix!r} in front: transformers does not put it there.")
    if checkpoint.card.get("precision") == "half":
        notes.append(
            "Its weights were rounded to half precision when it was imported, so it may write another text than the "
            "model that it came from; import with --precision original keeps them."
        )
    documents = _copied(files, family) if files else _tokenizer(tokenizer, config)
    files_of_model = {"config.json": settings, "generation_config.json": generation}
    _write(output, family, weights, {**files_of_model, **documents, "README.md": _readme(checkpoint, notes)})
    return Exported(output, family, sum(weight.size for weight in weights.values()), tuple(notes))


def _held(checkpoint: Checkpoint) -> tuple[str, ModelConfig, ImportedTokenizer]:
    """Return the `model_type` that holds a checkpoint, its settings and tokenizer; raises CheckpointError."""
    config, tokenizer, title = checkpoint.config.has.blocks, checkpoint.tokenizer, checkpoint.card.get("family")
    model_type = next((name for name, family in FAMILIES.items() if family.title == title), None)
    if model_type is None or config is None or not isinstance(tokenizer, ImportedTokenizer):
        raise CheckpointError(
            "{name} cannot be exported: no family of transformers holds its network and its tokenizer. Allowed: a "
            "checkpoint that was imported, trained on here or not",
            name=checkpoint.name,
        )
    return model_type, config, tokenizer


def _tensors(
    weights: Mapping[str, NDArray[Any]], family: str, config: ModelConfig, vocabulary: Vocabulary
) -> tuple[dict[str, NDArray[np.float32]], int, list[str]]:
    """Return the peer's tensors, its start token and notes; raises CheckpointError for what it has no place for."""
    origins = dict(FAMILIES[family].origins(config))
    origins |= families.output_origins(config.share_output)
    peer = {}
    for path, origin in origins.items():
        if path not in weights:
            raise CheckpointError("the model has no weights for {path}", path=path)
        peer[origin.names[0]] = peer_tensor(np.asarray(weights[path], dtype=np.float32), origin, vocabulary.ours)
    if config.positions == "relative" and peer.pop("final_logits_bias").any():
        raise CheckpointError(
            "it cannot be exported as {family}: it has learnt a bias for every token, for which {family} has no place",
            family=FAMILIES[family].title,
        )
    start, notes = _start(peer, weights["source_embedding/table"], vocabulary)
    if config.positions == "halves":
        from core.model.positional import sinusoidal_encoding

        for stack in ("encoder", "decoder"):
            table = sinusoidal_encoding(config.max_source_length, config.d_model, halves=True)
            peer[f"{stack}.embed_positions.weight"] = np.asarray(table, dtype=np.float32)
    return peer, start, notes


def peer_tensor(values: NDArray[np.float32], origin: Origin, ours: Sequence[int]) -> NDArray[np.float32]:
    """Turn one of our weights into the peer's tensor: `families.converted` backwards.

    Args:
        values: the weight.
        origin: where an import would take it from.
        ours: our id of each of the peer's ids.
    """
    if origin.kind in ("matrix", "output"):
        values = values.T
    if origin.kind in ("table", "output", "bias"):
        values = values[np.array(ours)]
    if origin.kind == "positions":
        values = np.concatenate([np.zeros((OFFSET, values.shape[1]), np.float32), values])
    return np.ascontiguousarray(values[None] if origin.kind == "bias" else values)


def _start(peer: dict[str, NDArray[np.float32]], table: NDArray[Any], vocabulary: Vocabulary) -> tuple[int, list[str]]:
    """Return the peer's start token; where it was trained apart from its copy in a text, it gets a row of its own."""
    row, start = np.asarray(table[START], dtype=np.float32), vocabulary.start
    if np.array_equal(row, peer["shared.weight"][start]):
        return start, []
    if start == vocabulary.pad:  # no text holds it
        peer["shared.weight"][start] = row
        return start, [f"Its start token, {start}, was trained on: in transformers its output row changed with it."]
    for name, new in (("shared.weight", row), ("lm_head.weight", 0 * row)):
        if name in peer:
            peer[name] = np.concatenate([peer[name], new[None]])
    if "final_logits_bias" in peer:
        peer["final_logits_bias"] = np.pad(peer["final_logits_bias"], ((0, 0), (0, 1)), constant_values=NEVER_WRITTEN)
    return vocabulary.rows, [
        f"Its start token was trained apart from token {start}: it has the new id {vocabulary.rows}."
    ]


def _settings(family: str, config: ModelConfig, rows: int) -> dict[str, Any]:
    """Return config.json without the ids of special tokens."""
    common = {
        "architectures": [ARCHITECTURES[family]],
        "model_type": family,
        "dtype": "float32",
        "is_encoder_decoder": True,
        "vocab_size": rows,
        "d_model": config.d_model,
        "tie_word_embeddings": config.share_output,
    }
    activation = _ACTIVATIONS[config.activation]
    if config.positions == "relative":
        return common | {
            "d_kv": config.head_dim,
            "d_ff": config.feed_forward_dim,
            "num_layers": config.encoder_layers,
            "num_decoder_layers": config.decoder_layers,
            "num_heads": config.num_heads,
            "relative_attention_num_buckets": config.relative_buckets,
            "relative_attention_max_distance": config.relative_distance,
            "dropout_rate": config.dropout,
            "layer_norm_epsilon": config.epsilon,
            "feed_forward_proj": f"gated-{activation}".replace("gelu_new", "gelu") if config.gated else activation,
            **({"scale_decoder_outputs": config.output_scale} if family == "t5" else {}),
        }
    both = {
        f"{stack}_{key}": value
        for stack in ("encoder", "decoder")
        for key, value in (("attention_heads", config.num_heads), ("ffn_dim", config.feed_forward_dim))
    }
    return common | {
        **both,
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "max_position_embeddings": config.source_positions or config.max_source_length,
        "activation_function": activation,
        "scale_embedding": config.embedding_scale,
        "dropout": config.dropout,
        "attention_dropout": config.attention_dropout,
        **({"decoder_vocab_size": rows} if family == "marian" else {}),
    }


def _ids(vocabulary: Vocabulary, start: int) -> dict[str, int]:
    return {"pad_token_id": vocabulary.pad, "eos_token_id": vocabulary.end, "decoder_start_token_id": start}


def _check_same(settings: Mapping[str, Any], config: ModelConfig, vocabulary: Vocabulary) -> None:
    """Read the settings as an import would; raises CheckpointError if another network came out."""
    sizes = {"source_vocabulary", "target_vocabulary", "max_source_length", "max_target_length"}
    decided = {
        "share_output",
        "output_bias",
        "forced_first",
        "forced_last",
        "suppressed",
        "ends",
        "head_dim",
    }  # by other files
    again = families.model_config(settings, vocabulary, config.max_target_length).to_dict()
    other = [key for key, value in config.to_dict().items() if key not in sizes | decided and again[key] != value]
    if other:
        raise CheckpointError(
            "it cannot be exported: its setting {key}={value} has no place in config.json",
            key=other[0],
            value=config.to_dict()[other[0]],
        )


def _generation(decoding: DecodeSettings, config: ModelConfig, vocabulary: Vocabulary, start: int) -> dict[str, Any]:
    """Return generation_config.json: how the card says that summaries are written."""
    settings: dict[str, Any] = _ids(vocabulary, start) | {
        "max_new_tokens": decoding.max_tokens,
        "min_new_tokens": decoding.min_tokens,
        "no_repeat_ngram_size": decoding.no_repeat_ngram,
        "do_sample": decoding.strategy == "sample",
        "num_beams": decoding.beam_size if decoding.strategy == "beam" else 1,
    }
    if decoding.strategy == "beam":
        settings |= {"length_penalty": decoding.length_penalty, "early_stopping": decoding.early_stopping}
    if decoding.strategy == "sample":
        settings |= {key: getattr(decoding, key) for key in ("temperature", "top_k", "top_p")}
    if config.forced_first is not None:
        settings["forced_bos_token_id"] = vocabulary.peer[config.forced_first]
    if config.forced_last:
        settings["forced_eos_token_id"] = vocabulary.end
    if config.ends:
        settings["eos_token_id"] = [vocabulary.end, *(vocabulary.peer[token] for token in config.ends)]
    if config.suppressed:
        settings["suppress_tokens"] = [vocabulary.peer[token] for token in config.suppressed]
    return settings


def _tokenizer(tokenizer: ImportedTokenizer, config: ModelConfig) -> dict[str, Any]:
    """Return the tokenizer's two files: special tokens stand among the pieces again, and around every text."""
    conventions, vocabulary = tokenizer.conventions, tokenizer.vocabulary
    values = json.loads(tokenizer.to_json())
    document = values["source"]
    if values["target"]:
        raise SettingsError(
            "its tokenizer has pieces of its own for texts and for summaries, which one file cannot hold. Name the "
            "folder that it was imported from, whose tokenizer is copied then: --tokenizer FOLDER"
        )
    if conventions.joint:
        return _of_blenderbot(tokenizer, document)
    if document["model"]["type"] == "Unigram":
        vocab = document["model"]["vocab"]
        document["model"]["vocab"] = [[piece.removeprefix(SHUT), score] for piece, score in vocab]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    named = {number: name for number, name in conventions.special.items() if name}
    added = [{"id": number, "content": name, **flags, "special": True} for number, name in named.items()]
    document["added_tokens"] = sorted([*document["added_tokens"], *added], key=lambda entry: int(entry["id"]))
    around = [[vocabulary.peer[token] for token in ids] for ids in (conventions.before, conventions.after)]
    names = {number: tokenizer.peer_piece(vocabulary.ours[number]) for ids in around for number in ids}
    before, after = ([{"SpecialToken": {"id": names[number], "type_id": 0}} for number in ids] for ids in around)
    single, second = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    document["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [*before, single, *after],
        "pair": [*before, single, second, *after],
        "special_tokens": {name: {"id": name, "ids": [number], "tokens": [name]} for number, name in names.items()},
    }
    return {
        "tokenizer.json": document,
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "clean_up_tokenization_spaces": conventions.cleaned,
            "model_max_length": config.max_source_length,
            **_marks(tokenizer),
        },
    }


def _copied(folder: Path, family: str) -> dict[str, Any]:
    """Return the files of a tokenizer in a folder; raises CheckpointError for another kind of folder."""
    if open_folder(folder).config.get("model_type") != family:
        raise CheckpointError("the folder of the tokenizer must hold a model of the family {family}", family=family)
    try:
        return {name: read_bytes(folder / name) for name in TOKENIZER if (folder / name).is_file()}
    except OSError as error:
        raise CheckpointError("the tokenizer cannot be read: {reason}", reason=cause(error)) from None


def _of_blenderbot(tokenizer: ImportedTokenizer, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files of Blenderbot-small, whose merges lead over pieces that have no id."""
    names = [tokenizer.peer_piece(token) for token in tokenizer.vocabulary.ours]
    merges = ("#version: 0.2", *(" ".join(pair) for pair in document["model"]["merges"]), "")
    return {
        "vocab.json": {name: number for number, name in enumerate(names) if name},
        "merges.txt": "\n".join(merges),
        "tokenizer_config.json": {"tokenizer_class": "BlenderbotSmallTokenizer", **_marks(tokenizer)},
    }


def _marks(tokenizer: ImportedTokenizer) -> dict[str, str]:
    vocabulary, special = tokenizer.vocabulary, tokenizer.conventions.special
    marks = {"pad_token": vocabulary.pad, "eos_token": vocabulary.end, "unk_token": vocabulary.unknown}
    return {key: special[number] for key, number in marks.items() if number is not None and special.get(number)}


def _write(output: Path, family: str, weights: Mapping[str, NDArray[Any]], files: Mapping[str, Any]) -> None:
    """Write the folder, whole or not at all; raises CheckpointError if it cannot be written."""
    from safetensors.numpy import save

    inside = FAMILIES[family].origins is not FAMILIES["t5"].origins
    tensors = {f"model.{key}" if inside and key not in _OUTSIDE else key: value for key, value in weights.items()}
    with checkpoints.replaced(output) as fresh:
        (fresh / "model.safetensors").write_bytes(save(tensors, {"format": "pt"}))
        for name, values in files.items():
            text = (
                values if isinstance(values, str | bytes) else json.dumps(values, ensure_ascii=False, indent=1) + "\n"
            )
            (fresh / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def _readme(checkpoint: Checkpoint, notes: list[str]) -> str:
    card = checkpoint.card
    lines = [
        f"# {checkpoint.name}",
        f"Written by dialoscope from the checkpoint {checkpoint.identity}.",
        f"Imported from: {card.get('source', 'not known')}.",
        f"Licence of the weights: {card.get('licence', 'not named')}.",
        *notes,
    ]
    return "\n\n".join(lines) + "\n"
