"""A picture on a page: what is drawn, and the files that can be saved."""

import json

from plotly.graph_objects import Figure, Scatter
from streamlit.testing.v1 import AppTest

from core.figures.picture import Picture

TABLE = {
    "Token": ["the", 'a "b", c', "<i>"],
    "Rank": [1, 2, 3],
    "ROUGE-1": [0.5, None, 2.0],
    "Ends": [True, False, False],
}
PICTURE = Picture("ranks", Figure(Scatter(x=[1, 2], y=[3, 4], name="x")), "“<b>” got *most*.", TABLE)


def test_show_draws_chart_sentence_and_files():
    def page() -> None:
        from pages.shared.figures.pictures import show
        from tests.pages.test_pictures import PICTURE

        show(PICTURE, "chart")

    app = AppTest.from_function(page, default_timeout=120).run()
    assert not app.exception
    (chart,) = app.get("plotly_chart")
    assert chart.proto.alt == PICTURE.caption
    assert app.caption[0].value == r"“\<b\>” got \*most\*\."
    files = [each.proto.label for each in app.get("download_button")]
    assert files == ["Web page that works offline", "CSV table", "NumPy arrays (.npz)"]
    (component,) = app.get("bidi_component")
    assert component.proto.component_name == "dialoscope_save_image"
    assert json.loads(component.proto.json)["chart"] == "chart"
    assert list(app.dataframe[0].value.columns) == list(TABLE)


def test_files_of_a_view_are_made_when_asked_for():
    def page() -> None:
        from pages.shared.figures.pictures import save_view
        from tests.pages.test_pictures import refuse

        save_view("lines", "attention-lines", "“<b>” got *most*.", refuse)

    app = AppTest.from_function(page, default_timeout=120).run()
    assert not app.exception  # the table was not made
    assert [each.proto.label for each in app.get("download_button")] == ["CSV table", "NumPy arrays (.npz)"]
    (component,) = app.get("bidi_component")
    assert component.proto.component_name == "dialoscope_save_view"
    wanted = {"view": "lines", "name": "attention-lines", "caption": "“<b>” got *most*."}
    assert json.loads(component.proto.json) == wanted


def refuse() -> dict:
    raise AssertionError("nobody asked for the table")
