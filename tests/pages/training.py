"""Driving the Training page without a browser."""

from functools import partial
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.driver import captions, chart, healthy, open_link

PAGE = "pages/training.py"
arrive = partial(open_link, PAGE)


def number(app: AppTest, key: str, value: float) -> AppTest:
    """Type a number."""
    app.number_input(key=key).set_value(value).run()
    healthy(app)
    return app


def said(app: AppTest) -> str:
    """Every text in Markdown and every caption, with common blanks."""
    texts = " ".join([*(each.value for each in app.markdown), captions(app)])
    return texts.replace("\\", "").replace("\xa0", " ")


def lines(app: AppTest, key: str) -> dict[str, tuple[list[Any], list[Any]]]:
    """The lines of a chart by their names."""
    return {trace["name"]: (list(trace["x"]), list(trace["y"])) for trace in chart(app, key)["data"]}
