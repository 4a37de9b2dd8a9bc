"""Rows of an embedding table: values and norms, the most similar rows, and words of one kind.

V tokens, D width.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import UNKNOWN
from core.errors import SettingsError
from core.files import table
from core.trace import Array

NEAREST = 12
"""Number of neighbours that are found."""
SLICE = 4096
"""Rows that are compared at once."""
KINDS = {each["name"]: tuple(each["words"].split()) for each in table(__file__)["kinds"]}
"""Words that are used alike, by what they are, to be said: one can often stand in the place of another."""


@dataclass(frozen=True)
class Kind:
    """How alike the rows of tokens of one kind are.

    Args:
        name: of the kind.
        tokens: ids, at least two.
        alike: mean cosine of its pairs.
        others: mean cosine of its tokens with all tokens that are not of the kind.
        nearer: share of the comparisons in which a token is nearer to one of its kind than to a token that is not.
        ranks: of each token, the rank of the nearest of its kind among all other tokens; 1: the nearest of all.
    """

    name: str
    tokens: tuple[int, ...]
    alike: float
    others: float
    nearer: float
    ranks: tuple[int, ...]

    @property
    def pairs(self) -> int:
        """Return the number of pairs of two tokens."""
        return len(self.tokens) * (len(self.tokens) - 1) // 2


@dataclass(frozen=True, eq=False)
class TokenVector:
    """A token's row of the trained table.

    Args:
        id: of the token.
        vector: [D] the row.
        norm: its Euclidean norm.
        norm_rank: 1 for the longest row of the table.
        tokens: V.
        nearest: (id, cosine) of the tokens with the largest cosine, the token itself left out, best first.
    """

    id: int
    vector: Array
    norm: float
    norm_rank: int
    tokens: int
    nearest: tuple[tuple[int, float], ...]

    @property
    def scaled(self) -> Array:
        """The row times √D, [D], which most models read (Vaswani et al. 2017, section 3.4)."""
        return np.asarray(self.vector * np.float32(np.sqrt(len(self.vector))), dtype=np.float32)


def token_vector(table: Array, token: int, nearest: int = NEAREST) -> TokenVector:
    """Read one row of an embedding table and compare it with all others.

    Args:
        table: [V, D].
        token: its row.
        nearest: number of neighbours, fewer in a smaller table.

    Returns:
        The row; its cosine with a zero row counts as 0.

    Raises:
        SettingsError: there is no such row.
    """
    if not 0 <= token < len(table):
        raise SettingsError(
            "the token must be from 0 to {last} here. Received: {token}", last=len(table) - 1, token=token
        )
    norms = _norms(table)
    cosines = _cosines(table, [token], norms)[0]
    order = [int(other) for other in np.argsort(-cosines, kind="stable") if other != token][:nearest]
    vector = np.array(table[token], dtype=np.float32)
    rank = int(np.sum(norms > norms[token])) + 1
    neighbours = tuple((other, float(cosines[other])) for other in order)
    return TokenVector(token, vector, float(norms[token]), rank, len(table), neighbours)


def kinds_of(table: Array, encode: Callable[[str], Sequence[int]]) -> tuple[Kind, ...]:
    """Measure all `KINDS`, with those of their words that are one token.

    Args:
        table: [V, D].
        encode: gives the ids of a word, [EOS] last, as `Tokenizer.encode_summary` does.

    Returns:
        The kinds of which at least two words are one token each.
    """
    kinds = []
    for name, words in KINDS.items():
        ids = [encode(word)[:-1] for word in words]
        tokens = list(dict.fromkeys(word_ids[0] for word_ids in ids if len(word_ids) == 1 and word_ids[0] != UNKNOWN))
        if len(tokens) > 1:
            kinds.append(kind_of(table, name, tokens))
    return tuple(kinds)


def kind_of(table: Array, name: str, tokens: Sequence[int]) -> Kind:
    """Measure how much nearer the rows of tokens of one kind are to each other than to all other rows.

    Args:
        table: [V, D].
        name: of the kind.
        tokens: ids, at least two and not all of the table.

    Raises:
        SettingsError: there are too few tokens, or no others.
    """
    if not 2 <= len(set(tokens)) == len(tokens) < len(table):
        raise SettingsError(f"a kind must have two tokens, each once, and there must be others. Received: {tokens}")
    cosines = _cosines(table, tokens, _norms(table))  # [N, V]
    own = ~np.eye(len(tokens), dtype=bool)
    inside = cosines[:, list(tokens)][own].reshape(len(tokens), -1)  # [N, N − 1]
    outside = np.delete(cosines, list(tokens), axis=1)  # [N, V − N]
    nearer = float(np.mean(outside[:, None, :] < inside[:, :, None]))
    ranks = 1 + np.sum(outside > inside.max(axis=1, keepdims=True), axis=1)
    means = float(inside.mean()), float(outside.mean())
    return Kind(name, tuple(tokens), *means, nearer, tuple(int(rank) for rank in ranks))


def _cosines(table: Array, tokens: Sequence[int], norms: NDArray[np.float64]) -> Array:
    """Return the cosines [N, V] of some rows with all rows, whose norms are known; with a row of length 0 it is 0."""
    rows = np.asarray(table[list(tokens)], dtype=np.float64)
    lengths = norms[list(tokens), None] * norms
    products = np.concatenate([rows @ part.T for part in _slices(table)], axis=1)
    return np.asarray(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0))


def _norms(table: Array) -> NDArray[np.float64]:
    """Return the Euclidean norm of every row, [V]."""
    return np.concatenate([np.linalg.norm(part, axis=1) for part in _slices(table)])


def _slices(table: Array) -> Iterator[NDArray[np.float64]]:
    """Yield the rows in double precision, some at a time: a whole large table would take hundreds of megabytes."""
    for first in range(0, len(table), SLICE):
        yield np.asarray(table[first : first + SLICE], dtype=np.float64)
