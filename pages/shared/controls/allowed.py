"""What this app allows: every limit of the server in a table, and how many use the model now."""

import streamlit as st

from core.limits import is_demo, table
from core.runtime.queue import CALLS
from core.words import say
from pages.shared.controls import dialogs

LIMITS = "limits"
"""Key of the button, and name of the dialog that it opens."""


def draw() -> None:
    """Draw the button that opens the table."""
    icon = ":material/speed:"
    st.button(say("Limits"), key=LIMITS, icon=icon, on_click=dialogs.show, args=(LIMITS,), width="stretch")
    dialogs.draw(LIMITS, say("Limits of this app"), _dialog, width="large", icon=icon)


def _dialog() -> None:
    running, waiting = CALLS.load()
    about = say(
        "The server checks every one of them. What a model itself can read and write (its tokens) is said where it "
        "matters."
    )
    numbers = {"running": running, "turns": CALLS.turns}
    if waiting:
        now = say(
            "At this moment {running} of {turns} turns of the model are taken, and {waiting} wait.",
            waiting=waiting, **numbers,
        )  # fmt: skip
    else:
        now = say("At this moment {running} of {turns} turns of the model are taken, and nobody waits.", **numbers)
    st.markdown(f"{about} {now}")
    most = "In a demonstration" if is_demo() else "Most"
    rows = [{"Most": row[most], "What is limited": row["What is limited"], "Name": row["Limit"]} for row in table()]
    st.dataframe(
        rows,
        hide_index=True,
        height="content",
        column_config={
            "Most": st.column_config.NumberColumn(say("Most"), format="localized"),
            "What is limited": say("What is limited"),
            "Name": say("Name"),
        },
    )
