"""A report as one HTML file: it loads nothing, and its policy forbids it to."""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from core.figures.shared import card_facts
from core.figures.shared.palette import VARIABLES
from core.figures.shared.wording import count
from core.report import sections
from core.report.contents import Report
from core.report.markup import CONTENTS, Html, document, h, put
from core.report.reading import data, reading
from core.report.reading import section as reading_section
from core.words import said_in, say, translated


def to_html(report: Report) -> str:
    """Return the report as the text of an HTML file, in the language of here and now."""
    shown = reading(report)
    script, style = _asset("page.js"), f":root {{ {VARIABLES}}}\n{_asset('page.css')}"
    words = translated(said_in(script))
    summary = report.summary
    title = say("A dialogue of {turns} and its summary", turns=count(len(summary.dialogue.turns), "turn"))
    body = h(
        "body",
        _top(report, title),
        h(
            "main",
            reading_section(report, shown),
            *(
                make(report)
                for make in (
                    sections.steps, sections.heads, sections.explained, sections.scores, sections.hints,
                    sections.settings, sections.checkpoint, sections.making,
                )
                if report.explained or make is not sections.explained
            ),
        ),
        h("script", _json(data(report, shown) | {"words": words}), type="application/json", id="data"),
        h("script", Html(script)),
    )  # fmt: skip
    scheme = h("meta", name="color-scheme", content="light dark")
    return document(f"{title} · {report.name}", style, policy(script), body, scheme)


def policy(script: str) -> str:
    """Return the policy of the page: this script alone runs, no address is asked for anything."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _top(report: Report, title: str) -> Html:
    links = [
        h("li", h("a", say(name), href=f"#{anchor}"))
        for anchor, name in CONTENTS.items()
        if report.explained or anchor != "explained"
    ]
    return h(
        "header",
        h(
            "div.top",
            h("h1", title),
            h("button.script", say("Dark"), type="button", id="theme", aria_pressed="false", hidden=True),
        ),
        h(
            "p.legend",
            put(
                say("Written by {model} on {date}."),
                model=h("b", report.summary.checkpoint),
                date=f"{report.made:%Y-%m-%d}",
            ),
            " ",
            say(card_facts.OFTEN_WRONG),
            " ",
            say("Licence of the weights: {licence}.", licence=card_facts.licence_name(report.card)),
        ),
        h("nav", h("ol", *links), aria_label=say("Contents")),
    )


def _json(values: dict[str, Any]) -> Html:
    """Return values as JSON that cannot end the element that it stands in."""
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    return Html(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


@cache
def _asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
