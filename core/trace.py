"""The trace of a run: frozen values in numpy and plain types, saved and loaded without pickle.

Shapes: S source tokens, T target tokens, L layers, H heads, D width, V vocabulary, K alternatives.
Attention row = query, column = key. Decoder row t predicts target token t (its input is token t-1).
"""

import io
import json
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.config import END, DecodeSettings
from core.errors import CheckpointError
from core.files import beside, fault, read_bytes
from core.limits import limits
from core.text.dialogue import Dialogue, parse_dialogue
from core.words import later, say

Array = NDArray[np.float32]
FORMAT = 1
_AGAIN = later("save the run again, or take another copy of the file")
DAMAGE = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    OSError,
    RuntimeError,
    MemoryError,
    OverflowError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    tokenize.TokenError,
    SyntaxError,
)
"""Errors that numpy, zipfile and json raise for a damaged file."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Args:
        text: its characters, without a leading space.
        id: vocabulary id.
        start: first character in its text (the pasted dialogue or the summary).
        end: one past the last character.
        turn: index of its turn, None in a summary.
        speaker: name of its speaker, None in a summary or without speakers.
        word: running number of its word in the sequence; sub-words of one word share it.
    """

    text: str
    id: int
    start: int
    end: int
    turn: int | None
    speaker: str | None
    word: int


@dataclass(frozen=True, slots=True)
class Alternative:
    """One candidate for the next token: id, text as on a label, probability over the whole vocabulary."""

    id: int
    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class DecodingStep:
    """One written token.

    Args:
        token: the token; [EOS] has no characters.
        log_probability: natural log of its probability over the whole vocabulary, before any cut.
        entropy: of that distribution, in nats.
        rank: 1 for the most probable token.
        alternatives: the most probable tokens, best first.
        parent: slot of the beam that it continues, 0 without beams.
        copied: share of its probability that came from copying, None for a model that cannot copy.
    """

    token: Token
    log_probability: float
    entropy: float
    rank: int
    alternatives: tuple[Alternative, ...]
    parent: int = 0
    copied: float | None = None

    @property
    def probability(self) -> float:
        """Probability over the whole vocabulary, 0 to 1."""
        return math.exp(self.log_probability)


class Layers:
    """Attention weights [L, H, Q, N] of which one layer at a time is computed, when it is asked for.

    Indexed like an array whose first index is a layer: `layers[-1]`, `layers[2, 0]`. Only the last layer asked for is
    kept. Safe to share between threads.

    Args:
        shape: L, H, Q, N.
        compute: returns [H, Q, N] of a layer, 0-based.
    """

    ndim = 4

    def __init__(self, shape: tuple[int, int, int, int], compute: Callable[[int], Array]) -> None:
        self.shape = shape
        self._compute = compute
        self._last: tuple[int, Array] | None = None

    def __len__(self) -> int:
        """Return the number of layers."""
        return self.shape[0]

    def __getitem__(self, index: int | tuple[Any, ...]) -> Array:
        """Return a layer, or a part of one; raises IndexError without such a layer."""
        place, *rest = index if isinstance(index, tuple) else (index,)
        number = range(len(self))[place]
        last = self._last
        if last is None or last[0] != number:
            last = self._last = (number, _frozen(self._compute(number), self.shape[1:], "a layer"))
        return last[1][tuple(rest)] if rest else last[1]

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuse to put all layers into one array."""
        raise TypeError(f"attention of the shape {list(self.shape)} is computed one layer at a time: index it")


Attention: TypeAlias = Array | Layers
"""Attention weights [L, H, Q, N], as one array or layer by layer."""


def _frozen(array: Any, shape: tuple[int | None, ...], name: str) -> Array:
    """Return a read-only float32 copy whose shape was checked; None in `shape` fits any size.

    An array that is read-only already is not copied.
    """
    fixed = isinstance(array, np.ndarray) and array.dtype == np.float32 and not array.flags.writeable
    values = array if fixed else np.array(array, dtype=np.float32)
    _check_shape(values.shape, shape, name)
    values.setflags(write=False)
    return values


def _check_shape(got: tuple[int, ...], shape: tuple[int | None, ...], name: str) -> None:
    if len(got) != len(shape) or any(want not in (None, size) for want, size in zip(shape, got, strict=True)):
        wanted = "[" + ", ".join(say("any") if size is None else str(size) for size in shape) + "]"
        raise ValueError(
            say("{name} must have the shape {wanted}. Received: {shape}", name=name, wanted=wanted, shape=list(got))
        )


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Attention weights of one run, bound to the tokens that label them (after softmax, before dropout).

    Args:
        source: the S source tokens.
        target: the T target tokens that the decoder rows predict.
        encoder_self: [L, H, S, S] or None; `Layers` where all of them would need more than `KEPT_ATTENTION`.
        decoder_self: [L, H, T, T] the same of the decoder's self-attention.
        cross: [L, H, T, S] the same of cross-attention.
        p_gen: [T] probability of generating rather than copying, or None.
        copy: [T, S] distribution over the source tokens to copy, or None.

    Raises:
        ValueError: a shape does not fit the token counts.
    """

    source: tuple[Token, ...]
    target: tuple[Token, ...]
    encoder_self: Attention | None = None
    decoder_self: Attention | None = None
    cross: Attention | None = None
    p_gen: Array | None = None
    copy: Array | None = None

    def __post_init__(self) -> None:
        """Check every shape against the token counts and make the arrays read-only."""
        source, target = len(self.source), len(self.target)
        shapes: dict[str, tuple[int | None, ...]] = {
            "encoder_self": (None, None, source, source),
            "decoder_self": (None, None, target, target),
            "cross": (None, None, target, source),
            "p_gen": (target,),
            "copy": (target, source),
        }
        for name, shape in shapes.items():
            value = getattr(self, name)
            if isinstance(value, Layers):
                _check_shape(value.shape, shape, name)
            elif value is not None:
                object.__setattr__(self, name, _frozen(value, shape, name))


@dataclass(frozen=True, eq=False)
class BeamTrace:
    """Every candidate that beam search considered.

    Args:
        tokens: [steps, candidates] token ids, int32.
        parents: [steps, candidates] slot of the live beam that each continues, int32.
        scores: [steps, candidates] summed log-probability, float32; -1e9 marks an unused slot.
        kept: [steps, candidates] slot of the candidate at the next step, -1 if pruned, -2 if finished, int32.
    """

    tokens: NDArray[np.int32]
    parents: NDArray[np.int32]
    scores: Array
    kept: NDArray[np.int32]

    def __post_init__(self) -> None:
        """Check that all four tables have one shape and make them read-only."""
        shape = np.shape(self.tokens)
        for name in ("tokens", "parents", "kept"):
            values = np.array(getattr(self, name), dtype=np.int32)
            _check_shape(values.shape, shape if len(shape) == 2 else (None, None), name)
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        object.__setattr__(self, "scores", _frozen(self.scores, shape, "scores"))


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One finished candidate summary: text, ids (end token included), summed log-probability, score."""

    text: str
    ids: tuple[int, ...]
    log_probability: float
    score: float


@dataclass(frozen=True, eq=False)
class Summary:
    """A summary and everything about the run that wrote it.

    Args:
        text: the summary.
        dialogue: the dialogue that was summarized; its `text` is the pasted text.
        steps: one for each written token, the end token included.
        attention: weights of the teacher-forced replay of this summary.
        logits: [T, V] of the replay; their softmax is the next-token distribution.
        encoder_hidden: [L+1, S, D] embeddings and the output of every encoder block; of a recurrent model [1, S, D],
            its states.
        decoder_hidden: [L+1, T, D] the same of the decoder.
        omitted: indices of the turns that truncation left out.
        shortened: indices of the turns that truncation cut.
        hypotheses: finished candidates, best first.
        beam: every candidate of beam search, or None.
        finished: whether the model ended it: the end token was written, and not forced because of `max_tokens`.
        settings: the decoding settings.
        checkpoint: name and weights hash, `name@sha256-prefix`.
        seconds: wall time of encoding, decoding and replay.
        forced: number of first tokens that were given, not chosen; all of them under teacher forcing.
    """

    text: str
    dialogue: Dialogue
    steps: tuple[DecodingStep, ...]
    attention: AttentionTrace
    logits: Array
    encoder_hidden: Array
    decoder_hidden: Array
    omitted: tuple[int, ...]
    shortened: tuple[int, ...]
    hypotheses: tuple[Hypothesis, ...]
    beam: BeamTrace | None
    finished: bool
    settings: DecodeSettings
    checkpoint: str
    seconds: float
    extra: Mapping[str, Any] = field(default_factory=dict)
    forced: int = 0

    def __post_init__(self) -> None:
        """Check the arrays against the token counts and make them read-only."""
        source, target = len(self.attention.source), len(self.steps)
        if not isinstance(self.forced, int) or not 0 <= self.forced <= target:
            raise ValueError(
                say(
                    "forced must be from 0 to {target}, the number of tokens. Received: {forced!r}",
                    target=target,
                    forced=self.forced,
                )
            )
        if self.attention.target != self.tokens:
            raise ValueError(
                say(
                    "attention.target must be the tokens of the steps. Received: {attended} and {target} tokens",
                    attended=len(self.attention.target),
                    target=target,
                )
            )
        shapes: dict[str, tuple[int | None, ...]] = {
            "logits": (target, None),
            "encoder_hidden": (None, source, None),
            "decoder_hidden": (None, target, None),
        }
        for name, shape in shapes.items():
            object.__setattr__(self, name, _frozen(getattr(self, name), shape, name))

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The written tokens, the end token included."""
        return tuple(step.token for step in self.steps)

    @property
    def source(self) -> tuple[Token, ...]:
        """The source tokens that the encoder read."""
        return self.attention.source

    @property
    def forced_end(self) -> bool:
        """Whether the end token was forced because the summary was as long as `max_tokens` allows."""
        return self.forced < len(self.steps) and not self.finished and self.steps[-1].token.id == END

    @property
    def given(self) -> bool:
        """Whether the whole text was given, and the model only read each token after those before it."""
        return 0 < self.forced == len(self.steps)

    @property
    def choices(self) -> tuple[DecodingStep, ...]:
        """The steps whose token the model chose."""
        return self.steps[self.forced : -1 if self.forced_end else None]

    @property
    def log_probability(self) -> float:
        """Sum of the steps' log-probabilities, the end token included."""
        return sum(step.log_probability for step in self.steps)

    @property
    def mean_log_probability(self) -> float:
        """Mean of the steps' log-probabilities, in nats per token; 0 for a summary without a step."""
        return self.log_probability / max(len(self.steps), 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary and its numbers as plain JSON types, without the arrays."""
        names = ("probability", "entropy", "rank", "copied")
        tokens = [
            {"id": step.token.id, "text": step.token.text} | {name: getattr(step, name) for name in names}
            for step in self.steps
        ]
        return {
            "summary": self.text,
            "tokens": tokens,
            "log_probability": self.log_probability,
            "finished": self.finished,
            "checkpoint": self.checkpoint,
            "settings": self.settings.to_dict(),
            "seconds": self.seconds,
            "omitted_turns": list(self.omitted),
            "shortened_turns": list(self.shortened),
            "dialogue": self.dialogue.text,
        }

    def save(self, path: Path) -> None:
        """Write the whole run to one .npz file (arrays plus a JSON document), beside and renamed.

        Attention that is computed a layer at a time is left out.
        """
        with beside(path) as file:
            file.write(self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the content of the .npz file."""
        arrays: dict[str, Any] = {}
        for owner, prefix in ((self, ""), (self.attention, "attention."), (self.beam, "beam.")):
            for item in fields(owner) if owner is not None else ():
                value = getattr(owner, item.name)
                if isinstance(value, np.ndarray):
                    arrays[prefix + item.name] = value
        document = {
            "format": FORMAT,
            "text": self.text,
            "dialogue": self.dialogue.text,
            "steps": [asdict(step) for step in self.steps],
            "source": [asdict(token) for token in self.source],
            "omitted": self.omitted,
            "shortened": self.shortened,
            "hypotheses": [asdict(hypothesis) for hypothesis in self.hypotheses],
            "finished": self.finished,
            "settings": self.settings.to_dict(),
            "checkpoint": self.checkpoint,
            "seconds": self.seconds,
            "extra": dict(self.extra),
            "forced": self.forced,
        }
        arrays["document"] = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
        return buffer.getvalue()

    @classmethod
    def load(cls, path: Path) -> "Summary":
        """Read a file that `save` wrote; raises CheckpointError for any other file."""
        try:
            return cls.from_bytes(read_bytes(path, limits().unpacked_file), path.name)
        except OSError as error:
            raise CheckpointError(
                "the trace {file!r} cannot be read: {reason}", file=path.name, reason=fault(path, error, say(_AGAIN))
            ) from None

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "the file") -> "Summary":
        """Read the content of a .npz file called `name`; raises CheckpointError if it is no trace of this project."""
        try:
            arrays = read_arrays(data)
            document = json.loads(bytes(arrays.pop("document")), parse_constant=_refuse_nan)
            wrong = next((key for key, values in arrays.items() if not _is_sound(key, values)), None)
            if wrong:
                raise ValueError(say("{wrong} holds values that are no finite numbers", wrong=wrong))
            if document.pop("format") != FORMAT:
                raise ValueError(say("another format version"))
            return _from_document(document, arrays)
        except DAMAGE as error:
            reason = fault(data, error, say(_AGAIN))
            raise CheckpointError(
                "{name!r} is no trace of this project, or a damaged one: {reason}", name=name, reason=reason
            ) from None


def _is_sound(name: str, values: Any) -> bool:
    """Return whether the numbers of an array can be drawn; what is impossible has a score of minus infinity."""
    if name in ("logits", "beam.scores"):
        return not (np.isnan(values) | np.isposinf(values)).any()
    return bool(np.isfinite(values).all())


def _refuse_nan(name: str) -> float:
    if name == "NaN":
        raise ValueError(say("a number of the document is none (NaN)"))
    return float(name)


def unpacked_size(data: bytes) -> int:
    """Return the unpacked size that a zip archive states, in bytes; raises one of `DAMAGE` for any other file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return sum(member.file_size for member in archive.infolist())


def check_size(data: bytes) -> None:
    """Refuse an archive that would unpack to more than the limit, before it is unpacked."""
    size, most = unpacked_size(data), limits().unpacked_file
    if size > most:
        raise ValueError(
            say("it must unpack to at most {most:,} bytes. Received: {size:,} bytes", most=most, size=size)
        )


def read_arrays(data: bytes) -> dict[str, Any]:
    """Read the arrays of an archive by their names; raises one of `DAMAGE`.

    Arrays that claim more than they hold are refused first: numpy takes the memory before it reads a number.
    """
    check_size(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            with archive.open(member) as file:
                claimed = _claimed_size(file)
            if claimed > member.file_size:
                raise ValueError(
                    say(
                        "{file} claims {claimed:,} bytes and has {held:,}",
                        file=member.filename,
                        claimed=claimed,
                        held=member.file_size,
                    )
                )
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _claimed_size(file: IO[bytes]) -> int:
    """Return how many bytes the header of an array claims; raises one of `DAMAGE` for any other file."""
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[version]
    shape, _, dtype = read(file)
    return math.prod(shape) * int(dtype.itemsize)


def _from_document(document: dict[str, Any], arrays: Mapping[str, Any]) -> Summary:
    """Rebuild a Summary from its JSON document and arrays."""
    steps = tuple(
        DecodingStep(
            **step
            | {
                "token": Token(**step["token"]),
                "alternatives": tuple(Alternative(**item) for item in step["alternatives"]),
            }
        )
        for step in document.pop("steps")
    )
    source = tuple(Token(**item) for item in document.pop("source"))
    attention = AttentionTrace(source, tuple(step.token for step in steps), **_group(arrays, "attention."))
    beam = _group(arrays, "beam.")
    hypotheses = tuple(Hypothesis(**item | {"ids": tuple(item["ids"])}) for item in document.pop("hypotheses"))
    for name in ("omitted", "shortened"):
        document[name] = tuple(document[name])
    document["dialogue"] = parse_dialogue(document["dialogue"])
    document["settings"] = DecodeSettings.from_dict(document["settings"])
    return Summary(
        steps=steps,
        attention=attention,
        hypotheses=hypotheses,
        beam=BeamTrace(**beam) if beam else None,
        **{name: value for name, value in arrays.items() if "." not in name},
        **document,
    )


def _group(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
