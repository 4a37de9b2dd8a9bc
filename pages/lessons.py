"""Lessons: a path of stops through the pages, talks made of them, and how a teacher adds others."""

from core.words import later
from pages.parts.lessons import path
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Learn it step by step"),
    [View("path", later("Lessons"), path.draw)],
    about=later(
        "Ten stops lead from the text of a dialogue to the errors in its summary, and each opens a page, asks for a "
        "prediction, and gives you one thing to do."
    ),
    uses=[],
    visits="",
)

if __name__ == "__main__":
    PAGE.draw()
