"""Attention: where every head looks, from turns down to the numbers inside one head."""

from core.words import later
from pages.parts.attention import catalogue, choice, compare, first_picture, head, heads, inside, turns, view
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("See every head"),
    [
        View(
            "turns",
            later(":material/forum: By turn"),
            turns.draw,
            (turns.ROW_UNIT, turns.COLUMN_UNIT),
            pictures=("ribbons",),
        ),
        View("heads", later(":material/grid_view: All heads"), heads.draw, pictures=("head_grid",)),
        View("head", later(":material/timeline: One head"), head.draw, (head.GRAIN,), pictures=("head_lines",)),
        View("inside", later(":material/function: Inside it"), inside.draw, pictures=("inside_stages",)),
        View(
            "compare",
            later(":material/compare: Two models"),
            compare.draw,
            (compare.OTHER,),
            pictures=("compare_grid_first",),
        ),
        View(
            "catalogue",
            later(":material/menu_book: Catalogue"),
            catalogue.draw,
            (catalogue.MEASURE,),
            pictures=("head_map",),
        ),
    ],
    view_name="see",
    about=later(
        "Attention decides how much each token takes in from the others: see it for every head of the model, while "
        "it reads the dialogue and writes the summary."
    ),
    then=[("attention_lab", later("Attention lab: the same arithmetic on small matrices"))],
    fields=view.FIELDS,
    head=first_picture.head,
    prepare=choice.draw,
    footer=choice.footer,
)

if __name__ == "__main__":
    PAGE.draw()
