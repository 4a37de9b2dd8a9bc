r"""Write what BART has of a checkpoint of this project as a folder of transformers: a start for a small imported model.

    python benchmarks/as_bart.py dialoscope runs/bart/folder
    python -m core import runs/bart/folder --output runs/bart/begun --dialogue tags
    python -m core train TRAIN --validation VALIDATION --start runs/bart/begun --limit 4000 --epochs 1 \
        --learning-rate 2e-4 --warmup 50 --batch-tokens 3000 --precision mixed_bfloat16 --seed 1 --output runs/bart/run

A checkpoint that began with MiniLM is a BART (Lewis et al. 2020) but for three things, which are left out: the heads
that copy, the embeddings of speakers, and the spelling of words at the beginning of a sentence. What is left writes
nonsense until it is trained on. The positions of the decoder beyond those of the checkpoint are its last one, repeated.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core import checkpoints
from core.checkpoints import Checkpoint
from core.config import END, PAD, START, TURN, UNKNOWN, ModelConfig
from core.importing import families
from core.importing.export import peer_tensor
from core.importing.families import FAMILIES
from core.text import tokenizer as own
from core.text.encoded import SPECIALS
from core.text.tokenizer import GOES_ON

_WORD = r" ?#Person[1-9]#|\n| ?[\p{L}\p{M}\p{N}]{1,60}| ?[^\s\p{L}\p{M}\p{N}]"
"""A tag, the end of a turn, a word or a sign, each with the blank before it."""


def blocks(checkpoint: Checkpoint) -> ModelConfig:
    """Return the settings of a Transformer; ends the program for another network."""
    config = checkpoint.config.has.blocks
    if config is None:
        sys.exit(f"{checkpoint.name} is no Transformer")
    return config


def tensors(checkpoint: Checkpoint) -> dict[str, np.ndarray]:
    """Return BART's tensors by their names in transformers, float32."""
    config = blocks(checkpoint)
    origins = dict(FAMILIES["bart"].origins(config)) | families.output_origins(config.share_output)
    found = {}
    for path, origin in origins.items():
        name = "source_embedding/bias" if origin.kind == "bias" else path
        values = np.asarray(checkpoint.weights[name], np.float32)
        if origin.kind == "positions":
            missing = config.max_source_length - len(values)
            values = np.concatenate([values, values[-1:].repeat(missing, 0)])
        found[origin.names[0]] = peer_tensor(values, origin, range(config.source_vocabulary))
    return found


def tokenizer(checkpoint: Checkpoint) -> Tokenizer:
    """Return the pieces of the checkpoint as a tokenizer of the library, a line break for the end of a turn."""
    if not isinstance(checkpoint.tokenizer, own.Tokenizer):
        sys.exit(f"{checkpoint.name} has no tokenizer of this project")
    pieces = {name: number for number, name in enumerate(checkpoint.tokenizer.pieces_of("WordPiece")["vocab"])}
    names = {number: name for name, number in pieces.items()}
    names[pieces["Ċ"]], names[TURN] = "[LINE]", "Ċ"
    names |= {number: f"Ġ{name}" for name, number in pieces.items() if name.startswith("#Person")}
    vocabulary = {name: number for number, name in sorted(names.items())}
    library = Tokenizer(models.WordPiece(vocabulary, unk_token=SPECIALS[UNKNOWN], continuing_subword_prefix=GOES_ON))
    library.normalizer = normalizers.Sequence(
        [normalizers.Replace("#Person", " #Person"), normalizers.Replace(Regex(r"[ \t]+"), " ")]
    )
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORD), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    library.decoder = decoders.Sequence([decoders.Replace(GOES_ON, ""), decoders.ByteLevel()])
    end = SPECIALS[END]
    library.post_processor = processors.TemplateProcessing(single=f"$A {end}", special_tokens=[(end, END)])
    library.add_special_tokens([SPECIALS[number] for number in (PAD, START, END, UNKNOWN)])
    return library


def settings(checkpoint: Checkpoint) -> dict[str, object]:
    """Return the config.json."""
    config = blocks(checkpoint)
    both = {
        "layers": config.encoder_layers,
        "attention_heads": config.num_heads,
        "ffn_dim": config.feed_forward_dim,
    }
    return {
        "model_type": "bart",
        "vocab_size": config.source_vocabulary,
        "d_model": config.d_model,
        "max_position_embeddings": config.max_source_length,
        **{f"{stack}_{name}": value for stack in ("encoder", "decoder") for name, value in both.items()},
        "activation_function": "gelu",
        "dropout": config.dropout,
        "attention_dropout": config.attention_dropout,
        "scale_embedding": False,
        "tie_word_embeddings": True,
        "pad_token_id": PAD,
        "bos_token_id": START,
        "eos_token_id": END,
        "decoder_start_token_id": START,
    }


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("folder", type=Path)
    wanted = parser.parse_args()
    checkpoint = checkpoints.read(wanted.checkpoint)
    wanted.folder.mkdir(parents=True)
    save_file(tensors(checkpoint), wanted.folder / "model.safetensors")
    tokenizer(checkpoint).save(str(wanted.folder / "tokenizer.json"))
    generation = {
        "decoder_start_token_id": START,
        "pad_token_id": PAD,
        "eos_token_id": END,
        "num_beams": 4,
        "max_length": 80,
        "no_repeat_ngram_size": 3,
        "length_penalty": 1.0,
    }
    marks = {"pad_token": PAD, "bos_token": START, "eos_token": END, "unk_token": UNKNOWN}
    files = {
        "config.json": settings(checkpoint),
        "generation_config.json": generation,
        "tokenizer_config.json": {name: SPECIALS[number] for name, number in marks.items()},
    }
    for name, values in files.items():
        (wanted.folder / name).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
