"""Training: losses epoch by epoch, what came of it, a time-lapse, a tiny training now, and schedules."""

from core.words import later
from pages.parts.training import curves, files, lapse, schedule, scores, tiny
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("Watch it learn"),
    [
        View.of("curves", later(":material/show_chart: Curves"), curves, "train_curves_picture"),
        View.of("scores", later(":material/straighten: Scores"), scores, "train_length_picture"),
        View.of("lapse", later(":material/movie: Time-lapse"), lapse, "train_play", "train_summary"),
        View.of("tiny", later(":material/model_training: Train a tiny one"), tiny, tiny.PLACE, "train_live_picture"),
        View.of("schedule", later(":material/trending_down: Schedules"), schedule, "train_schedule_picture"),
    ],
    view_name="train_view",
    about=later(
        "How a model learns: losses and scores of every training, what it wrote after each epoch, and a tiny network "
        "that you train here."
    ),
    uses=["checkpoint"],
    visits="page",
    on_view=lapse.stop,
    holds=files.held,
)

if __name__ == "__main__":
    PAGE.draw()
