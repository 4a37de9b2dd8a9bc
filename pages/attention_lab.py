"""Attention lab: change a number in a small matrix and see formula, picture and code agree."""

from core.words import later
from pages.parts.attention_lab import attention, block, matrices, pitfalls, scale, scoring
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Attention by hand"),
    [
        View("attention", later(":material/grid_on: Attention"), attention.draw, pictures=("lab_board",)),
        View("scoring", later(":material/compare_arrows: Scoring"), scoring.draw, pictures=("lab_board",)),
        View("scale", later(":material/show_chart: Scale"), scale.draw, (scale.KEYS,), pictures=("scale_picture",)),
        View("block", later(":material/layers: Block"), block.draw, block.FIELDS, pictures=("lab_board",)),
        View("slips", later(":material/report: Pitfalls"), pitfalls.draw, (pitfalls.LESSON,), pictures=("lab_board",)),
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
