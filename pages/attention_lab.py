"""Attention lab: change a number in a small matrix and see formula, picture and code agree."""

from pages.parts.attention_lab import attention, block, matrices, pitfalls, scale, scoring
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Attention by hand",
    [
        View("attention", ":material/grid_on: Attention", attention.draw, pictures=("lab_board",)),
        View("scoring", ":material/compare_arrows: Scoring", scoring.draw, pictures=("lab_board",)),
        View("scale", ":material/show_chart: Scale", scale.draw, (scale.KEYS,), pictures=("scale_picture",)),
        View("block", ":material/layers: Block", block.draw, block.FIELDS, pictures=("lab_board",)),
        View("slips", ":material/report: Pitfalls", pitfalls.draw, (pitfalls.LESSON,), pictures=("lab_board",)),
    ],
    view_name="lab",
    about="Attention on matrices small enough to check by hand: every cell shows the arithmetic that it comes from.",
    then=[("experiments", "Experiments: what the summary of a real model depends on")],
    uses=["checkpoint"],
    visits="page",
    fields=matrices.FIELDS,
)

if __name__ == "__main__":
    PAGE.draw()
