"""One training as a time-lapse: what it wrote about a bundled dialogue, and where it looked, moment by moment."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core import checkpoints
from core.config import RecurrentConfig
from core.errors import CheckpointError
from core.explain.rollup import Group, groups, mean_rows, sum_columns
from core.figures import attention as attention_figures
from core.figures import training_lapse as figures
from core.figures.training_lapse import MEASURES
from core.figures.wording import count, number
from core.text.dialogue import parse_dialogue
from core.text.examples import example_by_id, load_examples
from core.text.tokenizer import EncodedDialogue, Tokenizer
from core.training import moments
from core.training.moments import Attempt, Moment
from pages.shared import components, pictures, state
from pages.shared.choices import one_of
from pages.shared.errors import literal
from pages.shared.state import Key

UNITS = {"turn": "Turns", "word": "Words"}
MOST_ROWS = 45
"""Words of a summary that the attention picture shows: an untrained network may write many."""
SECONDS = 1.6
"""How long a moment stays while it plays."""
COMMAND = "python -m core train DATA --validation DATA --output FOLDER --moments 10 --scored 250"


@dataclass(frozen=True, eq=False)
class Lapse:
    """The moments of one checkpoint's training.

    Args:
        name: of the checkpoint.
        moments: in order.
        tokenizer: the checkpoint's.
        longest: tokens that its network reads.
        attention: which attention was recorded, in words.
    """

    name: str
    moments: tuple[Moment, ...]
    tokenizer: Tokenizer
    longest: int
    attention: str

    def attempts(self, dialogue: str) -> list[Attempt]:
        """What was written about a dialogue at each moment; raises CheckpointError if one is missing."""
        found = [next((each for each in moment.attempts if each.id == dialogue), None) for moment in self.moments]
        if any(each is None for each in found):
            raise CheckpointError(f"the moments of {self.name} hold nothing about {dialogue!r}")
        return [each for each in found if each is not None]

    def means(self, score: int) -> list[float]:
        """The mean of a score over all dialogues at each moment."""
        return [
            sum(each.rouge[score] for each in moment.attempts) / max(len(moment.attempts), 1)
            for moment in self.moments
        ]


def draw() -> None:
    """Draw the view."""
    names = [name for name in checkpoints.installed() if (checkpoints.locate(name) / moments.FILE).is_file()]
    if not names:
        st.info(
            "No installed checkpoint has recorded moments of its training. Any training records them if it is asked "
            "to: before the first epoch and after some of the others it summarises the bundled dialogues and keeps "
            "what it wrote and where it looked.",
            icon=":material/movie:",
        )
        st.code(COMMAND, language="bash", wrap_lines=True)
        return
    name, dialogue = _controls(names)
    path = checkpoints.locate(name) / moments.FILE
    lapse = _lapse(name, path.stat().st_mtime_ns)
    attempts = lapse.attempts(dialogue)
    place = _moment([moment.epoch for moment in lapse.moments])
    before, now = attempts[max(place - 1, 0)], attempts[place]
    _summary(lapse, place, before, now, dialogue)
    _scores(lapse, attempts, place)
    _attention(lapse, now, place, dialogue)


def _controls(names: Sequence[str]) -> tuple[str, str]:
    """The checkpoint whose training is shown, and the dialogue."""
    session = st.session_state
    sidebar = session[Key.CHECKPOINT]
    start = sidebar if sidebar in names else names[0]
    examples = {example.id: example.title for example in load_examples()}
    _known(Key.TRAIN_MODEL, names, start, "training with recorded moments")
    _known(Key.TRAIN_DIALOGUE, list(examples), session[Key.EXAMPLE], "bundled dialogue")
    boxes = (Key.TRAIN_MODEL, session[Key.TRAIN_MODEL] or start), (
        Key.TRAIN_DIALOGUE,
        session[Key.TRAIN_DIALOGUE] or session[Key.EXAMPLE],
    )
    for key, value in boxes:
        session[f"{key}_box"] = value
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(names) > 1:
            st.selectbox("Training of", names, key=f"{Key.TRAIN_MODEL}_box", on_change=_take, args=(Key.TRAIN_MODEL,))
        st.selectbox(
            "Dialogue",
            list(examples),
            format_func=examples.get,
            key=f"{Key.TRAIN_DIALOGUE}_box",
            on_change=_take,
            args=(Key.TRAIN_DIALOGUE,),
        )
        with st.popover("Read it", icon=":material/article:", width="content"):
            st.text(example_by_id(boxes[1][1]).dialogue)
    return boxes[0][1], boxes[1][1]


def _take(key: Key) -> None:
    st.session_state[key] = st.session_state[f"{key}_box"]


def _known(key: Key, allowed: Sequence[str], start: str, noun: str) -> None:
    """Forget what a link asks in vain; what it need not ask is left out of it."""
    value = str(st.session_state[key])
    if value and value not in allowed:
        state.note(f"There is no {noun} {value[:60]!r}: this is {start}.")
    if value not in allowed or value == start:
        st.session_state[key] = ""


@st.cache_resource(max_entries=3, show_spinner=False)
def _lapse(name: str, changed: int) -> Lapse:  # noqa: ARG001
    folder = checkpoints.locate(name)
    found = moments.read(folder / moments.FILE)
    if not found:
        raise CheckpointError(f"{name}/{moments.FILE} holds no moment")
    config = checkpoints.read_config(name)
    if isinstance(config, RecurrentConfig):
        attention = "cross-attention"
    else:
        attention = "copy head" if config.copy else "cross-attention of the last layer, mean of its heads"
    return Lapse(name, found, Tokenizer.load(folder / "tokenizer.json"), config.max_source_length, attention)


@st.cache_resource(max_entries=8, show_spinner=False)
def _encoded(name: str, changed: int, dialogue: str, _lapse: Lapse) -> EncodedDialogue:  # noqa: ARG001
    truncation = state.card_settings(name).truncation
    return _lapse.tokenizer.encode_dialogue(
        parse_dialogue(example_by_id(dialogue).dialogue), _lapse.longest, truncation
    )


def _moment(epochs: Sequence[int]) -> int:
    """Draw the slider over the moments, and what plays them; the place of the chosen one."""
    session = st.session_state
    if session[Key.TRAIN_EPOCH] not in epochs:
        near = min(epochs, key=lambda epoch: abs(epoch - session[Key.TRAIN_EPOCH]))
        state.note(f"No moment was recorded after epoch {session[Key.TRAIN_EPOCH]}: this is {_when(near)}.")
        session[Key.TRAIN_EPOCH] = near
    playing = session.get(Key.TRAIN_PLAYING) is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        label, icon = ("Stop", ":material/stop:") if playing else ("Play", ":material/play_arrow:")
        action, given = (stop, ()) if playing else (_play, (epochs,))
        st.button(label, key="train_play", icon=icon, on_click=action, args=given)
        if playing:
            _tick(list(epochs))
        st.select_slider(
            "Moment",
            list(epochs),
            format_func=_when,
            key=Key.TRAIN_EPOCH,
            persist_state="session",
            on_change=stop,
        )
    return list(epochs).index(session[Key.TRAIN_EPOCH])


def _when(epoch: int) -> str:
    return f"after epoch {epoch}" if epoch else "before training"


def _play(epochs: Sequence[int]) -> None:
    """Play from here, or from the start where the end is shown."""
    if st.session_state[Key.TRAIN_EPOCH] == epochs[-1]:
        st.session_state[Key.TRAIN_EPOCH] = epochs[0]
    st.session_state[Key.TRAIN_PLAYING] = time.monotonic()


def stop() -> None:
    """Stop playing."""
    st.session_state[Key.TRAIN_PLAYING] = None


@st.fragment(run_every=SECONDS)
def _tick(epochs: list[int]) -> None:
    """Go on to the next moment when this one was shown for long enough."""
    session = st.session_state
    shown: float | None = session.get(Key.TRAIN_PLAYING)
    if shown is None or time.monotonic() - shown < SECONDS - 0.3:
        return
    place = epochs.index(session[Key.TRAIN_EPOCH]) + 1
    session[Key.TRAIN_EPOCH] = epochs[min(place, len(epochs) - 1)]
    session[Key.TRAIN_PLAYING] = time.monotonic() if place < len(epochs) - 1 else None
    st.rerun()


def _summary(lapse: Lapse, place: int, before: Attempt, now: Attempt, dialogue: str) -> None:
    """What was written, what changed since the moment before, and the reference."""
    epoch = lapse.moments[place].epoch
    with st.container(border=True, key="train_summary"):
        heading = f"**What it wrote {_when(epoch)}**"
        if place:
            heading += f" (struck through: {_when(lapse.moments[place - 1].epoch)}; underlined: new)"
        st.markdown(heading)
        if not now.text.strip():
            st.caption("Nothing: it ended the summary at once.")
        components.diff(before.text if place else now.text, now.text, key="train_diff")
        probability = number(now.log_probability / max(len(now.target), 1))
        st.caption(
            f"{count(len(now.target), 'token')}, {probability} nats of log-probability each on average; ROUGE-1/2/L "
            + " / ".join(f"{score:.1f}" for score in now.rouge)
            + "."
        )
    reference = example_by_id(dialogue).references[0]
    st.caption(f"The reference: {literal(reference)}")


def _scores(lapse: Lapse, attempts: Sequence[Attempt], place: int) -> None:
    measure = one_of("Score", MEASURES, Key.TRAIN_SCORE)
    score = list(MEASURES).index(measure)
    picture = figures.scores(
        [moment.epoch for moment in lapse.moments],
        [each.rouge[score] for each in attempts],
        lapse.means(score),
        place,
        measure,
        len(lapse.moments[place].attempts),
    )
    epochs = [moment.epoch for moment in lapse.moments]
    pictures.show(picture, "train_moments_picture", on_select=lambda: _clicked(epochs))


def _clicked(epochs: Sequence[int]) -> None:
    place = pictures.clicked("train_moments_picture")
    if place is not None:
        stop()
        st.session_state[Key.TRAIN_EPOCH] = epochs[place]


def _attention(lapse: Lapse, now: Attempt, place: int, dialogue: str) -> None:
    """Where it looked while it wrote, on a scale that is the same at all moments."""
    weights = now.weights()
    if weights is None:
        st.info("This model has no cross-attention: it keeps the dialogue in one state.", icon=":material/info:")
        return
    if not len(weights):
        return
    path = checkpoints.locate(lapse.name) / moments.FILE
    encoded = _encoded(lapse.name, path.stat().st_mtime_ns, dialogue, lapse)
    if weights.shape[1] != len(encoded.tokens):
        raise CheckpointError(
            f"the moments of {lapse.name} were recorded on another text of {dialogue!r}: "
            f"{weights.shape[1]} tokens, and {len(encoded.tokens)} now"
        )
    unit = one_of("Columns by", UNITS, Key.TRAIN_UNIT)
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
        f"{what}, {_when(lapse.moments[place].epoch)}",
    )
    pictures.show(picture, "train_attention_picture")
    if encoded.omitted:
        st.caption(f"The model did not read turns {components.spans(encoded.omitted)}: they have no column.")


def _name(group: Group, unit: str) -> str:
    if unit == "turn" and group.turn is not None:
        return f"{group.label} {group.speaker or ''}".strip()
    return group.label
