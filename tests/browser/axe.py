"""Violations of any impact that axe-core finds in a page, its shadow roots included."""

from functools import cache
from importlib.resources import files

from playwright.sync_api import Page

NOT_OURS = ["[data-testid='stSidebarNav']", ".katex-display"]
"""What Streamlit draws and nobody can change: the groups of its menu are no proper list, and a long formula scrolls
without taking the focus."""
UPLOADER = ("presentation-role-conflict", "stFileUploaderDropzone")
"""A minor rule that Streamlit's box for a file breaks: a drop zone without a role has a label. Its button is sound."""
OPTIONS = {"rules": {"label-content-name-mismatch": {"enabled": True}}, "resultTypes": ["violations"]}


@cache
def _script() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, selector: str | None = None) -> list[str]:
    """List what is wrong in a page: one line for each rule and node.

    Args:
        page: What is shown now is checked.
        selector: Checks only what is inside.
    """
    found = _found(page, selector, OPTIONS)
    return [
        _line(rule, node) for rule, node in found if not (rule["id"] == UPLOADER[0] and UPLOADER[1] in node["html"])
    ]


def pale(page: Page, selector: str | None = None, rule: str = "color-contrast") -> list[str]:
    """List the texts, of a part of the page or of all of it, whose contrast is too low.

    Args:
        page: What is shown now is checked.
        selector: Checks only what is inside.
        rule: of axe-core; "color-contrast-enhanced" asks for 7:1, or 4.5:1 of large texts.
    """
    return [_line(*each) for each in _found(page, selector, {"runOnly": {"type": "rule", "values": [rule]}})]


def _found(page: Page, selector: str | None, options: dict) -> list[tuple[dict, dict]]:
    """List the broken rules, each with a node that breaks it."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_script())
    found = page.evaluate(
        "([where, exclude, options]) => axe.run(where ?? { exclude }, options)",
        [selector, NOT_OURS, options],
    )
    return [(rule, node) for rule in found["violations"] for node in rule["nodes"]]


def _line(rule: dict, node: dict) -> str:
    return f"{rule['id']} ({rule['impact']}): {node['html'][:160]} {_reason(node)}"


def _reason(node: dict) -> str:
    """Say why a node breaks a rule, colours of a contrast included."""
    checks = [*node["any"], *node["all"], *node["none"]]
    return "; ".join(check["message"] for check in checks)[:200]
