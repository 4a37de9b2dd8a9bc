"""A picture on a page: what is drawn, and the files that can be saved."""

import json

from plotly.graph_objects import Figure, Scatter
from streamlit.testing.v1 import AppTest

from core.figures.shared.picture import Picture
from core.words import speaking
from pages.shared.figures import pictures
from tests.pages.driver import data

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
    assert data(app, "save_image")["chart"] == "chart"
    assert list(app.dataframe[0].value.columns) == list(TABLE)


def test_files_of_a_view_are_made_when_asked_for():
    def page() -> None:
        from pages.shared.figures.pictures import save_view
        from tests.pages.test_pictures import refuse

        save_view("lines", "attention-lines", "“<b>” got *most*.", refuse)

    app = AppTest.from_function(page, default_timeout=120).run()
    assert not app.exception  # the table was not made
    assert [each.proto.label for each in app.get("download_button")] == ["CSV table", "NumPy arrays (.npz)"]
    wanted = {"view": "lines", "name": "attention-lines", "caption": "“<b>” got *most*."}
    assert data(app, "save_view") == wanted


def test_a_kept_picture_is_made_and_made_ready_once(monkeypatch):
    def page() -> None:
        from pages.shared.figures.pictures import kept, show
        from tests.pages.test_pictures import squares

        show(kept(squares, 3), "chart")

    ready: list[str] = []  # the colours it was made ready for
    made = pictures.themed
    monkeypatch.setattr(pictures, "themed", lambda *each: ready.append(each[1]) or made(*each))
    apps = [AppTest.from_function(page, default_timeout=120).run() for _ in range(3)]
    (first, *others) = [app.get("plotly_chart")[0].proto.spec for app in apps]
    assert others == [first, first] and json.loads(first)["data"][0]["name"] == "up to 3" and len(ready) == 1


def test_kept_pictures_are_told_apart_by_function_arguments_and_language():
    found = pictures.kept(squares, 3)
    assert pictures.kept(squares, 3) is found and pictures.kept(cubes, 3) is not found
    assert pictures.kept(squares, 4).figure.data[0].name == "up to 4"
    with speaking("tr"):
        assert pictures.kept(squares, 3) is not found


def test_a_table_in_which_texts_and_numbers_stand_together_is_shown_as_texts():
    found = pictures.to_arrow({"Rank": [1, None, 3], "Score": [0.5, "n/a", 1], "Part": ["a", None, "<b>"]})
    assert found.to_pydict()["Rank"] == [1.0, None, 3.0]
    assert found.to_pydict()["Score"] == ["0.5", "n/a", "1"] and found.to_pydict()["Part"] == ["a", None, "<b>"]


def squares(most: int) -> Picture:
    return Picture("squares", Figure(Scatter(y=[x * x for x in range(most)], name=f"up to {most}")), "Squares.", {})


def cubes(most: int) -> Picture:
    return Picture("cubes", Figure(Scatter(y=[x**3 for x in range(most)], name=f"up to {most}")), "Cubes.", {})


def refuse() -> dict:
    raise AssertionError("nobody asked for the table")
