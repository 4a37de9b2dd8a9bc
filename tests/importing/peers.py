"""Whole tiny models of random weights, with tokenizer and licence, as transformers saves them."""

from pathlib import Path

from tests.importing import networks, peer_tokenizers


def save(family: str, folder: Path) -> Path:
    """Make and save a model that reads 256 tokens and writes at most 24; returns the folder."""
    tokenizer, _ = peer_tokenizers.save(family, folder)
    longest = {} if "t5" in family else {"max_position_embeddings": 256}
    networks.save(family, folder, {"max_length": 24, "num_beams": 4}, rows=len(tokenizer), **longest)
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n")
    return folder
