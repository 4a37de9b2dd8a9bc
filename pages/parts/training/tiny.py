"""Training a tiny network in the page: a toy task or the bundled dialogues, with live loss, samples and a stop."""

from typing import TYPE_CHECKING

import streamlit as st

from core.figures import training as figures
from core.figures.wording import count
from core.text.examples import load_examples
from pages.parts.training import runner
from pages.shared.controls.choices import number, one_of
from pages.shared.figures import pictures
from pages.shared.frame import address, decoding, demo, notices, switching
from pages.shared.frame.fields import Choice, Number
from pages.shared.frame.notices import literal

if TYPE_CHECKING:
    from core.training.tiny import Watched
    from core.training.toys import Task

TASKS = {"copy": "Copy", "reverse": "Reverse", "sort": "Sort", "dialogues": "Bundled dialogues"}
ABOUT = {
    "copy": "It reads letters and must write them again: d a c b → d a c b.",
    "reverse": "It reads letters and must write them backwards: d a c b → b c a d.",
    "sort": "It reads letters and must write them in the order of the alphabet: d a c b → a b c d.",
    "dialogues": "It reads all bundled dialogues but five, far too few to learn to summarise: it learns them by "
    "heart, and the loss on the five that are held out shows it.",
}
OWN = "train_own"
TASK = Choice("train_task", list(TASKS), "reverse")
LENGTH = Number("train_length", 6, 12, 8)
LETTERS = Number("train_letters", 4, 26, 10)
WIDTH = Choice("train_width", ("32", "64", "128"), "64")
LAYERS = Choice("train_layers", ("1", "2"))
HEADS = Choice("train_heads", ("1", "2", "4"), "2")
SEED = Number("train_seed", 0, 9999, 0)
FIELDS = (TASK, LENGTH, LETTERS, WIDTH, LAYERS, HEADS, SEED)
WORDS = {
    "finished": "It is trained",
    "stopped": "You stopped it; what it had learnt is kept",
    "out of time": "Its time was up; what it had learnt is kept",
}


def draw() -> None:
    """Draw the choice of a task and a network, and the training as it runs."""
    st.markdown(
        "A real training, here and now: our own Transformer class, small, and the same loop that trained the shipped "
        "checkpoints. It takes less than two minutes on two processor cores."
    )
    task = one_of("Task", TASKS, TASK)
    st.caption(ABOUT[task])
    sizes = _sizes(task)
    own: runner.Training | None = st.session_state.get(OWN)
    busy = runner.running()
    if busy is not None and busy is not own:
        _wait(busy)
    elif own is None or own.done.is_set():
        st.button(
            "Train it", key="train_start", icon=":material/play_arrow:", type="primary",
            on_click=_start, args=(task, sizes), disabled=demo.on(),
        )  # fmt: skip
        if demo.on():
            st.caption("A demonstration trains nothing: do it in a copy of your own.")
    notices.show_complaint()
    if own is not None:
        _outcome(own) if own.done.is_set() else _live(own)


def _sizes(task: str) -> dict[str, int]:
    """Draw the controls of data and network; return their values."""
    sizes = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if task != "dialogues":
            tip = "Of an input; it has half as many at least."
            sizes["length"] = number("Letters, at most", LENGTH, tip, width=150)
            sizes["letters"] = number("Alphabet", LETTERS, "Number of different letters.", width=150)
        sizes["width"] = one_of("Width", {each: each for each in WIDTH.options}, WIDTH)
        stacks = {"1": "1 + 1", "2": "2 + 2"}
        sizes["layers"] = one_of("Layers", stacks, LAYERS, "Of the encoder, and of the decoder.")
        sizes["heads"] = one_of("Heads", {each: each for each in HEADS.options}, HEADS)
        sizes["seed"] = number("Seed", SEED, "Of the first weights and of the data.", width=150)
    return {name: int(value) for name, value in sizes.items()}


def _start(task: str, sizes: dict[str, int]) -> None:
    def make() -> "Task":
        from core.training import toys

        return toys.task(task, **sizes)

    def begin() -> None:
        session = st.session_state
        mine = [each for each in session.get(decoding.TRAINED, ()) if each.name in runner.names()]
        session[OWN] = runner.begin(make)
        for old in mine[: max(len(mine) + 1 - runner.MOST, 0)]:
            runner.forget(old.name)
        session[decoding.TRAINED] = (*mine[-runner.MOST + 1 :], session[OWN])

    notices.attempt(begin)


@st.fragment(run_every=1.0)
def _wait(busy: runner.Training) -> None:
    """Say that somebody else trains: one training runs at a time."""
    if busy.done.is_set():
        st.rerun()
    left = f"It takes {busy.watched.left:.0f} seconds more at most." if busy.watched else "It has just begun."
    st.info(
        f"A network is being trained in another window, and two at once would both be slow. {left} Then you can begin.",
        icon=":material/hourglass_top:",
    )


@st.fragment(run_every=1.0)
def _live(own: runner.Training) -> None:
    """Draw the training as it runs; it draws itself again every second."""
    if own.done.is_set():
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="train_bar"):
        st.button("Stop", key="train_stop", icon=":material/stop:", on_click=own.stop)
        watched = own.watched
        if watched is None or not watched.losses:
            st.progress(0.0, text="Keras starts, and the training step is compiled …")
            return
        done = watched.losses[-1][0]
        text = f"Epoch {done:.1f} of {watched.task.training.epochs} · about {watched.left:.0f} s left"
        st.progress(min(watched.done, 1.0), text=text)
    _progress(watched)


def _progress(watched: "Watched") -> None:
    """Draw the curves, and what it writes now."""
    what = "ROUGE-1 on held-out dialogues" if watched.task.name == "dialogues" else "held-out inputs answered rightly"
    validation = [(row["epoch"], row["validation_loss"]) for row in watched.history]
    scores = [(float(look.epoch), look.mean(True) or 0.0) for look in watched.looks]
    picture = figures.live(watched.losses, validation, scores, watched.task.training.epochs, what)
    pictures.show(picture, "train_live_picture")
    if watched.looks:
        titles = {example.dialogue: example.title for example in load_examples()}
        sentence, table = figures.attempts(watched.looks[-1], watched.task.name, titles)
        st.markdown(sentence)
        st.dataframe(table, hide_index=True, key="train_attempts")


def _outcome(own: runner.Training) -> None:
    """Say how it ended, and lead to its attention."""
    watched = own.watched
    if own.error is not None:
        notices.show_failure(own.error, "The training failed")
    if watched is None or not watched.losses:
        return
    if own.name is not None:
        epochs = count(len(watched.history), "epoch")
        st.success(
            f"{WORDS.get(watched.state, 'It is over')}: {epochs} in {watched.took:.0f} s. It is the checkpoint "
            f"**{literal(own.name)}** of your list in the sidebar, on every page, until the app ends or you trained "
            f"{count(runner.MOST, 'newer one')}.",
            icon=":material/check_circle:",
        )
        _ways(own)
    _progress(watched)


def _ways(own: runner.Training) -> None:
    """Draw buttons that choose the checkpoint, with an input of its task."""
    if own.name not in runner.names() or own.watched is None:
        st.caption("It made room for newer ones.")
        return
    text = own.watched.looks[-1].clearest
    with st.container(horizontal=True):
        seen = {"see": "head", "kind": "cross", "layer": 0, "head": 0}
        for key, label, icon, page, values in (
            ("train_to_attention", "See its attention", ":material/visibility:", "attention", seen),
            ("train_to_summary", "Let it write", ":material/summarize:", "summarize", {}),
        ):
            if st.button(label, key=key, icon=icon, on_click=switching.to, args=(own.name, text)):
                address.visit(page, **values)
