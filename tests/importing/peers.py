"""Whole tiny models of random weights, with tokenizer and licence, as transformers saves them."""

from pathlib import Path

from tests.importing.folders import save_whole


def save(family: str, folder: Path) -> Path:
    """Make and save a model that reads 256 tokens and writes at most 24; returns the folder."""
    save_whole(family, folder, {"max_length": 24, "num_beams": 4}, spare=0)
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n")
    return folder
