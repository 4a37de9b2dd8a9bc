"""Claims about every component: it draws, fits on a phone, keeps the focus, and can be read by everybody."""

import re

import pytest

from tests.browser.axe import violations
from tests.components.conftest import PHONE
from tests.components.harness import ROOT
from tests.components.samples import SAMPLES

FOCUSABLE = "button, [role='button'], [role='option'], [role='gridcell'], canvas[tabindex]"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", SAMPLES)
def test_axe_finds_nothing(stage, page, name, theme):
    drawn = stage(name, theme=theme)
    assert drawn.find(".root").inner_text().strip()
    assert violations(page, "#place") == []


@pytest.mark.parametrize("name", SAMPLES)
def test_it_fits_on_a_phone(stage, page, name):
    page.set_viewport_size(PHONE)
    drawn = stage(name)
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert drawn.find(".root").evaluate("root => root.scrollWidth - root.clientWidth") <= 0


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "shared/word_diff"])
def test_a_rerun_keeps_the_focus(stage, page, name):
    drawn = stage(name)
    drawn.find(FOCUSABLE).filter(visible=True).last.focus()
    named = "node => [node.textContent, node.getAttribute('aria-label')]"
    before = drawn.focused().evaluate(named)
    drawn.draw(SAMPLES[name]())
    assert drawn.focused().evaluate(named) == before


@pytest.mark.parametrize(
    "script",
    sorted((ROOT / "pages").glob("**/*.js")),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_a_script_writes_texts_as_texts(script):
    code = script.read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML\s*=|insertAdjacentHTML|eval\(|new Function", code)
