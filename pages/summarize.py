"""Summarize: a dialogue in, its summary out, every token with how sure the model was."""

from pages.parts.summarize import both
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Summarize a dialogue",
    [View("summarize", "Summarize", both.draw)],
    about="Choose an example, or paste or upload your own dialogue. The model writes a summary and shows how sure it "
    "was of each token.",
)

if __name__ == "__main__":
    PAGE.draw()
