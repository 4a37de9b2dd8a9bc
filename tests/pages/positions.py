"""Driving the Positions page without a browser."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.config import DecodeSettings, ModelConfig
from core.experiments.interventions import Condition, Knockout, Untouched, untouched
from core.experiments.positions import replaced
from core.model.transformer import Transformer
from core.text.tokenizer import Tokenizer
from tests.pages.driver import FIRST, choose, decoded, open_link, tiny

PAGE = "pages/positions.py"
arrive = partial(open_link, PAGE)
SLIDES = {"pos_length": 5, "pos_width": 5, "pos_base": 100}


def example(app: AppTest, start: str) -> AppTest:
    """Choose the example whose name begins so."""
    options = app.segmented_control(key="pos_preset").options
    return choose(app, "pos_preset", next(each for each in options if each.startswith(start)))


def number(app: AppTest, key: str, value: float) -> AppTest:
    """Type a number; the page may refuse it."""
    app.number_input(key=key).set_value(value).run()
    assert not app.exception
    return app


def text(app: AppTest, key: str, value: str) -> AppTest:
    """Type a text; the page may refuse it."""
    app.text_input(key=key).set_value(value).run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """Every text on the page, without what keeps users' text from being Markdown, and with common blanks."""
    parts = [each.value for kind in (app.markdown, app.caption, app.info, app.error) for each in kind]
    return " ".join(parts).replace("\\", "").replace("\xa0", " ")


def formula(app: AppTest) -> str:
    """The worked-out number."""
    return app.latex[1].value


def tables(app: AppTest) -> list[Any]:
    """The tables that stand on the page as they are."""
    return [each.value for each in app.table]


def base(dialogue: str = FIRST, **settings: Any) -> Untouched:
    """The untouched run of a dialogue, computed without the page."""
    summary = decoded(text=dialogue, **settings)
    encoded = tiny().encode(dialogue, summary.settings.truncation)
    ids = [token.id for token in summary.tokens]
    return untouched(tiny(), Condition(encoded), ids, summary.settings, summary.text)


def placed(run: Untouched, places: tuple[int, ...]) -> Knockout:
    """The same with the tokens at other places."""
    return replaced(tiny(), run, [places])[0]


def write_learned(folder: Path, tiny_folder: Path) -> None:
    """Write a checkpoint whose positions are learned, of the other's shape and tokenizer."""
    tokenizer = Tokenizer.load(tiny_folder / "tokenizer.json")
    config = ModelConfig.from_dict(json.loads((tiny_folder / "config.json").read_text())).replace(positions="learned")
    card = {"decoding": DecodeSettings(max_tokens=16).to_dict(), "licence": "none"}
    checkpoints.write(folder, config, tokenizer, checkpoints.weights_of(Transformer(config)), [], card)
