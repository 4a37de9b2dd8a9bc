"""Driving the Errors page without a browser."""

import json
from functools import partial
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.shared.state import Key
from tests.pages.driver import data, element, healthy, open_link

PAGE = "pages/errors.py"
arrive = partial(open_link, PAGE)
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


def lines(predictions: bool = True) -> str:
    """Three dialogues as a JSONL file, with the other system's summaries."""
    rows = [
        {"id": f"row-{number}", "dialogue": dialogue, "summary": reference, "topic": "keys"}
        | ({"prediction": own} if predictions else {})
        for number, (dialogue, reference, own) in enumerate(zip(DIALOGUES, REFERENCES, OWN, strict=True))
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def bring(app: AppTest, predictions: bool = True, name: str = "others.jsonl", content: str = "") -> AppTest:
    """Bring a file."""
    uploader = element(app, "file_uploader", f"errors_upload_{app.session_state[Key.UPLOADS]}")
    uploader.upload(name, (content or lines(predictions)).encode()).run()
    healthy(app)
    return app


def metrics(app: AppTest) -> dict[str, str]:
    """What the overview says."""
    return {each.label: each.value for each in app.metric}


def table(app: AppTest, key: str = "errors_table") -> Any:
    """The table of examples as a data frame."""
    return element(app, "dataframe", key).value


def check(app: AppTest) -> dict:
    """What the summary beside its dialogue was given."""
    return data(app, "summary_check")
