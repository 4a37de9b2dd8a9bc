"""The keys of the projector, the box that lists them, and the size of a picture that is too tall."""

from collections.abc import Sequence

from pages.shared.components import component
from pages.shared.teaching.projector import KEYS, SWITCH

_MOUNT = component(__file__)


def projector_keys(view: str, chosen: str, pictures: Sequence[str], drawn: int) -> None:
    """Draw three buttons beside the title, listen to the keys, and let the pictures fit the window.

    Args:
        view: key of the choice of a view.
        chosen: page and view: another one begins with its controls folded away.
        pictures: selectors of what must be seen whole.
        drawn: another number whenever the view was drawn again.
    """
    data = {"view": view, "chosen": chosen, "pictures": list(pictures), "drawn": drawn, "switch": SWITCH}
    _MOUNT(key=KEYS, data=data)
