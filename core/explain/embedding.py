"""One row of an embedding table: its numbers, its length, and the tokens whose rows point the same way.

V tokens, D width.
"""

from dataclasses import dataclass

import numpy as np

from core.errors import SettingsError
from core.trace import Array

NEAREST = 12
"""Neighbours that are looked for."""


@dataclass(frozen=True, eq=False)
class TokenVector:
    """A token's row of the table, as trained: what the model reads is the row times √D, plus the position.

    Args:
        id: of the token.
        vector: [D] the row.
        norm: its length.
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
        """[D] the row times √D, what the embedding layer gives (Vaswani et al. 2017, section 3.4)."""
        return np.asarray(self.vector * np.float32(np.sqrt(len(self.vector))), dtype=np.float32)


def token_vector(table: Array, token: int, nearest: int = NEAREST) -> TokenVector:
    """Read one row of an embedding table and compare it with all others.

    Args:
        table: [V, D].
        token: its row.
        nearest: how many neighbours to name, fewer in a smaller table.

    Returns:
        The row; the cosine with a row of length 0 counts as 0.

    Raises:
        SettingsError: there is no such row.
    """
    if not 0 <= token < len(table):
        raise SettingsError(f"the token must be from 0 to {len(table) - 1} here. Received: {token}")
    wide = np.asarray(table, dtype=np.float64)
    norms = np.linalg.norm(wide, axis=1)  # [V]
    products = wide @ wide[token]
    lengths = norms * norms[token]
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    order = [int(each) for each in np.argsort(-cosines, kind="stable") if each != token][:nearest]
    vector = np.array(table[token], dtype=np.float32)
    rank = int(np.sum(norms > norms[token])) + 1
    found = tuple((each, float(cosines[each])) for each in order)
    return TokenVector(token, vector, float(norms[token]), rank, len(table), found)
