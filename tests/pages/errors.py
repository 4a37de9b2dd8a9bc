"""Driving the Errors page: data sets of three rows, the table, what is opened and labelled."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.evaluation import intake
from core.evaluation.rows import RowOrigin
from pages.parts.errors import data
from tests.pages import driver
from tests.pages.driver import healthy

arrive = partial(driver.open_link, "pages/errors.py")
"""Open a link to the page in a new session and let the summaries be written."""
DIALOGUES = (
    "Anna: I lost my keys at the station.\nBen: Did you ask the guard?\nAnna: He found them under a bench.",
    "Cleo: The train leaves at nine.\nDan: Then we have an hour. Let's eat something.",
    "Eve: I do not like the red coat.\nFay: Take the blue one. It costs 40 dollars.",
)
REFERENCES = ("Anna lost her keys.", "Dan wants to eat before the train leaves.", "Eve does not like the red coat.")
OWN = (
    "Ben lost his keys at the station.",
    "Cleo and Dan miss the train at nine.",
    "The red coat that Zelda likes costs 90 dollars.",
)
"""Another system's summaries: the wrong person, the wrong action, a new name with another number and a lost "not"."""


def lines(**columns: Sequence[object]) -> str:
    """Three dialogues as a JSONL file, with the other system's summaries; columns may be others or added."""
    known = {"id": ("row-0", "row-1", "row-2"), "dialogue": DIALOGUES, "summary": REFERENCES, "prediction": OWN}
    found = known | {"topic": ("keys",) * 3} | columns
    return "".join(json.dumps(dict(zip(found, row, strict=True))) + "\n" for row in zip(*found.values(), strict=True))


def taken(content: str = "", origin: RowOrigin | None = None) -> intake.Data:
    """A file as the page takes it in; `origin` says who wrote its summaries."""
    found = intake.read("others.jsonl", (content or lines()).encode())
    return replace(found, rows=tuple(replace(row, origin=origin or row.origin) for row in found.rows))


def brought(app: AppTest, content: str = "", origin: RowOrigin | None = None, **link: object) -> AppTest:
    """Open the page in a session that has a file already, so that no model has to write."""
    found = taken(content, origin)
    app.session_state[data.FILES] = {found.key: found}
    return arrive(app, **{"err_data": found.key, "err_by": "file" if any(found.given) else "model", **link})


def upload(app: AppTest, content: str | bytes, name: str = "others.jsonl", box: str = "errors_upload") -> AppTest:
    """Put a file into a box that takes one."""
    found = next(each for each in app.get("file_uploader") if each.key.startswith(box))
    found.upload(name, content if isinstance(content, bytes) else content.encode()).run()
    healthy(app, may_refuse=True)
    return app


def table(app: AppTest, name: str = "errors_table_") -> Any:
    """Return the table of examples."""
    return next(each for each in app.dataframe if str(each.key).startswith(name))


def click_row(app: AppTest, id: str) -> AppTest:
    """Click the row of the table that has this id."""
    found = table(app)
    return driver.tick(app, found.key, cell=(list(found.value["Id"]).index(id), "Summary"))


def marked(app: AppTest) -> list[str]:
    """Return the ids of the rows that are marked in the table."""
    found = table(app)
    return [row for row, mark in zip(found.value["Id"], found.value["Open"], strict=True) if mark]


def check(app: AppTest) -> dict:
    """Return what the summary beside its dialogue was given."""
    return driver.data(app, "summary_check")


def said(app: AppTest) -> dict[str, str]:
    """Return the hints of the opened summary, and the verdict on each."""
    return {hint["label"]: hint["verdict"] for hint in check(app)["faults"]}


def opened(app: AppTest) -> str:
    """Return the summary that is laid against its dialogue."""
    return "".join(piece["text"] for piece in check(app)["summary"])


def label(app: AppTest, note: str, tags: list[str]) -> None:
    """Tag the opened row and note something about it."""
    next(each for each in app.multiselect if each.label == "Tags").set_value(tags)
    noted_box(app).set_value(note).run()
    healthy(app)


def noted_box(app: AppTest) -> Any:
    return next(each for each in app.text_input if each.label == "Note")


def saved(app: AppTest, key: str) -> Any:
    """Return what a button would save, as it stands on the page now."""
    made: dict[str, Callable[[], Any]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.download_button", lambda label, data, *_, key, **__: made.update({key: data}))
        healthy(app.run())
    return made[key]()
