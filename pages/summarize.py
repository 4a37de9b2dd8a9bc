"""Summarize: a dialogue in, its summary out, every token with how sure the model was."""

from pages.parts.summarize import both
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Summarize a dialogue",
    [View("summarize", "Summarize", both.draw, pictures=("conversation", "summary_tokens"))],
    about="A small model reads a dialogue, an example or your own, and writes its summary; you see how sure it was of "
    "each token, and what else could have stood there.",
    then=[
        ("tokens", "Tokens: how the text becomes numbers"),
        ("decoding", "Decoding: how this summary was written, step by step"),
    ],
)

if __name__ == "__main__":
    PAGE.draw()
