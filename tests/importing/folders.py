"""Whole folders of every family: a tiny network of random weights and its tokenizer, saved by transformers."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.importing import networks, peer_tokenizers

REAL = json.loads((Path(__file__).resolve().parents[1] / "data" / "sentencepiece.json").read_text("utf-8"))
"""Files of the real SentencePiece library, see make_sentencepiece.py."""
WHOLE = ("bart", "t5", "pegasus", "mbart", "blenderbot-small", "marian")
"""The families of `save_whole`."""
GENERATION = {"num_beams": 4, "max_length": 24, "min_length": 6, "no_repeat_ngram_size": 3, "early_stopping": True}


def change(path: Path, **values: Any) -> None:
    """Set values in a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def save_marian_tokenizer(folder: Path) -> None:
    """Write the three files of Marian's tokenizer, and a config.json that names the family."""
    for side in ("source", "target"):
        (folder / f"{side}.spm").write_bytes(base64.b64decode(REAL["marian"][side]))
    (folder / "vocab.json").write_text(json.dumps(REAL["marian"]["vocab"]))
    (folder / "config.json").write_text('{"model_type": "marian"}')


def save_whole(
    family: str, folder: Path, generation: Mapping[str, Any] = GENERATION, spare: int = 2, **own: Any
) -> tuple[Any, int]:
    """Save network and tokenizer of a family.

    Args:
        family: one of `WHOLE`.
        folder: for their files.
        generation: settings of generation.
        spare: rows of the table of tokens beyond the tokenizer's ids.
        own: other settings of the network.

    Returns:
        The network as transformers loads it, and the rows of its table of tokens.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if family == "marian":
        save_marian_tokenizer(folder)
        vocab = REAL["marian"]["vocab"]
        rows = len(vocab)
        ids = {"pad_token_id": vocab["<pad>"], "decoder_start_token_id": vocab["<pad>"], "eos_token_id": vocab["</s>"]}
        ids["bos_token_id"] = vocab["</s>"]
    else:
        _, vocabulary = peer_tokenizers.save(family, folder)
        rows = vocabulary.rows - 2 + spare
        ids = {"pad_token_id": vocabulary.pad, "decoder_start_token_id": vocabulary.start}
        ids["eos_token_id"] = vocabulary.end
    if "5" not in family:
        own = {"max_position_embeddings": 256, **own}
    return networks.save(family, folder, generation, rows, **{**ids, **own}), rows


def peer_text(folder: Path, peer: Any, text: str) -> str:
    """Return what the peer and its own tokenizer write for a text."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(text, return_tensors="pt")
    written = peer.generate(inputs.input_ids, attention_mask=inputs.attention_mask, do_sample=False)
    return str(tokenizer.decode(written[0], skip_special_tokens=True))
