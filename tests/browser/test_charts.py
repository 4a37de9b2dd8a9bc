"""A chart is drawn once: Streamlit hands plotly every description twice, and texts that do not fit are a third time.

Its texts have the colour of the page.
"""

import json
from pathlib import Path

import plotly
from playwright.sync_api import Browser, Page, expect

from tests.browser.helpers import FIRST_TOKENS, SLOW, open_decoding

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
CHARTS = """() => [...document.querySelectorAll(".stPlotlyChart .js-plotly-plot")].map(chart => ({
  sent: JSON.stringify({ data: chart.data, layout: chart.layout }),
  margin: chart.layout.margin, used: chart._fullLayout._size,
}))"""
CHANGES = """async specification => {
  const place = document.body.appendChild(document.createElement("div"));
  let changes = 0;
  const draw = async () => {
    const { data, layout } = JSON.parse(specification);
    changes = 0;
    await Plotly.react(place, data, layout, {});
    await new Promise(done => setTimeout(done, 50));
    return changes;
  };
  new MutationObserver(list => { changes += list.length; }).observe(
    place, { subtree: true, childList: true, attributes: true, characterData: true },
  );
  const found = [await draw(), await draw()];
  place.remove();
  return found;
}"""
"""How many changes of the document it takes to draw a chart, and to draw a copy of it in the same place."""


SAME_INK = """before => {
  const ink = getComputedStyle(document.querySelector(".stApp")).color;
  const title = document.querySelector(".js-plotly-plot .xtitle");
  return ink !== before && title && getComputedStyle(title).fill === ink && ink;
}"""
"""The colour of the page and of a chart's title, once it is another one: the page fades from one theme to the next."""


def test_the_texts_of_charts_follow_the_theme_of_the_page(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/positions")
    ink = page.wait_for_function(SAME_INK, arg="", timeout=FIRST_TOKENS).json_value()
    expect(page.locator(".stApp")).to_have_css("color-scheme", "light")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        ink = page.wait_for_function(SAME_INK, arg=ink, timeout=SLOW).json_value()
        expect(page.locator(".stApp")).to_have_css("color-scheme", scheme)


def test_a_copy_of_a_chart_changes_nothing_and_its_texts_fit(page: Page, browser: Browser) -> None:
    open_decoding(page, "?step=2")
    charts = "[...document.querySelectorAll('.stPlotlyChart .js-plotly-plot')]"
    page.wait_for_function(f"() => {charts}.filter(chart => chart._fullLayout?._size).length >= 3")
    found = page.evaluate(CHARTS)
    assert len(found) >= 3
    empty = browser.new_page()
    empty.add_script_tag(content=PLOTLY.read_text(encoding="utf-8"))
    for chart in found:
        assert "template" not in json.loads(chart["sent"])["layout"]
        first, again = empty.evaluate(CHANGES, chart["sent"])
        assert first > 100 and again == 0, chart["sent"][:200]
    empty.close()
    fitting = [all(chart["used"][side] <= chart["margin"][side] + 1 for side in "lrtb") for chart in found]
    assert sum(fitting) >= len(found) - 1  # the legend of the narrow chart of turns has two lines
