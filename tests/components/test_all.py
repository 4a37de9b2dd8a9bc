"""Claims about every component: it draws, fits on a phone, keeps the focus, can be read by everybody and be saved."""

import re
from xml.etree import ElementTree

import pytest

from tests.browser.axe import pale, violations
from tests.components.conftest import PHONE
from tests.components.harness import ROOT
from tests.components.samples import SAMPLES
from tests.components.svg import SVG, unreadable
from tests.components.test_saving import save, words

FOCUSABLE = "button, [role='button'], [role='option'], [role='gridcell'], canvas[tabindex]"
NAMED = "node => [node.textContent, node.getAttribute('aria-label')]"


@pytest.mark.parametrize("name", SAMPLES)
def test_everybody_can_read_it_on_every_screen_and_in_a_file(stage, page, tmp_path, name):
    drawn = stage(name, theme="dark")
    assert drawn.find(".root").inner_text().strip()
    assert pale(page, "#place") == []
    drawn = stage(name)
    assert violations(page, "#place") == []
    text = save(drawn, tmp_path, "SVG picture")[0].read_text(encoding="utf-8")
    assert unreadable(text) == []
    root = ElementTree.fromstring(text)
    frame = {key: float(root.get(key)) for key in ("width", "height")}
    for node in root.iter(f"{SVG}text"):
        assert -1 <= float(node.get("x")) <= frame["width"] and 0 <= float(node.get("y")) <= frame["height"]
    assert "Acaption" in words(root)
    if name != "shared/word_diff":  # a rerun keeps the focus
        drawn.find(FOCUSABLE).filter(visible=True).last.focus()
        before = drawn.focused().evaluate(NAMED)
        drawn.draw(SAMPLES[name]())
        assert drawn.focused().evaluate(NAMED) == before
    page.set_viewport_size(PHONE)
    drawn = stage(name)
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert drawn.find(".root").evaluate("root => root.scrollWidth - root.clientWidth") <= 0


def test_every_script_writes_texts_as_texts():
    unsafe = re.compile(r"innerHTML|outerHTML\s*=|insertAdjacentHTML|eval\(|new Function")
    scripts = list((ROOT / "pages").glob("**/*.js"))
    assert scripts and [path for path in scripts if unsafe.search(path.read_text(encoding="utf-8"))] == []
