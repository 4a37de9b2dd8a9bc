"""Glossary: every term of the app with its definition, to search, and where it is seen."""

from core.words import later
from pages.parts.glossary import terms
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("What the words mean"),
    [View("terms", later("Glossary"), terms.draw, terms.FIELDS)],
    about=later("Every term that the pages use has a definition here, its source, and the page on which it is seen."),
    uses=[],
    visits="",
)

if __name__ == "__main__":
    PAGE.draw()
