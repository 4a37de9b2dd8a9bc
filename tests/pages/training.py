"""Driving the Training page without a browser."""

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.attention import captions, chart, healthy
from tests.pages.decoding import notes

PAGE = "pages/training.py"


def arrive(app: AppTest, **link: object) -> AppTest:
    """Open a link to the page in a new session."""
    app.query_params.update({name: str(value) for name, value in link.items()})
    app.switch_page(PAGE).run()
    healthy(app)
    return app


def choose(app: AppTest, key: str, value: object) -> AppTest:
    """Use one of the segments of the page."""
    app.segmented_control(key=key).set_value(value).run()
    healthy(app)
    return app


def number(app: AppTest, key: str, value: float) -> AppTest:
    """Type a number."""
    app.number_input(key=key).set_value(value).run()
    healthy(app)
    return app


def noted(app: AppTest) -> str:
    """What is said above the page, without what keeps it from being Markdown."""
    return notes(app).replace("\\", "")


def said(app: AppTest) -> str:
    """Every text in Markdown and every caption, with common blanks."""
    texts = " ".join([*(each.value for each in app.markdown), captions(app)])
    return texts.replace("\\", "").replace("\xa0", " ")


def lines(app: AppTest, key: str) -> dict[str, tuple[list[Any], list[Any]]]:
    """The lines of a chart by their names."""
    return {trace["name"]: (list(trace["x"]), list(trace["y"])) for trace in chart(app, key)["data"]}
