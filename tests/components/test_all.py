"""Claims about every component: it draws, fits on a phone, keeps the focus, and can be read by everybody."""

import re

import pytest

from tests.browser.axe import violations
from tests.components.conftest import PHONE
from tests.components.harness import ROOT
from tests.components.samples import SAMPLES

FOCUSABLE = "button, [role='button'], [role='option'], [role='gridcell'], canvas[tabindex]"
NAMED = "node => [node.textContent, node.getAttribute('aria-label')]"


@pytest.mark.parametrize("name", SAMPLES)
def test_everybody_can_read_it_on_every_screen_and_a_rerun_keeps_the_focus(stage, page, name):
    for theme in ("dark", "light"):
        drawn = stage(name, theme=theme)
        assert drawn.find(".root").inner_text().strip()
        assert violations(page, "#place") == [], theme
    if name != "shared/word_diff":
        drawn.find(FOCUSABLE).filter(visible=True).last.focus()
        before = drawn.focused().evaluate(NAMED)
        drawn.draw(SAMPLES[name]())
        assert drawn.focused().evaluate(NAMED) == before
    page.set_viewport_size(PHONE)
    stage(name)
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert drawn.find(".root").evaluate("root => root.scrollWidth - root.clientWidth") <= 0


def test_every_script_writes_texts_as_texts():
    unsafe = re.compile(r"innerHTML|outerHTML\s*=|insertAdjacentHTML|eval\(|new Function")
    scripts = list((ROOT / "pages").glob("**/*.js"))
    assert scripts and [path for path in scripts if unsafe.search(path.read_text(encoding="utf-8"))] == []
