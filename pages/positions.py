"""Positions: how the order of words gets into a network that reads all of them at once."""

from pages.parts.positions import distance, encoding, summed, tested
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Where a word stands",
    [
        View("encoding", ":material/waves: Encoding", encoding.draw, encoding.FIELDS),
        View("distance", ":material/straighten: Distance", distance.draw, distance.FIELDS),
        View("sum", ":material/add_circle: Sum", summed.draw, summed.FIELDS),
        View("test", ":material/science: Test it", tested.draw, tested.FIELDS),
    ],
    view_name="pos_view",
    about="Attention does not know in which order the tokens came: the same words in another order give the same "
    "result. So a vector of its own is added for every position or, in models such as T5, a bias to the score of each "
    "pair of tokens by their distance.",
    uses=["checkpoint"],
)

if __name__ == "__main__":
    PAGE.draw()
