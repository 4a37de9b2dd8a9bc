"""The choice of what an experiment runs on: the model, or one of two controls."""

from core.words import say
from pages.parts.experiments import patching, runs, turns, words
from pages.shared.controls.choices import one_of, row
from pages.shared.model import sweep
from pages.shared.session.fields import follow


def draw() -> runs.Run:
    """Draw the choice of a control, and return what is experimented on."""
    with row():
        one_of(
            say("Run it on"),
            runs.CONTROL,
            tip=say("Two controls: an experiment says something about the model only if they look different."),
            on_change=_other_control,
            args=(runs.CONTROL.value,),
        )
    run = runs.current()
    about = (run.summary.checkpoint, run.summary.dialogue.text, run.summary.text)
    follow(about, turns.TURNS, words.WORD, words.FOIL, patching.SWAP)
    return run


def _other_control(before: str) -> None:
    """Stop the sweep; shuffled turns have another order, so moves are forgotten."""
    sweep.stop()
    if "shuffled" in (before, runs.CONTROL.value):
        turns.forget_moves()
