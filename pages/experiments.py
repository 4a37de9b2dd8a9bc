"""Experiments: what the summary depends on, found by changing it and running the model again."""

from pages.parts.experiments import control, heads, lenses, runs, turns, words
from pages.shared.controls import picker
from pages.shared.frame import sweep
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Do not believe it, test it",
    [
        View("turns", ":material/forum: Turns", turns.draw, turns.FIELDS, pictures=("turn_bench",)),
        View("heads", ":material/grid_view: Heads", heads.draw, heads.FIELDS, pictures=("head_switches",)),
        View("words", ":material/format_ink_highlighter: Words", words.draw, words.FIELDS, pictures=("word_map",)),
        View("lenses", ":material/layers: Lenses", lenses.draw, lenses.FIELDS, pictures=("lens_0",)),
    ],
    view_name="experiment",
    view_label="Experiment",
    about="Change what the model reads or one of its heads, run it again, and see what the summary depends on.",
    then=[("training", "Training: how the model came to do this")],
    fields=[runs.CONTROL],
    head=picker.bar,
    prepare=control.draw,
    on_view=sweep.stop,
)

if __name__ == "__main__":
    PAGE.draw()
