"""How far the readers of the session agree, and the summaries on which they differ."""

import streamlit as st

from core.evaluation.verdicts import subject
from core.faults.labels import LABELS
from core.figures.errors import agreement as figures
from core.scoring.agreement import ANY, of_labels
from core.words import say
from pages.parts.errors import labels, table
from pages.parts.errors.summaries import Run
from pages.shared.figures import pictures
from pages.shared.session.fields import Number

KIND = Number("err_differ", 0, len(LABELS), 0)
"""Number of the row of the picture whose summaries are listed."""
FIELDS = (KIND,)
PICTURE = "errors_agreement_picture"


def draw(run: Run) -> None:
    """Draw the agreement by type of error, and the table of the summaries on which readers differ."""
    about = {subject(row): place for place, row in run.rows.items()}
    said = {
        labels.shown_name(who): {
            about[each]: entry.errors for each, entry in book.items() if each in about and entry.decided
        }
        for who, book in labels.books().items()
    }
    said = {who: judged for who, judged in said.items() if judged}
    if not any(sum(place in judged for judged in said.values()) > 1 for place in run.rows):
        st.info(
            say(
                "Agreement needs two readers who judged the same summaries. Label some, then type another name in "
                "“Your name” beside a summary and judge them again, or read another reader's labels: Examples, “Save "
                "or read labels”. Readers here: {readers}.",
                readers=", ".join(said) or say("none"),
            ),
            icon=":material/groups:",
        )
        return
    found = of_labels(said, LABELS)
    names = {ANY: say("Any error")} | {kind: say(each.label) for kind, each in LABELS.items()}
    chosen = min(KIND.value, len(found) - 1)
    picture = figures.picture(found, names, list(said), chosen)
    pictures.show(picture, PICTURE, on_select=lambda: _pick(len(found)))
    places = sorted(found[chosen].differ)
    if not places:
        st.success(say("On this all readers agree."), icon=":material/check:")
        return
    st.header(say("Where they differ: {kind}", kind=names[found[chosen].kind]), anchor=False)
    table.table(
        run,
        places,
        f"errors_differ_{chosen}",
        readers={labels.shown_name(who): _told(run, who, places) for who in labels.books()},
    )


def _told(run: Run, who: str, places: list[int]) -> list[str]:
    book = labels.books()[who]
    return [str(book.get(subject(run.rows[place]), "–")) for place in places]


def _pick(count: int) -> None:
    row = pictures.clicked(PICTURE)
    if row is not None and row < count:
        KIND.value = row
