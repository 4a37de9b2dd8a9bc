"""The view of all candidates: what each scores, which reference wins, and what a number means."""

import streamlit as st

from core.figures import bertscore_scale as figures
from core.figures.bertscore_scale import ScoredText
from core.figures.wording import cut, plain
from core.scoring.anchors import PROVENANCE, reasons
from pages.parts.bertscore import answers
from pages.parts.bertscore.candidates import Candidate, References
from pages.parts.bertscore.choice import Choice
from pages.parts.bertscore.scored import Scoring
from pages.shared.figures import pictures
from pages.shared.frame.notices import literal


def draw(choice: Choice) -> None:
    """Draw the scores of all candidates, and what decides between the references."""
    found, chosen, against, scoring = choice.found, choice.chosen, choice.against, choice.scoring
    rows = [_row(each, against, scoring) for each in found.values()]
    baseline = scoring.shown_baseline
    pictures.show(
        figures.candidates(rows, scoring.anchors, baseline.f1 if baseline else None), "bertscore_candidates_picture"
    )
    if scoring.anchors:
        st.caption(
            f"Grey lines: {PROVENANCE}, all-MiniLM-L6-v2, raw, no idf. Purple: random pairs of summaries of different "
            "dialogues. Of several references each measure takes its own best, as the library does."
        )
    else:
        st.caption("The anchors and the baseline were measured with all-MiniLM-L6-v2 without idf weights: not drawn.")
    blank = [each.name for each in found.values() if not each.text.strip()]
    if blank:
        st.warning(literal(f"Blank, so they score 0: {', '.join(blank)}."), icon=":material/warning:")
    _references(chosen, against, scoring)
    answers.expanders(answers.of_scores(found, scoring))


def _row(candidate: Candidate, against: References, scoring: Scoring) -> ScoredText:
    names = against.names[: len(candidate.references)]
    what = names[0] if len(names) == 1 else f"best of {len(names)} references"
    return ScoredText(candidate.name, candidate.text, scoring.best(candidate), f"against {what}")


def _references(chosen: Candidate, against: References, scoring: Scoring) -> None:
    """Draw which reference is closest to the chosen candidate, and why."""
    st.header("Which reference is closest, and why", anchor=False)
    st.markdown(f"**{literal(chosen.name)}**")
    st.text(chosen.text or "(an empty text)")
    numbers = [scoring.scores(chosen.text, each) for each in chosen.references]
    best = [list(column).index(max(column)) for column in zip(*numbers, strict=True)]
    st.dataframe(
        {
            "Against": [name.capitalize() for name in against.names[: len(numbers)]],
            "Precision": [_marked(row[0], place == best[0]) for place, row in enumerate(numbers)],
            "Recall": [_marked(row[1], place == best[1]) for place, row in enumerate(numbers)],
            "F1": [_marked(row[2], place == best[2]) for place, row in enumerate(numbers)],
            "Text": list(chosen.references),
        },
        hide_index=True,
        alt="Precision, recall and F1 of the chosen candidate against each reference",
    )
    st.markdown(_why(chosen, against, scoring))


def _marked(value: float, best: bool) -> str:
    return f"{value:.4f}" + (" ★" if best else "")


def _why(chosen: Candidate, against: References, scoring: Scoring) -> str:
    """Return which tokens make the difference between the closest and the farthest reference."""
    if len(chosen.references) == 1:
        return "There is one reference, so nothing is chosen. With several, each measure takes its own maximum (★)."
    winner = scoring.winner(chosen)
    values = [scoring.scores(chosen.text, each)[2] for each in chosen.references]
    other = values.index(min(values))
    if not chosen.text.strip() or winner == other:
        return "All references give the same score."
    names = against.names
    found = reasons(
        scoring.match(chosen.text, chosen.references[winner]), scoring.match(chosen.text, chosen.references[other])
    )
    parts = [f"{names[winner].capitalize()} is closer than {names[other]} by {values[winner] - values[other]:.3f} F1."]
    if found.gained:
        tokens = [f"“{_word(token)}” ({here:.2f}, there {there:.2f})" for token, here, there in found.gained]
        parts.append(f"Closer matches: {', '.join(tokens)}.")
    if found.missed:
        tokens = [f"“{_word(token)}” ({value:.2f})" for token, value in found.missed]
        parts.append(f"In {names[other]} nothing comes close to {', '.join(tokens)}.")
    return literal(" ".join(parts))


def _word(token: str) -> str:
    return cut(plain(token), 24)
