"""Attention: where every head looks, from turns down to the numbers inside one head."""

from pages.parts.attention import catalogue, choice, compare, first_picture, head, heads, inside, turns, view
from pages.shared.frame.page import Page, View

PAGE = Page(
    "See every head",
    [
        View("turns", ":material/forum: By turn", turns.draw, (turns.ROW_UNIT, turns.COLUMN_UNIT)),
        View("heads", ":material/grid_view: All heads", heads.draw),
        View("head", ":material/timeline: One head", head.draw, (head.GRAIN,)),
        View("inside", ":material/function: Inside it", inside.draw),
        View("compare", ":material/compare: Two models", compare.draw, (compare.OTHER,)),
        View("catalogue", ":material/menu_book: Catalogue", catalogue.draw, (catalogue.MEASURE,)),
    ],
    view_name="see",
    about="Which tokens each attention head looks at while the model reads the dialogue and writes the summary.",
    fields=view.FIELDS,
    head=first_picture.head,
    prepare=choice.draw,
    footer=choice.footer,
)

if __name__ == "__main__":
    PAGE.draw()
