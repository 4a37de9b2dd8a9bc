"""BERTScore: how alike two summaries are, cell by cell, and what the number does not say."""

from core.words import later
from pages.parts.bertscore import choice, edit, matrix, scores
from pages.shared.controls import picker
from pages.shared.frame.page import Page, View

PAGE = Page(
    later("How alike are two summaries?"),
    [
        View.of("scores", later(":material/leaderboard: All candidates"), scores, "bertscore_candidates_picture"),
        View.of("matrix", later(":material/grid_on: One pair"), matrix, "bertscore_matrix_picture"),
        View.of("edit", later(":material/edit: Edit it"), edit, "bert_box"),
    ],
    view_name="bert_view",
    about=later(
        "BERTScore measures how similar two texts are: an encoder gives every token a vector that says what it means "
        "in its sentence, and each token is matched with the most similar one of the other text."
    ),
    fields=choice.FIELDS,
    head=picker.bar,
    prepare=choice.draw,
)

if __name__ == "__main__":
    PAGE.draw()
