"""Driving the Masks page without a browser."""

from typing import Any

from streamlit.testing.v1 import AppTest

PAGE = "pages/masks.py"
VIEWS = ("batch", "missing", "lesson")
LISTS = ("mask_row", "mask_head", "mask_amount", "mask_token_choice", "mask_other_choice", "example")


def arrive(app: AppTest, **link: object) -> AppTest:
    """Open a link to the page in a new session."""
    app.query_params.update({name: str(value) for name, value in link.items()})
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


def choose(app: AppTest, key: str, value: object) -> AppTest:
    """Use a control of the page."""
    find = app.selectbox if key in LISTS else app.segmented_control
    find(key=key).set_value(value).run()
    assert not app.exception
    return app


def write(app: AppTest, text: str, key: str = "mask_texts") -> AppTest:
    """Type into a box of the batch."""
    find = app.text_input if key == "mask_pads" else app.text_area
    find(key=key).set_value(text).run()
    assert not app.exception
    return app


def press(app: AppTest, key: str) -> AppTest:
    """Press a button."""
    app.button(key=key).click().run()
    assert not app.exception
    return app


def table(app: AppTest, column: str) -> Any:
    """The first table on the page that has a column."""
    return next(each.value for each in app.dataframe if column in each.value.columns)


def said(app: AppTest) -> str:
    """Captions and paragraphs, without Markdown's marks, and with common blanks."""
    texts = [each.value for each in (*app.caption, *app.markdown, *app.info)]
    return " ".join(texts).replace("\\", "").replace("*", "").replace("\xa0", " ")


def refusals(app: AppTest) -> str:
    """Every red message, without what keeps users' text from being Markdown."""
    return " ".join(each.value for each in app.error).replace("\\", "")
