"""Attention lab: change a number in a small matrix and see formula, picture and code agree."""

from core.words import later
from pages.parts.attention_lab import attention, block, matrices, pitfalls, scale, scoring
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Attention by hand"),
    [
        View.of("attention", later(":material/grid_on: Attention"), attention, "lab_board"),
        View.of("scoring", later(":material/compare_arrows: Scoring"), scoring, "lab_board"),
        View.of("scale", later(":material/show_chart: Scale"), scale, "scale_picture"),
        View.of("block", later(":material/layers: Block"), block, "lab_board"),
        View.of("slips", later(":material/report: Pitfalls"), pitfalls, "lab_board"),
    ],
    view_name="lab",
    about=later(
        "Attention on matrices small enough to check by hand: every cell shows the arithmetic that it comes from."
    ),
    uses=["checkpoint"],
    visits="page",
    fields=matrices.FIELDS,
)

if __name__ == "__main__":
    PAGE.draw()
