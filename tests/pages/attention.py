"""What the tests of several pages need of the Attention page."""

from core.figures.shared.wording import percent

PAGE = "pages/attention.py"


def said(share: float) -> str:
    """A share as captions say it."""
    return percent(float(share)).replace("\xa0", " ")
