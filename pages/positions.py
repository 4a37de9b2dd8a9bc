"""Positions: how the order of words gets into a network that reads all of them at once."""

from core.words import later
from pages.parts.positions import distance, encoding, summed, tested
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Where a word stands"),
    [
        View.of("encoding", later(":material/waves: Encoding"), encoding, "pos_map_picture", "pos_biases_picture"),
        View.of("distance", later(":material/straighten: Distance"), distance, "pos_pairs_picture"),
        View.of("sum", later(":material/add_circle: Sum"), summed, "pos_sum_picture", "pos_slides_picture"),
        View.of("test", later(":material/science: Test it"), tested, "pos_diff", "pos_tokens_picture"),
    ],
    view_name="pos_view",
    about=later(
        "Attention by itself does not know the order of the tokens: see what is added to tell the model where each "
        "one stands, a vector for each position or, in models such as T5, a bias for each distance."
    ),
    uses=["checkpoint"],
    visits="page",
)

if __name__ == "__main__":
    PAGE.draw()
