"""Training a tiny network in the page: a toy task or the bundled dialogues, with live loss, samples and a stop."""

from typing import TYPE_CHECKING

import streamlit as st

from core.figures.shared.wording import count
from core.figures.training import curves as figures
from core.text.examples import load_examples
from core.words import later, say
from pages.parts.training import runner
from pages.shared.controls.choices import number, one_of, options, row
from pages.shared.controls.open_head import FIRST
from pages.shared.figures import pictures
from pages.shared.guard import demo
from pages.shared.model import checkpoint_change
from pages.shared.place import places
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Choice, Number
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.training.tiny import Watched
    from core.training.toys import Task

TASKS = {
    "copy": later("Copy"),
    "reverse": later("Reverse"),
    "sort": later("Sort"),
    "dialogues": later("Bundled dialogues"),
}
ABOUT = {
    "copy": later("It reads letters and must write them again: d a c b → d a c b."),
    "reverse": later("It reads letters and must write them backwards: d a c b → b c a d."),
    "sort": later("It reads letters and must write them in the order of the alphabet: d a c b → a b c d."),
    "dialogues": later(
        "It reads all bundled dialogues but five, far too few to learn to summarize: it learns them by "
        "heart, and the loss on the five that are held out shows it."
    ),
}
OWN, PLACE = "train_own", "train_place"
"""Keys of the training in the session, and of the place where it will be seen."""
TASK = Choice("train_task", TASKS, "reverse")
LENGTH = Number("train_length", 6, 12, 8)
LETTERS = Number("train_letters", 4, 26, 10)
WIDTH = Choice("train_width", ("32", "64", "128"), "64")
LAYERS = Choice("train_layers", ("1", "2"))
HEADS = Choice("train_heads", ("1", "2", "4"), "2")
SEED = Number("train_seed", 0, 9999, 0)
FIELDS = (TASK, LENGTH, LETTERS, WIDTH, LAYERS, HEADS, SEED)
OVER = later("It is over: {epochs} in {seconds} s.")
ENDS = {
    "finished": later("It is trained: {epochs} in {seconds} s."),
    "stopped": later("You stopped it; what it had learnt is kept: {epochs} in {seconds} s."),
    "out of time": later("Its time was up; what it had learnt is kept: {epochs} in {seconds} s."),
}


def draw() -> None:
    """Draw the choice of a task and a network, and the training as it runs."""
    with row():
        task = one_of(say("Task"), TASK)
    with options():
        sizes = _sizes(task)
    own: runner.Training | None = st.session_state.get(OWN)
    busy = runner.running()
    if busy is not None and busy is not own:
        _wait(busy)
    elif own is None or own.done.is_set():
        with row() if own else st.container(border=True, key=PLACE):
            st.button(
                say("Train it"), key="train_start", icon=":material/play_arrow:", type="primary",
                on_click=_start, args=(task, sizes), disabled=demo.on(),
            )  # fmt: skip
            if demo.on():
                st.caption(say("A demonstration trains nothing: do it in a copy of your own."))
            elif own is None:
                st.markdown(say("Here you then see how far it is, its losses, and what it writes."))
    notices.show_complaint()
    if own is not None:
        _outcome(own) if own.done.is_set() else _live(own)
    st.markdown(
        say(
            "A real training, here and now: our own Transformer class, small, and the same loop that trained the "
            "shipped checkpoints. It takes less than two minutes on two processor cores."
        )
    )
    st.caption(say(ABOUT[task]))


def _sizes(task: str) -> dict[str, int]:
    """Draw the controls of data and network; return their values."""
    sizes = {}
    if task != "dialogues":
        tip = say("Of an input; it has half as many at least.")
        sizes["length"] = number(say("Letters, at most"), LENGTH, tip, width=150)
        sizes["letters"] = number(say("Alphabet"), LETTERS, say("Number of different letters."), width=150)
    sizes["width"] = one_of(say("Width"), {option: option for option in WIDTH.options}, WIDTH)
    stacks = {"1": "1 + 1", "2": "2 + 2"}
    sizes["layers"] = one_of(say("Layers"), stacks, LAYERS, say("Of the encoder, and of the decoder."))
    sizes["heads"] = one_of(say("Heads"), {option: option for option in HEADS.options}, HEADS)
    sizes["seed"] = number(say("Seed"), SEED, say("Of the first weights and of the data."), width=150)
    return {name: int(value) for name, value in sizes.items()}


def _start(task: str, sizes: dict[str, int]) -> None:
    def make() -> "Task":
        from core.training import toys

        return toys.task(task, **sizes)

    def begin() -> None:
        session = st.session_state
        mine = [training for training in session.get(decoding.TRAINED, ()) if training.name in runner.names()]
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
    begun = later(
        "A network is being trained in another window, and two at once would both be slow. It has just begun. Then "
        "you can begin."
    )
    under_way = later(
        "A network is being trained in another window, and two at once would both be slow. It takes {seconds:.0f} "
        "seconds more at most. Then you can begin."
    )
    text = say(under_way, seconds=busy.watched.left) if busy.watched else say(begun)
    st.info(text, icon=":material/hourglass_top:")


@st.fragment(run_every=1.0)
def _live(own: runner.Training) -> None:
    """Draw the training as it runs; it draws itself again every second."""
    if own.done.is_set():
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="train_bar"):
        st.button(say("Stop"), key="train_stop", icon=":material/stop:", on_click=own.stop)
        watched = own.watched
        if watched is None or not watched.losses:
            st.progress(0.0, text=say("Keras starts, and the training step is compiled …"))
            return
        text = say(
            "Epoch {done:.1f} of {epochs} · about {seconds:.0f} s left",
            done=watched.losses[-1][0],
            epochs=watched.task.training.epochs,
            seconds=watched.left,
        )
        st.progress(min(watched.done, 1.0), text=text)
    _curves(watched)
    _attempts(watched)


def _curves(watched: "Watched") -> None:
    what = say("held-out inputs answered rightly")
    if watched.task.name == "dialogues":
        what = say("ROUGE-1 on held-out dialogues")
    validation = [(row["epoch"], row["validation_loss"]) for row in watched.history]
    scores = [(float(look.epoch), look.mean(True) or 0.0) for look in watched.looks]
    picture = figures.live(watched.losses, validation, scores, watched.task.training.epochs, what)
    pictures.show(picture, "train_live_picture")


def _attempts(watched: "Watched") -> None:
    if watched.looks:
        titles = {example.dialogue: say(example.title) for example in load_examples()}
        sentence, table = figures.attempts(watched.looks[-1], watched.task.name, titles)
        st.markdown(sentence)
        st.dataframe(table, hide_index=True, key="train_attempts")


def _outcome(own: runner.Training) -> None:
    """Draw what came of it, say how it ended, and lead to its attention."""
    watched = own.watched
    if own.error is not None:
        notices.show_failure(own.error, say("The training failed"))
    if watched is None or not watched.losses:
        return
    _curves(watched)
    if own.name is not None:
        epochs = count(len(watched.history), "epoch")
        end = say(ENDS.get(watched.state, OVER), epochs=epochs, seconds=f"{watched.took:.0f}")
        where = say(
            "It is the checkpoint **{name}** of your list in the sidebar, on every page, until the app ends or you "
            "trained {count} newer ones.",
            name=literal(own.name),
            count=runner.MOST,
        )
        st.success(f"{end} {where}", icon=":material/check_circle:")
        _ways(own)
    _attempts(watched)


def _ways(own: runner.Training) -> None:
    """Draw buttons that choose the checkpoint, with an input of its task."""
    if own.name not in runner.names() or own.watched is None:
        st.caption(say("It made room for newer ones."))
        return
    text = own.watched.looks[-1].clearest
    with st.container(horizontal=True):
        for key, label, icon, way, values in (
            ("train_to_attention", say("See its attention"), ":material/visibility:", ("attention", "head"), FIRST),
            ("train_to_summary", say("Let it write"), ":material/summarize:", ("summarize",), {}),
        ):
            if st.button(label, key=key, icon=icon, on_click=checkpoint_change.to, args=(own.name, text)):
                places.visit(*way, **values)
