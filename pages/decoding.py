"""Decoding: step through the writing of a summary, fork it anywhere, read the beam tree, compare strategies."""

from core.words import later
from pages.parts.decoding import beam, branches, files, runs, steps, strategies
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Step through the decoding"),
    [
        View.of("steps", later(":material/step_over: Step by step"), steps, "stepper", "next_token"),
        View.of("branches", later(":material/account_tree: Branches"), branches, "branch_tree"),
        View.of("beam", later(":material/alt_route: Beam tree"), beam, "beam_picture"),
        View.of("bench", later(":material/compare_arrows: Compare strategies"), strategies, "strategies"),
    ],
    about=later(
        "The model writes one token after the other: see what it could have written at each step, write something "
        "else there, and compare what follows."
    ),
    fields=runs.FIELDS,
    head=files.head,
    prepare=runs.current,
    on_view=runs.leave_view,
    holds=runs.held,
)

if __name__ == "__main__":
    PAGE.draw()
