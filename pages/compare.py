"""Two models: any page twice, for two checkpoints, one beside the other."""

from pages.parts.compare import both, state
from pages.shared.frame.page import Page, View

PAGE = Page(
    "Two models, side by side",
    [View("both", "Both", both.draw, state.FIELDS, pictures=("compare_pair",))],
    about="See any page for two checkpoints at once: what you do on one side, the other side does too.",
    then=[
        ("attention_lab", "Attention lab: compute attention by hand"),
        ("training", "Training: what made the difference"),
    ],
    uses=[],
    apart=True,
    broad=True,
)

if __name__ == "__main__":
    PAGE.draw()
