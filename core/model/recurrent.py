"""The recurrent encoder-decoder: two LSTMs, with optional attention from one to the other.

Shape letters: B sources, N rows (B, or beams of each), S source, T target, U units, A inner width of the additive
score, V vocabulary.
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from core.config import PAD, RecurrentConfig
from core.model.blocks import by_source
from core.model.layers import TokenEmbedding, scaled
from core.model.masks import padding_mask
from core.model.sequence_attention import SequenceAttention
from core.runtime.backend import keras, ops


class RecurrentEncoded(NamedTuple):
    """The encoder's output for a source.

    Args:
        source: ids [B, S].
        states: [B, S, U]; padding repeats the previous state, so that the last one is that of the last token.
        mask: padding mask [B, 1, 1, S].
        cell: [B, U] the memory cell after the last token.
    """

    source: Any
    states: Any
    mask: Any
    cell: Any


class RecurrentDecoded(NamedTuple):
    """The decoder's output for a target.

    Args:
        states: [B, T, U].
        output: [B, T, U] input of the output layer: the states, combined with the attention's context.
        weights: float32 [B, T, S] attention, or None.
        pointer: always None: a recurrent model cannot copy.
    """

    states: Any
    output: Any
    weights: Any
    pointer: None = None

    @property
    def source_attention(self) -> Any:
        """Attention to the source, [B, T, S], or None."""
        return self.weights


class RecurrentCache(NamedTuple):
    """State of a decoding loop.

    Args:
        hidden: [N, U].
        cell: [N, U].
        keys: keys of the attention, made of the source, [B, S, U or A]; None without attention.
    """

    hidden: Any
    cell: Any
    keys: Any


class RecurrentModel(keras.Model):
    """Recurrent encoder-decoder (Sutskever et al. 2014), with the decoding methods of `Transformer`.

    The decoder starts with the final state of the encoder. Without attention, this vector is its only information
    about the source.

    Args:
        config: shape of the model.

    Call arguments:
        source: ids [B, S], 0 = padding.
        target: decoder input ids [B, T], starting with [SOS].

    Returns:
        logits float32 [B, T, V].
    """

    def __init__(self, config: RecurrentConfig, **kwargs: Any) -> None:
        super().__init__(**{"name": "recurrent", **kwargs})
        self.config = config
        policy, width = self.dtype_policy, config.embedding_dim
        self.source_embedding = TokenEmbedding(config.source_vocabulary, width, dtype=policy, name="source_embedding")
        self.target_embedding = (
            self.source_embedding
            if config.share_embeddings
            else TokenEmbedding(config.target_vocabulary, width, dtype=policy, name="target_embedding")
        )
        self.source_dropout = keras.layers.Dropout(config.dropout, dtype=policy, name="source_dropout")
        self.target_dropout = keras.layers.Dropout(config.dropout, dtype=policy, name="target_dropout")
        self.encoder, self.decoder = (_lstm(config.units, name) for name in ("encoder", "decoder"))
        self.attention = (
            None
            if config.attention == "none"
            else SequenceAttention(
                config.units, config.attention, config.attention_dim, dtype=policy, name="cross_attention"
            )
        )
        self.output_dropout = keras.layers.Dropout(config.dropout, dtype=policy, name="output_dropout")
        self.output_layer = keras.layers.Dense(config.target_vocabulary, dtype=policy, name="output_layer")
        self._make_weights()

    def _make_weights(self) -> None:
        """Build every layer at once; all shapes follow from the configuration."""
        embedded, states = (None, None, self.config.embedding_dim), (None, None, self.config.units)
        for layer in (self.source_embedding, self.target_embedding):
            if not layer.built:
                layer.build((None, None))
        self.encoder.build(embedded)
        self.decoder.build(embedded)
        if self.attention is not None:
            self.attention.build(states)
        self.output_layer.build(states)
        self.built = True

    def call(self, inputs: tuple[Any, Any], training: bool = False) -> Any:
        """Return the logits of every target position under teacher forcing."""
        source, target = inputs
        encoded = self.encode(source, training=training)
        return self.logits(self.decode(target, encoded, training=training))

    def encode(self, source: Any, gates: None = None, training: bool = False, scale: Any = None) -> RecurrentEncoded:
        """Encode ids [B, S]; padding is skipped, also between other tokens.

        Args:
            source: ids [B, S].
            gates: must be None: there are no heads.
            training: whether dropout is on.
            scale: [B, S] factors of the token embeddings, or a `Blend`; None means 1.

        Raises:
            ValueError: gates are given.
        """
        _refuse(gates)
        x = self.source_dropout(scaled(self.source_embedding(source), scale), training=training)
        states, _, cell = self.encoder(x, mask=ops.not_equal(source, PAD))
        return RecurrentEncoded(source, states, padding_mask(source), cell)

    def decode(
        self, target: Any, encoded: RecurrentEncoded, gates: None = None, training: bool = False, scale: Any = None
    ) -> RecurrentDecoded:
        """Decode a whole target [B, T] (decoder input, [SOS] first); see `encode`."""
        _refuse(gates)
        x = self.target_dropout(scaled(self.target_embedding(target), scale), training=training)
        states, _, _ = self.decoder(x, initial_state=[encoded.states[:, -1], encoded.cell])
        output, weights = self._look(states, self._keys(encoded), encoded)
        return RecurrentDecoded(states, self.output_dropout(output, training=training), weights)

    def logits(self, decoded: RecurrentDecoded, encoded: RecurrentEncoded | None = None) -> Any:
        """Return logits float32 [B, T, V] whose softmax is the next-token distribution; `encoded` is not used."""
        return ops.cast(self.output_layer(decoded.output), "float32")

    def target_scores(
        self, decoded: RecurrentDecoded, source: Any, target: Any, smallest: float = 0.0
    ) -> dict[str, Any]:
        """Score given targets without the distribution over the whole vocabulary.

        Args:
            decoded: the decoder's output for those targets.
            source: not used, as nothing is copied.
            target: ids [B, T].
            smallest: not used.

        Returns:
            float32 [B, T] each: `target` log P(y); `smooth` the mean log-probability over the vocabulary.
        """
        logits = self.logits(decoded)  # [B, T, V]
        total = ops.logsumexp(logits, axis=-1)
        chosen = ops.take_along_axis(logits, target[..., None], axis=-1)[..., 0]
        return {"target": chosen - total, "smooth": ops.mean(logits, axis=-1) - total}

    def empty_cache(self, encoded: RecurrentEncoded, length: int, batch: int | None = None) -> RecurrentCache:
        """Return the initial state of decoding.

        Args:
            encoded: the encoder's output.
            length: not used: the size of a state does not depend on it.
            batch: rows that are decoded at once; with more rows than sources, the rows of a source are side by side.
        """
        hidden, cell = encoded.states[:, -1], encoded.cell
        times = (batch or hidden.shape[0]) // hidden.shape[0]
        return RecurrentCache(ops.repeat(hidden, times, axis=0), ops.repeat(cell, times, axis=0), self._keys(encoded))

    def step(
        self, tokens: Any, position: Any, cache: RecurrentCache, encoded: RecurrentEncoded, gates: None = None
    ) -> tuple[Any, RecurrentCache]:
        """Decode one position; equals that row of `logits(decode(...))`.

        Args:
            tokens: decoder input at this position, [N]; the rows of a source are side by side.
            position: not used.
            cache: the previous state.
            encoded: the encoder's output for B sources.
            gates: must be None: there are no heads.

        Returns:
            logits float32 [N, V] and the new state.
        """
        _refuse(gates)
        hidden, (_, cell) = self.decoder.cell(self.target_embedding(tokens), [cache.hidden, cache.cell])
        states = by_source(hidden[:, None], encoded.states)  # [B, N / B, U]
        output, weights = self._look(states, cache.keys, encoded)
        logits = self.logits(RecurrentDecoded(states, output, weights))
        return ops.reshape(logits, (tokens.shape[0], -1)), cache._replace(hidden=hidden, cell=cell)

    def replay(self, source: Any, target: Any, gates: None = None, kinds: Collection[str] = ()) -> Mapping[str, Any]:
        """Run a teacher-forced pass and return everything.

        Args:
            source: ids [B, S].
            target: decoder input ids [B, T], [SOS] first; row t predicts the token after it.
            gates: must be None: there are no heads.
            kinds: not used: the attention is always returned.

        Returns:
            `logits` [B, T, V]; `encoder_hidden` [B, 1, S, U]; `decoder_hidden` [B, 1, T, U]; with attention also
            `cross` [B, 1, 1, T, S]: one layer with one head.
        """
        encoded = self.encode(source, gates)
        decoded = self.decode(target, encoded, gates)
        result = {
            "logits": self.logits(decoded),
            "encoder_hidden": ops.cast(encoded.states, "float32")[:, None],
            "decoder_hidden": ops.cast(decoded.states, "float32")[:, None],
        }
        return result if decoded.weights is None else result | {"cross": decoded.weights[:, None, None]}

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {"name": self.name, "dtype": self.dtype_policy.name, "config": self.config.to_dict()}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "RecurrentModel":
        """Build from what `get_config` returned."""
        return cls(**{**config, "config": RecurrentConfig.from_dict(config["config"])})

    def _keys(self, encoded: RecurrentEncoded) -> Any:
        return None if self.attention is None else self.attention.project(encoded.states)

    def _look(self, states: Any, keys: Any, encoded: RecurrentEncoded) -> tuple[Any, Any]:
        """Return the input of the output layer for decoder states [B, T, U], and the attention weights or None."""
        if self.attention is None:
            return states, None
        return self.attention(states, keys, encoded.states, encoded.mask)  # type: ignore[no-any-return]


def _lstm(units: int, name: str) -> keras.layers.LSTM:
    """Make an LSTM (Hochreiter and Schmidhuber 1997) that returns its states; padding repeats the previous state.

    It is always float32, because its cell adds up over the whole source.
    """
    return keras.layers.LSTM(
        units, return_sequences=True, return_state=True, use_cudnn=False, dtype="float32", name=name
    )


def _refuse(gates: Any) -> None:
    if gates is not None:
        raise ValueError("a recurrent model has no attention heads: gates must be None. Received: gates")
