"""The view of one pair: the matrix, the formulas with its numbers, and the score raw and rescaled."""

import streamlit as st

from core.figures.bertscore import matrix as figures
from core.figures.bertscore import scale, words
from core.figures.shared.wording import capital
from core.scoring.matching import Match
from core.scoring.pairs import Scores
from core.words import say
from pages.parts.bertscore.choice import Choice, questions
from pages.shared.figures import pictures
from pages.shared.session.notices import literal


def draw(choice: Choice) -> None:
    """Draw the similarity matrix of one pair, and how its score is computed."""
    text, reference, scoring = choice.chosen.text, choice.reference, choice.scoring
    if not text.strip() or not reference.strip():
        _texts(choice)
        blank = say("One of the two texts is blank. There is nothing to match: the pair scores 0.")
        st.info(blank, icon=":material/info:")
        return
    if scoring.scorer.count([text], [[reference]]).cut:
        st.warning(
            say(
                "A text is longer than the {most} tokens that the encoder reads. What is behind them is not scored.",
                most=scoring.scorer.max_tokens,
            ),
            icon=":material/content_cut:",
        )
    match, scores = scoring.match(text, reference), scoring.scores(text, reference)
    pictures.show(figures.matrix(match), "bertscore_matrix_picture")
    st.markdown(
        say(
            "Each cell is the cosine of two **contextual** token vectors. The **circle** is the closest reference "
            "token of each candidate token: precision. The **square** is the closest candidate token of each reference "
            "token: recall. The bars say what each token adds. Grey rows and columns are the tokenizer’s special "
            "tokens: they are not scored, but may be matched."
        )
    )
    _texts(choice)
    with st.expander(say("The formulas with these numbers"), icon=":material/function:"):
        _formulas(choice, match, scores)
    if scoring.baseline:
        with st.expander(say("Raw and rescaled on one axis"), icon=":material/linear_scale:"):
            picture = scale.rescaling(scores, scoring.baseline, scoring.anchors)
            pictures.show(picture, "bertscore_rescaling_picture")
    else:
        st.caption(say("No rescaling: the baseline was measured without idf weights."))
    questions(words.about_pair(match, scores, scoring))


def _texts(choice: Choice) -> None:
    """Draw both texts."""
    titled = ((choice.chosen.name, choice.chosen.text), (capital(choice.reference_name), choice.reference))
    for column, (title, shown) in zip(st.columns(2, gap="medium"), titled, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{literal(title)}**")
            st.text(shown or say("(an empty text)"))


def _formulas(choice: Choice, match: Match, scores: Scores) -> None:
    """Draw precision, recall and F1 with the numbers of the pair, and how many tokens count."""
    for formula in words.formulas(match, scores, choice.scoring.baseline):
        st.latex(formula)
    counted = [int((side.weights > 0).sum()) for side in (match.candidate, match.reference)]
    sizes = {"candidate": counted[0], "reference": counted[1]}
    st.caption(
        say("{candidate} tokens of the candidate and {reference} of the reference count (idf weights).", **sizes)
        if choice.scoring.idf
        else say("{candidate} tokens of the candidate and {reference} of the reference count (weight 1 each).", **sizes)
    )
