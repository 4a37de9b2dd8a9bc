"""Tokens: a text becomes turns, tokens, ids and vectors, and what is lost on the way."""

from core.words import later
from pages.parts.tokens import embedding, forcing, length, merging, reading, sources
from pages.shared.controls import picker
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("From text to numbers"),
    [
        View.of("tokens", later(":material/data_array: Tokens"), reading, "token_chips"),
        View.of(
            "merges",
            lambda: f":material/join_inner: {sources.steps()[0]}",
            merging,
            "merges_picture",
            "cuts_picture",
            "matches",
        ),
        View.of("length", later(":material/straighten: Length"), length, "kept_turns_picture"),
        View.of("embedding", later(":material/scatter_plot: Embedding"), embedding, "embedding_picture"),
        View.of("forcing", later(":material/school: Teacher forcing"), forcing, "forcing_table"),
    ],
    view_name="tokens_view",
    about=later("A model reads numbers: the text is cut into tokens, each token has an id, and each id a vector."),
    uses=["checkpoint"],
    fields=sources.FIELDS,
    head=picker.bar,
    prepare=sources.draw,
)

if __name__ == "__main__":
    PAGE.draw()
