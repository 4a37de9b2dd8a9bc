"""Start: what Dialoscope is, a summary being written, and the ways into the app."""

from core.words import later
from pages.parts.start import first
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Dialoscope",
    [View("first", later("Start"), first.draw, pictures=("writing",))],
    about=later(
        "Put a dialogue in, watch a Transformer read it and write its summary, see where it goes wrong, and test what "
        "its words depend on."
    ),
    then=[("summarize", later("Summarize: this dialogue or your own, with everything that is known of each token"))],
    uses=[],
    apart=True,
    visits="",
)

if __name__ == "__main__":
    PAGE.draw()
