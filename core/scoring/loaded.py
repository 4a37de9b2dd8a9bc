"""An encoder in memory: texts in, token vectors out, by the functions of the `bert-score` library.

Texts are encoded one at a time, never as a padded batch: then the last digits of a vector do not depend on the other
texts of a batch, and on two cores this is not slower than batches of 64. Measured on 488
pairs: 16 s against 21 s, and no score differs by more than 2e-7 from the library's batched one.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.errors import ScoringError
from core.files import fault
from core.runtime.queue import CALLS
from core.scoring.encoders import WEIGHTS, Encoder, library, weights_sha256
from core.words import say

IdfWeights = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class EncodedText:
    """An encoded text.

    Args:
        texts: each token as readable text.
        special: whether a token is one of the two that the tokenizer adds.
        vectors: [1, tokens, width] (torch), not normalised.
        weights: [1, tokens] (torch).
    """

    texts: tuple[str, ...]
    special: tuple[bool, ...]
    vectors: Any
    weights: Any


class LoadedEncoder:
    """The network and its tokenizer; threads use them one at a time.

    Args:
        encoder: the encoder.
        all_layers: keep every layer, for baselines.

    Raises:
        ScoringError: its files are damaged or missing.
    """

    def __init__(self, encoder: Encoder, *, all_layers: bool = False) -> None:
        self.weights_sha256 = weights_sha256(encoder)
        utils = library()
        _quiet()
        folder = _Folder(encoder.folder)
        try:
            self.tokenizer = utils.get_tokenizer(folder)
            self.model = utils.get_model(folder, encoder.layers, all_layers)
            if not all(weight.isfinite().all() for weight in self.model.parameters()):
                raise ValueError(say("its weights are not finite numbers"))
        except Exception as error:  # a damaged file raises many kinds of errors in three libraries
            reason = fault(encoder.folder / WEIGHTS, error, say("install or download it again"))
            got = {"name": encoder.name, "files": f"config.json, {WEIGHTS}, tokenizer", "reason": reason}
            raise ScoringError("the encoder {name} cannot be loaded ({files}): {reason}", **got) from None
        most = int(getattr(self.model.config, "max_position_embeddings", 514)) - 2  # RoBERTa counts from 2
        if self.tokenizer.model_max_length > 100_000:  # without a limit in its files the tokenizer would never cut
            self.tokenizer.model_max_length = most
        self.all_layers = all_layers
        self.lock = threading.Lock()  # the tokenizer breaks when two threads set its truncation

    @property
    def max_tokens(self) -> int:
        """Longest text in tokens, the two special ones included."""
        return int(self.tokenizer.model_max_length)

    def plain_weights(self) -> IdfWeights:
        """Return weights without idf: 1 for every token, 0 for the two special ones."""
        weights: defaultdict[int, float] = defaultdict(lambda: 1.0)
        weights[self.tokenizer.sep_token_id] = 0.0
        weights[self.tokenizer.cls_token_id] = 0.0
        return weights

    def idf_weights(self, references: Sequence[str]) -> IdfWeights:
        """Return ln((M + 1) / (c + 1)) for a token that occurs in c of M references."""
        with self.lock:  # threads 0: no pool of processes
            return library().get_idf_dict(list(references), self.tokenizer, nthreads=0)  # type: ignore[no-any-return]

    def length(self, text: str) -> int:
        """Return the number of tokens of a text before it is cut, special ones included."""
        with self.lock:
            return len(self.tokenizer(text.strip(), truncation=False, verbose=False)["input_ids"])

    def weighs(self, text: str, weights: IdfWeights) -> bool:
        """Return whether any token of a text that is read has a weight."""
        with self.lock:
            return any(weights[token] > 0 for token in library().sent_encode(self.tokenizer, text))

    def encode(self, text: str, weights: IdfWeights) -> EncodedText:
        """Encode one text that is not blank."""
        utils = library()
        with CALLS.turn(), self.lock:
            ids = utils.sent_encode(self.tokenizer, text)
            vectors, _, text_weights = utils.get_bert_embedding(
                [text], self.model, self.tokenizer, weights, device="cpu", all_layers=self.all_layers
            )
            words = tuple(self.tokenizer.decode([token]) for token in ids)
        added = (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id)
        return EncodedText(words, tuple(token in added for token in ids), vectors, text_weights)


def match(candidate: EncodedText, reference: EncodedText, *, all_layers: bool = False) -> Any:
    """Match two texts with the library's own code.

    Returns:
        Precision, recall and F1 in a row, [3]; for all layers [3, layers] (torch).
    """
    import torch

    sides = []
    for text in (reference, candidate):
        mask = torch.ones(text.weights.shape, dtype=torch.long)
        sides += [text.vectors.clone(), mask, text.weights.clone()]  # the library normalises them in place
    return torch.stack([measure[..., 0] for measure in library().greedy_cos_idf(*sides, all_layers)])


def similarity(candidate: EncodedText, reference: EncodedText) -> Any:
    """Return cosines of the tokens of a candidate and a reference, float32 [candidate, reference] (numpy)."""
    sides = [text.vectors / text.vectors.norm(dim=-1, keepdim=True) for text in (candidate, reference)]
    return (sides[0] @ sides[1].transpose(1, 2))[0].numpy()


def load(encoder: Encoder) -> LoadedEncoder:
    """Load an encoder; the last two that were used stay in memory.

    Raises:
        ScoringError: its files are damaged or missing.
    """
    with _LOADING:
        return _load(encoder)


def score_all_layers(encoder: Encoder, pairs: Sequence[tuple[str, str]]) -> Iterator[list[tuple[float, float, float]]]:
    """Yield precision, recall and F1 of each pair of candidate and reference at every layer, without idf weights."""
    loaded = LoadedEncoder(encoder, all_layers=True)
    weights = loaded.plain_weights()
    for candidate, reference in pairs:
        found = match(loaded.encode(candidate, weights), loaded.encode(reference, weights), all_layers=True)
        yield [(float(p), float(r), float(f)) for p, r, f in zip(*found, strict=True)]


_LOADING = threading.Lock()


@lru_cache(maxsize=2)
def _load(encoder: Encoder) -> LoadedEncoder:
    return LoadedEncoder(encoder)


def _quiet() -> None:
    """Stop transformers from drawing bars and tables of weights on standard error."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()


class _Folder(str):
    """A folder name that the library does not mistake for a T5: it looks for "t5" anywhere in a name."""

    __slots__ = ()

    def __new__(cls, folder: object) -> "_Folder":
        return super().__new__(cls, str(folder))

    def __contains__(self, part: object) -> bool:
        return False
