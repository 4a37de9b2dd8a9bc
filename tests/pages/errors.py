"""Driving the Errors page without a browser."""

import json
from functools import partial
from typing import Any

from streamlit.testing.v1 import AppTest

from core.evaluation import intake
from pages.parts.errors import data
from tests.pages import driver
from tests.pages.driver import element, healthy, open_link

arrive = partial(open_link, "pages/errors.py")
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


def lines(predictions: bool = True, ids: tuple[str, ...] = ("row-0", "row-1", "row-2")) -> str:
    """Three dialogues as a JSONL file, with the other system's summaries."""
    rows = [
        {"id": id, "dialogue": dialogue, "summary": reference, "topic": "keys"}
        | ({"prediction": own} if predictions else {})
        for id, dialogue, reference, own in zip(ids, DIALOGUES, REFERENCES, OWN, strict=True)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def brought(app: AppTest, content: str = "", name: str = "others.jsonl", **link: object) -> AppTest:
    """Open the page in a session that has a file already, so that no model has to write."""
    found = intake.read(name, (content or lines()).encode())
    app.session_state[data.FILES] = {found.key: found}
    return arrive(app, **{"err_data": found.key, "err_by": "file" if any(found.given) else "model", **link})


def upload(app: AppTest, content: str, name: str = "others.jsonl", box: str = "errors_upload_0") -> AppTest:
    """Put a file into a box that takes one."""
    element(app, "file_uploader", box).upload(name, content.encode()).run()
    healthy(app, may_refuse=True)
    return app


def metrics(app: AppTest) -> dict[str, str]:
    """Return what the overview says."""
    return {each.label: each.value for each in app.metric}


def table(app: AppTest, name: str = "errors_table_") -> Any:
    """Return the table of examples."""
    return next(each for each in app.dataframe if str(each.key).startswith(name))


def ticked(app: AppTest) -> list[str]:
    """Return the ids of the rows that are ticked in the table."""
    found = table(app)
    rows = app.session_state[found.key]["selection"]["rows"] if found.key in app.session_state else []
    return [found.value["Id"][row] for row in rows]


def tick(app: AppTest, id: str) -> AppTest:
    """Tick the row of the table that has this id."""
    found = table(app)
    return driver.tick(app, found.key, list(found.value["Id"]).index(id))


def check(app: AppTest) -> dict:
    """Return what the summary beside its dialogue was given."""
    return driver.data(app, "summary_check")


def verdicts(app: AppTest) -> dict[str, str]:
    """Return the hints of the opened summary, and what was said about each."""
    return {hint["label"]: hint["verdict"] for hint in check(app)["faults"]}


def opened(app: AppTest) -> str:
    """Return the summary that is laid against its dialogue."""
    return "".join(piece["text"] for piece in check(app)["summary"])


def judge(app: AppTest, hint: str, verdict: str) -> AppTest:
    """Confirm or reject the hint of this name."""
    judged = {"fault": list(verdicts(app)).index(hint), "verdict": verdict}
    return driver.trigger(app, "summary_check", "judged", judged)


def note(app: AppTest) -> Any:
    """Return the box of the note."""
    return next(each for each in app.text_input if each.label == "Note")


def say(app: AppTest, tags: list[str], text: str) -> AppTest:
    """Tag the opened row and note something about it."""
    next(each for each in app.multiselect if each.label == "Tags").set_value(tags)
    note(app).set_value(text).run()
    healthy(app)
    return app
