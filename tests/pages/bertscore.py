"""Driving the BERTScore page without a browser."""

from streamlit.testing.v1 import AppTest

from core.scoring.encoders import EMBEDDED
from core.scoring.pairs import Scoring
from core.text.examples import Example, load_examples
from pages.parts.bertscore import encoder
from tests.pages.conftest import SECONDS
from tests.pages.driver import open_link


def example() -> Example:
    """The first example, which has several references."""
    return load_examples()[0]


def arrive(app: AppTest, **link: object) -> AppTest:
    """Open a link to the page in a new session; the encoder is in memory."""
    job = encoder._job(EMBEDDED, False)
    assert job.done.wait(SECONDS) and job.error is None
    return open_link("pages/bertscore.py", app, **link)


def said(app: AppTest) -> str:
    """Every text on the page, without what keeps users' text from being Markdown, and with common blanks."""
    kinds = (app.markdown, app.caption, app.info, app.error, app.warning, app.text)
    return " ".join(each.value for kind in kinds for each in kind).replace("\\", "").replace("\xa0", " ")


def f1(text: str, *references: str) -> float:
    """Raw F1 without idf weights, the best of several references."""
    return Scoring(EMBEDDED, None).best(text, references)[2]
