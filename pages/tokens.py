"""Tokens: a text becomes turns, tokens, ids and vectors, and what is lost on the way."""

from core.words import later
from pages.parts.tokens import embedding, forcing, length, merging, reading, sources
from pages.shared.controls import picker
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("From text to numbers"),
    [
        View("tokens", later(":material/data_array: Tokens"), reading.draw, pictures=("token_chips",)),
        View(
            "merges",
            lambda: f":material/join_inner: {sources.steps()}",
            merging.draw,
            merging.FIELDS,
            pictures=("merges_picture", "cuts_picture", "matches"),
        ),
        View(
            "length",
            later(":material/straighten: Length"),
            length.draw,
            length.FIELDS,
            pictures=("kept_turns_picture",),
        ),
        View("embedding", later(":material/scatter_plot: Embedding"), embedding.draw, pictures=("embedding_picture",)),
        View(
            "forcing",
            later(":material/school: Teacher forcing"),
            forcing.draw,
            forcing.FIELDS,
            pictures=("forcing_table",),
        ),
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
