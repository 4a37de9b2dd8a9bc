"""Driving the Attention page without a browser: what its components send is sent for them."""

import json
from base64 import b64decode
from functools import partial

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from core.figures.attention_view import held
from core.figures.wording import percent
from tests.pages.driver import data, decoded, element, healthy, open_link, send

PAGE = "pages/attention.py"
arrive = partial(open_link, PAGE)
KINDS = ("cross", "encoder", "decoder")
VIEWS = ("turns", "heads", "head", "inside", "catalogue")
NEAR = 2e-5
"""Weights travel as 65,535ths."""


def lines(app: AppTest, **seen: object) -> AppTest:
    """Someone used the token-to-token view: locked rows, heads that are on, share of the mass."""
    now = data(app, "head_view")
    state = {name: now[name] for name in ("locked", "heads", "share", "version")} | seen
    found = element(app, "bidi_component", "head_lines").proto.id
    send(app, WidgetState(id=found, json_value=json.dumps({"view": state})))
    healthy(app)
    return app


def given(app: AppTest, component: str) -> np.ndarray:
    """The weights in a component on the page, [heads, rows, columns] or [rows, columns]."""
    drawn = data(app, component)
    shape = drawn.get("shape") or (len(drawn["rows"]), len(drawn["columns"]))
    found = np.frombuffer(b64decode(drawn["weights"]), dtype="<u2") / 65535
    return found.reshape((drawn["count"], *shape) if "count" in drawn else shape)


def labels(app: AppTest, component: str, side: str = "rows") -> list[str]:
    """Texts beside the rows or columns of a component."""
    return [each["text"] for each in data(app, component)[side]]


def trace(kind: str, text: str | None = None) -> np.ndarray:
    """All heads of a kind in the run of the first dialogue or of a text, [L, H, Q, N]."""
    return held(decoded(text=text) if text else decoded())[kind]


def said(share: float) -> str:
    """A share as captions say it."""
    return percent(float(share)).replace("\xa0", " ")
