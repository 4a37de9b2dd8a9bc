"""The picture and the table of a component, saved in the app; tests/components reads every format."""

import csv
import re
from xml.etree import ElementTree

from playwright.sync_api import Page, expect

from tests.browser.helpers import FIRST_TOKENS, open_menu, saved, wait_for_app
from tests.components.svg import SVG, unreadable
from tests.components.test_saving import words

LINES = """() => {
  const own = HTMLCanvasElement.prototype.toDataURL;
  window.ends = [];
  HTMLCanvasElement.prototype.toDataURL = function (...rest) {
    const root = this.getRootNode();
    const tokens = root.querySelectorAll?.("[data-side='column'] .token, .column .token") ?? [];
    if (tokens.length) {
      const box = this.getBoundingClientRect(), scale = this.height / box.height;
      const { data } = this.getContext("2d").getImageData(this.width - 2, 0, 1, this.height);
      const inked = [...Array(this.height).keys()].filter((row) => data[4 * row + 3] > 60).map((row) => row / scale);
      const boxes = [...tokens].map((token) => token.getBoundingClientRect());
      const middles = boxes.map((each) => (each.top + each.bottom) / 2 - box.top);
      window.ends.push({ inked, middles });
    }
    return own.apply(this, rest);
  };
}"""
"""Notes at which heights lines end at the right side of a picture, and at which its tokens stand."""


def test_a_view_is_saved_and_stands_on_the_page_as_before(page: Page) -> None:
    page.goto("/attention?see=head&head=2")
    view = page.locator(".st-key-head_lines")
    expect(view.locator(".root")).to_contain_text("ttention", timeout=FIRST_TOKENS)
    wait_for_app(page)
    height, style = view.bounding_box()["height"], view.get_attribute("style") or ""
    page.evaluate(LINES)
    open_menu(page, "head_lines")
    svg, rows = (saved(page, label)[1].decode() for label in ("SVG picture", "CSV table"))
    page.keyboard.press("Escape")
    assert view.bounding_box()["height"] == height and (view.get_attribute("style") or "") == style
    root = ElementTree.fromstring(svg)
    assert int(root.get("width")) >= 1000 and root.findall(f".//{SVG}image")
    assert unreadable(svg) == []
    found = list(csv.DictReader(rows.splitlines()))
    assert {"Query", "Key"} <= set(found[0])
    ends, *_ = page.evaluate("window.ends")
    far = [end for end in ends["inked"] if min(abs(end - middle) for middle in ends["middles"]) > 5]
    assert len(ends["inked"]) > 20 and not far, (far, ends["middles"])
    last = view.locator(".token").all_text_contents()[-3:]
    assert re.sub(r"\s", "", "".join(last)) in words(root) and "thestrongestsinglecellis" in words(root)
