"""Experiments: what the summary depends on, found by changing it and running the model again."""

from core.words import later
from pages.parts.experiments import control, heads, lenses, methods, patching, runs, turns, words
from pages.shared.controls import picker
from pages.shared.frame.page import Page, View
from pages.shared.model import sweep

PAGE = Page(
    later("Do not believe it, test it"),
    [
        View.of("turns", later(":material/forum: Turns"), turns, "turn_bench"),
        View.of("heads", later(":material/grid_view: Heads"), heads, "head_switches"),
        View.of("words", later(":material/format_ink_highlighter: Words"), words, "word_map"),
        View.of("methods", later(":material/compare: Methods"), methods, "method_picture"),
        View("compare", later(":material/leaderboard: Compare"), methods.compare, methods.TO_COMPARE, ("curves",)),
        View.of("patching", later(":material/swap_horiz: Patching"), patching, "patched"),
        View.of("lenses", later(":material/layers: Lenses"), lenses, "lens_0"),
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
