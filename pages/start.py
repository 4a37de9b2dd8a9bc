"""Start: what Dialoscope is, and the ways into it."""

from pages.parts.start import doors
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Dialoscope",
    [View("doors", "Doors", doors.draw)],
    about="Put a dialogue in, and watch an encoder–decoder Transformer read it and write its summary, token by token.",
    uses=[],
    linked=False,
)

if __name__ == "__main__":
    PAGE.draw()
