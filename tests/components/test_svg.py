"""Every SVG that the app saves opens in programs that know no CSS of browsers: components, and Plotly's charts."""

import json
import re
import urllib.parse
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
from plotly.offline import get_plotlyjs

from core.explain.shared.rollup import groups
from core.figures.attention import maps
from core.figures.decoding import steps, turns
from core.figures.shared.palette import themed
from tests.components.samples import DIALOGUE, random, source_tokens, summary, weights
from tests.components.svg import SVG, unreadable
from tests.components.test_saving import save

SPOKEN = [(str(turn.index + 1), turn.speaker or "", turn.text) for turn in DIALOGUE.turns]


def test_what_programs_do_not_read_is_found():
    frame = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'
    for inside, found in [
        ('<rect fill="#112233" fill-opacity="0.5"/><image xlink:href="data:image/png;base64,AA"/>', []),
        ('<g clip-path="url(#d1)"/><g style="clip-path: url(\'#d1\')"/>', []),
        ("<foreignObject/>", ["<foreignObject>"]),
        ('<rect fill="var(--ink)"/>', ['rect fill="var(--ink)"']),
        ('<rect style="fill: rgba(1, 2, 3, 0.5)"/>', ['rect style="fill: rgba(1, 2, 3, 0.5)"']),
        ('<image xlink:href="https://x.example/a.png"/>', ['image {http://www.w3.org/1999/xlink}href="https://x.exa']),
        ('<rect fill="url(https://x.example/#a)"/>', ['rect fill="url(https://x.example/#a)" is not']),
        ('<rect x="NaN"/>', ['rect x="NaN"']),
    ]:
        lines = unreadable(frame.format(inside))
        assert len(lines) == len(found) and all(map(str.startswith, lines, found)), (inside, lines)


def test_colours_gradients_and_cut_off_texts_are_drawn_as_the_browser_draws_them(stage, tmp_path):
    switches = stage("experiments/head_switches")
    root = ElementTree.parse(save(switches, tmp_path, "SVG picture")[0]).getroot()
    assert root.find(f".//{SVG}linearGradient") is not None  # a head that is off is crossed out
    matrix = stage("attention/attention_matrix")
    root = ElementTree.parse(save(matrix, tmp_path, "SVG picture")[0]).getroot()
    upright = [node for node in root.iter(f"{SVG}text") if "rotate(-90" in node.get("transform", "")]
    assert [node.text for node in upright][:3] == ["Have", "you", "seen"]
    assert any(re.fullmatch(r"<b>suit\w*(</?b?)?…", node.text) for node in upright)
    diff = stage("shared/word_diff")
    root = ElementTree.parse(save(diff, tmp_path, "SVG picture")[0]).getroot()
    assert len(root.findall(f".//{SVG}line")) == 2  # one word is struck through, one underlined


def test_charts_are_saved_as_plain_svg(page):
    parts = groups(source_tokens(), "turn")
    pictures = [
        steps.surprise(replace(summary(0.4), forced=2), 3),
        weights().picture("a head"),
        turns.attention_by_turn(random(len(source_tokens())), SPOKEN, parts, 2, "a head"),
        maps.head_map(np.array([[0.5, np.nan], [0.1, 0.9]], np.float32), "loss", [["a", "b"]] * 2, 5, 0, 1),
    ]
    page.goto("about:blank")
    page.set_content("<div id='chart'></div>")
    page.add_script_tag(content=get_plotlyjs())
    for picture in pictures:
        figure = themed(picture.figure, "#e9edf2", "#0d1218").update_layout(font_family="Arial, Helvetica, sans-serif")
        address = page.evaluate(
            """async (figure) => {
              await Plotly.newPlot("chart", figure.data, { ...figure.layout, paper_bgcolor: "#0d1218" });
              return Plotly.toImage("chart", { format: "svg", width: 1000, height: figure.layout.height });
            }""",
            json.loads(figure.to_json()),
        )
        assert unreadable(urllib.parse.unquote(address.partition(",")[2])) == [], picture.name
