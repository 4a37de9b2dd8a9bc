"""The questions that a lesson can ask, by the name that stands in its file."""

from collections.abc import Mapping

from core.lessons import attention_questions as attention
from core.lessons import summary_questions as summaries
from core.lessons import text_questions as texts
from core.lessons.asking import Case, Maker, Question

QUESTIONS: Mapping[str, Maker] = {
    "tokens": Maker(texts.tokens, "How many tokens does the dialogue become?"),
    "cut-words": Maker(texts.cut_words, "How many of its words are cut into several tokens?"),
    "longer-vector": Maker(texts.longer_vector, "Which is longer, the embedding or the position vector?"),
    "without-positions": Maker(texts.without_positions, "How many words differ if positions are removed?"),
    "open-cells": Maker(texts.open_cells, "How many cells of the look-ahead mask of the summary are open?"),
    "without-mask": Maker(texts.without_mask, "What does the loss do without the look-ahead mask?"),
    "looks-where": Maker(
        attention.looks_where, "Where does a head of self-attention look? Layer and head are those of the link."
    ),
    "heads-before": Maker(
        attention.heads_before, "How many heads of the encoder put more than half of their weight on the token before?"
    ),
    "most-read-turn": Maker(
        attention.most_read_turn,
        "Which turn does a head of cross-attention read most at a step? Layer and head are those of the link; "
        "without `step` it is the step where the model is least sure.",
        ("step",),
    ),
    "most-needed": Maker(attention.most_needed, "Without which kind of attention are the summaries least likely?"),
    "not-first": Maker(summaries.not_first, "How many tokens were not the most probable one at their step?"),
    "least-sure": Maker(summaries.least_sure, "At which token was the model least sure?"),
    "one-fact": Maker(summaries.one_fact, "How far does BERTScore move if one fact is changed?"),
    "read-right": Maker(summaries.read_right, "How many summaries of the examples did a language model find right?"),
}


def ask(name: str, case: Case) -> Question:
    """Return a question of `QUESTIONS` about a run; raises LessonError for a run of which it cannot be asked."""
    return QUESTIONS[name].make(case)
