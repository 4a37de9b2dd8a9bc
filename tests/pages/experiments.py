"""Driving the Experiments page without a browser, and the same experiments straight from the core."""

import json
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from core.config import DecodeSettings
from core.experiments import ablations, effects, turn_effects
from core.experiments.ablations import Head
from core.experiments.effects import Comparison, Condition, Effect, Untouched
from core.service import Summarizer
from core.text import links
from core.text.arrangement import Arrangement, arrange, plain, read, shuffled
from pages.parts.experiments.runs import SHUFFLE_SEED
from pages.shared.model import sweep
from tests.closeness import same_network
from tests.pages.driver import FIRST, captions, chart, data, decoded, element, open_link, table, tiny, trigger

PAGE = "pages/experiments.py"
arrive = partial(open_link, PAGE)
LONG = " ".join(line.partition(": ")[2] for line in FIRST.splitlines())
TAGGED = "\n".join(f"#Person{1 + turn % 2}#: {LONG[90 * turn : 90 * turn + 90].strip()}" for turn in range(4))
"""Four turns, all read; of about as many tokens as the first dialogue, for which programs are compiled."""
MARKUP = (
    "Eve: <b>bold</b> *stars* costs $5 or $y$\nDov: [link](http://x) <script>alert(1)</script>\n" + f"Eve: {LONG[:250]}"
)
"""Turns that would be Markdown, HTML or LaTeX."""


def arrive_with(app: AppTest, text: str, **link: object) -> AppTest:
    """Open a link that carries a dialogue."""
    return arrive(app, input="paste", t=links.pack(text), **link)


def act(app: AppTest, turn: int, action: str) -> AppTest:
    """Press a button of a turn on the bench; turns are from 0."""
    return trigger(app, "turn_bench", "act", {"turn": turn, "action": action})


def refused(app: AppTest, turn: int, action: str) -> str:
    """Press a button that the bench does not offer; what the page says about it."""
    with pytest.raises(AssertionError):
        act(app, turn, action)
    assert not app.exception
    return " ".join(each.value for each in app.error).replace("\\", "").casefold()


def infos(app: AppTest) -> str:
    """Every message in blue, without what keeps users' text from being Markdown, and with common blanks."""
    return " ".join(each.value for each in app.info).replace("\\", "").replace("\xa0", " ")


def flip(app: AppTest, kind: str, layer: int, head: int | None) -> AppTest:
    """Click a head, or with None the name of a layer; both from 0."""
    return trigger(app, "head_switches", "flip", {"kind": kind, "layer": layer, "head": head})


def pick(app: AppTest, index: int) -> AppTest:
    """Choose a token of the summary, from 0."""
    return trigger(app, "word_map", "pick", {"index": index})


def bench(app: AppTest) -> dict[int, dict[str, Any]]:
    """The turns on the bench by their numbers, in their order."""
    return {row["number"]: row for row in data(app, "turn_bench")["turns"]}


def able(app: AppTest, number: int) -> list[str]:
    """What can be done with a turn."""
    return [action["action"] for action in bench(app)[number]["actions"] if action["able"]]


def heads(app: AppTest, name: str = "text") -> dict[Head, Any]:
    """What the switches were given of each head: the `text` on it, or whether it is `on`."""
    return {
        Head(grid["kind"], layer, head): cell[name]
        for grid in data(app, "head_switches")["grids"]
        for layer, row in enumerate(grid["rows"])
        for head, cell in enumerate(row["cells"])
    }


def packed(text: str) -> str:
    """A text without white space: a word diff keeps that of one side."""
    return "".join(text.split())


def difference(app: AppTest, key: str) -> tuple[str, str]:
    """The text before and the one after, read from a word diff, both packed."""
    changes = json.loads(element(app, "bidi_component", key).proto.json)["changes"]
    before = "".join(text for kind, text in changes if kind != "added")
    after = "".join(text for kind, text in changes if kind != "removed")
    return packed(before), packed(after)


@cache
def base(text: str = FIRST, control: str = "none", summarizer: Summarizer | None = None, **settings: Any) -> Untouched:
    """The untouched run of a dialogue, computed without the page."""
    chosen = DecodeSettings(max_tokens=16).replace(**settings)
    network = summarizer or tiny()
    encoded = network.encode(text, chosen.truncation)
    if control == "shuffled":
        encoded = arrange(encoded, shuffled(encoded, SHUFFLE_SEED))
    ids = [token.id for token in decoded(text=text, **settings).tokens]
    return effects.untouched(network, Condition(encoded), ids, chosen)


def arranged(run: Untouched, link: str) -> Condition:
    """A change of the turns, as a link says it."""
    encoded = run.condition.encoded
    return Condition(arrange(encoded, read(link, encoded.dialogue)))


def without(run: Untouched, *turns: int) -> Condition:
    """Some turns deleted, from 0."""
    encoded = run.condition.encoded
    return Condition(arrange(encoded, Arrangement(tuple(each for each in plain(encoded).order if each not in turns))))


def off(run: Untouched, *heads: Head, config: Any = None, means: Any = None) -> Condition:
    """Some heads ablated."""
    return Condition(run.condition.encoded, ablations.gates(config or tiny().config, heads, means))


def left_out(run: Untouched) -> list[Effect]:
    """Every turn that is read, left out once."""
    return turn_effects.leave_out(tiny(), run, turn_effects.turns_read(run.condition.encoded))


def in_nats(drops: list[float]) -> list[str]:
    """Effects as the page writes them."""
    return [f"{drop:+.2f}".replace("-", "−") for drop in drops]


def same(found: Any, expected: Any) -> None:
    """Check numbers that come from a run of the small model, in nats or probabilities."""
    same_network(found, expected, tiny().config)


def shows(app: AppTest, run: Untouched, found: Comparison, key: str) -> None:
    """Check that the page shows this outcome: both texts, the table, the change of every token."""
    if found.text == run.text:
        assert [each.value for each in app.text].count(found.text or "(an empty summary)") >= 2
        assert "The model writes the same summary." in captions(app)
    else:
        assert difference(app, f"{key}_diff") == (packed(run.text), packed(found.text))
    drawn = table(app, "With the change")[["Untouched", "With the change", "Effect"]].to_numpy()
    rows = ((found.original.before, found.original.after), (found.before, found.after))
    same(drawn, [[np.mean(a), np.mean(b), np.mean(a - b)] for a, b in rows])
    traces = chart(app, f"{key}_changes")["data"]
    effects = np.sum([np.asarray(trace["y"], dtype=float) for trace in traces], axis=0)
    same(effects, found.original.before - found.original.after)


def bars(app: AppTest, key: str) -> list[float]:
    """The signed lengths of a chart's bars: the rows have a card, then a bar for each sign."""
    found = [trace for trace in chart(app, key)["data"] if trace["type"] == "bar" and trace["name"] != "opened turn"]
    return list(np.sum([np.asarray(trace["x"], dtype=float) for trace in found], axis=0))


def step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep measures one batch each time the page is drawn, as if somebody looked in between, and the first to."""
    sweep._kept.clear()

    class Once:
        def __getattr__(self, name: str) -> Any:
            return (lambda **_: None) if name == "rerun" else getattr(streamlit, name)

    monkeypatch.setattr(sweep, "st", Once())
