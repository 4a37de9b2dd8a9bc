"""Driving the Decoding page without a browser: what its components and charts send is sent for them."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.decoding.engine import Engine
from core.explain.decoding.branches import Branches, read_path
from pages.shared.model import models
from tests.pages.components import change
from tests.pages.conftest import SECONDS
from tests.pages.driver import data, open_link, press_label, trigger

PAGE = "pages/decoding.py"
arrive = partial(open_link, PAGE, may_refuse=True)
press = partial(press_label, may_refuse=True)
THE, YOU = 273, 314
"""Ids of “ the” and “ you”."""


def move(app: AppTest, step: int, playing: bool = False) -> AppTest:
    """Use the stepper; steps are from 0."""
    return change(app, "stepper", at={"step": step, "playing": playing, "time": 1})


def fork(app: AppTest, token: int) -> AppTest:
    """Press Fork beside a token of the table."""
    return trigger(app, "next_token", "fork", {"id": token}, may_refuse=True)


def type_here(app: AppTest, text: str) -> AppTest:
    """Type what stands at this step."""
    app.text_input(key="typed").set_value(text)
    return press(app, "Write it here")


def table(app: AppTest) -> dict:
    """What the probability table was given."""
    return data(app, "probability_table")


def words(app: AppTest) -> list[str]:
    """Labels of the tokens in the stepper."""
    return [each["label"] for each in data(app, "stepper")["tokens"]]


def tree(app: AppTest) -> Branches:
    """The tree of branches that was used last."""
    return list(app.session_state["trees"].values())[-1]


def shown(app: AppTest) -> str:
    """The name of the shown branch."""
    return tree(app).find(read_path(app.session_state["branch"], 600)).name


def count_calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the model was asked from now on, by method of the engine."""
    models.job("tiny").thread.join(SECONDS)  # it compiles ahead, and asks the model for that
    calls: Counter[str] = Counter()

    def count(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return method(*args, **options)

        return counted

    for name in ("encode", "beam_rows", "sample_rows", "replay"):
        monkeypatch.setattr(Engine, name, count(name, getattr(Engine, name)))
    return calls
