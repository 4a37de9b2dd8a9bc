"""What the tests of several pages need of the Attention page."""

from functools import cache

from core.explain.attention import catalogue
from core.explain.attention.catalogue import Catalogue
from core.figures.shared.wording import percent
from core.text.examples import load_examples
from tests.pages.driver import tiny

PAGE = "pages/attention.py"
COMMAND = "python -m core heads examples --limit 2"


@cache
def measured() -> Catalogue:
    """The heads of the tiny checkpoint, measured on two bundled dialogues; rounded, as pages read it."""
    found = catalogue.measure(tiny(), [each.dialogue for each in load_examples()[:2]], "examples", COMMAND)
    return Catalogue.from_dict(found.to_dict())


def said(share: float) -> str:
    """A share as captions say it."""
    return percent(float(share)).replace("\xa0", " ")
