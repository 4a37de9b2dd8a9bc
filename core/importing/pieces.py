"""A Hugging Face folder's tokenizer files in, a tokenizer of this project out.

Special tokens can be written by a model but not by a text: whoever types `</s>` means these four characters.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import tokenizers

from core.errors import CheckpointError
from core.importing.piece_files import LANGUAGE, Pieces, Settings, content, read_pieces, read_settings
from core.text.import_notes import listed
from core.text.imported import SHUT, Conventions, ImportedTokenizer
from core.text.vocabulary import Vocabulary
from core.text.written import Style

_LANGUAGE_CODE = re.compile(r">>[^<]+<<")
_LONGEST_PREFIX = 200


@dataclass(frozen=True)
class TokenizerFiles:
    """The files of a tokenizer, read.

    Args:
        settings: what they say besides the pieces.
        pieces: what they hold.
    """

    settings: Settings
    pieces: Pieces

    @property
    def unknown(self) -> int | None:
        """The peer's id of an unknown token, or None."""
        named = self.settings.tokenizer.get("unk_token")
        names = ("<unk>", "[UNK]", "__unk__") if named is None else (content(named),)
        return next((self.pieces.ids[name] for name in names if name in self.pieces.ids), None)

    def check(self, rows: int) -> None:
        """Raise CheckpointError for tokens, special ones apart, that a table of so many rows has no place for."""
        pieces = self.pieces
        ordinary = (number for name, number in pieces.ids.items() if name not in pieces.special)
        if max([*ordinary, *pieces.before, *pieces.after]) >= rows:
            without = [name for name, number in sorted(pieces.ids.items(), key=itemgetter(1)) if number >= rows]
            raise CheckpointError(
                "tokenizer and model of {folder} do not fit. Received: {rows} rows of embeddings, and a tokenizer with "
                "{count} tokens beyond them: {tokens}. Fetch both from the same place, or call "
                "model.resize_token_embeddings(len(tokenizer)) before you save the model",
                folder=self.settings.folder.name,
                rows=rows,
                count=len(without),
                tokens=listed(without),
            )

    def languages(self, rows: int) -> dict[str, int]:
        """Return the peer's id of each language of mBART: special tokens such as en_XX that have a row."""
        special = self.pieces.special.items()
        return {name: number for name, number in special if LANGUAGE.fullmatch(name) and number < rows}


def read_files(folder: Path, rows: int, end: int, config: Mapping[str, Any] | None = None) -> TokenizerFiles:
    """Read the files of a tokenizer.

    Args:
        folder: with tokenizer.json, or with vocab.json and merges.txt, a SentencePiece file, Marian's source.spm,
            target.spm and vocab.json, or vocab.txt.
        rows: of the model's table of tokens.
        end: the peer's id that ends a text.
        config: content of config.json, if it lies in another folder.

    Raises:
        CheckpointError: no tokenizer, or a damaged file.
    """
    settings = read_settings(folder, rows, end, config)
    return TokenizerFiles(settings, read_pieces(settings))


def guess_dialogue(name: str, config: Mapping[str, Any] | None = None) -> tuple[Style, str]:
    """Guess how dialogues were written when a model was trained, and the prefix that named its task.

    Args:
        name: of the model.
        config: content of config.json; the prefix that it names for summaries, or for all texts, comes first, then the
            names of the model and of what it was trained from.
    """
    config = config or {}
    names = f"{name} {config.get('_name_or_path') or ''}".lower()
    style: Style = "tags" if "dialogsum" in names else "names"
    tasks = config.get("task_specific_params")
    task = tasks.get("summarization") if isinstance(tasks, dict) else None
    for prefix in (task.get("prefix") if isinstance(task, dict) else None, config.get("prefix")):
        if isinstance(prefix, str) and prefix.strip():
            return style, prefix[:_LONGEST_PREFIX]
    parts = re.split(r"[/_\s-]", names)
    return style, "summarize: " if any(part == "flan" or part.startswith("t5") for part in parts) else ""


def make_tokenizer(
    files: TokenizerFiles,
    vocabulary: Vocabulary,
    first: int | None = None,
    dialogue: Style = "names",
    prefix: str = "",
) -> ImportedTokenizer:
    """Make a tokenizer in our ids, in which no text gives a special token.

    Args:
        files: of the model's own tokenizer.
        vocabulary: the two orders of ids.
        first: our id that every summary begins with, or None.
        dialogue: how the model knows dialogues.
        prefix: names the task in front of a dialogue.

    Raises:
        CheckpointError: the tokenizer does not fit the model's table.
    """
    pieces, settings = files.pieces, files.settings
    before = list(pieces.before)
    files.check(vocabulary.rows)
    names = {number: name for name, number in pieces.ids.items()}
    special = {number: name for name, number in pieces.special.items()}
    moved = (vocabulary.pad, vocabulary.end, vocabulary.unknown)
    special |= {number: names.get(number, "") for number in moved if number is not None}
    language = _LANGUAGE_CODE.match(prefix)
    if language and language.group() in pieces.ids:
        before.append(pieces.ids[language.group()])
        prefix = prefix[language.end() :].lstrip()
    documents = [_document(library, special) for library in (pieces.source, pieces.target) if library]
    cleaned = pieces.slow or documents[0]["model"]["type"] != "BPE"
    conventions = Conventions(
        special,
        tuple(vocabulary.ours[number] for number in before),
        tuple(vocabulary.ours[number] for number in pieces.after),
        first,
        dialogue,
        prefix,
        pieces.joint,
        pieces.stripped,
        cleaned and bool(settings.tokenizer.get("clean_up_tokenization_spaces")),
    )
    return ImportedTokenizer(documents[0], documents[1] if pieces.target else None, vocabulary, conventions)


def _document(library: tokenizers.Tokenizer, special: Mapping[int, str]) -> dict[str, Any]:
    """Return a library's document in which special tokens are pieces that no text gives."""
    document: dict[str, Any] = json.loads(library.to_str())
    added = {token["id"]: token["content"] for token in document["added_tokens"]}
    document["added_tokens"] = [token for token in document["added_tokens"] if token["id"] not in special]
    document |= {"post_processor": None, "truncation": None, "padding": None}
    vocab = document["model"]["vocab"]
    if document["model"]["type"] == "Unigram":
        for number in range(len(vocab), max(added, default=0) + 1):
            vocab.append([added.get(number, ""), 0.0])
        for number, name in special.items():
            if number < len(vocab):
                vocab[number][0] = SHUT + name
    else:
        vocab |= {name: number for number, name in added.items() if name not in vocab}
    return document
