"""Experiments: what the summary depends on, found by changing it and running the model again."""

from core.words import later
from pages.parts.experiments import control, curves, heads, lenses, methods, patching, runs, turns, words
from pages.shared.controls import picker
from pages.shared.frame.page import Page, View
from pages.shared.model import sweep

PAGE = Page(
    later("Do not believe it, test it"),
    [
        View("turns", later(":material/forum: Turns"), turns.draw, turns.FIELDS, pictures=("turn_bench",)),
        View("heads", later(":material/grid_view: Heads"), heads.draw, heads.FIELDS, pictures=("head_switches",)),
        View(
            "words", later(":material/format_ink_highlighter: Words"), words.draw, words.FIELDS, pictures=("word_map",)
        ),
        View(
            "methods", later(":material/compare: Methods"), methods.draw, methods.FIELDS, pictures=("method_picture",)
        ),
        View("compare", later(":material/leaderboard: Compare"), curves.draw, curves.FIELDS, pictures=("curves",)),
        View(
            "patching", later(":material/swap_horiz: Patching"), patching.draw, patching.FIELDS, pictures=("patched",)
        ),
        View("lenses", later(":material/layers: Lenses"), lenses.draw, lenses.FIELDS, pictures=("lens_0",)),
    ],
    view_name="experiment",
    view_label=later("Experiment"),
    about=later("Change what the model reads or one of its heads, run it again, and see what the summary depends on."),
    fields=[runs.CONTROL],
    head=picker.bar,
    prepare=control.draw,
    on_view=sweep.stop,
)

if __name__ == "__main__":
    PAGE.draw()
