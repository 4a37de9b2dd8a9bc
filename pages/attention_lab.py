"""Attention lab: change a number in a small matrix and see formula, picture and code agree."""

from pages.parts.attention_lab import attention, block, matrices, pitfalls, scale, scoring
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Attention by hand",
    [
        View("attention", ":material/grid_on: Attention", attention.draw),
        View("scoring", ":material/compare_arrows: Scoring", scoring.draw),
        View("scale", ":material/show_chart: Scale", scale.draw, (scale.KEYS,)),
        View("block", ":material/layers: Block", block.draw, block.FIELDS),
        View("slips", ":material/report: Pitfalls", pitfalls.draw, (pitfalls.LESSON,)),
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
