"""A list of visits as one page to read: HTML that loads nothing and runs nothing."""

from collections.abc import Iterable
from datetime import tzinfo

from core.report.markup import Html, document, h
from core.visited.visit import Visit
from core.words import say

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; overflow-wrap: anywhere; padding: 1rem; }
h2 { font-size: 1.1rem; margin: 0; }
li { border-top: 1px solid light-dark(#c3cad4, #3a4655); padding: 0.8rem 0; }
.about { color: light-dark(#4c5766, #a9b4c2); margin: 0.2rem 0; }
pre { font: inherit; margin: 0.4rem 0; white-space: pre-wrap; }
a, summary { color: light-dark(#1a579b, #8cc2f7); }
"""


def to_html(visits: Iterable[Visit], base: str, zone: tzinfo | None) -> bytes:
    """Write a page, in the language that is spoken here and now.

    Args:
        visits: the entries.
        base: where the app answers, "https://host/app"; the links lead there.
        zone: of the times; None: that of this machine.
    """
    title, entries = say("Visited in Dialoscope"), [_entry(visit, base, zone) for visit in visits]
    body = h("body", h("h1", title), h("ol", *entries))
    return document(title, STYLE, POLICY, body).encode("utf-8", "replace")


def _entry(visit: Visit, base: str, zone: tzinfo | None) -> Html:
    about = " · ".join(filter(None, [visit.checkpoint, f"{visit.time.astimezone(zone):%Y-%m-%d %H:%M}"]))
    settings = ", ".join(f"{name} {value}" for name, value in visit.settings.items())
    return h(
        "li",
        h("h2", visit.name),
        h("p.about", about),
        h("p.about", h("a", visit.place.address, href=base + visit.place.address)),
        h("p.about", settings) if settings else None,
        h("p", h("b", say("Summary")), " ", visit.summary) if visit.summary else None,
        h("details", h("summary", say("Dialogue")), h("pre", visit.place.dialogue)) if visit.place.dialogue else None,
    )
