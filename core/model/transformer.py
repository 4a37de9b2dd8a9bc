"""The encoder-decoder Transformer (Vaswani et al. 2017) with an optional copy head.

Its settings make it BART, Pegasus, Marian, T5 and their relatives, too; see `core.config.ModelConfig`.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from core.config import END, ModelConfig
from core.model.blocks import Decoder, Encoder, StackOutput, by_source
from core.model.copying import SMALLEST, CopyHead, CrossCopy, Pointer
from core.model.gates import HeadGates
from core.model.layers import LayerNormalization, RMSNormalization, TokenEmbedding, normalization, scaled
from core.model.masks import padding_mask, target_mask
from core.model.positional import PositionalEncoding
from core.model.speakers import SpeakerEmbedding
from core.runtime.backend import keras, ops

ATTENTION = ("encoder_self", "decoder_self", "cross")
"""The kinds of attention of a replay."""


class Encoded(NamedTuple):
    """The encoder's output for a source.

    Args:
        source: ids [B, S].
        states: [B, S, D].
        mask: padding mask [B, 1, 1, S].
        hidden: L+1 tensors [B, S, D].
        attention: L tensors [B, H, S, S].
    """

    source: Any
    states: Any
    mask: Any
    hidden: tuple[Any, ...] = ()
    attention: tuple[Any, ...] = ()


class Decoded(NamedTuple):
    """The decoder's output for a target.

    Args:
        embedded: embeddings of the decoder's input without positions, [B, T, D].
        stack: states, hidden states and attention of the decoder.
        pointer: the copy distribution, or None.
    """

    embedded: Any
    stack: StackOutput
    pointer: Pointer | None

    @property
    def source_attention(self) -> Any:
        """Attention to the source, [B, T, S]: of the copy head, or the mean of the last layer's heads."""
        return self.pointer.weights if self.pointer else ops.mean(self.stack.cross_attention[-1], axis=1)


class Cache(NamedTuple):
    """Keys and values of a decoding loop.

    Args:
        self_keys, self_values: L tensors [B, H, T, K], written one position a step.
        cross_keys, cross_values: L tensors [B, H, S, K].
    """

    self_keys: tuple[Any, ...]
    self_values: tuple[Any, ...]
    cross_keys: tuple[Any, ...]
    cross_values: tuple[Any, ...]


class Transformer(keras.Model):
    """Encoder-decoder Transformer.

    Args:
        config: shape of the model.

    Call arguments:
        source: ids [B, S], 0 = padding.
        target: decoder input ids [B, T], starting with [SOS].

    Returns:
        logits float32 [B, T, V]; for a copying model the log-probabilities of the mixture.
    """

    def __init__(self, config: ModelConfig, **kwargs: Any) -> None:
        super().__init__(**{"name": "transformer", **kwargs})
        self.config = config
        policy = self.dtype_policy
        self.source_embedding = self._embedding("source", config.source_vocabulary)
        self.target_embedding = (
            self.source_embedding if config.share_embeddings else self._embedding("target", config.target_vocabulary)
        )
        place = {"kind": config.positions, "base": config.position_base, "dtype": policy}
        self.source_positions = PositionalEncoding(
            config.source_positions or config.max_source_length, name="source_positions", **place
        )
        self.target_positions = PositionalEncoding(
            config.target_positions or config.max_target_length, name="target_positions", **place
        )
        self.source_speakers = (
            SpeakerEmbedding(config.speakers, config.d_model, dtype=policy, name="source_speakers")
            if config.speakers
            else None
        )
        self.source_norm = self._embedding_norm("source")
        self.target_norm = self._embedding_norm("target")
        self.source_dropout = keras.layers.Dropout(config.dropout, dtype=policy, name="source_dropout")
        self.target_dropout = keras.layers.Dropout(config.dropout, dtype=policy, name="target_dropout")
        self.encoder = Encoder(config, dtype=policy, name="encoder")
        self.decoder = Decoder(config, dtype=policy, name="decoder")
        self.output_layer = (
            None
            if config.share_output
            else keras.layers.Dense(config.target_vocabulary, dtype=policy, name="output_layer")
        )
        own = config.copy and not config.copy_heads
        self.copy_head = CopyHead(config.d_model, name="copy_head") if own else None
        self.cross_copy = CrossCopy(config.d_model, config.copy_heads, name="cross_copy") if config.copy_heads else None
        self._make_weights()

    def _make_weights(self) -> None:
        """Build every layer at once; all shapes follow from the configuration."""
        states = (None, None, self.config.d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            if not embedding.built:
                embedding.build((None, None))
        for layer in (
            *(self.source_positions, self.target_positions, self.source_speakers),
            *(self.source_norm, self.target_norm),
        ):
            if layer is not None:
                layer.build(states)
        self.encoder.build(states)
        self.decoder.build(states, states)
        if self.output_layer is not None:
            self.output_layer.build(states)
        if self.copy_head is not None:
            self.copy_head.build(states, states, states, (None, None))
        if self.cross_copy is not None:
            self.cross_copy.build(states)
        self.built = True

    def call(self, inputs: tuple[Any, Any], training: bool = False) -> Any:
        """Return the logits of every target position under teacher forcing."""
        source, target = inputs
        encoded = self.encode(source, training=training)
        return self.logits(self.decode(target, encoded, training=training), encoded)

    def encode(
        self,
        source: Any,
        gates: HeadGates | None = None,
        training: bool = False,
        scale: Any = None,
        mask: Any = None,
        places: Any = None,
    ) -> Encoded:
        """Encode ids [B, S]; padding is masked, also between other tokens.

        Args:
            source: ids [B, S].
            gates: head gates, or None.
            training: whether dropout is on.
            scale: [B, S] factors of the token embeddings, or a `Blend`, positions and speakers not included; None: 1.
            mask: replaces the padding mask, broadcastable to [B, 1, S, S].
            places: [S] position of each token, -1 for none; None means 0, 1, 2, …
        """
        x = scaled(self.source_embedding(source), scale)
        if self.source_speakers is not None:
            x = self.source_speakers(x, source)
        x = self.source_positions(x, places=places)
        if self.source_norm is not None:
            x = self.source_norm(x)
        x = self.source_dropout(x, training=training)
        mask = padding_mask(source) if mask is None else mask
        head_gates = None if gates is None else gates.encoder_self
        output = self.encoder(x, attention_mask=mask, gates=head_gates, training=training, places=places)
        return Encoded(source, output.states, mask, output.hidden, output.self_attention)

    def remember(self, source: Any, states: Any, depth: int, training: bool = False) -> Encoded:
        """Return what `encode` would, of ids whose states are known: those of the encoder, or inside it.

        Args:
            source: ids [B, S].
            states: [B, S, D], `kept_states` of this depth.
            depth: number of the encoder's blocks that they have passed, from 1.
            training: whether dropout is on in the other blocks.

        Returns:
            The encoded source; hidden states and attention are of the other blocks alone.
        """
        x, mask = ops.cast(states, self.compute_dtype), padding_mask(source)
        if depth == len(self.encoder.blocks):
            return Encoded(source, x, mask)
        output = self.encoder(x, attention_mask=mask, training=training, start=depth)
        return Encoded(source, output.states, mask, output.hidden, output.self_attention)

    def kept_states(self, source: Any, depth: int) -> Any:
        """Return the states of ids [B, S] after so many of the encoder's blocks; after the last, its states."""
        encoded = self.encode(source)
        return encoded.states if depth == len(self.encoder.blocks) else encoded.hidden[depth]

    def decode(
        self,
        target: Any,
        encoded: Encoded,
        gates: HeadGates | None = None,
        training: bool = False,
        scale: Any = None,
        mask: Any = None,
    ) -> Decoded:
        """Decode a whole target [B, T] (decoder input, [SOS] first) under the target mask or another; see `encode`."""
        embedded = scaled(self.target_embedding(target), scale)
        x = self.target_dropout(self._target_input(embedded), training=training)
        stack = self.decoder(
            x,
            encoded.states,
            attention_mask=target_mask(target) if mask is None else mask,
            memory_mask=encoded.mask,
            self_gates=None if gates is None else gates.decoder_self,
            cross_gates=None if gates is None else gates.cross,
            training=training,
        )
        return Decoded(embedded, stack, self._point(stack.states, embedded, encoded, stack.cross_attention[-1], gates))

    def generator_logits(self, states: Any) -> Any:
        """Score the generation of each token from decoder states [B, T, D]: float32 [B, T, V]."""
        if self.config.output_scale:
            states = states / math.sqrt(self.config.d_model)
        output = self.target_embedding.logits if self.output_layer is None else self.output_layer
        return ops.cast(output(states), "float32")

    def logits(self, decoded: Decoded, encoded: Encoded) -> Any:
        """Return logits float32 [B, T, V] whose softmax is the next-token distribution."""
        scores = self.generator_logits(decoded.stack.states)
        if decoded.pointer is None:
            return scores
        return decoded.pointer.mix(ops.log_softmax(scores, axis=-1), encoded.source)

    def target_scores(self, decoded: Decoded, source: Any, target: Any, smallest: float = SMALLEST) -> dict[str, Any]:
        """Score given targets without the distribution over the whole vocabulary.

        Args:
            decoded: the decoder's output for those targets.
            source: ids [B, S].
            target: ids [B, T].
            smallest: smallest probability of copying; with `NOT_COPIED` the scores equal those of `logits`.

        Returns:
            float32 [B, T] each: `target` log P(y); `smooth` the mean log-probability of generating over the
            vocabulary; for a copying model `copy`, the log-probability that copying gives y.
        """
        logits = self.generator_logits(decoded.stack.states)  # [B, T, V]
        total = ops.logsumexp(logits, axis=-1)
        chosen = ops.take_along_axis(logits, target[..., None], axis=-1)[..., 0]
        result = {"target": chosen - total, "smooth": ops.mean(logits, axis=-1) - total}
        if decoded.pointer is not None:
            result["copy"] = decoded.pointer.log_of(target, source, smallest)
            generated = decoded.pointer.log_generate + result["target"]
            result["target"] = ops.logaddexp(generated, decoded.pointer.log_copy + result["copy"])
        return result

    def lens(self, decoded: Decoded, encoded: Encoded) -> Any:
        """Return the logits as if the decoder ended after each of its layers: float32 [L+1, T, V] of the first row.

        The logit lens (nostalgebraist 2020) with the whole output head, copying included.
        """
        rows = []
        for states in map(self.decoder.normalised, decoded.stack.hidden):
            pointer = self._point(states, decoded.embedded, encoded, decoded.stack.cross_attention[-1])
            early = Decoded(decoded.embedded, StackOutput(states, (), ()), pointer)
            rows.append(self.logits(early, encoded)[0])
        return ops.stack(rows)

    def empty_cache(self, encoded: Encoded, length: int, batch: int | None = None) -> Cache:
        """Make a cache: the projected memory, and empty keys and values of `length` target positions.

        Args:
            encoded: the encoder's output.
            length: number of target positions.
            batch: rows that are decoded at once; with more rows than sources, the rows of a source are side by side.
        """
        cross = [block.cross_attention.project(encoded.states) for block in self.decoder.blocks]
        sources, heads, _, width = cross[0][0].shape
        room = [ops.zeros((batch or sources, heads, length, width), dtype=cross[0][0].dtype) for _ in cross]
        return Cache(tuple(room), tuple(room), tuple(key for key, _ in cross), tuple(value for _, value in cross))

    def step(
        self,
        tokens: Any,
        position: Any,
        cache: Cache,
        encoded: Encoded,
        gates: HeadGates | None = None,
    ) -> tuple[Any, Cache]:
        """Decode one position with the cache; equals that row of `logits(decode(...))`.

        Args:
            tokens: decoder input at this position, [N]; the rows of a source are side by side.
            position: scalar int tensor.
            cache: keys and values of the previous positions.
            encoded: the encoder's output for B sources.
            gates: head gates, or None.

        Returns:
            logits float32 [N, V] and the cache that includes this position.
        """
        embedded = self.target_embedding(tokens[:, None])
        x = self._target_input(embedded, position)  # [N, 1, D]
        length = cache.self_keys[0].shape[2]
        past = (ops.arange(length) <= position)[None, None, None, :]
        bias = self.decoder.bias(ops.reshape(position, (1,)), length)
        keys, values = list(cache.self_keys), list(cache.self_values)
        for number, block in enumerate(self.decoder.blocks):
            key, value = block.self_attention.project(block.self_residual.before(x))
            keys[number] = ops.slice_update(keys[number], (0, 0, position, 0), key)
            values[number] = ops.slice_update(values[number], (0, 0, position, 0), value)
            x, _, attention = block.attend(
                x,
                (keys[number], values[number]),
                (cache.cross_keys[number], cache.cross_values[number]),
                past,
                encoded.mask,
                gates and gates.decoder_self.layer(number),
                gates and gates.cross.layer(number),
                bias=bias,
            )
        x = self.decoder.normalised(x)
        # From here on no other position is used: the rows of one source may be side by side like positions.
        states, embedded = by_source(x, encoded.states), by_source(embedded, encoded.states)  # [B, N / B, D]
        pointer = self._point(states, embedded, encoded, attention, gates)
        decoded = Decoded(embedded, StackOutput(states, (), ()), pointer)
        logits = ops.reshape(self.logits(decoded, encoded), (tokens.shape[0], -1))
        return logits, cache._replace(self_keys=tuple(keys), self_values=tuple(values))

    def replay(
        self, source: Any, target: Any, gates: HeadGates | None = None, kinds: Collection[str] = ATTENTION
    ) -> Mapping[str, Any]:
        """Run a teacher-forced pass and return everything.

        Args:
            source: ids [B, S].
            target: decoder input ids [B, T], [SOS] first; row t predicts the token after it.
            gates: head gates, or None.
            kinds: the kinds of attention that are returned; see `layer_attention` for the others.

        Returns:
            `logits` [B, T, V]; `encoder_self` [B, L, H, S, S]; `decoder_self` [B, L, H, T, T]; `cross`
            [B, L, H, T, S]; `encoder_hidden` [B, L+1, S, D]; `decoder_hidden` [B, L+1, T, D]; for a copying
            model also `p_gen` [B, T] and `copy` [B, T, S]. All float32.
        """
        encoded = self.encode(source, gates)
        decoded = self.decode(target, encoded, gates)
        stack = decoded.stack
        stacks = {
            "encoder_self": encoded.attention,
            "decoder_self": stack.self_attention,
            "cross": stack.cross_attention,
            "encoder_hidden": encoded.hidden,
            "decoder_hidden": stack.hidden,
        }
        result = {
            name: ops.cast(ops.stack(values, axis=1), "float32")
            for name, values in stacks.items()
            if name.endswith("hidden") or name in kinds
        }
        result["logits"] = self.logits(decoded, encoded)
        if decoded.pointer is not None:
            result["p_gen"] = ops.exp(decoded.pointer.log_generate)
            result["copy"] = decoded.pointer.weights
        return result

    def layer_attention(
        self, kind: str, layer: int, hidden: Mapping[str, Any], inputs: Any, gates: HeadGates | None = None
    ) -> Any:
        """Compute the attention weights of one layer from the hidden states of a replay without padding.

        Args:
            kind: "encoder_self", "decoder_self" or "cross".
            layer: 0-based.
            hidden: `encoder_hidden` [L+1, S, D] and `decoder_hidden` [L+1, T, D].
            inputs: the decoder's input ids [T].
            gates: those of the replay.

        Returns:
            float32 [H, S, S], [H, T, T] or [H, T, S].
        """
        read = "encoder" if kind == "encoder_self" else "decoder"
        block = getattr(self, read).blocks[layer]
        x = ops.convert_to_tensor(hidden[f"{read}_hidden"][layer][None])  # [1, N, D]
        states = block.self_residual.before(x)
        keys = block.self_attention.project(states)
        if kind == "encoder_self":
            return block.self_attention.weigh(states, keys[0], bias=self.encoder.bias(x.shape[1]))[0]
        mask, bias = target_mask(inputs[None]), self.decoder.bias(x.shape[1])
        if kind == "decoder_self":
            return block.self_attention.weigh(states, keys[0], mask, bias)[0]
        x, _ = block.read_target(x, keys, mask, gates and gates.decoder_self.layer(layer), bias=bias)
        memory = self.encoder.normalised(ops.convert_to_tensor(hidden["encoder_hidden"][-1][None]))
        key, _ = block.cross_attention.project(memory)
        return block.cross_attention.weigh(block.cross_residual.before(x), key)[0]

    def get_config(self) -> dict[str, Any]:
        """Return the init arguments."""
        return {"name": self.name, "dtype": self.dtype_policy.name, "config": self.config.to_dict()}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "Transformer":
        """Build from what `get_config` returned."""
        return cls(**{**config, "config": ModelConfig.from_dict(config["config"])})

    def _embedding(self, side: str, vocabulary: int) -> TokenEmbedding:
        config = self.config
        bias = config.output_bias and config.share_output and (side == "target" or config.share_embeddings)
        return TokenEmbedding(
            vocabulary, config.d_model, config.embedding_scale, bias, dtype=self.dtype_policy, name=f"{side}_embedding"
        )

    def _embedding_norm(self, side: str) -> LayerNormalization | RMSNormalization | None:
        if self.config.embedding_norm == "none":
            return None
        policy = self.dtype_policy
        return normalization(self.config.normalization, self.config.epsilon, dtype=policy, name=f"{side}_norm")

    def _target_input(self, embedded: Any, first: Any = 0) -> Any:
        """Add the positions from `first` on to the decoder's embeddings [B, T, D], and normalise."""
        if self.target_norm is None:
            return self.target_positions(embedded, first=first)
        if self.config.embedding_norm == "before_positions":
            return self.target_positions(self.target_norm(embedded), first=first)
        return self.target_norm(self.target_positions(embedded, first=first))

    def _point(
        self, states: Any, embedded: Any, encoded: Encoded, attention: Any, gates: HeadGates | None = None
    ) -> Pointer | None:
        """Make the copy distribution; `attention` is the cross-attention of the last layer [B, H, T, S]."""
        if self.cross_copy is not None:
            gate = gates and gates.cross.layer(self.config.decoder_layers - 1)
            return self.cross_copy(states, embedded, attention, encoded.source, gate)  # type: ignore[no-any-return]
        if self.copy_head is not None:
            return self.copy_head(states, embedded, encoded.states, encoded.source)  # type: ignore[no-any-return]
        return None


def attention_maps(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decoder attention of a replay under the names of the course reports.

    Args:
        result: what `Transformer.replay` returned.

    Returns:
        `decoder_layer{i}_block1_self_att` [B, H, T, T] and `decoder_layer{i}_block2_decenc_att`
        [B, H, T, S], i counted from 1.
    """
    maps = {}
    for index in range(result["decoder_self"].shape[1]):
        maps[f"decoder_layer{index + 1}_block1_self_att"] = result["decoder_self"][:, index]
        maps[f"decoder_layer{index + 1}_block2_decenc_att"] = result["cross"][:, index]
    return maps


def decoder_input(target: Any, start: int, end: int = END) -> Any:
    """Shift target ids [B, T] right by one: [SOS] first, the last column dropped (teacher forcing).

    [EOS] is never an input, so that padded rows stay padding.
    """
    target = ops.convert_to_tensor(target)
    shifted = ops.concatenate([ops.full_like(target[:, :1], start), target[:, :-1]], axis=1)
    return ops.where(shifted == end, 0, shifted)
