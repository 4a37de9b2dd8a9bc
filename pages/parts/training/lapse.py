"""One training as a time-lapse: what it wrote about a bundled dialogue, and where it looked, snapshot by snapshot."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core import checkpoints
from core.errors import CheckpointError
from core.explain.rollup import Group, groups, mean_rows, sum_columns
from core.figures import attention as attention_figures
from core.figures import training_lapse as figures
from core.figures.training_lapse import MEASURES
from core.figures.wording import count, number, turn_ranges
from core.text.dialogue import parse_dialogue
from core.text.examples import Example, load_examples
from core.text.tokenizer import EncodedDialogue, Tokenizer
from core.training import snapshots
from core.training.snapshots import Attempt, Snapshot
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import one_of, select
from pages.shared.figures import pictures
from pages.shared.frame import decoding, selection
from pages.shared.frame.cache import cached
from pages.shared.frame.fields import Choice, Number, Text
from pages.shared.frame.notices import literal

UNITS = {"turn": "Turns", "word": "Words"}
PLAYING = "train_playing"
MODEL = Text("train_model", 80)
DIALOGUE = Text("train_dialogue", 80)
EPOCH = Number("train_epoch", 0, 9999, 0)
SCORE = Choice("train_score", list(MEASURES))
UNIT = Choice("train_unit", list(UNITS))
FIELDS = (MODEL, DIALOGUE, EPOCH, SCORE, UNIT)
MOST_ROWS = 45
"""Words of a summary that the attention picture shows: an untrained network may write many."""
SECONDS = 1.6
"""How long a snapshot stays while it plays."""
COMMAND = "python -m core train DATA --validation DATA --output FOLDER --moments 10 --scored 250"


@dataclass(frozen=True, eq=False)
class Lapse:
    """The snapshots of one checkpoint's training.

    Args:
        name: of the checkpoint.
        snapshots: in order.
        tokenizer: the checkpoint's.
        longest: tokens that its network reads.
        attention: which attention was recorded, in words.
    """

    name: str
    snapshots: tuple[Snapshot, ...]
    tokenizer: Tokenizer
    longest: int
    attention: str

    def attempts(self, dialogue: str) -> list[Attempt]:
        """Return what was written about a dialogue at each snapshot; raises CheckpointError if one is missing."""
        found = [next((each for each in snapshot.attempts if each.id == dialogue), None) for snapshot in self.snapshots]
        if any(each is None for each in found):
            raise CheckpointError(f"the snapshots of {self.name} hold nothing about {dialogue!r}")
        return [each for each in found if each is not None]

    def means(self, score: int) -> list[float]:
        """Return the mean of a score over all dialogues at each snapshot."""
        return [
            sum(attempt.rouge[score] for attempt in each.attempts) / max(len(each.attempts), 1)
            for each in self.snapshots
        ]


def draw() -> None:
    """Draw what a network wrote, snapshot by snapshot, with its scores and its attention."""
    names = [name for name in decoding.available() if (checkpoints.locate(name) / snapshots.FILE).is_file()]
    if not names:
        st.info(
            "No installed checkpoint has recorded snapshots of its training. Any training records them if it is asked "
            "to: before the first epoch and after some of the others it summarises the bundled dialogues and keeps "
            "what it wrote and where it looked.",
            icon=":material/movie:",
        )
        st.code(COMMAND, language="bash", wrap_lines=True)
        return
    name, dialogue = _controls(names)
    path = checkpoints.locate(name) / snapshots.FILE
    lapse = _lapse(name, path.stat().st_mtime_ns)
    attempts = lapse.attempts(dialogue)
    place = _snapshot([snapshot.epoch for snapshot in lapse.snapshots])
    before, now = attempts[max(place - 1, 0)], attempts[place]
    _summary(lapse, place, before, now, dialogue)
    _scores(lapse, attempts, place)
    _attention(lapse, now, place, dialogue)


def _controls(names: Sequence[str]) -> tuple[str, str]:
    """Draw the choice of a training and of a dialogue; return the checkpoint's name and the example's id."""
    sidebar = decoding.CHECKPOINT.value
    start = sidebar if sidebar in names else names[0]
    examples = {example.id: example.title for example in load_examples()}
    MODEL.fit(("", *names), "training with recorded snapshots")
    DIALOGUE.fit(("", *examples), "bundled dialogue")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = start
        if len(names) > 1:
            name = select("Training of", {each: each for each in names}, MODEL, usual=start)
        dialogue = select("Dialogue", examples, DIALOGUE, usual=selection.EXAMPLE.value)
        with st.popover("Read it", icon=":material/article:", width="content"):
            st.text(_example(dialogue).dialogue)
    return name, dialogue


def _example(name: str) -> Example:
    return next(each for each in load_examples() if each.id == name)


@cached(3)
def _lapse(name: str, changed: int) -> Lapse:
    folder = checkpoints.locate(name)
    found = snapshots.read(folder / snapshots.FILE)
    if not found:
        raise CheckpointError(f"{name}/{snapshots.FILE} holds no snapshot")
    config = checkpoints.read_config(name)
    heads = " of the last layer, mean of its heads" if config.has.heads else ""
    attention = "copy head" if config.copy else f"cross-attention{heads}"
    return Lapse(name, found, Tokenizer.load(folder / "tokenizer.json"), config.max_source_length, attention)


@cached(8)
def _encoded(lapse: Lapse, changed: int, dialogue: str) -> EncodedDialogue:
    truncation = decoding.of_card(lapse.name).truncation
    return lapse.tokenizer.encode_dialogue(parse_dialogue(_example(dialogue).dialogue), lapse.longest, truncation)


def _snapshot(epochs: Sequence[int]) -> int:
    """Draw the slider over the snapshots and the play button; return the position of the chosen one."""
    if EPOCH.value not in epochs:
        near = min(epochs, key=lambda epoch: abs(epoch - EPOCH.value))
        EPOCH.refuse(f"No snapshot was recorded after epoch {EPOCH.value}: this is {_when(near)}.", near)
    playing = st.session_state.get(PLAYING) is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        label, icon = ("Stop", ":material/stop:") if playing else ("Play", ":material/play_arrow:")
        action, given = (stop, ()) if playing else (_play, (epochs,))
        st.button(label, key="train_play", icon=icon, on_click=action, args=given)
        if playing:
            _tick(list(epochs))
        st.select_slider(
            "Snapshot",
            list(epochs),
            format_func=_when,
            key=EPOCH.name,
            persist_state="session",
            on_change=stop,
        )
    return list(epochs).index(EPOCH.value)


def _when(epoch: int) -> str:
    return f"after epoch {epoch}" if epoch else "before training"


def _play(epochs: Sequence[int]) -> None:
    """Play from here, or from the start where the end is shown."""
    if EPOCH.value == epochs[-1]:
        EPOCH.value = epochs[0]
    st.session_state[PLAYING] = time.monotonic()


def stop() -> None:
    """Stop playing."""
    st.session_state[PLAYING] = None


@st.fragment(run_every=SECONDS)
def _tick(epochs: list[int]) -> None:
    """Go on to the next snapshot when this one was shown for long enough."""
    session = st.session_state
    shown: float | None = session.get(PLAYING)
    if shown is None or time.monotonic() - shown < SECONDS - 0.3:
        return
    place = epochs.index(EPOCH.value) + 1
    EPOCH.value = epochs[min(place, len(epochs) - 1)]
    session[PLAYING] = time.monotonic() if place < len(epochs) - 1 else None
    st.rerun()


def _summary(lapse: Lapse, place: int, before: Attempt, now: Attempt, dialogue: str) -> None:
    """Draw what was written, what changed since the snapshot before, and the reference."""
    epoch = lapse.snapshots[place].epoch
    with st.container(border=True, key="train_summary"):
        heading = f"**What it wrote {_when(epoch)}**"
        if place:
            heading += f" (struck through: {_when(lapse.snapshots[place - 1].epoch)}; underlined: new)"
        st.markdown(heading)
        if not now.text.strip():
            st.caption("Nothing: it ended the summary at once.")
        word_diff(before.text if place else now.text, now.text, key="train_diff")
        probability = number(now.log_probability / max(len(now.target), 1))
        st.caption(
            f"{count(len(now.target), 'token')}, {probability} nats of log-probability each on average; ROUGE-1/2/L "
            + " / ".join(f"{score:.1f}" for score in now.rouge)
            + "."
        )
    reference = _example(dialogue).references[0]
    st.caption(f"The reference: {literal(reference)}")


def _scores(lapse: Lapse, attempts: Sequence[Attempt], place: int) -> None:
    measure = one_of("Score", MEASURES, SCORE)
    score = list(MEASURES).index(measure)
    picture = figures.scores(
        [snapshot.epoch for snapshot in lapse.snapshots],
        [each.rouge[score] for each in attempts],
        lapse.means(score),
        place,
        measure,
        len(lapse.snapshots[place].attempts),
    )
    epochs = [snapshot.epoch for snapshot in lapse.snapshots]
    pictures.show(picture, "train_moments_picture", on_select=lambda: _clicked(epochs))


def _clicked(epochs: Sequence[int]) -> None:
    place = pictures.clicked("train_moments_picture")
    if place is not None:
        stop()
        EPOCH.value = epochs[place]


def _attention(lapse: Lapse, now: Attempt, place: int, dialogue: str) -> None:
    """Draw the attention while it wrote, on one scale for all snapshots."""
    weights = now.weights()
    if weights is None:
        st.info("This model has no cross-attention: it keeps the dialogue in one state.", icon=":material/info:")
        return
    if not len(weights):
        return
    path = checkpoints.locate(lapse.name) / snapshots.FILE
    encoded = _encoded(lapse, path.stat().st_mtime_ns, dialogue)
    if weights.shape[1] != len(encoded.tokens):
        raise CheckpointError(
            f"the snapshots of {lapse.name} were recorded on another text of {dialogue!r}: "
            f"{weights.shape[1]} tokens, and {len(encoded.tokens)} now"
        )
    unit = one_of("Columns by", UNITS, UNIT)
    _, target = lapse.tokenizer.decode(now.target, encoded.speakers)
    rows = groups(target, "word")
    columns = groups(encoded.tokens, unit)
    rolled = mean_rows(sum_columns(weights, columns), rows)
    what = lapse.attention
    if len(rows) > MOST_ROWS:
        what += f", first {MOST_ROWS} of {len(rows)} words"
    picture = attention_figures.matrix(
        rolled[:MOST_ROWS],
        [row.label for row in rows[:MOST_ROWS]],
        [_name(column, unit) for column in columns],
        ("Summary", "Dialogue"),
        f"{what}, {_when(lapse.snapshots[place].epoch)}",
    )
    pictures.show(picture, "train_attention_picture")
    if encoded.omitted:
        st.caption(f"The model did not read turns {turn_ranges(encoded.omitted)}: they have no column.")


def _name(group: Group, unit: str) -> str:
    if unit == "turn" and group.turn is not None:
        return f"{group.label} {group.speaker or ''}".strip()
    return group.label
