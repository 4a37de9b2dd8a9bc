"""What the Attention page looks at: a kind of attention, a layer, a head, and the tokens that label it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from core import checkpoints
from core.explain import catalogue, sinks
from core.explain.catalogue import Catalogue
from core.explain.heads import HeadScores, input_tokens, scores
from core.explain.inside import Kind
from core.explain.rollup import Group, groups
from core.figures.wording import count
from core.text.dialogue import Dialogue, parse_dialogue
from core.trace import Array, AttentionTrace, Summary, Token
from pages.shared import pictures, state
from pages.shared.attention_data import NAMES
from pages.shared.state import Key

UNITS = {"token": "Token", "word": "Word", "turn": "Turn", "speaker": "Speaker"}
AXES: dict[Kind, tuple[str, str]] = {
    "cross": ("Summary", "Dialogue"),
    "encoder": ("Dialogue: who looks", "Dialogue: what is looked at"),
    "decoder": ("Summary: about to be written", "Summary: written before"),
}
LEFT_OUT = tuple(each for each in sinks.CATEGORIES if each != "word")


@dataclass(frozen=True)
class Look:
    """One kind of attention of the current summary, and the head that is open.

    Args:
        summary: the run.
        dialogue: its turns.
        kind: which attention.
        weights: [L, H, Q, N].
        queries: the Q tokens that look; decoder rows are the tokens that are predicted, or those that are read.
        keys: the N tokens that are looked at.
        layer: the open layer, 0-based.
        head: the open head, 0-based, or None for the mean of the layer's heads.
    """

    summary: Summary
    dialogue: Dialogue
    kind: Kind
    weights: Array
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    layer: int
    head: int | None

    @property
    def what(self) -> str:
        """The open head in words."""
        head = "mean of the heads" if self.head is None else f"head {self.head + 1}"
        rest = ", without marks, tags and punctuation" if st.session_state[Key.SINKS] == "without" else ""
        if self.single:
            return f"{NAMES[self.kind].lower()}{rest}"
        return f"{NAMES[self.kind].lower()}, layer {self.layer + 1}, {head}{rest}"

    @property
    def single(self) -> bool:
        """Whether this attention has one layer with one head, as a recurrent model's."""
        return self.weights.shape[:2] == (1, 1)

    @property
    def named_layer(self) -> int | None:
        """The open layer, None where there is no other."""
        return None if self.single else self.layer

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of attention that the model has."""
        return tuple(_held(self.summary.attention))

    @property
    def layer_weights(self) -> Array:
        """All heads of the open layer, [H, Q, N], renormalised if the sinks are left out."""
        found = self.weights[self.layer]
        return sinks.without(found, self.keys, LEFT_OUT) if st.session_state[Key.SINKS] == "without" else found

    @property
    def matrix(self) -> Array:
        """The open head, or the mean of its layer, [Q, N]."""
        return self.one(self.layer_weights)

    def one(self, heads: Array) -> Array:
        """The open head of a layer [H, Q, N], or the mean of all, [Q, N]."""
        return np.asarray(heads.mean(axis=0) if self.head is None else heads[self.head], dtype=np.float32)

    @property
    def token(self) -> int | None:
        """The chosen query token, 0-based."""
        chosen = int(st.session_state[Key.TOKEN]) - 1
        return chosen if 0 <= chosen < len(self.queries) else None

    @property
    def span(self) -> tuple[int, int] | None:
        """The chosen query tokens, first and last, 0-based."""
        if self.token is None:
            return None
        last = int(st.session_state[Key.TOKEN_END]) - 1
        return (self.token, last) if self.token <= last < len(self.queries) else (self.token, self.token)

    def row_groups(self, unit: str) -> tuple[Group, ...]:
        """The queries by unit."""
        return groups(self.queries, unit)  # type: ignore[arg-type]

    def column_groups(self, unit: str) -> tuple[Group, ...]:
        """The keys by unit."""
        return groups(self.keys, unit)  # type: ignore[arg-type]

    def scores(self) -> tuple[HeadScores, ...]:
        """Statistics of all heads of this kind in this run."""
        return tuple(each for each in _scores(self.summary) if each.kind == self.kind)


def current() -> Look | None:
    """What the page looks at, None where the model has no attention; stops without a dialogue or model."""
    summary = state.require_trace()
    held = _held(summary.attention)
    kind = _kind(tuple(held))
    shown = (summary.checkpoint, summary.dialogue, summary.text, kind == "encoder")
    if st.session_state.get(Key.SEEN, shown) != shown:
        pick(None)
    st.session_state[Key.SEEN] = shown
    if not held:
        return None
    found = held[kind]
    target = summary.tokens
    rows = input_tokens(target) if st.session_state[Key.ROW_LABELS] == "input" else target
    tokens = {
        "cross": (rows, summary.source),
        "encoder": (summary.source, summary.source),
        "decoder": (rows, input_tokens(target)),
    }
    layer, head = _open(found.shape[0], found.shape[1])
    _check_tokens(found.shape[2])
    return Look(summary, parse_dialogue(summary.dialogue), kind, found, *tokens[kind], layer, head)


def show(layer: int, head: int) -> None:
    """Open a head, both 0-based, in the view of one head."""
    st.session_state.update({Key.LAYER: layer + 1, Key.HEAD: head + 1, Key.SEE: "head"})


def show_clicked(chart: str, heads: int) -> None:
    """Open the head that was clicked in a chart whose points are numbered layer · heads + head."""
    place = pictures.clicked(chart)
    if place is not None:
        show(*divmod(place, heads))


def pick(row: int | None, last: int | None = None) -> None:
    """Choose query tokens, 0-based."""
    end = 0 if row is None or last is None or last == row else last + 1
    st.session_state.update({Key.TOKEN: 0 if row is None else row + 1, Key.TOKEN_END: end})


def measured(summary: Summary) -> tuple[Catalogue | None, str]:
    """What the heads of this checkpoint tend to do, or a sentence that says why that is not known."""
    return catalogue.choose(checkpoints.read_heads(st.session_state[Key.CHECKPOINT]), summary.checkpoint)


def texts(parts: Sequence[Group], unit: str, dialogue: Dialogue, tokens: Sequence[Token]) -> list[str]:
    """Labels of groups; a token or word that occurs again keeps its number, a turn says what is in it."""
    names = []
    for part in parts:
        if unit == "turn" and part.turn is not None:
            turn = dialogue.turns[part.turn]
            names.append(f"{part.label} · {turn.speaker + ': ' if turn.speaker else ''}{turn.text}")
        elif unit in ("token", "word"):
            first = tokens[part.members[0]]
            names.append({"[EOS]": "the end", "[SOS]": "the start"}.get(first.text, part.label))
        else:
            names.append(part.label)
    often = Counter(names)
    return [f"{name} · {place + 1}" if often[name] > 1 else name for place, name in enumerate(names)]


def _held(attention: AttentionTrace) -> dict[Kind, Array]:
    """The weights that a trace holds."""
    every: dict[Kind, Array | None] = {
        "cross": attention.cross,
        "encoder": attention.encoder_self,
        "decoder": attention.decoder_self,
    }
    return {kind: weights for kind, weights in every.items() if weights is not None}


def _kind(held: Sequence[Kind]) -> Kind:
    """The chosen kind; one that the model has not is said and replaced."""
    kind: Kind = st.session_state[Key.KIND]
    if held and kind not in held:
        state.note(f"This model has no {NAMES[kind].lower()}: its {NAMES[held[0]].lower()} is shown.")
        kind = st.session_state[Key.KIND] = held[0]
    return kind


def _open(layers: int, heads: int) -> tuple[int, int | None]:
    """The chosen layer and head; those that the model has not are said and replaced."""
    session = st.session_state
    for key, most in ((Key.LAYER, layers), (Key.HEAD, heads)):
        if session[key] > most:
            state.note(f"The link asks for {key} {session[key]}; this attention has {count(most, str(key))}.")
            session[key] = 0
    layer = int(session[Key.LAYER]) or layers
    return layer - 1, int(session[Key.HEAD]) - 1 if session[Key.HEAD] else None


def _check_tokens(rows: int) -> None:
    """Chosen tokens after the last of the rows are said and left out."""
    first, last = int(st.session_state[Key.TOKEN]), int(st.session_state[Key.TOKEN_END])
    if max(first, last) > rows:
        state.note(f"The link asks for token {max(first, last)}; here are {rows}.")
        pick(first - 1 if 0 < first <= rows else None)


def _scores(summary: Summary) -> tuple[HeadScores, ...]:
    ids = tuple(token.id for token in summary.tokens)
    return _scores_of(summary.checkpoint, summary.dialogue, summary.settings.truncation, ids, summary)


@st.cache_resource(max_entries=8, show_spinner=False)
def _scores_of(
    checkpoint: str,  # noqa: ARG001
    dialogue: str,  # noqa: ARG001
    truncation: str,  # noqa: ARG001
    ids: tuple[int, ...],  # noqa: ARG001
    _summary: Summary,
) -> tuple[HeadScores, ...]:
    return scores(_summary.attention)
