"""What both sides show: a page and what its address says, without the checkpoint, which differs."""

from urllib.parse import parse_qsl, urlencode

from core import checkpoints
from core.limits import limits
from pages.shared.frame import address, decoding, switching
from pages.shared.frame.course import FIELDS as LESSONS
from pages.shared.frame.fields import Choice, Text
from pages.shared.frame.projector import PROJECTOR
from pages.shared.frame.speech import LANGUAGE

PAGES = (
    "summarize", "decoding", "attention", "experiments", "bertscore", "errors", "tokens", "positions", "masks",
    "architecture", "attention_lab", "training",
)  # fmt: skip
"""The pages on which a checkpoint matters, by the names of their files."""
SHOW = Choice("show", PAGES)
STATE = Text("state", 3 * limits().link_characters)
SIDES = (Text("left_model", 80), Text("right_model", 80))
FIELDS = (*SIDES, SHOW, STATE)


def models() -> list[str]:
    """Return the checkpoints that read dialogues, those to compare first in front."""
    return decoding.compared_first(name for name in decoding.available() if not switching.known_input(name))


def usual(names: list[str]) -> tuple[str, str]:
    """Return the checkpoints that are shown first: the one of the other pages and the next one."""
    left = decoding.checkpoint() if decoding.checkpoint() in names else names[0]
    return left, next((name for name in names if name != left), left)


def link(name: str) -> str:
    """Return the address of the side of a checkpoint, relative to this page's."""
    asked = dict(parse_qsl(_kept(SHOW.value, STATE.value)))
    if name != checkpoints.installed()[0]:
        asked[decoding.CHECKPOINT.name] = name
    if LANGUAGE.value != LANGUAGE.default:
        asked[LANGUAGE.name] = LANGUAGE.value
    return f"{SHOW.value}?{urlencode(asked)}"


def take(side: int, page: str, query: str) -> None:
    """Take over where a side went, and its checkpoint; a page that both sides cannot show changes nothing."""
    if page not in PAGES or len(query) > STATE.longest:
        return
    SHOW.value, STATE.value = page, _kept(page, query)
    names = models()
    name = dict(parse_qsl(query)).get(decoding.CHECKPOINT.name, checkpoints.installed()[0])
    if name in names and name != (SIDES[side].value or usual(names)[side]):
        SIDES[side].value = name


def _kept(page: str, query: str) -> str:
    """Return what a query may ask of both sides; the rest is left out."""
    of_frame = {decoding.CHECKPOINT.name, PROJECTOR.name, LANGUAGE.name, *(field.name for field in LESSONS)}
    allowed = address.names(page) - of_frame
    return urlencode({name: value for name, value in parse_qsl(query) if name in allowed})
