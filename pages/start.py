"""Start: what Dialoscope is, a summary being written, and the ways into the app."""

from pages.parts.start import first
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Dialoscope",
    [View("first", "Start", first.draw, pictures=("writing",))],
    about="Put a dialogue in, watch a Transformer read it and write its summary, and see where and why it goes wrong.",
    then=[
        ("lessons", "Lessons: the way of a summary through all pages, in nine stops"),
        ("summarize", "Summarize: this dialogue or your own, with everything that is known of each token"),
    ],
    uses=[],
    apart=True,
    visits="",
)

if __name__ == "__main__":
    PAGE.draw()
