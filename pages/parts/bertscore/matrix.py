"""The view of one pair: the matrix, the formulas with its numbers, and the score raw and rescaled."""

import numpy as np
import streamlit as st

from core.figures import bertscore as figures
from core.figures import bertscore_scale
from core.scoring.matching import Match
from pages.parts.bertscore import answers
from pages.parts.bertscore.choice import Choice
from pages.parts.bertscore.scored import Scores, Scoring
from pages.shared.figures import pictures
from pages.shared.frame.notices import literal


def draw(choice: Choice) -> None:
    """Draw the similarity matrix of one pair, and how its score is computed."""
    chosen, place, against, scoring = choice.chosen, choice.place, choice.against, choice.scoring
    reference = chosen.references[place]
    titled = ((chosen.name, chosen.text), (against.names[place].capitalize(), reference))
    for column, (title, text) in zip(st.columns(2, gap="medium"), titled, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{literal(title)}**")
            st.text(text or "(an empty text)")
    if not chosen.text.strip() or not reference.strip():
        st.info("One of the two texts is blank. There is nothing to match: the pair scores 0.", icon=":material/info:")
        return
    _say_cut(chosen.text, reference, scoring)
    match, scores = scoring.match(chosen.text, reference), scoring.scores(chosen.text, reference)
    st.markdown(
        "Each cell is the cosine of two **contextual** token vectors. The **circle** is the closest reference token of "
        "each candidate token: precision. The **square** is the closest candidate token of each reference token: "
        "recall. The bars say what each token adds. Grey rows and columns are the tokenizer’s special tokens: "
        "they are not scored, but may be matched."
    )
    pictures.show(figures.matrix(match), "bertscore_matrix_picture")
    _formulas(match, scores, scoring)
    if scoring.shown_baseline:
        st.header("Raw and rescaled on one axis", anchor=False)
        picture = bertscore_scale.rescaling(scores, scoring.shown_baseline, scoring.anchors)
        pictures.show(picture, "bertscore_rescaling_picture")
    else:
        st.caption("No rescaling: the baseline was measured without idf weights.")
    answers.expanders(answers.of_pair(match, scores, scoring))


def _say_cut(candidate: str, reference: str, scoring: Scoring) -> None:
    if scoring.scorer.count([candidate], [[reference]]).cut:
        st.warning(
            f"A text is longer than the {scoring.scorer.max_tokens} tokens that the encoder reads. What is behind them "
            "is not scored.",
            icon=":material/content_cut:",
        )


def _formulas(match: Match, scores: Scores, scoring: Scoring) -> None:
    """Draw the formulas of precision, recall, F1 and rescaled F1 with this pair's numbers."""
    st.header("The formulas with these numbers", anchor=False)
    precision, recall, f1 = scores
    for name, side, best, value in (
        (r"P = \frac{\sum_i w_i \max_j s_{ij}}{\sum_i w_i}", match.candidate, match.similarity.max(axis=1), precision),
        (r"R = \frac{\sum_j w_j \max_i s_{ij}}{\sum_j w_j}", match.reference, match.similarity.max(axis=0), recall),
    ):
        above, below = float(np.dot(side.weights, best)), float(side.weights.sum())
        st.latex(rf"{name} = \frac{{{above:.3f}}}{{{below:.3f}}} = {value:.4f}")
    st.latex(
        rf"F_1 = \frac{{2 P R}}{{P + R}} = \frac{{2 \cdot {precision:.4f} \cdot {recall:.4f}}}"
        rf"{{{precision:.4f} + {recall:.4f}}} = {f1:.4f}"
    )
    base = scoring.shown_baseline
    if base:
        new = base.rescale(*scores)[2]
        st.latex(rf"\frac{{F_1 - b}}{{1 - b}} = \frac{{{f1:.4f} - {base.f1:.4f}}}{{1 - {base.f1:.4f}}} = {new:.4f}")
    counted = [int((side.weights > 0).sum()) for side in (match.candidate, match.reference)]
    weights = "idf weights" if scoring.idf else "weight 1 each"
    st.caption(f"{counted[0]} tokens of the candidate and {counted[1]} of the reference count ({weights}).")
