"""Driving the Masks page without a browser."""

from functools import partial

from streamlit.testing.v1 import AppTest

from tests.pages import driver
from tests.pages.driver import open_link

PAGE = "pages/masks.py"
arrive = partial(open_link, PAGE, may_refuse=True)
choose = partial(driver.choose, may_refuse=True)
press = partial(driver.press, may_refuse=True)
VIEWS = ("batch", "missing", "lesson")


def write(app: AppTest, text: str, key: str = "mask_texts") -> AppTest:
    """Type into a box of the batch."""
    find = app.text_input if key == "mask_pads" else app.text_area
    find(key=key).set_value(text).run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """Captions and paragraphs, without Markdown's marks, and with common blanks."""
    texts = [each.value for each in (*app.caption, *app.markdown, *app.info)]
    return " ".join(texts).replace("\\", "").replace("*", "").replace("\xa0", " ")


def refusals(app: AppTest) -> str:
    """Every red message, without what keeps users' text from being Markdown."""
    return " ".join(each.value for each in app.error).replace("\\", "")
