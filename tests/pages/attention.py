"""Driving the Attention page without a browser: what its components send is sent for them."""

import json
from base64 import b64decode
from collections.abc import Sequence
from functools import partial

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from core.explain.heads import input_tokens
from core.explain.rollup import groups, mean_rows, sum_columns
from core.explain.sinks import category
from core.figures.wording import percent
from core.trace import Summary, Token
from tests.pages.driver import data, element, healthy, open_link, send

PAGE = "pages/attention.py"
arrive = partial(open_link, PAGE)
KINDS = ("cross", "encoder", "decoder")
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


def weights(drawn: dict) -> np.ndarray:
    """What a component was given, [heads, rows, columns] or [rows, columns]."""
    shape = drawn.get("shape") or (len(drawn["rows"]), len(drawn["columns"]))
    found = np.frombuffer(b64decode(drawn["weights"]), dtype="<u2") / 65535
    return found.reshape(shape if "shape" in drawn else (*([drawn["count"]] if "count" in drawn else []), *shape))


def given(app: AppTest, component: str) -> np.ndarray:
    """The numbers in a component on the page."""
    return weights(data(app, component))


def labels(app: AppTest, component: str, side: str = "rows") -> list[str]:
    """Texts beside the rows or columns of a component."""
    return [each["text"] for each in data(app, component)[side]]


def said(share: float) -> str:
    """A share as captions say it."""
    return percent(float(share)).replace("\xa0", " ")


def sizes(app: AppTest) -> dict[str, int]:
    """Bytes of every component and chart on the page."""
    found = {each.proto.component_name: len(each.proto.json) for each in app.get("bidi_component")}
    return found | {each.key: len(each.proto.spec) for each in app.get("plotly_chart")}


def trace(summary: Summary, kind: str) -> np.ndarray:
    """All heads of a kind in a run, [L, H, Q, N]."""
    attention = summary.attention
    return {"cross": attention.cross, "encoder": attention.encoder_self, "decoder": attention.decoder_self}[kind]


def sides(summary: Summary, kind: str) -> tuple[Sequence[Token], Sequence[Token]]:
    """What looks, and what is looked at."""
    rows = summary.source if kind == "encoder" else summary.tokens
    return rows, input_tokens(summary.tokens) if kind == "decoder" else summary.source


def rolled(matrix: np.ndarray, summary: Summary, kind: str, units: tuple[str, str]) -> np.ndarray:
    """A matrix by the units of its rows and columns."""
    rows, columns = (groups(tokens, unit) for tokens, unit in zip(sides(summary, kind), units, strict=True))
    return mean_rows(sum_columns(matrix, columns), rows)


def without_sinks(matrix: np.ndarray, keys: Sequence[Token]) -> np.ndarray:
    """Words alone, their rows made 1 again; worked out here anew."""
    kept = matrix * np.array([category(token) == "word" for token in keys])
    return kept / np.maximum(kept.sum(axis=-1, keepdims=True), 1e-30)
