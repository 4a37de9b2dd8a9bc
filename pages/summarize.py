"""Summarize: a dialogue in, its summary out, every token with how sure the model was."""

from core.words import later
from pages.parts.summarize import both, own_words
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Summarize a dialogue"),
    [
        View(
            "summarize",
            later("Summarize"),
            both.draw,
            own_words.FIELDS,
            pictures=("summary_tokens", "conversation"),
        )
    ],
    about=later(
        "A small model reads a dialogue, an example or your own, and writes its summary; you see how sure it was of "
        "each token, and what else could have stood there."
    ),
    then=[("decoding", later("Decoding: how this summary was written, step by step"))],
)

if __name__ == "__main__":
    PAGE.draw()
