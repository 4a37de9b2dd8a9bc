"""Attention: where every head looks, from turns down to the numbers inside one head."""

from core.words import later
from pages.parts.attention import catalogue, choice, compare, head, heads, inside, turns, view
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("See every head"),
    [
        View.of("turns", later(":material/forum: By turn"), turns, "ribbons"),
        View.of("heads", later(":material/grid_view: All heads"), heads, "head_grid"),
        View.of("head", later(":material/timeline: One head"), head, "head_lines"),
        View.of("inside", later(":material/function: Inside it"), inside, "inside_stages"),
        View.of("compare", later(":material/compare: Two models"), compare, "compare_grid_first"),
        View.of("catalogue", later(":material/menu_book: Catalogue"), catalogue, "head_map"),
    ],
    view_name="see",
    about=later(
        "Attention decides how much a token takes in from each other token: see it in every head of the model."
    ),
    then=[("attention_lab", later("Attention lab: the same arithmetic on small matrices"))],
    fields=view.FIELDS,
    head=choice.head,
    prepare=choice.draw,
    footer=choice.footer,
)

if __name__ == "__main__":
    PAGE.draw()
