"""A summarizer begun with BERT (Rothe et al. 2020, "BERT2BERT"): its layers are the encoder's and the decoder's.

Its pieces are lower-case. Ours keep capitals: each cased piece begins with the row of its lower-case form, so that the
encoder reads a dialogue as BERT does, and copied words keep their spelling.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.config import FIRST_TAG, TURN, ModelConfig
from core.errors import CheckpointError
from core.importing.encoder import read_encoder
from core.importing.folder import read_text
from core.text.spans import byte_values
from core.text.tokenizer import GOES_ON, LONGEST_WORD, TAGS, Tokenizer

PIECES = 20_000
"""Most pieces of the tokenizer."""
MARK = 0.4
"""Length of the vector by which a spelling differs from the lower-case one; rows have a length of about 1.2."""
FEWEST = 2
"""Fewest times that a piece occurs in the texts."""
_WORD = re.compile(rf"( ?)([^\W_]{{1,{LONGEST_WORD}}})|( ?)([^\s\w]|_)")
_LETTERS = {value: letter for letter, value in byte_values().items()}
_CHARACTERS = [*map(chr, range(ord("!"), ord("~") + 1)), *"£€–—‘’“”…", *map(chr, range(0xC0, 0x100))]
"""Characters that are pieces whatever the texts are: alone, after a blank, and inside a word."""


def warm_start(
    folder: Path, texts: Iterable[str], decoder_layers: Sequence[int], max_target_length: int = 96, copy_heads: int = 4
) -> Checkpoint:
    """Begin a summarizer with the layers of a BERT.

    The encoder is the BERT. The decoder's self-attention, feed-forward networks and normalisations begin as layers of
    it, too; its cross-attention begins as their self-attention. The speakers' vectors begin as what is different in
    their tags, so that the layers tell the speakers apart from the first update on.

    Args:
        folder: config.json, *.safetensors and tokenizer.json of a BERT with lower-case pieces.
        texts: dialogues and summaries that the pieces are chosen from, by how often they occur.
        decoder_layers: the BERT's layers, from 1, that the decoder's layers begin with.
        max_target_length: longest summary in tokens.
        copy_heads: see `ModelConfig`.

    Raises:
        CheckpointError: a file is missing or damaged, or no BERT, or has no such layer.
    """
    shape, encoder, vocabulary = read_encoder(folder)
    wrong = [number for number in decoder_layers if not 1 <= number <= shape.encoder_layers]
    if wrong or not decoder_layers:
        raise CheckpointError(
            f"the decoder's layers must be numbers from 1 to {shape.encoder_layers}. Received: {list(decoder_layers)}"
        )
    text = read_text(folder / "tokenizer.json")
    try:
        library = tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # the library raises plain Exception
        raise CheckpointError(f"tokenizer.json of {folder.name} is damaged: {error}. Fetch it again") from None
    library.no_truncation()
    library.no_padding()
    names = library.get_vocab()
    table = encoder["source_embedding/table"]
    rows = {name: table[vocabulary.ours[number]] for name, number in names.items()}
    tokenizer = Tokenizer.of_pieces(chosen_pieces(library, texts), truecase=True)
    config = shape.replace(
        source_vocabulary=tokenizer.size,
        target_vocabulary=tokenizer.size,
        decoder_layers=len(decoder_layers),
        max_target_length=max_target_length,
        copy=True,
        copy_heads=copy_heads,
        output_bias=True,
        speakers=len(TAGS),
    )
    weights = dict(encoder) | dict(_decoder(encoder, decoder_layers, max_target_length))
    weights["source_embedding/table"] = _table(tokenizer, library, rows)
    weights["source_embedding/bias"] = np.zeros(tokenizer.size, dtype=np.float32)
    tags = weights["source_embedding/table"][FIRST_TAG : FIRST_TAG + len(TAGS)]
    weights["source_speakers/table"] = np.concatenate([np.zeros_like(tags[:1]), tags - tags.mean(axis=0)])
    card = {"about": f"Begun with the layers of {folder.name}; not trained yet.", "source": folder.name}
    return Checkpoint(folder.name, config, tokenizer, weights | _switch(config), [], card)


def chosen_pieces(library: tokenizers.Tokenizer, texts: Iterable[str], most: int = PIECES) -> list[str]:
    """Cut the words of some texts as a lower-case WordPiece tokenizer does, and keep the commonest pieces, cased.

    Returns:
        Names of pieces in byte-level letters: characters, then the commonest pieces of the texts, then other words
        of the tokenizer.
    """
    words = Counter(
        (bool(match[1] or match[3]), match[2] or match[4]) for text in texts for match in _WORD.finditer(f" {text}")
    )
    counts: Counter[str] = Counter()
    for (spaced, word), count in words.items():
        start = 0
        for piece in library.encode(word, add_special_tokens=False).tokens:
            size = len(piece.removeprefix(GOES_ON))
            shown = word[start : start + size]
            if _plain(shown) != piece.removeprefix(GOES_ON):
                break  # a word that changes its length: its characters are there alone
            counts[(GOES_ON if start else " " * spaced) + shown] += count
            start += size
    base = [lead + letter for letter in _CHARACTERS for lead in ("", " ", *((GOES_ON,) if letter.isalnum() else ()))]
    common = [piece for piece, count in counts.most_common() if count >= FEWEST]
    known = sorted(library.get_vocab().items(), key=lambda each: each[1])  # the commonest words come first
    rest = [f" {name}" for name, _ in known if name.isascii() and name.isalpha() and len(name) > 1]
    return [_named(piece) for piece in dict.fromkeys([*base, *common, *rest])][:most]


def _plain(text: str) -> str:
    """Write a text as lower-case BERT reads it: small letters without accents."""
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(character for character in parts if unicodedata.category(character) != "Mn")


def _named(piece: str) -> str:
    """Write a piece in byte-level letters."""
    text = piece.removeprefix(GOES_ON)
    return (GOES_ON if text != piece else "") + "".join(_LETTERS[value] for value in text.encode())


def _table(
    tokenizer: Tokenizer, library: tokenizers.Tokenizer, rows: Mapping[str, NDArray[Any]]
) -> NDArray[np.float32]:
    """Return the embeddings of our pieces: each is the row of its lower-case form, with a mark of its spelling.

    A mark is a direction that all capitals have, or all words that join the one before, so that a network learns them
    at once; the encoder's states hardly change by it (their cosine is 0.996).
    """
    special = [rows["[PAD]"], rows["[CLS]"], rows["[SEP]"], rows["[UNK]"], rows["[SEP]"]]
    tags = [(rows["person"] + rows[str(number)]) / 2 for number in range(1, len(TAGS) + 1)]
    found = [*special, *tags]
    marks = np.random.default_rng(0).standard_normal((4, len(tags[0])))
    capital, capitals, spacing, turn = MARK * marks / np.linalg.norm(marks, axis=1, keepdims=True)
    found[TURN] = found[TURN] + turn
    for token in range(FIRST_TAG + len(TAGS), tokenizer.size):
        name = tokenizer.piece_name(token)
        text = tokenizer.id_text(token)
        plain = _plain(text.strip())
        parts = [GOES_ON + plain] if name.startswith(GOES_ON) and plain.isalnum() else []
        known = next((rows[piece] for piece in (*parts, plain) if piece in rows), None)
        if known is None:
            pieces = [rows[piece] for piece in library.encode(plain, add_special_tokens=False).tokens]
            known = np.mean(pieces, axis=0) if pieces else rows["[UNK]"]
        shown = text.strip()
        unusual = not name.startswith(GOES_ON) and text.startswith(" ") != plain.isalnum()
        mark = capital * shown[:1].isupper() + capitals * (len(shown) > 1 and shown.isupper()) + spacing * unusual
        found.append(known + mark)
    return np.stack(found).astype(np.float32)


def _decoder(
    encoder: Mapping[str, NDArray[Any]], layers: Sequence[int], positions: int
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the decoder's weights, made of the encoder's."""
    yield "target_positions/table", encoder["source_positions/table"][:positions]
    for name in ("gamma", "beta"):
        yield f"target_norm/{name}", encoder[f"source_norm/{name}"]
    for place, layer in enumerate(layers, 1):
        block = f"encoder/block{layer}/"
        for path, value in encoder.items():
            if path.startswith(block):
                part = path.removeprefix(block)
                yield f"decoder/block{place}/{part}", value
                if part.startswith("self_"):
                    yield f"decoder/block{place}/cross_{part.removeprefix('self_')}", value


def _switch(config: ModelConfig) -> dict[str, NDArray[Any]]:
    """Return the switch between generating and copying: the same everywhere at first, 0.73 generate."""
    bias = np.zeros(1 + config.copy_heads, dtype=np.float32)
    bias[0] = 1 + np.log(config.copy_heads)
    return {
        "cross_copy/switch/kernel": np.zeros((2 * config.d_model, 1 + config.copy_heads), dtype=np.float32),
        "cross_copy/switch/bias": bias,
    }
