"""Decoding: step through the writing of a summary, fork it anywhere, read the beam tree, compare strategies."""

from core.words import later
from pages.parts.decoding import beam, branches, files, runs, steps, strategies
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Step through the decoding"),
    [
        View(
            "steps",
            later(":material/step_over: Step by step"),
            steps.draw,
            steps.FIELDS,
            pictures=("stepper", "next_token"),
        ),
        View("branches", later(":material/account_tree: Branches"), branches.draw, pictures=("branch_tree",)),
        View("beam", later(":material/alt_route: Beam tree"), beam.draw, beam.FIELDS, pictures=("beam_picture",)),
        View("bench", later(":material/compare_arrows: Compare strategies"), strategies.draw, pictures=("strategies",)),
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
