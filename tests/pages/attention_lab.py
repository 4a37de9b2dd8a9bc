"""Driving the Attention lab without a browser: its editors, its boards, and the cells that people click."""

import json
from functools import partial
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from tests.pages import driver
from tests.pages.driver import data, element, open_link, send

PAGE = "pages/attention_lab.py"
arrive = partial(open_link, PAGE, may_refuse=True)
choose = partial(driver.choose, may_refuse=True)


def editor(app: AppTest, key: str, name: str) -> Any:
    """The data editor of a matrix."""
    return next(each for each in app.dataframe if (each.key or "").startswith(f"{key}_{name}_"))


def edit(app: AppTest, name: str, cells: dict[tuple[int, int], float | None], key: str = "lab_matrices") -> AppTest:
    """Type numbers into cells of a matrix, rows and columns from 0."""
    found = editor(app, key, name)
    rows: dict[str, dict[str, float | None]] = {}
    for (row, column), value in cells.items():
        rows.setdefault(str(row), {})[found.value.columns[column]] = value
    state = json.dumps({"edited_rows": rows, "added_rows": [], "deleted_rows": []})
    return send(app, WidgetState(id=found.proto.id, string_value=state))


def resize(app: AppTest, side: str, size: int, key: str = "lab_matrices") -> AppTest:
    """Give the edited matrix so many "rows" or "columns"."""
    return app.number_input(key=f"{key}_{side}").set_value(size).run()


def grids(app: AppTest) -> dict[str, dict[str, Any]]:
    """The matrices on the board, by the name of their step."""
    return {grid["name"]: grid for group in data(app, "matrix_board")["groups"] for grid in group["grids"]}


def numbers(app: AppTest, name: str) -> list[list[float]]:
    """The numbers of a matrix on the board."""
    texts = [[cell["text"] for cell in row] for row in grids(app)[name]["cells"]]
    return [[float(text.replace("−", "-").replace(",", "").replace("10⁹", "1e9")) for text in row] for row in texts]


def pick(app: AppTest, place: str) -> AppTest:
    """Lock a cell of the board, "weights.1.2", or release it with ""."""
    state = json.dumps({"pick": {"cell": place, "version": data(app, "matrix_board")["version"]}})
    return send(app, WidgetState(id=element(app, "bidi_component", "lab_board").proto.id, json_value=state))


def refusals(app: AppTest) -> str:
    """Every red message, without what keeps users' text from being Markdown."""
    return " ".join(each.value for each in app.error).replace("\\", "")


def said(app: AppTest) -> str:
    """Captions and paragraphs, without Markdown's marks, and with common blanks."""
    texts = [each.value for each in (*app.caption, *app.markdown)]
    return " ".join(texts).replace("\\", "").replace("*", "").replace("\xa0", " ")
