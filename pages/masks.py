"""Masks: what each hides, on a batch of one's own; what happens without it; and the lesson of the look-ahead mask."""

from core.words import later
from pages.parts.masks import batch, lesson, missing
from pages.shared.frame.page import Page, View
from pages.shared.model import sweep

PAGE = Page(
    later("What a token may not see"),
    [
        View.of("batch", later(":material/grid_on: Your batch"), batch, "mask_picture"),
        View.of(
            "missing",
            later(":material/visibility_off: What if it were missing?"),
            missing,
            "leak_picture",
            "padding_picture",
        ),
        View.of("lesson", later(":material/school: Train without the mask"), lesson, "lesson_picture", lesson.PLACE),
    ],
    view_name="masks_view",
    about=later(
        "A mask hides tokens from attention: the padding after short texts, and the words that are still to be written."
    ),
    uses=["checkpoint"],
    visits="page",
    on_view=sweep.stop,
)

if __name__ == "__main__":
    PAGE.draw()
