"""Small models of random weights, strong enough for every change to be seen."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partialmethod
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

from core import checkpoints
from core.config import DecodeSettings, ModelConfig, RecurrentConfig
from core.decoding import decoders
from core.files import sha256
from core.model import families
from core.model.transformer import Transformer
from core.runtime import backend
from core.service import Summarizer
from core.text.encoded import AnyTokenizer
from core.text.examples import load_examples
from core.text.imported import Conventions, ImportedTokenizer
from core.text.tokenizer import Tokenizer
from core.text.vocabulary import Vocabulary
from core.text.written import Style

TURNS = (
    ("#Person1#", "Hello, how are you today?"),
    ("#Person2#", "I am fine, thank you. We go to the party tomorrow."),
    ("#Person1#", "I will bring some cake then."),
    ("#Person2#", "Good. See you there!"),
)
SETTINGS = DecodeSettings(strategy="greedy", max_tokens=11, no_repeat_ngram=2)
SHARED: Mapping[str, Any] = {"share_embeddings": True, "share_output": True}
"""Settings of a network with one table of embeddings."""
FAMILIES: Mapping[str, Mapping[str, Any]] = {
    "bart": {
        **SHARED, "output_bias": True, "norm": "post", "positions": "learned", "embedding_norm": "with_positions",
        "epsilon": 1e-5, "embedding_scale": False, "activation": "gelu", "source_positions": 1024,
        "target_positions": 128,
    },
    "t5": {
        **SHARED, "output_bias": True, "norm": "pre", "positions": "relative", "normalization": "rms",
        "embedding_scale": False, "activation": "gelu_tanh", "gated": True, "biases": False, "score_scale": False,
        "output_scale": True, "relative_buckets": 8, "relative_distance": 20,
    },
    "marian": {**SHARED, "output_bias": True, "norm": "post", "positions": "halves", "activation": "silu"},
}  # fmt: skip
"""Settings of models as other people build them."""
KINDS: Mapping[str, Mapping[str, Any]] = {
    **FAMILIES,
    "shipped": {
        **SHARED, "norm": "post", "positions": "learned", "embedding_norm": "with_positions", "activation": "gelu",
        "copy": True, "copy_heads": 2, "speakers": 4,
    },
}  # fmt: skip
"""The same and those of `dialoscope`: heads that copy, and vectors of speakers."""


def script(turns=TURNS) -> str:
    """Return the dialogue of these turns."""
    return "\n".join(f"{speaker}: {text}" for speaker, text in turns)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Return log-probabilities over the last axis, in double precision."""
    logits = np.asarray(logits, dtype=np.float64)
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def attention_of(model: Transformer, kind: str, layer: int) -> Any:
    """Return an attention layer of a block; `kind` is encoder, decoder or cross."""
    block = (model.encoder if kind == "encoder" else model.decoder).blocks[layer]
    return block.cross_attention if kind == "cross" else block.self_attention


def randomise(layer: Any, seed: int = 0, scale: float = 0.4) -> Any:
    """Give every weight of a layer or model a value that depends on its position and the seed alone."""
    random = np.random.default_rng(seed)
    for variable in layer.trainable_variables:
        start = 1.0 if variable.path.endswith("gamma") else 0.0
        variable.assign(start + scale * random.standard_normal(variable.shape).astype("float32"))
    return layer


@contextmanager
def operator_by_operator() -> Iterator[None]:
    """Let functions that are made to be compiled run as graphs: the same numbers, and XLA takes ten times as long."""
    import tensorflow

    compile_for_training = keras.Model.compile
    with pytest.MonkeyPatch.context() as patch:
        for module in (backend, decoders):
            patch.setattr(module, "compiled", lambda run, variables: tensorflow.function(run, autograph=False))
        patch.setattr(keras.Model, "compile", partialmethod(compile_for_training, jit_compile=False))
        yield


def bundled(count: int) -> list[str]:
    """Texts of the first examples: models and their ids stay the same when examples are added."""
    return [text for example in load_examples()[:count] for text in (example.dialogue, *example.references)]


def imported_tokenizer(dialogue: Style = "names") -> ImportedTokenizer:
    """Return a byte-level tokenizer as an import gives it, with a start token around a dialogue, and a prefix."""
    ours = json.loads(Tokenizer.train_bpe(bundled(10), 600).to_json())["tokenizer"]
    special = {0: "<pad>", 1: "<s>", 2: "</s>", 3: "<unk>"}
    conventions = Conventions(special, before=(5,), after=(2, 5), dialogue=dialogue, prefix="do: ")
    vocabulary = Vocabulary(600, pad=0, start=1, end=2, unknown=3)
    return ImportedTokenizer(ours | {"normalizer": None}, None, vocabulary, conventions)


UNIGRAM_SCORES = {"▁": -2.0, "▁a": -1.5, "a": -3.0, "b": -4.0, "ab": -1.0, "ba": -2.5, "▁ab": -6.0, "bab": -9.0}
"""Log-probabilities of pieces."""


def unigram_tokenizer(*, byte_fallback: bool = False) -> ImportedTokenizer:
    """Return an imported tokenizer of a few pieces with scores."""
    special = {0: "<pad>", 1: "</s>", 2: "<unk>"}
    bytes_ = [(f"<0x{value:02X}>", -20.0) for value in range(256)] if byte_fallback else []
    vocab = [*((name, 0.0) for name in special.values()), *UNIGRAM_SCORES.items(), *bytes_]
    library = tokenizers.Tokenizer(models.Unigram(vocab, 2, byte_fallback))
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    document = json.loads(library.to_str())
    return ImportedTokenizer(document, None, Vocabulary(len(vocab), 0, 0, 1, 2), Conventions(special))


def wordpiece_tokenizer() -> ImportedTokenizer:
    """Return an imported tokenizer of a few WordPiece pieces and words of at most 20 characters."""
    names = ["[PAD]", "[SEP]", "[UNK]", "un", "u", "##n", "##believ", "##able", "##a"]
    pieces = {name: number for number, name in enumerate(names)}
    library = tokenizers.Tokenizer(models.WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=20))
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    conventions = Conventions({number: names[number] for number in range(3)})
    return ImportedTokenizer(json.loads(library.to_str()), None, Vocabulary(9, 0, 0, 1, 2), conventions)


def small(vocabulary: int, layers: int = 1, lengths: tuple[int, int] = (64, 24), **changes: Any) -> ModelConfig:
    """Return the settings of a small Transformer of one vocabulary, with as many layers on both sides."""
    sizes = {"d_model": 16, "num_heads": 2, "feed_forward_dim": 32, "encoder_layers": layers, "decoder_layers": layers}
    sizes |= dict.fromkeys(("source_vocabulary", "target_vocabulary"), vocabulary)
    sizes |= zip(("max_source_length", "max_target_length"), lengths, strict=True)
    return ModelConfig(**sizes | changes)


def untrained(folder: Path, config: ModelConfig | RecurrentConfig, tokenizer: AnyTokenizer) -> Path:
    """Write a checkpoint of a model as it starts."""
    keras.utils.set_random_seed(3)
    card = {"about": "An untrained model.", "decoding": DecodeSettings(max_tokens=16).to_dict(), "licence": "none"}
    checkpoints.write(folder, config, tokenizer, checkpoints.weights_of(families.build(config)), [], card)
    return folder


def roberta(folder: Path) -> None:
    """Write an encoder as other people have it: a RoBERTa of 6 layers with random weights."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel

    folder.mkdir()
    learner = ByteLevelBPETokenizer()
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    learner.train_from_iterator(["the cat sat on the mat", "a dog ran"], vocab_size=300, special_tokens=marks)
    learner.save_model(str(folder))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "RobertaTokenizer"}))
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=300, hidden_size=16, num_hidden_layers=6, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=40, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    RobertaModel(config).save_pretrained(folder)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, hidden ones included."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rehash(folder: Path) -> None:
    """Let the card fit the files, as somebody would who made them so."""
    card = json.loads((folder / "card.json").read_text())
    card["sha256"] = {name: sha256(folder / name) for name in checkpoints.FILES if (folder / name).is_file()}
    (folder / "card.json").write_text(json.dumps(card))


def tiny(folder: Path) -> Path:
    """Write the checkpoint of a small untrained copying model over the bundled dialogues."""
    tokenizer = Tokenizer.train_bpe(bundled(24), 600)
    config = small(tokenizer.size, 2, (192, 24), norm="pre", copy=True, **SHARED)
    return untrained(folder, config, tokenizer)


def build(folder: Path, norm: str, copy: bool, kind: str, family: str | None = None, scale: float = 0.5) -> Summarizer:
    """Write and load a checkpoint: `kind` is the tokenizer's, bpe or word; a key of `KINDS` sets the rest."""
    texts = [*bundled(20), *[script()] * 3]
    tokenizer = Tokenizer.train_bpe(texts, 500) if kind == "bpe" else Tokenizer.train_words(texts, 3)
    sizes = {"d_model": 12, "num_heads": 3, "head_dim": 5, "feed_forward_dim": 16, "norm": norm, "copy": copy}
    sizes |= dict.fromkeys(SHARED, copy) | KINDS.get(family or "", {})
    config = small(tokenizer.size, 2, (100, 12), **sizes)
    weights = checkpoints.weights_of(randomise(Transformer(config), 4, scale))
    checkpoints.write(folder, config, tokenizer, weights, [], {"decoding": SETTINGS.to_dict()})
    return Summarizer.load(folder)
