"""Visited: what this session has looked at, to return to, to name and to keep as a file."""

from core.words import later
from pages.parts.visited import entries
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("What you have looked at"),
    [View("list", later("Visited"), entries.draw)],
    about=later(
        "Each dialogue, branch and experiment of this session has an entry here: return to it, give it a name, or "
        "save the list as a file."
    ),
    uses=[],
    visits="",
)

if __name__ == "__main__":
    PAGE.draw()
