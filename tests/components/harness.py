"""A bare page for one component: its script and style sheet with data of its own, and a record of what it sends.

No Streamlit and no TensorFlow: `parentElement` is a shadow root, as in the app, and the theme's variables are those of
`.streamlit/config.toml`.
"""

import json
import tomllib
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Locator, Page

from pages.shared.components import HERE, sources

ROOT = Path(__file__).resolve().parents[2]
THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
HUES = {
    "light": {"red": ("#ffecec", "#b02a2a"), "green": ("#e8f9ee", "#177233"), "blue": "#1c83e1", "orange": "#ffa421"},
    "dark": {"red": ("#3d1f22", "#ff8c8c"), "green": ("#193326", "#5ce488"), "blue": "#3d9df3", "orange": "#ffbd45"},
}
"""Colours that Streamlit gives where the configuration names none."""

Theme = Literal["light", "dark"]
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>harness</title></head>
<body><h1 id="empty">Empty space</h1><main class="st-key-it"><div id="place"></div></main></body></html>"""
ADDRESS = "http://harness.test/"
MOUNT = """async ([selector, css, js, variables, ground]) => {
  const place = document.querySelector(selector);
  for (const [name, value] of Object.entries(variables)) document.documentElement.style.setProperty(name, value);
  document.body.style.cssText = `margin: 1rem; background: ${ground}; color: ${variables["--st-text-color"]}`;
  const shadow = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = css;
  const root = document.createElement("div");
  root.className = "root";
  shadow.replaceChildren(style, root);
  const address = URL.createObjectURL(new Blob([js], { type: "text/javascript" }));
  const { default: run } = await import(address);
  window.sent = [];
  window.draw = (data) => {
    window.finish = run({
      data,
      name: "it",
      key: "it",
      parentElement: shadow,
      setTriggerValue: (name, value) => { window.sent.push([name, value]); },
      setStateValue: (name, value) => { window.sent.push([name, value]); },
    });
  };
}"""


def variables(theme: Theme) -> dict[str, str]:
    """The CSS variables that Streamlit gives a component."""
    colors, hues = THEMES[theme], HUES[theme]
    return {
        "--st-text-color": colors["textColor"],
        "--st-background-color": colors["backgroundColor"],
        "--st-secondary-background-color": colors["secondaryBackgroundColor"],
        "--st-primary-color": colors["primaryColor"],
        "--st-border-color": colors["borderColor"],
        "--st-gray-color": "#7b8694",
        "--st-red-background-color": hues["red"][0],
        "--st-red-text-color": hues["red"][1],
        "--st-green-background-color": hues["green"][0],
        "--st-green-text-color": hues["green"][1],
        "--st-font": "Arial, sans-serif",
        "--st-code-font": "monospace",
        "--st-base-radius": "0.5rem",
        "--st-button-radius": "0.5rem",
    }


def folder(name: str) -> Path:
    """The folder of a component, by page and name: decoding/stepper."""
    page, component = name.split("/")
    return HERE / component if page == "shared" else ROOT / "pages" / "parts" / page / component


def serve(page: Page) -> None:
    """Answer the address of the bare page: a written document would lose track of the pointer."""
    page.route(ADDRESS, lambda route: route.fulfill(body=PAGE, content_type="text/html"))


class Stage:
    """A page with one component on it.

    Args:
        page: of the browser.
        name: of the component, with its page.
        data: what Python would send.
        theme: "light" or "dark".
    """

    def __init__(self, page: Page, name: str, data: dict[str, Any], theme: Theme = "light") -> None:
        self.page = page
        page.goto(ADDRESS)
        self.theme = theme
        self.mount("#place", folder(name), data)

    def mount(self, selector: str, home: Path, data: dict[str, Any]) -> str:
        """Put the component of a folder into a node of the page, and return the colour of the ground."""
        ground = THEMES[self.theme]["backgroundColor"]
        self.page.evaluate(MOUNT, [selector, *sources(home), variables(self.theme), ground])
        self.draw(data)
        return ground

    def draw(self, data: dict[str, Any]) -> None:
        """Run the script as a rerun of the app does."""
        self.page.evaluate("data => window.draw(data)", json.loads(json.dumps(data)))

    def sent(self) -> list[list[Any]]:
        """Names and values of all messages to Python so far."""
        return self.page.evaluate("() => window.sent")

    def drawn(self) -> "Stage":
        """Wait for what the component has put off until the next frame."""
        self.page.evaluate("() => new Promise(requestAnimationFrame)")
        return self

    def find(self, selector: str) -> Locator:
        """Nodes of the component."""
        return self.page.locator("#place").locator(selector)

    def focused(self) -> Locator:
        """The node of the component that has the focus."""
        return self.page.locator("#place :focus")

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def empty(self) -> None:
        """Click on empty space of the page."""
        self.page.locator("#empty").click()
