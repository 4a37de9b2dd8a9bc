"""The files of a tokenizer as libraries write them: tokenizer.json, SentencePiece, Marian's three, merges, WordPiece.

Each reader returns the documents of the `tokenizers` library with the peer's ids.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers

from core.errors import CheckpointError
from core.importing.folder import read_json, read_text
from core.importing.sentencepiece import CONTROL, UNKNOWN, Piece, SentencePiece, read_sentencepiece
from core.text.imported import SHUT
from core.text.spans import byte_values
from core.words import say

_NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_LISTED = ("additional_special_tokens", "extra_special_tokens")
_PEGASUS_OFFSET = 103
"""Ids that Pegasus has in front of its SentencePiece ids (Zhang et al. 2020; google-research/pegasus)."""
_ANY = "a b c 1 ."
"""A text of which every tokenizer has a piece."""
LANGUAGE = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}")
_SENTENCEPIECE = ("spiece.model", "sentencepiece.bpe.model", "sentencepiece.model", "tokenizer.model")


@dataclass(frozen=True)
class Settings:
    """What a folder says about its tokenizer besides the pieces.

    Args:
        folder: with the files.
        config: of the model, config.json.
        tokenizer: of the tokenizer: tokenizer_config.json, with what special_tokens_map.json names.
        rows: of the model's table of tokens.
        end: the peer's id that ends a text where its files do not say.
    """

    folder: Path
    config: Mapping[str, Any]
    tokenizer: Mapping[str, Any]
    rows: int
    end: int

    @property
    def family(self) -> str:
        """The family that config.json names."""
        return str(self.config.get("model_type", ""))

    @property
    def reads_bytes(self) -> bool:
        """Whether the tokenizer is that of ByT5, which has no files of pieces."""
        return str(self.tokenizer.get("tokenizer_class")) == "ByT5Tokenizer"

    def name(self, key: str, default: str) -> str:
        """Return the name of a special token."""
        value = self.tokenizer.get(key)
        return default if value is None else content(value)

    def usual(self) -> set[str]:
        """Return the names of the special tokens that have a role: start, end, padding, mask and the like."""
        return {self.name(key, "") for key in _NAMED}

    def special(self, **defaults: str) -> list[str]:
        """Return the names of all special tokens: those of the family, and those that the settings list."""
        values: list[Any] = [self.name(key, defaults.get(key, "")) for key in _NAMED]
        for key in _LISTED:
            listed = self.tokenizer.get(key) or []
            values += listed.values() if isinstance(listed, dict) else listed
        added = self.tokenizer.get("added_tokens_decoder") or {}
        values += [token for token in added.values() if token.get("special")]
        return [name for name in map(content, values) if name]


@dataclass
class Pieces:
    """What was found in a file: documents in the peer's ids, special tokens, and the tokens around a source.

    Args:
        source: for dialogues.
        ids: the peer's id by name of every piece.
        target: for summaries, if it differs.
        special: id by name of each special token.
        before: the peer's ids in front of a source.
        after: the peer's ids behind it.
        joint: see `Conventions`.
        stripped: see `Conventions`.
        slow: whether the peer's decoding is that of its Python class, which cleans texts of every kind.
    """

    source: tokenizers.Tokenizer
    ids: Mapping[str, int]
    target: tokenizers.Tokenizer | None = None
    special: dict[str, int] = field(default_factory=dict)
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    joint: str | None = None
    stripped: bool = False
    slow: bool = False


def read_settings(folder: Path, rows: int, end: int, config: Mapping[str, Any] | None = None) -> Settings:
    """Read the settings of a folder, those that are there; raises CheckpointError for a damaged file.

    Args:
        folder: of the tokenizer.
        rows: of the model's table of tokens.
        end: the peer's id that ends a text where its files do not say.
        config: content of config.json, if it lies in another folder.
    """
    optional = {
        name: read_json(folder / name) if (folder / name).exists() else {}
        for name in ("config.json", "tokenizer_config.json", "special_tokens_map.json")
    }
    tokenizer = optional["special_tokens_map.json"] | optional["tokenizer_config.json"]
    return Settings(folder, optional["config.json"] if config is None else config, tokenizer, rows, end)


def read_pieces(settings: Settings) -> Pieces:
    """Read the files of the tokenizer; raises CheckpointError if there are none, or one is damaged."""
    reader = _reader(settings)
    try:
        return reader(settings)
    except CheckpointError:
        raise
    except Exception as error:  # the library raises plain Exception
        name = settings.folder.name
        raise CheckpointError(
            "the tokenizer of {name} is damaged: {error!r}. Fetch its files again", name=name, error=error
        ) from None


def _reader(settings: Settings) -> Callable[[Settings], Pieces]:
    """Choose the files to read; raises CheckpointError if there are none."""
    has = {path.name for path in settings.folder.iterdir()} if settings.folder.is_dir() else set()
    if settings.family == "marian" or "source.spm" in has:
        return _marian
    if {"vocab.json", "merges.txt"} <= has and settings.family == "blenderbot-small":
        return _blenderbot
    if settings.reads_bytes:
        return _bytes
    if "tokenizer.json" in has:
        return _library
    if any(name in has for name in _SENTENCEPIECE):
        return _sentencepiece
    if {"vocab.json", "merges.txt"} <= has:
        return _byte_level
    if "vocab.txt" in has:
        return _wordpiece
    listing = ", ".join(sorted(has)) or say("nothing")
    raise CheckpointError(
        "{folder} has no tokenizer. Received: {found}; needed: tokenizer.json, a SentencePiece "
        "file, vocab.json with merges.txt, or vocab.txt. Fetch the whole folder of the model",
        folder=settings.folder,
        found=listing,
    )


def _library(settings: Settings) -> Pieces:
    try:
        library = tokenizers.Tokenizer.from_str(read_text(settings.folder / "tokenizer.json"))
    except Exception as error:  # the library raises plain Exception
        raise CheckpointError("tokenizer.json is damaged: {error}. Fetch it again", error=error) from None
    library.no_truncation()
    library.no_padding()
    ids = library.get_vocab()
    added = {token.content: number for number, token in library.get_added_tokens_decoder().items() if token.special}
    special = added | _found(settings.special(), ids)
    encoding = library.encode(_ANY)
    inside = [place for place, outside in enumerate(encoding.special_tokens_mask) if not outside]
    before = encoding.ids[: inside[0]] if inside else []
    after = encoding.ids[inside[-1] + 1 :] if inside else encoding.ids
    if library.post_processor is None and settings.family != "blenderbot-small":
        after = [settings.end]
    language = settings.tokenizer.get("src_lang")
    if language in ids:
        languages = {number for name, number in special.items() if LANGUAGE.fullmatch(name)}
        before, after = ([ids[language] if each in languages else each for each in part] for part in (before, after))
    return Pieces(library, ids, special=special, before=before, after=after)


def _sentencepiece(settings: Settings) -> Pieces:
    """Read a SentencePiece file; the family says which names stand in front of its pieces and behind them."""
    file = next(name for name in _SENTENCEPIECE if (settings.folder / name).is_file())
    model = read_sentencepiece(settings.folder / file)
    front, replaced, back = list[str](), 0, list[str]()
    before, after = list[int](), [settings.end]
    if settings.family.startswith("pegasus"):
        offset = int(settings.tokenizer.get("offset", _PEGASUS_OFFSET))
        masks = [settings.name("mask_token_sent", "<mask_1>"), settings.name("mask_token", "<mask_2>")]
        front = ["<pad>", "</s>", *masks, *(f"<unk_{number}>" for number in range(2, offset))][: offset + 2]
        replaced = 2
    elif settings.family == "mbart":
        front, replaced, back = ["<s>", "<pad>", "</s>", "<unk>"], 3, [*_languages(settings), "<mask>"]
    else:
        extra = min(int(settings.tokenizer.get("extra_ids", 100)), settings.rows - len(model.pieces))
        back = [f"<extra_id_{number}>" for number in reversed(range(extra))]
    kept = model.pieces[replaced:]
    names = [*front, *(piece.text for piece in kept), *back]
    vocab = [*_shut(front), *(_piece(piece) for piece in kept), *_shut(back)]
    unknown = front.index("<unk>") if "<unk>" in front else len(front) + model.unknown - replaced
    ids = {name: number for number, name in enumerate(names)}
    silent = {*front, *back, *(piece.text for piece in kept if piece.type in (CONTROL, UNKNOWN))}
    if settings.family == "mbart":
        language = str(settings.tokenizer.get("src_lang") or "en_XX")
        if language not in back:
            raise CheckpointError(
                "the tokenizer has no such language. Received: src_lang={language!r}; allowed: {allowed}",
                language=language,
                allowed=", ".join(back[:-1]),
            )
        before, after = ([ids[language]], after) if _is_fifty(settings) else ([], [*after, ids[language]])
    library = _unigram(model, vocab, unknown)
    return Pieces(library, ids, special=_found(sorted(silent), ids), before=before, after=after)


def _marian(settings: Settings) -> Pieces:
    """Read Marian's two SentencePiece files, whose pieces have the ids of vocab.json."""
    for name in ("source.spm", "target.spm", "vocab.json"):
        if not (settings.folder / name).is_file():
            raise CheckpointError(
                "{folder} has no {name}, which a Marian model needs. Fetch it again",
                folder=settings.folder.name,
                name=name,
            )
    if settings.tokenizer.get("separate_vocabs") or (settings.folder / "target_vocab.json").is_file():
        raise CheckpointError(
            "{folder} has a vocabulary for each language (separate_vocabs). Allowed: one for both",
            folder=settings.folder.name,
        )
    ids = _ids(settings.folder / "vocab.json")
    unknown = _id(ids, settings.name("unk_token", "<unk>"), "vocab.json")
    libraries = []
    for name in ("source.spm", "target.spm"):
        model = read_sentencepiece(settings.folder / name)
        scores = {piece.text: piece.score for piece in model.pieces if piece.readable}
        vocab = [(f"{SHUT}{number}", 0.0) for number in range(max(ids.values()) + 1)]
        for piece, number in ids.items():
            vocab[number] = (piece, scores[piece]) if piece in scores else (SHUT + piece, 0.0)
        vocab += [(piece, score) for piece, score in scores.items() if piece not in ids]
        libraries.append(_unigram(model, vocab, unknown))
    names = settings.special(eos_token="</s>", unk_token="<unk>", pad_token="<pad>")
    source, target = libraries
    after = [settings.end]
    return Pieces(source, ids, target, _found(names, ids), after=after, stripped=True, slow=True)


def _byte_level(settings: Settings) -> Pieces:
    """Read the byte-level BPE of BART: vocab.json and merges.txt (Radford et al. 2019, section 2.2)."""
    ids = _ids(settings.folder / "vocab.json")
    library = tokenizers.Tokenizer(models.BPE(ids, _merges(settings.folder / "merges.txt")))
    space = bool(settings.tokenizer.get("add_prefix_space", False))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=space)
    library.decoder = decoders.ByteLevel()
    around = {"cls_token": "<s>", "sep_token": "</s>"}
    names = settings.special(eos_token="</s>", unk_token="<unk>", pad_token="<pad>", mask_token="<mask>", **around)
    if settings.family == "blenderbot":
        return Pieces(library, ids, special=_found(names, ids), after=[settings.end])
    before, after = ([_id(ids, settings.name(*token), "vocab.json")] for token in around.items())
    return Pieces(library, ids, special=_found(names, ids), before=before, after=after)


def _bytes(settings: Settings) -> Pieces:
    """Make ByT5's tokenizer (Xue et al. 2022, section 3.1): three special tokens, 256 bytes, `<extra_id_N>`."""
    special = {"<pad>": 0, "</s>": 1, "<unk>": 2}
    values = {value: character for character, value in byte_values().items()}
    ids = special | {values[value]: 3 + value for value in range(256)}
    extra = {f"<extra_id_{number}>": 259 + number for number in range(min(125, settings.rows - 259))}
    library = tokenizers.Tokenizer(models.BPE(ids | extra, []))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    library.decoder = decoders.ByteLevel()
    return Pieces(library, ids | extra, special=special | extra, after=[settings.end])


def _blenderbot(settings: Settings) -> Pieces:
    """Read Blenderbot-small's BPE of lower-case words, whose pieces end in @@ where the word goes on.

    Inside the library the other pieces have a mark, </w>, as in merges.txt (Sennrich et al. 2016, section 3.2).
    """
    ids = _ids(settings.folder / "vocab.json")
    merges = _merges(settings.folder / "merges.txt")
    symbols = {_symbol(name): number for name, number in ids.items()}
    following = max(settings.rows, *ids.values()) + 1
    for symbol in (symbol for pair in merges for symbol in (*pair, "".join(pair))):
        symbols.setdefault(symbol, following + len(symbols))
    unknown = settings.name("unk_token", "__unk__")
    _id(ids, unknown, "vocab.json")
    bpe = models.BPE(symbols, merges, unk_token=_symbol(unknown), end_of_word_suffix="</w>", fuse_unk=False)
    library = tokenizers.Tokenizer(bpe)
    line_end = normalizers.Replace(Regex(r"(?<=[^\s'])\n"), " __newln__ ")
    library.normalizer = normalizers.Sequence([line_end, normalizers.Lowercase()])
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Split(Regex("[.,!?()]"), "merged_with_next"),
            pre_tokenizers.Split("'", "isolated"),
        ]
    )
    names = settings.special(bos_token="__start__", eos_token="__end__", unk_token="__unk__", pad_token="__null__")
    return Pieces(library, ids, special=_found(names, ids), joint="@@", stripped=True, slow=True)


def _wordpiece(settings: Settings) -> Pieces:
    """Read BERT's vocab.txt (Devlin et al. 2019, section 3)."""
    lines = read_text(settings.folder / "vocab.txt").removesuffix("\n").split("\n")
    ids = {name.rstrip("\r"): number for number, name in enumerate(lines)}
    library = tokenizers.Tokenizer(models.WordPiece(ids, unk_token=settings.name("unk_token", "[UNK]")))
    library.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=bool(settings.tokenizer.get("tokenize_chinese_chars", True)),
        strip_accents=settings.tokenizer.get("strip_accents"),
        lowercase=bool(settings.tokenizer.get("do_lower_case", True)),
    )
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece(prefix="##")
    around = {"cls_token": "[CLS]", "sep_token": "[SEP]"}
    names = settings.special(unk_token="[UNK]", pad_token="[PAD]", mask_token="[MASK]", **around)
    before, after = ([_id(ids, settings.name(*token), "vocab.txt")] for token in around.items())
    return Pieces(library, ids, special=_found(names, ids), before=before, after=after)


def _unigram(model: SentencePiece, vocab: list[tuple[str, float]], unknown: int) -> tokenizers.Tokenizer:
    """Build a unigram tokenizer with the characters and blanks of a SentencePiece file."""
    library = tokenizers.Tokenizer(models.Unigram(vocab, unknown, model.bytes_for_unknown))
    if model.characters:
        library.normalizer = normalizers.Precompiled(model.characters)
    blanks = pre_tokenizers.Metaspace(split=model.one_space)
    library.pre_tokenizer = blanks
    if model.one_space:
        library.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(" ", "removed"), blanks])
    library.decoder = decoders.Metaspace()
    if model.bytes_for_unknown:
        library.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    return library


def _piece(piece: Piece) -> tuple[str, float]:
    return (piece.text if piece.readable else SHUT + piece.text), piece.score


def _shut(names: Iterable[str]) -> list[tuple[str, float]]:
    return [(SHUT + name, 0.0) for name in names]


def _symbol(name: str) -> str:
    """Return how a piece of Blenderbot-small is called in merges.txt."""
    return name.removesuffix("@@") if name.endswith("@@") and name != "@@" else f"{name}</w>"


def _languages(settings: Settings) -> list[str]:
    """Return the language codes of mBART, or mBART-50, in the order of their ids."""
    if _is_fifty(settings):
        from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES as codes
    else:
        from transformers.models.mbart.tokenization_mbart import FAIRSEQ_LANGUAGE_CODES as codes
    return list(codes)


def _is_fifty(settings: Settings) -> bool:
    return str(settings.tokenizer.get("tokenizer_class", "")).startswith("MBart50")


def _found(names: Iterable[str], ids: Mapping[str, int]) -> dict[str, int]:
    return {name: ids[name] for name in names if name in ids}


def _id(ids: Mapping[str, int], name: str, file: str) -> int:
    if name not in ids:
        raise CheckpointError("{file} has no {name!r}, which the model needs. Fetch it again", file=file, name=name)
    return ids[name]


def content(value: Any) -> str:
    """Return the text of a token that a file gives as a string or as an object."""
    return str(value["content"] if isinstance(value, dict) else value)


def _ids(path: Path) -> dict[str, int]:
    ids = read_json(path)
    if not ids or any(type(number) is not int or number < 0 for number in ids.values()):
        raise CheckpointError(
            "{file} must give an id from 0 to each piece. Received: {count} entries", file=path.name, count=len(ids)
        )
    return ids


def _merges(path: Path) -> list[tuple[str, str]]:
    """Read the rules of byte pair encoding, one a line; a first line may name the version."""
    rules = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip() or (number == 1 and line.startswith("#version")):
            continue
        pair = line.split()
        if len(pair) != 2:
            raise CheckpointError(
                "{file}, line {number}, must have two pieces. Received: {found!r}",
                file=path.name,
                number=number,
                found=line[:60],
            )
        rules.append((pair[0], pair[1]))
    return rules
