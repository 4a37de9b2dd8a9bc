"""Driving the Architecture page without a browser."""

from functools import partial
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.driver import captions, data, healthy, open_link, trigger

PAGE = "pages/architecture.py"
arrive = partial(open_link, PAGE)


def choose(app: AppTest, value: str) -> AppTest:
    """Choose a model by its name in a link."""
    app.selectbox(key="arch_model").set_value(value).run()
    healthy(app)
    return app


def see(app: AppTest, view: str) -> AppTest:
    """Open a view."""
    app.segmented_control(key="arch_view").set_value(view).run()
    healthy(app)
    return app


def size(app: AppTest, key: str, value: int) -> AppTest:
    """Set the batch or a length."""
    app.number_input(key=key).set_value(value).run()
    healthy(app)
    return app


def pick(app: AppTest, path: str) -> AppTest:
    """Click a box of the diagram, or the number of a layer."""
    return trigger(app, "stack_diagram", "pick", {"path": path})


def diagram(app: AppTest) -> dict[str, Any]:
    """What the diagram was given."""
    return data(app, "stack_diagram")


def boxes(app: AppTest, stack: int) -> list[str]:
    """Names of the boxes of the encoder, 0, or the decoder, 1."""
    found = diagram(app)["stacks"][stack]
    drawn = [*found["before"], *(box for group in found["block"] for box in group), *found["after"]]
    return [box["name"] for box in drawn]


def tensors(app: AppTest) -> Any:
    """The table of tensors."""
    return next(each.value for each in app.dataframe if "Axes" in each.value.columns)


def shapes(app: AppTest) -> dict[str, str]:
    """The shape of every tensor in the table; of one name the last."""
    table = tensors(app)
    return dict(zip(table["Tensor"], table["Shape"], strict=True))


def said(app: AppTest) -> str:
    """Every text in Markdown and every caption."""
    return " ".join([*(each.value for each in app.markdown), captions(app)]).replace("\\", "")
