"""A vector of the speaker for each token of a dialogue (Gu et al. 2020, "Speaker-Aware BERT")."""

from typing import Any

from core.config import FIRST_TAG, PAD, TURN
from core.model.layers import PlainLayer
from core.runtime.backend import ops


class SpeakerEmbedding(PlainLayer):
    """Trained vectors of the speakers; each token gets that of the tag that its turn begins with.

    Args:
        speakers: N, tags with a vector; their ids follow [TURN].
        width: D.

    Call arguments:
        embedded: [B, S, D] vectors of the tokens.
        source: their ids, int [B, S].

    Returns:
        [B, S, D] the sum with the speakers' vectors; row 0 of the table where no turn with such a tag has begun.
    """

    def __init__(self, speakers: int, width: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.speakers = speakers
        self.width = width

    def build(self, embedded_shape: Any, source_shape: Any = None) -> None:
        """Make the table [1 + N, D] of zeros: a model that has learnt without it begins as it was."""
        self.table = self.add_weight(shape=(1 + self.speakers, self.width), initializer="zeros", name="table")

    def call(self, embedded: Any, source: Any) -> Any:
        """Add the vector of the speaker to each token."""
        return embedded + ops.cast(ops.take(self.table, self.numbers(source), axis=0), embedded.dtype)

    def numbers(self, source: Any) -> Any:
        """Return the number of each token's speaker, from 1, or 0: int32 [B, S].

        A turn begins where the dialogue does, after [TURN], or after a turn that is hidden as padding.
        """
        source = ops.cast(source, "int32")
        before = ops.pad(source[:, :-1], [[0, 0], [1, 0]], constant_values=TURN)
        begins = ops.logical_or(before == TURN, before == PAD)
        tag = source - (FIRST_TAG - 1)
        named = ops.logical_and(begins, ops.logical_and(tag >= 1, tag <= self.speakers))
        # The latest tag up to each token: the largest of (position, tag) in one number.
        places = ops.arange(ops.shape(source)[1], dtype="int32")
        marks = ops.where(named, (1 + places) * (1 + self.speakers) + tag, 0)  # [B, S]
        earlier = places[:, None] >= places[None, :]
        latest = ops.max(ops.where(earlier, marks[:, None, :], 0), axis=-1)  # [B, S]
        return latest % (1 + self.speakers)
