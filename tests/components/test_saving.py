"""The files that a browser makes of a component: pictures at full length that need nothing else."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from core.text.dialogue import parse_dialogue
from pages.parts.summarize.conversation import conversation_data
from tests.components.harness import Stage, folder
from tests.components.samples import WORDS
from tests.components.svg import SVG

HREF = "{http://www.w3.org/1999/xlink}href"
ATTACK = "<script>alert(1)</script>"


def save(drawn: Stage, files: Path, *labels: str) -> list[Path]:
    """Save files of a component; it must look the same afterwards."""
    page = drawn.page
    page.evaluate("() => { const box = document.createElement('div'); box.id = 'saver'; document.body.append(box); }")
    drawn.mount("#saver", folder("shared/save_view"), {"view": "it", "name": "drawn", "caption": "A caption"})
    before = drawn.find(".root").bounding_box()
    found = []
    for label in labels:
        with page.expect_download() as download:
            page.locator("#saver").get_by_role("button", name=label).click()
        found.append(files / download.value.suggested_filename)
        download.value.save_as(found[-1])
    page.evaluate("() => scrollTo(0, 0)")
    assert drawn.find(".root").bounding_box() == before
    expect(drawn.find(".saved-caption")).to_have_count(0)
    return found


def words(node: ElementTree.Element) -> str:
    """All texts of a file without blanks."""
    return re.sub(r"\s", "", "".join(node.itertext()))


def other(page: Page, file: Path) -> Page:
    """Open a file in a page of its own."""
    opened = page.context.new_page()
    opened.goto(file.as_uri())
    return opened


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_are_saved_at_full_length_in_three_formats(page, stage, tmp_path, theme):
    drawn = stage("attention/head_view", theme=theme)
    lists = max(box.evaluate("box => box.scrollHeight") for box in drawn.find(".scroll").all())
    svg, png, html = save(drawn, tmp_path, "SVG picture", "PNG picture", "Web page that works offline")
    assert [file.name for file in (svg, png, html)] == ["drawn.svg", "drawn.png", "drawn.html"]

    root = ElementTree.parse(svg).getroot()
    width, height = (int(root.get(name)) for name in ("width", "height"))
    ground = {"light": "#ffffff", "dark": "#0d1218"}[theme]
    assert root.tag == f"{SVG}svg" and root.find(f"{SVG}rect").get("fill") == ground
    assert height > lists - 20 and width >= 1000
    assert "tookit." in words(root) and "Acaption" in words(root)
    assert "Clickor" not in words(root)  # a picture cannot be used
    assert root.find(f".//{SVG}image").get(HREF).startswith("data:image/png;base64,")

    data = png.read_bytes()
    sizes = [int.from_bytes(data[start : start + 4], "big") for start in (16, 20)]
    assert data.startswith(b"\x89PNG") and sizes == [2 * width, 2 * height]

    page.context.set_offline(True)
    saved = other(page, html)
    expect(saved.locator("p")).to_contain_text("A caption")
    last, picture = saved.get_by_text("end", exact=True).last.bounding_box(), saved.locator("svg").bounding_box()
    assert picture["y"] < last["y"] and last["y"] + last["height"] < picture["y"] + picture["height"]
    shade = saved.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert shade == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 18, 24)"}[theme]
    saved.close()
    page.context.set_offline(False)


def test_a_summary_and_a_grid_are_saved_as_they_are_read(stage, tmp_path):
    strip = stage("shared/token_strip")
    root = ElementTree.parse(save(strip, tmp_path, "SVG picture")[0]).getroot()
    assert re.sub(r"\s", "", WORDS) in words(root) and "Point" not in words(root)
    grid = stage("attention/head_grid")
    root = ElementTree.parse(save(grid, tmp_path, "SVG picture")[0]).getroot()
    assert len(root.findall(f".//{SVG}image")) == grid.find(".tile").count()
    assert "Head3·open" in words(root)  # what a style sheet adds is there, too


def test_a_dialogue_with_a_script_stays_text_in_the_files(page, stage, tmp_path):
    dialogue = parse_dialogue(f'Eve: {ATTACK} & "x"\nDov: <img src=x onerror=alert(2)>')
    drawn = stage("summarize/conversation", conversation_data(dialogue, dialogue, (), ()))
    files = save(drawn, tmp_path, "SVG picture", "Web page that works offline")
    root = ElementTree.parse(files[0]).getroot()
    assert ATTACK in words(root) and not [node for node in root.iter() if "script" in node.tag]
    dialogs = []
    page.context.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    for file in files:
        saved = other(page, file)
        assert saved.locator("script, [onerror]").count() == 0
        assert ATTACK in re.sub(r"\s", "", saved.locator("svg").text_content())
        saved.close()
    assert dialogs == []
