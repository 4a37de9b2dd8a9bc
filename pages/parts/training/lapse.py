"""One training as a time-lapse: what it wrote about a bundled dialogue, and where it looked, snapshot by snapshot."""

import time
from collections.abc import Sequence

import streamlit as st

from core import checkpoints
from core.figures.shared.wording import count, number, turn_ranges
from core.figures.training import lapse as figures
from core.figures.training.lapse import MEASURES
from core.text.examples import Example, load_examples
from core.training import snapshots
from core.training.snapshots import Attempt, Lapse
from core.words import later, say
from pages.parts.training import imported
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import one_of, row, select
from pages.shared.figures import pictures
from pages.shared.model.cache import cached
from pages.shared.session import decoding, option_labels, selection
from pages.shared.session.fields import Choice, Number, Text
from pages.shared.session.notices import literal

UNITS = {"turn": later("Turns"), "word": later("Words")}
PLAYING = "train_playing"
MODEL = Text("train_model", 80)
DIALOGUE = Text("train_dialogue", 80)
EPOCH = Number("train_epoch", 0.0, 9999.0, 0.0)
SCORE = Choice("train_score", list(MEASURES))
UNIT = Choice("train_unit", UNITS)
FIELDS = (MODEL, DIALOGUE, EPOCH, SCORE, UNIT)
SECONDS = 1.6
"""How long a snapshot stays while it plays."""
COMMAND = "python -m core train DATA --validation DATA --output FOLDER --moments 10 --scored 250"


def draw() -> None:
    """Draw what a network wrote, snapshot by snapshot, with its scores and its attention."""
    imported.said(say("snapshots of its training"))
    names = [name for name in decoding.available() if (checkpoints.locate(name) / snapshots.FILE).is_file()]
    if not names:
        st.info(
            say(
                "No installed checkpoint has recorded snapshots of its training. Any training records them if it is "
                "asked to: before the first epoch and after some of the others it summarizes the bundled dialogues and "
                "keeps what it wrote and where it looked."
            ),
            icon=":material/movie:",
        )
        st.code(COMMAND, language="bash", wrap_lines=True)
        return
    lapse, example = _controls(names)
    attempts = lapse.attempts(example.id)
    place = _snapshot(lapse.epochs)
    _summary(lapse, place, attempts, example)
    _other_run(lapse.name)
    with st.expander(say("Its scores, snapshot by snapshot"), expanded=True, key="train_moments"):
        _scores(lapse, place, attempts)
    with st.expander(say("Where it looked"), key="train_looked"):
        _attention(lapse, place, attempts[place], example)


def _controls(names: Sequence[str]) -> tuple[Lapse, Example]:
    """Draw the choice of a training and of a dialogue; return its snapshots and the example."""
    sidebar = decoding.CHECKPOINT.value
    start = sidebar if sidebar in names else names[0]
    MODEL.fit(("", *names), say("training with recorded snapshots"))
    with row():
        name = start
        if len(names) > 1:
            name = select(say("Training of"), {each: each for each in names}, MODEL, usual=start, width=220)
        lapse = _lapse(name, (checkpoints.locate(name) / snapshots.FILE).stat().st_mtime_ns)
        recorded = lapse.dialogues
        examples = {each.id: each for each in load_examples() if each.id in recorded}
        DIALOGUE.fit(("", *examples), say("bundled dialogue"))
        titles = {id: say(each.title) for id, each in examples.items()}
        chosen = selection.EXAMPLE.value
        usual = chosen if chosen in examples else next(iter(examples))
        example = examples[select(say("Dialogue"), titles, DIALOGUE, usual=usual, width=300)]
        with st.popover(say("Read it"), icon=":material/article:", width="content"):
            st.text(example.dialogue)
    return lapse, example


def _other_run(name: str) -> None:
    """Say so if the snapshots were recorded in another training than that of the weights."""
    card = checkpoints.read_card(name)
    other = card.get("snapshots")
    losses = [training.get("validation_loss") for training in (card, other) if isinstance(training, dict)]
    if len(losses) == 2 and all(isinstance(loss, int | float) for loss in losses):
        caption = say(
            "These snapshots are from another training of this network, so the model in the sidebar writes other "
            "summaries. Validation loss: {first} of that model, {second} at the end of this training.",
            first=f"{losses[0]:.2f}",
            second=f"{losses[1]:.2f}",
        )
        st.caption(caption)


@cached(3)
def _lapse(name: str, changed: int) -> Lapse:
    return snapshots.lapse(name)


def _snapshot(epochs: Sequence[float]) -> int:
    """Draw the slider over the snapshots and the play button; return the position of the chosen one."""
    if EPOCH.value not in epochs:
        near = min(epochs, key=lambda epoch: abs(epoch - EPOCH.value))
        asked, shown = figures.when(EPOCH.value), figures.when(near)
        EPOCH.refuse(say("No snapshot was recorded {asked}: this is {shown}.", asked=asked, shown=shown), near)
    playing = st.session_state.get(PLAYING) is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        label, icon = (say("Stop"), ":material/stop:") if playing else (say("Play"), ":material/play_arrow:")
        action, given = (stop, ()) if playing else (_play, (epochs,))
        st.button(label, key="train_play", icon=icon, on_click=action, args=given)
        if playing:
            _tick(list(epochs))
        times = {epoch: figures.when(epoch) for epoch in epochs}
        option_labels.follow(EPOCH.name, times)
        st.select_slider(
            say("Snapshot"),
            list(times),
            format_func=times.__getitem__,
            key=EPOCH.name,
            persist_state="session",
            on_change=stop,
        )
    return list(epochs).index(EPOCH.value)


def _play(epochs: Sequence[float]) -> None:
    """Play from here, or from the start where the end is shown."""
    if EPOCH.value == epochs[-1]:
        EPOCH.value = epochs[0]
    st.session_state[PLAYING] = time.monotonic()


def stop() -> None:
    """Stop playing."""
    st.session_state[PLAYING] = None


@st.fragment(run_every=SECONDS)
def _tick(epochs: list[float]) -> None:
    """Go on to the next snapshot when this one was shown for long enough."""
    session = st.session_state
    shown: float | None = session.get(PLAYING)
    if shown is None or time.monotonic() - shown < SECONDS - 0.3:
        return
    place = epochs.index(EPOCH.value) + 1
    EPOCH.value = epochs[min(place, len(epochs) - 1)]
    session[PLAYING] = time.monotonic() if place < len(epochs) - 1 else None
    st.rerun()


def _summary(lapse: Lapse, place: int, attempts: Sequence[Attempt], example: Example) -> None:
    """Draw what was written, what changed since the snapshot before, and the reference."""
    before, now = attempts[max(place - 1, 0)], attempts[place]
    with st.container(border=True, key="train_summary"):
        when = figures.when(lapse.epochs[place])
        heading = say("**What it wrote {when}**", when=when)
        if place:
            heading = say(
                "**What it wrote {when}** (struck through: {before}; underlined: new)",
                when=when,
                before=figures.when(lapse.epochs[place - 1]),
            )
        st.markdown(heading)
        if not now.text.strip():
            st.caption(say("Nothing: it ended the summary at once."))
        word_diff(before.text, now.text, key="train_diff")
        probability = number(now.log_probability / max(len(now.target), 1))
        st.caption(
            say(
                "{tokens}, {nats} nats of log-probability each on average; ROUGE-1/2/L {scores}.",
                tokens=count(len(now.target), "token"),
                nats=probability,
                scores=" / ".join(f"{score:.1f}" for score in now.rouge),
            )
        )
    st.caption(say("The reference: {text}", text=literal(example.references[0])))


def _scores(lapse: Lapse, place: int, attempts: Sequence[Attempt]) -> None:
    measure = one_of(say("Score"), MEASURES, SCORE)
    score = list(MEASURES).index(measure)
    here, dialogues = [attempt.rouge[score] for attempt in attempts], len(lapse.snapshots[place].attempts)
    picture = figures.scores(lapse.epochs, here, lapse.means(score), place, measure, dialogues)
    pictures.show(picture, "train_moments_picture", on_select=lambda: _clicked(lapse.epochs))


def _clicked(epochs: Sequence[float]) -> None:
    place = pictures.clicked("train_moments_picture", len(epochs))
    if place is not None:
        stop()
        EPOCH.value = epochs[place]


def _attention(lapse: Lapse, place: int, now: Attempt, example: Example) -> None:
    """Draw the attention while it wrote, on one scale for all snapshots."""
    weights = now.weights()
    if weights is None:
        text = say("This model has no cross-attention: it keeps the dialogue in one state.")
        st.info(text, icon=":material/info:")
        return
    if not len(weights):
        return
    encoded = lapse.encode(now, example.dialogue)
    unit = one_of(say("Columns by"), UNIT)
    _, target = lapse.tokenizer.decode(now.target, encoded.speakers)
    what = f"{say(lapse.attention)}, {figures.when(lapse.epochs[place])}"
    pictures.show(figures.attention(weights, encoded.tokens, target, unit, what), "train_attention_picture")
    if encoded.omitted:
        omitted = turn_ranges(encoded.omitted)
        st.caption(say("The model did not read turns {turns}: they have no column.", turns=omitted))
