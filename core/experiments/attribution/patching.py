"""Patching: put a state of a dialogue into the run of its twin, and see what of the difference comes back.

Zhang and Nanda 2023, arXiv 2309.16042. Recovery = (F(patched) - F(twin)) / (F(dialogue) - F(twin)), where F is the log
odds of the name that was written against the other one. S source tokens, T decoder inputs, L layers, D width.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.config import START
from core.errors import SettingsError
from core.experiments.attribution.question import Report
from core.experiments.attribution.twins import Twin
from core.explain.attention.inside import Kind
from core.explain.attribution import layers
from core.explain.attribution.attribution import Check, digits
from core.explain.shared.rollup import Group, groups
from core.model.copying import NOT_COPIED
from core.model.gates import HeadGate
from core.model.masks import padding_mask, target_mask
from core.model.transformer import Decoded, Encoded
from core.runtime.queue import CALLS
from core.trace import Array, Summary
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer

SMALL = 0.1
"""Nats by which F of the two dialogues must differ: a smaller difference cannot be shared out."""
BOUND = 1e-3


@dataclass(frozen=True, eq=False)
class Patched:
    """What comes back of the difference of a dialogue and its twin.

    Args:
        twin: what was exchanged, and the token that is looked at.
        log_odds: F of the dialogue and of its twin, in nats.
        turns: C columns: the turns, and tokens of none.
        layers: [L + 1, C] with the encoder's state of one turn after so many blocks, and its tokens for copying.
        preview: [L + 1, C] the same to first order, without copying (attribution patching).
        heads: for each kind of attention [L, H], with the output of one head at all positions, and where it points if
            it copies.
        positions: [L, step + 1] with the decoder's state at one position after each block.
        check: nothing patched gives 0, everything 1.
    """

    twin: Twin
    log_odds: tuple[float, float]
    turns: tuple[Group, ...]
    layers: Array
    preview: Array
    heads: dict[Kind, Array]
    positions: Array
    check: Check

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types, numbers with six digits."""
        tables = {"layers": self.layers, "preview": self.preview, "positions": self.positions}
        return {
            "swap": list(self.twin.names),
            "token": self.twin.step + 1,
            "log_odds": [float(f"{value:.6g}") for value in self.log_odds],
            "turns": [turn.label for turn in self.turns],
            **{name: digits(values) for name, values in tables.items()},
            "heads": {kind: digits(values) for kind, values in self.heads.items()},
            "check": self.check.to_dict(),
        }


def patch(summarizer: "Summarizer", run: Summary, twin: Twin, report: Report | None = None) -> Patched:
    """Patch every turn at every layer of the encoder, every head, and every decoder position.

    Says what the choice of the name *depends on*, by interventions. Check: nothing patched gives 0 and everything 1 at
    every layer, compared with whole runs.

    Args:
        summarizer: a model with blocks of attention.
        run: the summary of the dialogue.
        twin: of that dialogue.
        report: progress; whatever it raises stops the work.

    Raises:
        SettingsError: the model has no blocks, or the two dialogues hardly differ.
    """
    pair = _Pair(summarizer, run, twin)
    first, second = (pair.whole(side) for side in (0, 1))
    if not abs(first - second) >= SMALL:
        raise SettingsError(
            "the model hardly tells the two dialogues apart: nothing can come back. Received: log odds of "
            "{first} and {second}",
            first=f"{first:.2f}",
            second=f"{second:.2f}",
        )
    turns, size = groups(run.source, "turn"), len(run.source)
    masks = np.zeros((len(turns) + 2, size), dtype=bool)  # nothing, each turn, everything
    masks[-1] = True
    for row, turn in enumerate(turns, 1):
        masks[row, list(turn.members)] = True
    config = summarizer.model.config
    kinds: dict[Kind, int] = {
        "encoder": config.encoder_layers, "decoder": config.decoder_layers, "cross": config.decoder_layers,
    }  # fmt: skip
    singles = [[head] for head in range(config.num_heads)]
    tasks = [
        *(partial(pair.states, depth, masks) for depth in range(config.encoder_layers + 1)),
        *(partial(pair.positions, depth) for depth in range(1, config.decoder_layers + 1)),
        *(partial(pair.heads, kind, layer, singles) for kind, count in kinds.items() for layer in range(count)),
    ]
    shares = []
    for done, task in enumerate(tasks):
        shares.append((task() - second) / (first - second))
        if report:
            report(done + 1, len(tasks))
    depth, deep = config.encoder_layers + 1, config.encoder_layers + 1 + config.decoder_layers
    states = np.stack(shares[:depth])
    by_kind: dict[Kind, Array] = {}
    for kind, count in kinds.items():
        first_one = deep + sum(len(each) for each in by_kind.values())
        by_kind[kind] = np.stack(shares[first_one : first_one + count]).astype(np.float32)
    missed = max(float(np.abs(states[:, 0]).max()), float(np.abs(states[:, -1] - 1).max()))
    return Patched(
        twin, (first, second), turns, states[:, 1:-1].astype(np.float32), pair.preview(masks[1:-1]) / (first - second),
        by_kind, np.stack(shares[depth:deep]).astype(np.float32),
        Check(say("nothing patched gives 0, everything 1"), missed, BOUND),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _OneLayer:
    """Gates of one layer of a kind of attention, all others open; no tuple, which Keras would open."""

    number: int
    gate: HeadGate | None

    def layer(self, number: int) -> HeadGate | None:
        """Return the gate of a layer."""
        return self.gate if number == self.number else None


_OPEN = _OneLayer(-1, None)


class _Gates(NamedTuple):
    """Gates of one kind of attention, as a network takes those of all kinds."""

    encoder_self: _OneLayer = _OPEN
    decoder_self: _OneLayer = _OPEN
    cross: _OneLayer = _OPEN


class _Pair:
    """The two runs; side 0 is the dialogue, side 1 its twin, into which states are put."""

    def __init__(self, summarizer: "Summarizer", run: Summary, twin: Twin) -> None:
        layers.begin(summarizer, run)
        self.summarizer, self.model, self.run, self.step = summarizer, summarizer.model, run, twin.step
        written = [token.id for token in run.tokens[: twin.step]]
        # One input more than is read: no row sees it, and no softmax has a single column.
        self.inputs = np.array([[START, *written, twin.answer]], dtype=np.int32)
        self.pair = [np.array([[*written, id, id]], dtype=np.int32) for id in (twin.answer, twin.foil)]
        self.ids = [np.array(ids, dtype=np.int32) for ids in ([token.id for token in run.source], twin.encoded.ids)]
        with CALLS.turn():
            other = summarizer.engine.replay(self.ids[1].tolist(), self.pair[0][0].tolist())
        final = self.model.encoder.normalised(other["encoder_hidden"][-1][None])
        self.memory = np.asarray(final)  # [1, S, D]
        self.encoder = [run.encoder_hidden, other["encoder_hidden"]]
        self.decoder = [run.decoder_hidden, other["decoder_hidden"]]

    def whole(self, side: int) -> float:
        """Return F of a whole run."""
        with CALLS.turn():
            encoded = self.model.encode(self.ids[side][None])
            return float(self._odds(self.model.decode(self.inputs, encoded), encoded)[0])

    def states(self, depth: int, masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return F [n] with the encoder's states and tokens of some places [n, S] after so many blocks."""

        def run(rows: NDArray[np.bool_]) -> Any:
            ids = np.where(rows, *self.ids)
            states = np.where(rows[..., None], self.encoder[0][depth], self.encoder[1][depth])
            output = self.model.encoder(states, attention_mask=padding_mask(ids), start=depth)
            encoded = Encoded(ids, output.states, padding_mask(ids))
            return self._odds(self.model.decode(self._inputs(len(rows)), encoded), encoded)

        return _batched(run, masks)

    def positions(self, depth: int) -> NDArray[np.float64]:
        """Return F [step + 1] with the decoder's state at each position after so many blocks."""

        def run(places: NDArray[np.int64]) -> Any:
            inputs, rows = self._inputs(len(places)), self._twin(len(places))
            states = np.repeat(self.decoder[1][depth][None], len(places), axis=0)
            states[range(len(places)), places] = self.decoder[0][depth][places]
            stack = self.model.decoder(
                states, rows.states, attention_mask=target_mask(inputs), memory_mask=rows.mask, start=depth
            )
            plain = self.model.decode(inputs, rows)  # its last attention, where no block is left
            looked = stack.cross_attention or plain.stack.cross_attention
            return self._odds(self._pointed(plain._replace(stack=stack), rows, looked[-1]), rows)

        return _batched(run, np.arange(self.step + 1))

    def heads(self, kind: Kind, layer: int, chosen: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return F [n] with the outputs of the dialogue in some heads of a layer, for each of several choices."""
        sublayer = layers.sublayer(self.summarizer, self.run, kind, layer)
        queries = sublayer.weights.shape[1]
        length = queries if kind == "encoder" else self.inputs.shape[1]
        taken = np.minimum(np.arange(length), queries - 1)
        output = (sublayer.weights @ sublayer.values)[:, taken]  # [H, T, K]
        opened = np.ones((len(chosen), len(output)), dtype=np.float32)
        for row, heads in enumerate(chosen):
            opened[row, list(heads)] = 0
        field = {"encoder": "encoder_self", "decoder": "decoder_self", "cross": "cross"}[kind]

        def run(rows: NDArray[np.float32]) -> Any:
            gate = HeadGate(rows, np.repeat(output[None], len(rows), axis=0))
            gates: Any = _Gates(**{field: _OneLayer(layer, gate)})
            encoded = self._twin(len(rows))
            if kind == "encoder":
                encoded = self.model.encode(encoded.source, gates)
            decoded = self.model.decode(self._inputs(len(rows)), encoded, gates)
            looked = decoded.stack.cross_attention[-1]
            if kind == "cross" and layer == self.model.config.decoder_layers - 1:
                looked = np.where(rows[..., None, None] == 0, sublayer.weights[:, taken], np.asarray(looked))
            return self._odds(self._pointed(decoded, encoded, looked), encoded)

        return _batched(run, opened)

    def preview(self, masks: NDArray[np.bool_]) -> Array:
        """Return sum over the places [C, S] of (state of the dialogue - of the twin) dF / dstate, [L + 1, C]."""
        from core.runtime.backend import ops, row_gradients

        source, size = self.ids[1][None], len(self.ids[1])
        encoder = self.model.encoder

        def run(added: tuple[Any, ...]) -> Any:
            mask, bias = padding_mask(source), encoder.bias(size)
            x = ops.convert_to_tensor(self.encoder[1][0][None]) + added[0]
            for block, more in zip(encoder.blocks, added[1:], strict=True):
                x = block(x, attention_mask=mask, bias=bias)[0] + more
            encoded = Encoded(source, encoder.normalised(x), mask)
            return self._odds(self.model.decode(self.inputs, encoded), encoded)

        nothing = tuple(np.zeros((1, *states.shape), dtype=np.float32) for states in self.encoder[1])
        with CALLS.turn():
            _, slopes = row_gradients(run, self.model.variables)(nothing)
        moved = (self.encoder[0] - self.encoder[1]) * np.concatenate([np.asarray(slope) for slope in slopes])
        return np.asarray(moved.sum(axis=-1) @ masks.T, dtype=np.float32)

    def _twin(self, rows: int) -> Encoded:
        ids = np.repeat(self.ids[1][None], rows, axis=0)
        return Encoded(ids, np.repeat(self.memory, rows, axis=0), padding_mask(ids))

    def _inputs(self, rows: int) -> NDArray[np.int32]:
        return np.repeat(self.inputs, rows, axis=0)

    def _pointed(self, decoded: Decoded, encoded: Encoded, looked: Any) -> Decoded:
        """Point again at what is copied: from the states that there are now."""
        states, embedded = decoded.stack.states, decoded.embedded
        if self.model.cross_copy is not None:
            return decoded._replace(pointer=self.model.cross_copy(states, embedded, looked, encoded.source))
        if self.model.copy_head is not None:
            return decoded._replace(pointer=self.model.copy_head(states, embedded, encoded.states, encoded.source))
        return decoded

    def _odds(self, decoded: Decoded, encoded: Encoded) -> Any:
        """Return log p(answer) - log p(foil) at the step, [n]."""
        rows = decoded.embedded.shape[0]
        log_probabilities = [
            self.model.target_scores(decoded, encoded.source, np.repeat(ids, rows, axis=0), NOT_COPIED)["target"]
            for ids in self.pair
        ]
        return log_probabilities[0][:, self.step] - log_probabilities[1][:, self.step]


def _batched(run: Callable[[Any], Any], rows: NDArray[Any]) -> NDArray[np.float64]:
    from core.decoding.probes import SCORE_ROWS

    batches = []
    for first in range(0, len(rows), SCORE_ROWS):
        with CALLS.turn():
            batches.append(np.asarray(run(rows[first : first + SCORE_ROWS]), dtype=np.float64))
    return np.concatenate(batches)
