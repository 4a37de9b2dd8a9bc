"""How far the readers of the session agree, and the summaries on which they differ."""

import streamlit as st

from core.evaluation.verdicts import subject, tag_name
from core.faults.labels import LABELS
from core.figures.errors import agreement as figures
from core.scoring.agreement import ANY, of_labels, of_words
from core.words import later, say
from pages.parts.errors import labels, table
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import one_of, row
from pages.shared.figures import pictures
from pages.shared.session.fields import Choice, Number

KIND = Number("err_differ", 0, len(LABELS), 0)
"""Number of the row of the picture whose summaries are listed."""
UNIT = Choice("err_agree", {"summary": later("Summaries"), "word": later("Words")})
FIELDS = (KIND, UNIT)
TIP = later(
    "Summaries: whether readers found the same types of errors. Words: whether they marked the same words of the "
    "summary; every word counts once, and an error without marked words says nothing about them."
)
PICTURE = "errors_agreement_picture"


def draw(run: Run) -> None:
    """Draw the agreement by type of error, and the table of the summaries on which readers differ."""
    about = {subject(row): place for place, row in run.rows.items()}
    books = {
        labels.shown_name(who): {about[each]: entry for each, entry in book.items() if each in about and entry.decided}
        for who, book in labels.books().items()
    }
    books = {who: judged for who, judged in books.items() if judged}
    if not any(sum(place in judged for judged in books.values()) > 1 for place in run.rows):
        st.info(
            say(
                "Agreement needs two readers who judged the same summaries. Label some, then type another name in "
                "“Your name” beside a summary and judge them again, or read another reader's labels: Examples, “Save "
                "or read labels”. Readers here: {readers}.",
                readers=", ".join(books) or say("none"),
            ),
            icon=":material/groups:",
        )
        return
    with row():
        by_word = one_of(say("Compare"), UNIT, tip=say(TIP)) == "word"
    if by_word:
        agreements = of_words(
            {
                who: {place: entry.words(run.rows[place].summary) for place, entry in book.items()}
                for who, book in books.items()
            },
            LABELS,
        )
    else:
        agreements = of_labels(
            {who: {place: entry.errors for place, entry in book.items()} for who, book in books.items()}, LABELS
        )
    if not agreements:
        st.info(
            say(
                "Words are compared where two readers of a summary marked the words that its errors are about: press "
                "M beside a summary, choose the first and the last word, then the type of error."
            ),
            icon=":material/groups:",
        )
        return
    names = {ANY: say("Any error")} | {kind: say(each.label) for kind, each in LABELS.items()}
    chosen = min(KIND.value, len(agreements) - 1)
    picture = figures.picture(agreements, names, list(books), chosen)
    pictures.show(picture, PICTURE, on_select=lambda: _pick(len(agreements)))
    places = sorted(agreements[chosen].differ)
    if not places:
        st.success(say("On this all readers agree."), icon=":material/check:")
        return
    st.header(say("Where they differ: {kind}", kind=names[agreements[chosen].kind]), anchor=False)
    table.table(
        run,
        places,
        f"errors_differ_{chosen}",
        readers={labels.shown_name(who): _told(run, who, places, by_word) for who in labels.books()},
    )


def _told(run: Run, who: str, places: list[int], by_word: bool) -> list[str]:
    """Return what a reader says of some summaries; by word with the words that errors are about."""
    book, told = labels.books()[who], []
    for place in places:
        row = run.rows[place]
        entry = book.get(subject(row))
        marks = [mark for mark in entry.marks if mark.end > mark.start] if entry and by_word else []
        words = [f"{tag_name(mark.tag)}: “{row.summary[mark.start : mark.end]}”" for mark in marks]
        told.append("; ".join(words) or str(entry or "–"))
    return told


def _pick(count: int) -> None:
    row = pictures.clicked(PICTURE)
    if row is not None and row < count:
        KIND.value = row
