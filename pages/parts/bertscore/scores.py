"""The view of all candidates: what each scores, which reference wins, and what a number means."""

import streamlit as st

from core.figures.bertscore import scale as figures
from core.figures.bertscore import words
from core.figures.bertscore.scale import ScoredText
from core.words import say
from pages.parts.bertscore.choice import Choice, questions
from pages.shared.figures import pictures
from pages.shared.session.notices import literal


def draw(choice: Choice) -> None:
    """Draw the scores of all candidates, and what decides between the references."""
    scoring, names = choice.scoring, choice.against.names
    rows = []
    for each in choice.found.values():
        amount = len(each.references)
        against = (
            say("against {reference}", reference=names[0])
            if amount == 1
            else say("against best of {references} references", references=amount)
        )
        rows.append(ScoredText(each.name, each.text, scoring.best(each.text, each.references), against))
    pictures.show(figures.candidates(rows, scoring.anchors, scoring.baseline), "bertscore_candidates_picture")
    if scoring.anchors:
        st.caption(
            say(
                "Grey lines: DialogSum test split (500 dialogues), mean F1 against the first reference, "
                "all-MiniLM-L6-v2, raw, no idf. Pink: random pairs of summaries of different dialogues. Of several "
                "references each measure takes its own best, as the library does."
            )
        )
    else:
        missing = say(
            "The anchors and the baseline were measured with all-MiniLM-L6-v2 without idf weights: not drawn."
        )
        st.caption(missing)
    blank = [row.name for row in rows if not row.text.strip()]
    if blank:
        message = say("Blank, so they score 0: {candidates}.", candidates=", ".join(blank))
        st.warning(literal(message), icon=":material/warning:")
    with st.expander(say("Which reference is closest, and why"), icon=":material/compare_arrows:"):
        _references(choice)
    floor = choice.found["floor"]
    questions(words.about_scores(scoring.best(floor.text, floor.references)[2], scoring))


def _references(choice: Choice) -> None:
    """Draw which reference is closest to the chosen candidate, and why."""
    chosen = choice.chosen
    pairs = (chosen.text, chosen.references, choice.against.names, choice.scoring)
    st.markdown(f"**{literal(chosen.name)}**")
    st.text(chosen.text or say("(an empty text)"))
    alt = say("Precision, recall and F1 of the chosen candidate against each reference")
    numbers = words.against_each(*pairs)
    texts = numbers.pop("Text")  # a table would cut them
    pictures.table(numbers, alt, width="content")
    for name, text in zip(numbers["Against"], texts, strict=True):
        st.caption(literal(f"{name}: {text}"))
    st.markdown(words.why_closest(*pairs))
