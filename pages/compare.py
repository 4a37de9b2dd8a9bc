"""Two models: any page twice, for two checkpoints, one beside the other."""

from core.words import later
from pages.parts.compare import both, state
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Two models, side by side"),
    [View("both", later("Both"), both.draw, state.FIELDS, pictures=("compare_pair",))],
    about=later("See any page for two checkpoints at once: what you do on one side, the other side does too."),
    then=[("training", later("Training: what made the difference"))],
    uses=[],
    apart=True,
    broad=True,
    visits="page",
)

if __name__ == "__main__":
    PAGE.draw()
