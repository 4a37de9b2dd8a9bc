"""Lessons: a path of stops through the pages, talks made of them, and how a teacher adds others."""

from pages.parts.lessons import path
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Learn it step by step",
    [View("path", "Lessons", path.draw)],
    about="The stops lead from the text of a dialogue to its summary and the errors in it. Each one opens a real page, "
    "asks for one prediction, and gives you one thing to do.",
    uses=[],
)

if __name__ == "__main__":
    PAGE.draw()
