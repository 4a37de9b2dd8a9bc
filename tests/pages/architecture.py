"""Driving the Architecture page without a browser."""

from functools import partial
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.driver import captions, choose, data, open_link, table

PAGE = "pages/architecture.py"
arrive = partial(open_link, PAGE)


def show(app: AppTest, model: str) -> AppTest:
    """Choose a model by its name in a link."""
    return choose(app, "arch_model", model)


def diagram(app: AppTest) -> dict[str, Any]:
    """What the diagram was given."""
    return data(app, "stack_diagram")


def shapes(app: AppTest) -> dict[str, str]:
    """The shape of every tensor in the table; of one name the last."""
    tensors = table(app, "Axes")
    return dict(zip(tensors["Tensor"], tensors["Shape"], strict=True))


def said(app: AppTest) -> str:
    """Every text in Markdown and every caption."""
    return " ".join([*(each.value for each in app.markdown), captions(app)]).replace("\\", "")
