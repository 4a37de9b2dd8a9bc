"""The view that edits: change a word of the candidate and see the score move, or see that it does not."""

from collections.abc import Sequence

import streamlit as st

from core.errors import ScoringError
from core.faults.alternatives import Alternative, alternatives
from core.figures.bertscore import scale as figures
from core.figures.bertscore.scale import ScoredText
from core.figures.shared.wording import capital
from core.scoring.pairs import Scoring
from core.text.dialogue import parse_dialogue
from core.words import say
from pages.parts.bertscore.candidates import Candidate
from pages.parts.bertscore.choice import Choice
from pages.shared.components.word_diff import word_diff
from pages.shared.figures import pictures
from pages.shared.session import notices, selection
from pages.shared.session.fields import Text, follow
from pages.shared.session.notices import literal

LONGEST = 1200
"""Characters of an edited text that a link carries."""
EDIT = Text("bert_edit", LONGEST, of_dialogue=True)
FIELDS = (EDIT,)
BOX, ABOUT = "bert_box", "bert_box_about"
"""Session keys: the text in the box; the candidate and the edit that it was filled with."""
TRIED = 8
"""Changes of fact that are tried by themselves."""


def draw(choice: Choice) -> None:
    """Draw a box to edit the candidate, how far its score moves, and changes of one fact."""
    before_and_after, facts = st.columns(2, gap="medium")
    with facts, st.spinner(say("Scoring …")):
        _facts(choice.chosen, choice.reference, choice.scoring)
    with before_and_after:
        _moved(choice)


def _moved(choice: Choice) -> None:
    """Draw the box, and the scores of what is in it beside those of the candidate."""
    chosen, reference, scoring = choice.chosen, choice.reference, choice.scoring
    edited = _box(chosen)
    st.caption(literal(f"{capital(choice.reference_name)}: {reference}"))
    if len(edited) > LONGEST:
        sizes = {"got": len(edited), "most": LONGEST}
        message = say("the text is too long. Received: {got:,} characters; allowed: {most:,}", **sizes)
        notices.show(ScoringError(message))
        return
    if not edited.strip():
        st.info(say("The text is blank: it scores 0."), icon=":material/info:")
    before, after = scoring.scores(chosen.text, reference), scoring.scores(edited, reference)
    with st.container(horizontal=True):
        for name, old, new in zip((say("Precision"), say("Recall"), "F1"), before, after, strict=True):
            st.metric(name, f"{new:.4f}", f"{new - old:+.4f}" if new != old else None, width=104)
    if edited != chosen.text:
        word_diff(chosen.text, edited, key="bert_diff")
        rows = [
            ScoredText(name, text, values, say("against {reference}", reference=choice.reference_name))
            for name, text, values in ((say("Before"), chosen.text, before), (say("After"), edited, after))
        ]
        pictures.show(figures.candidates(rows, scoring.anchors, scoring.baseline), "bertscore_edit_picture")


def _box(chosen: Candidate) -> str:
    """Draw the box of the text to edit; a link brings its own text, another candidate resets it."""
    follow(chosen.text, EDIT)
    if BOX not in st.session_state or st.session_state.get(ABOUT) != (chosen.text, EDIT.value):
        st.session_state[BOX] = EDIT.value or chosen.text
    edited = st.text_area(
        say("Edit the candidate"), key=BOX, persist_state="session", height=110,
        help=say("Press Ctrl and Enter to score it."),
    )  # fmt: skip
    EDIT.value = edited if edited != chosen.text and len(edited) <= LONGEST else ""
    st.session_state[ABOUT] = (chosen.text, EDIT.value)
    if edited != chosen.text:
        st.button(say("Undo the edits"), icon=":material/undo:", key="bert_undo", on_click=_put, args=(chosen.text,))
    return edited


def _put(text: str) -> None:
    st.session_state[BOX] = text


def _facts(chosen: Candidate, reference: str, scoring: Scoring) -> None:
    """Draw changes of one fact each, and how little the score moves."""
    st.header(say("One fact changed"), anchor=False)
    dialogue = parse_dialogue(selection.current().text)
    changes = alternatives(dialogue, chosen.text, TRIED) if chosen.text.strip() else ()
    if not changes:
        nothing = say("This text names no speaker, number or negation that could be exchanged. Edit a word.")
        st.caption(nothing)
        return
    base = scoring.scores(chosen.text, reference)[2]
    moved = [scoring.scores(alternative.summary, reference)[2] - base for alternative in changes]
    sentences = [
        say(
            "**BERTScore compares vectors, not facts.** Each line says something else about the dialogue: other "
            "people, other numbers, the opposite. The largest move of F1 is {move:.3f}, from {start:.3f}.",
            move=max(map(abs, moved)),
            start=base,
        )
    ]
    if scoring.anchors:
        gap = scoring.anchors[2].f1 - scoring.anchors[1].f1
        sentences.append(say("Between BART-large and a second human lie {gap:.3f}.", gap=gap))
    tip, names = say("Put it into the box"), [_named(alternative, changes, chosen.text) for alternative in changes]
    for place, (alternative, name, change) in enumerate(zip(changes, names, moved, strict=True)):
        with st.container(horizontal=True, vertical_alignment="center", key=f"bert_fact_{place}"):
            label = f"F1 {change:+.4f}".replace("-", "−")
            st.button(label, key=f"bert_try_{place}", on_click=_put, args=(alternative.summary,), help=tip)
            st.markdown(literal(capital(name)), width=225)  # beside the button on a phone, too
    st.markdown(" ".join(sentences))


def _named(change: Alternative, others: Sequence[Alternative], text: str) -> str:
    """Say a change, and behind which words it stands where another one reads alike."""
    phrase, words = change.change.said(), text[: change.start].split()[-2:]
    if sum(other.change.said() == phrase for other in others) == 1:
        return phrase
    return (
        say("{change}, at the start", change=phrase)
        if not words
        else say("{change}, behind “{words}”", change=phrase, words=" ".join(words))
    )
