"""Settings of the model, of decoding and of training: frozen, validated dataclasses.

Each has `to_dict` and `from_dict`; `from_dict(to_dict(x)) == x`, and unknown keys are refused by name.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self, get_args

from core.errors import SettingsError
from core.files import table
from core.words import say

Norm = Literal["post", "pre"]
Positions = Literal["sinusoidal", "halves", "learned", "relative"]
Normalization = Literal["layer", "rms"]
EmbeddingNorm = Literal["none", "with_positions", "before_positions"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
Strategy = Literal["greedy", "beam", "sample"]
Truncation = Literal["start", "middle", "end", "error"]
Schedule = Literal["inverse_sqrt", "cosine"]
Scoring = Literal["none", "dot", "multiplicative", "additive"]

PAD, START, END, UNKNOWN, TURN = range(5)
"""Ids that every tokenizer reserves: [PAD], [SOS], [EOS], [UNK], and [TURN] between two turns."""
FIRST_TAG = TURN + 1
"""Id of #Person1# in a tokenizer of this project; the other speaker tags follow."""

KEPT_ATTENTION = 64_000_000
"""Most bytes of one kind of attention [L, H, Q, N] that a run keeps; more is computed a layer at a time on demand."""

MOST_BEAMS = 8
"""Most live hypotheses of beam search."""

LONGEST_TARGET = 1024
"""Most tokens of a summary that settings may ask for."""


class _Settings:
    """Shared dictionary conversion of the frozen settings classes."""

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON types."""
        values = asdict(self)  # type: ignore[call-overload]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from a mapping; raises SettingsError on an unknown key or an invalid value."""
        if not isinstance(values, Mapping):
            raise SettingsError(
                "{name} must be an object of settings. Received: {received}",
                name=cls.__name__,
                received=type(values).__name__,
            )
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        unknown = sorted(set(values) - known)
        if unknown:
            raise SettingsError(
                "{name} has no setting {setting}. Allowed: {allowed}",
                name=cls.__name__,
                setting=repr(unknown[0]),
                allowed=", ".join(sorted(known)),
            )
        try:
            return cls(**values)
        except TypeError as error:
            raise SettingsError(f"{cls.__name__}: {error}") from None

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some values changed (validated again)."""
        return replace(self, **changes)  # type: ignore[type-var]

    def _integer(self, name: str, low: int, high: int | None = None, *, optional: bool = False) -> None:
        value = getattr(self, name)
        if value is None and optional:
            return
        if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
            places = self._told(name) | {"low": low, "high": high}
            if high is None:
                raise SettingsError("{name} must be an integer of at least {low}. Received: {received}", **places)
            raise SettingsError("{name} must be an integer from {low} to {high}. Received: {received}", **places)

    def _number(self, name: str, low: float, high: float = math.inf, *, above: bool = False) -> None:
        value = getattr(self, name)
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not number or value > high or value < low or (above and value == low):
            places = self._told(name) | {"low": f"{low:g}", "high": f"{high:g}"}
            if high == math.inf and above:
                raise SettingsError("{name} must be a number above {low}. Received: {received}", **places)
            if high == math.inf:
                raise SettingsError("{name} must be a number at least {low}. Received: {received}", **places)
            if above:
                raise SettingsError(
                    "{name} must be a number above {low} and at most {high}. Received: {received}", **places
                )
            raise SettingsError(
                "{name} must be a number at least {low} and at most {high}. Received: {received}", **places
            )

    def _flag(self, name: str) -> None:
        if not isinstance(getattr(self, name), bool):
            raise SettingsError("{name} must be true or false. Received: {received}", **self._told(name))

    def _ids(self, name: str, size: int) -> tuple[int, ...]:
        """Return a list of token ids as a tuple."""
        value = getattr(self, name)
        if not isinstance(value, list | tuple) or any(type(each) is not int or not 0 <= each < size for each in value):
            raise SettingsError(
                "{name} must be a list of ids from 0 to {last}. Received: {received}", last=size - 1, **self._told(name)
            )
        return tuple(value)

    def _choice(self, name: str, choices: Any) -> None:
        allowed = get_args(choices)
        if getattr(self, name) not in allowed:
            raise SettingsError(
                "{name} must be one of {allowed}. Received: {received}", allowed=", ".join(allowed), **self._told(name)
            )

    def _told(self, *names: str) -> dict[str, Any]:
        """Return what a refusal says of some values."""
        return {"name": names[0], "received": ", ".join(f"{each}={getattr(self, each)!r}" for each in names)}


@dataclass(frozen=True)
class Capabilities:
    """The parts that a model has. Pages and core ask for a part here, never for the name of a family.

    Args:
        family: of the model, in words, said.
        heads: attention heads of a layer that can be gated and measured; 0 means none.
        positions: encoding of the positions, None for a model that reads one token after the other.
        blocks: shape of its stacks of attention and feed-forward sub-layers, or None.
        cells: shape of its recurrent cells, or None.
    """

    family: str
    heads: int = 0
    positions: Positions | None = None
    blocks: "ModelConfig | None" = None
    cells: "RecurrentConfig | None" = None


_WIDEST, _DEEPEST, _LARGEST, _LONGEST = 1_000_000, 1_000, 10_000_000, 100_000
"""Most numbers of a vector, layers of a stack, tokens of a vocabulary and of a text: a damaged file may ask more."""


@dataclass(frozen=True)
class ModelConfig(_Settings):
    """Shape of an encoder-decoder Transformer (Vaswani et al. 2017, section 3).

    Args:
        source_vocabulary: number of source token ids.
        target_vocabulary: number of target token ids.
        d_model: width of the residual stream.
        num_heads: attention heads a layer.
        head_dim: width of one head; None means d_model / num_heads.
        feed_forward_dim: inner width of the position-wise feed-forward network.
        encoder_layers: encoder blocks.
        decoder_layers: decoder blocks.
        max_source_length: longest source, in tokens.
        max_target_length: longest target, in tokens.
        dropout: rate on sub-layer outputs and embeddings.
        attention_dropout: rate on attention weights.
        norm: "post" = LayerNorm(x + Sublayer(x)) as in the paper, "pre" = x + Sublayer(LayerNorm(x))
            with one more normalisation after the last block.
        positions: "sinusoidal" (section 3.5), "halves" (the same waves, all sines before all cosines), "learned", or
            "relative" (Raffel et al. 2020, section 2.1: a bias of the self-attention's scores by distance).
        position_base: base of the sinusoids' wavelengths.
        share_embeddings: one embedding table for source and target.
        share_output: the output layer is the transposed target embedding (section 3.4).
        copy: add a pointer-generator (See et al. 2017) that mixes copying source tokens with generation.
        copy_heads: number of heads of the last layer's cross-attention that copying reads; 0 means that it has an
            attention head of its own.
        speakers: number of speaker tags, whose ids follow [TURN], with a vector that every token of their turns gets;
            0 means none.
        source_positions: rows of the source's table of positions; None means max_source_length.
        target_positions: rows of the target's table of positions; None means max_target_length.
        relative_buckets: number of learned biases a head, "relative" only.
        relative_distance: distance from which on all tokens share one bias, "relative" only.
        embedding_scale: whether embeddings are multiplied by sqrt(d_model) (section 3.4).
        embedding_norm: normalise the encoder's and decoder's input: "none", "with_positions" (after positions were
            added), or "before_positions" (the same, but in the decoder before they are added).
        normalization: "layer" (Ba et al. 2016), or "rms" without mean and shift (Zhang and Sennrich 2019).
        epsilon: added to the variance.
        activation: of the feed-forward network: "relu", "gelu" (Hendrycks and Gimpel 2016), "gelu_tanh" (its
            approximation) or "silu".
        gated: multiply the activation with a second map of the input (Shazeer 2020, section 2).
        biases: whether projections and feed-forward maps have biases.
        score_scale: whether scores are divided by sqrt(head width) (equation 1).
        output_scale: whether the output layer reads states divided by sqrt(d_model).
        output_bias: whether a shared output layer adds a bias to each token.
        forced_first: id that every target begins with, its probability counted as 1; None forces nothing.
        forced_last: whether the end token is forced at the last position that settings allow.
        suppressed: ids that are never written.
        ends: ids beside [EOS] that end a target, too.
    """

    source_vocabulary: int = 8000
    target_vocabulary: int = 8000
    d_model: int = 256
    num_heads: int = 4
    head_dim: int | None = None
    feed_forward_dim: int = 1024
    encoder_layers: int = 4
    decoder_layers: int = 3
    max_source_length: int = 512
    max_target_length: int = 96
    dropout: float = 0.1
    attention_dropout: float = 0.0
    norm: Norm = "post"
    positions: Positions = "sinusoidal"
    position_base: float = 10000.0
    share_embeddings: bool = False
    share_output: bool = False
    copy: bool = False
    copy_heads: int = 0
    speakers: int = 0
    source_positions: int | None = None
    target_positions: int | None = None
    relative_buckets: int = 32
    relative_distance: int = 128
    embedding_scale: bool = True
    embedding_norm: EmbeddingNorm = "none"
    normalization: Normalization = "layer"
    epsilon: float = 1e-6
    activation: Activation = "relu"
    gated: bool = False
    biases: bool = True
    score_scale: bool = True
    output_scale: bool = False
    output_bias: bool = False
    forced_first: int | None = None
    forced_last: bool = False
    suppressed: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Validate; raises SettingsError."""
        for name in ("d_model", "num_heads", "feed_forward_dim"):
            self._integer(name, 1, _WIDEST)
        for name in ("encoder_layers", "decoder_layers"):
            self._integer(name, 1, _DEEPEST)
        for name in ("source_vocabulary", "target_vocabulary"):
            self._integer(name, 2, _LARGEST)
        for name in ("max_source_length", "max_target_length"):
            self._integer(name, 2, _LONGEST)
        self._integer("head_dim", 1, _WIDEST, optional=True)
        self._number("dropout", 0.0, 0.95)
        self._number("attention_dropout", 0.0, 0.95)
        self._number("position_base", 1.0, above=True)
        self._choice("norm", Norm)
        self._choice("positions", Positions)
        self._choice("normalization", Normalization)
        self._choice("embedding_norm", EmbeddingNorm)
        self._choice("activation", Activation)
        for name in _FLAGS:
            self._flag(name)
        self._integer("source_positions", self.max_source_length, _LONGEST, optional=True)
        self._integer("target_positions", self.max_target_length, _LONGEST, optional=True)
        self._integer("relative_buckets", 4, _LONGEST)
        self._integer("relative_distance", 2, _LONGEST)
        if 2 * self.relative_distance <= self.relative_buckets:
            raise SettingsError(
                "relative_distance must be above half of relative_buckets. Received: {received}",
                **self._told("relative_distance", "relative_buckets"),
            )
        self._number("epsilon", 0.0, above=True)
        self._integer("copy_heads", 0, self.num_heads if self.copy else 0)
        self._integer("speakers", 0, max(0, self.source_vocabulary - FIRST_TAG))
        self._integer("forced_first", 0, self.target_vocabulary - 1, optional=True)
        for name in ("suppressed", "ends"):
            object.__setattr__(self, name, self._ids(name, self.target_vocabulary))
        if self.head_dim is None and self.d_model % self.num_heads:
            raise SettingsError(
                "d_model must be a multiple of num_heads unless head_dim is given. Received: {received}",
                **self._told("d_model", "num_heads"),
            )
        if (self.share_embeddings or self.copy) and self.source_vocabulary != self.target_vocabulary:
            raise SettingsError(
                "sharing embeddings or copying needs one vocabulary. Received: {received}",
                **self._told("source_vocabulary", "target_vocabulary"),
            )

    @property
    def has(self) -> Capabilities:
        """The parts of a Transformer."""
        return Capabilities("Transformer", heads=self.num_heads, positions=self.positions, blocks=self)

    @property
    def key_dim(self) -> int:
        """Width of one head's query, key and value vectors."""
        return self.head_dim or self.d_model // self.num_heads

    @property
    def embedding_dim(self) -> int:
        """Width of a token's embedding."""
        return self.d_model


_FLAGS = (
    *("share_embeddings", "share_output", "copy", "embedding_scale", "gated", "biases", "score_scale"),
    *("output_scale", "output_bias", "forced_last"),
)


@dataclass(frozen=True)
class RecurrentConfig(_Settings):
    """Shape of a recurrent encoder-decoder: one LSTM reads, another one writes (Sutskever et al. 2014).

    Args:
        source_vocabulary: number of source token ids.
        target_vocabulary: number of target token ids.
        embedding_dim: width of a token's embedding.
        units: width of the state of both LSTMs.
        attention: comparison of the decoder's state with the encoder's states: "dot" or "multiplicative"
            (Luong et al. 2015, section 3.1), "additive" (Bahdanau et al. 2015, section A.1.2), or "none".
        attention_dim: inner width of the additive comparison.
        dropout: rate on embeddings and on what the output layer reads; states are passed on whole
            (Zaremba et al. 2014, section 3.1).
        share_embeddings: one embedding table for source and target.
        max_source_length: longest source, in tokens.
        max_target_length: longest target, in tokens.
        family: marks stored settings as those of a recurrent model.
    """

    source_vocabulary: int = 8000
    target_vocabulary: int = 8000
    embedding_dim: int = 128
    units: int = 256
    attention: Scoring = "additive"
    attention_dim: int = 128
    dropout: float = 0.3
    share_embeddings: bool = False
    max_source_length: int = 512
    max_target_length: int = 96
    family: Literal["recurrent"] = "recurrent"

    copy: ClassVar[bool] = False
    forced_first: ClassVar[None] = None
    forced_last: ClassVar[bool] = False
    suppressed: ClassVar[tuple[int, ...]] = ()
    ends: ClassVar[tuple[int, ...]] = ()
    """A recurrent model cannot copy, and forces no tokens; see `ModelConfig`."""

    def __post_init__(self) -> None:
        """Validate; raises SettingsError."""
        for name in ("embedding_dim", "units", "attention_dim"):
            self._integer(name, 1, _WIDEST)
        for name in ("source_vocabulary", "target_vocabulary"):
            self._integer(name, 2, _LARGEST)
        for name in ("max_source_length", "max_target_length"):
            self._integer(name, 2, _LONGEST)
        self._number("dropout", 0.0, 0.95)
        self._choice("attention", Scoring)
        self._choice("family", type(self).__annotations__["family"])
        self._flag("share_embeddings")
        if self.share_embeddings and self.source_vocabulary != self.target_vocabulary:
            raise SettingsError(
                "sharing embeddings needs one vocabulary. Received: {received}",
                **self._told("source_vocabulary", "target_vocabulary"),
            )

    @property
    def has(self) -> Capabilities:
        """The parts of a recurrent model."""
        return Capabilities(say("recurrent model"), cells=self)


NetworkConfig = ModelConfig | RecurrentConfig
"""The shape of a model of either family."""


@dataclass(frozen=True)
class DecodeSettings(_Settings):
    """Settings of decoding. Every value is an argument of the compiled loop, so that none recompiles it.

    Args:
        strategy: "greedy", "beam" or "sample".
        beam_size: live hypotheses of beam search (1 to 8).
        length_penalty: exponent a of score = log-probability / length^a; length counts the
            generated tokens including the end token.
        temperature: divides the logits before sampling; only for "sample".
        top_k: keep the k most probable tokens; 0 keeps all; only for "sample".
        top_p: keep the smallest set of tokens that reaches this probability; 1 keeps all; only for "sample".
        seed: of the sampling noise.
        max_tokens: most tokens to write, the end token included.
        min_tokens: fewest tokens before the end token is allowed.
        no_repeat_ngram: no n-gram of this length occurs twice; 0 allows all.
        early_stopping: whether beam search ends as soon as `beam_size` hypotheses are finished.
        whole_words: words made of sub-words of the dialogue are written in full, as in the dialogue, and no word
            is written twice in a row.
        truncation: which turns of a too long dialogue are left out: those at its "start", "middle" or "end";
            "error" refuses the dialogue.
    """

    strategy: Strategy = "beam"
    beam_size: int = 4
    length_penalty: float = 1.0
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0
    max_tokens: int = 80
    min_tokens: int = 0
    no_repeat_ngram: int = 3
    early_stopping: bool = False
    whole_words: bool = True
    truncation: Truncation = "middle"

    def __post_init__(self) -> None:
        """Validate; raises SettingsError."""
        self._choice("strategy", Strategy)
        self._choice("truncation", Truncation)
        self._integer("beam_size", 1, MOST_BEAMS)
        self._number("length_penalty", 0.0, 5.0)
        self._number("temperature", 0.0, 10.0, above=True)
        self._integer("top_k", 0)
        self._number("top_p", 0.0, 1.0, above=True)
        self._integer("seed", 0, 2**31 - 1)
        self._integer("max_tokens", 1, LONGEST_TARGET)
        self._integer("min_tokens", 0, LONGEST_TARGET - 1)
        self._integer("no_repeat_ngram", 0, 10)
        self._flag("early_stopping")
        self._flag("whole_words")
        if self.min_tokens >= self.max_tokens:
            raise SettingsError(
                "min_tokens must be below max_tokens. Received: {received}",
                **self._told("min_tokens", "max_tokens"),
            )

    @property
    def idle(self) -> frozenset[str]:
        """Return the names of the settings that have no effect under this strategy."""
        sampling = {"temperature", "top_k", "top_p", "seed"} if self.strategy != "sample" else set()
        search = {"beam_size", "length_penalty", "early_stopping"} if self.strategy != "beam" else set()
        return frozenset(sampling | search)


@dataclass(frozen=True)
class TrainConfig(_Settings):
    """Settings of training: teacher forcing with Adam (Vaswani et al. 2017, section 5).

    Args:
        epochs: passes over the training data.
        batch_tokens: source and target tokens, padding included, in one batch.
        schedule: "inverse_sqrt" (equation 3, scaled so that its peak is `learning_rate`) or "cosine".
        learning_rate: peak; None means the paper's d_model^-0.5 * warmup_steps^-0.5.
        warmup_steps: steps of linear warm-up.
        beta_2: Adam's second moment decay.
        epsilon: Adam's epsilon.
        weight_decay: decoupled weight decay on matrices.
        clip_norm: largest global gradient norm; 0 turns clipping off.
        label_smoothing: probability spread evenly over the vocabulary.
        guided_copy: weight of the extra loss that rewards pointing at source tokens that the
            summary repeats, during the first third of training; only for a copying model.
        risk: weight of the expected ROUGE of the model's own candidates (`core.training.risk`); 0 = teacher forcing.
        sharpness: of the distribution over those candidates.
        augment: whether names, numbers and openings of the training dialogues are changed in every epoch.
        frozen: encoder layers, counted from the lowest, that keep their weights, and embeddings and positions with
            them; 0 trains everything.
        encoder_rate: factor of the learning rate of the encoder and of the embeddings.
        average: decay of the exponential moving average of the weights; 0 turns it off.
        patience: epochs that may pass since the best one before training stops; 0 never stops.
        seed: of initial weights, dropout and data order.
        precision: "float32" or "mixed_bfloat16".
        steps_per_call: batches run in one call of the compiled step.
    """

    epochs: int = 30
    batch_tokens: int = 6000
    schedule: Schedule = "inverse_sqrt"
    learning_rate: float | None = None
    warmup_steps: int = 1000
    beta_2: float = 0.98
    epsilon: float = 1e-9
    weight_decay: float = 0.0
    clip_norm: float = 1.0
    label_smoothing: float = 0.1
    guided_copy: float = 0.0
    risk: float = 0.0
    sharpness: float = 10.0
    augment: bool = False
    frozen: int = 0
    encoder_rate: float = 1.0
    average: float = 0.999
    patience: int = 5
    seed: int = 0
    precision: Literal["float32", "mixed_bfloat16"] = "float32"
    steps_per_call: int = 8

    def __post_init__(self) -> None:
        """Validate; raises SettingsError."""
        for name in ("epochs", "batch_tokens", "warmup_steps", "steps_per_call"):
            self._integer(name, 1)
        self._integer("patience", 0)
        self._integer("frozen", 0)
        self._number("encoder_rate", 0.0, above=True)
        self._integer("seed", 0, 2**31 - 1)
        self._flag("augment")
        self._choice("schedule", Schedule)
        self._choice("precision", Literal["float32", "mixed_bfloat16"])
        if self.learning_rate is not None:
            self._number("learning_rate", 0.0, above=True)
        self._number("beta_2", 0.0, 0.99999)
        self._number("epsilon", 0.0, above=True)
        for name in ("weight_decay", "clip_norm", "guided_copy", "risk", "sharpness"):
            self._number(name, 0.0)
        self._number("label_smoothing", 0.0, 0.95)
        self._number("average", 0.0, 0.99999)


@dataclass(frozen=True)
class Preset:
    """A named configuration: the model, its tokenizer, its training and the decoding its card names.

    Args:
        about: one sentence for lists, to be said.
        model: the shape; the vocabulary sizes become those of the trained tokenizer.
        tokenizer: "bpe" or "word".
        training: settings of the training.
        pretraining: settings of the training on dialogues alone, by `python -m core pretrain`.
        decoding: default settings of decoding.
        min_frequency: rarest word of a word vocabulary.
    """

    about: str
    model: NetworkConfig
    tokenizer: Literal["bpe", "word"] = "bpe"
    training: TrainConfig = TrainConfig()
    pretraining: TrainConfig = TrainConfig()
    decoding: DecodeSettings = DecodeSettings()
    min_frequency: int = 3


def _presets() -> dict[str, Preset]:
    """Read the presets; one that is `like` an earlier one changes it."""
    found: dict[str, Preset] = {}
    for name, values in table(__file__, "presets")["presets"].items():
        like = found.get(values.pop("like", ""))
        model = (like.model.to_dict() if like else {}) | values.pop("model")
        for part, kind in (("training", TrainConfig), ("pretraining", TrainConfig), ("decoding", DecodeSettings)):
            values |= {part: kind.from_dict(values[part])} if part in values else {}
        values["model"] = (RecurrentConfig if "family" in model else ModelConfig).from_dict(model)
        found[name] = replace(like, **values) if like else Preset(**values)
    return found


PRESETS = _presets()


def transformer_shape(preset: str) -> ModelConfig:
    """Return the shape of a preset that is a Transformer; raises SettingsError for another one."""
    has = PRESETS[preset].model.has
    if has.blocks is None:
        raise SettingsError(
            "the preset must be a Transformer. Received: {name}, a {family}", name=repr(preset), family=has.family
        )
    return has.blocks
