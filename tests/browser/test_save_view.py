"""The files of the Attention page's own components, made and opened again in a real browser."""

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import FIRST_TOKENS, paste_here, wait_for_app

SVG = "{http://www.w3.org/2000/svg}"
HTML = "{http://www.w3.org/1999/xhtml}"
ATTACK = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def no_errors(page_errors):
    """No test of this file may leave an error in the console."""
    yield
    assert page_errors == []


def open_view(page: Page, link: str, key: str) -> Locator:
    """Open the Attention page and wait for one of its components."""
    page.goto(f"/attention{link}")
    view = page.locator(f".st-key-{key} .root")
    expect(view).to_contain_text("ttention", timeout=FIRST_TOKENS)
    wait_for_app(page)
    return view


def save(page: Page, key: str, folder: Path, *labels: str) -> list[Path]:
    """Save files of a component; the page must look the same afterwards."""
    view = page.locator(f".st-key-{key}")
    before, style = view.bounding_box(), view.get_attribute("style") or ""
    view.locator("xpath=following::button[contains(., 'Save')][1]").click()
    files = []
    for label in labels:
        with page.expect_download() as download:
            page.get_by_test_id("stPopoverBody").get_by_role("button", name=label).click()
        files.append(folder / download.value.suggested_filename)
        download.value.save_as(files[-1])
    page.keyboard.press("Escape")
    assert view.bounding_box()["height"] == before["height"] and view.get_attribute("style") == style
    expect(view.locator(".saved-caption")).to_have_count(0)
    return files


def words(node: ElementTree.Element) -> str:
    """All texts of a file without blanks."""
    return re.sub(r"\s", "", "".join(node.itertext()))


PICTURES = ("SVG picture", "PNG picture", "Web page that works offline")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_are_saved_at_full_length_in_three_formats(open_page, app_url, tmp_path, scheme):
    page = open_page(app_url, color_scheme=scheme)
    view = open_view(page, "?see=head&head=2", "head_lines")
    tokens = view.locator(".token").all_text_contents()
    window = max(box.evaluate("box => box.scrollHeight") for box in view.locator(".scroll").all())
    svg, png, html = save(page, "head_lines", tmp_path, *PICTURES)
    assert [file.name for file in (svg, png, html)] == [f"attention-lines.{end}" for end in ("svg", "png", "html")]

    root = ElementTree.parse(svg).getroot()
    width, height = (int(root.get(name)) for name in ("width", "height"))
    ground = {"light": "#ffffff", "dark": "#0d1218"}[scheme]
    assert root.tag == f"{SVG}svg" and root.find(f"{SVG}rect").get("fill") == ground
    assert height > window - 20 and width >= 1000
    assert re.sub(r"\s", "", "".join(tokens[-3:])) in words(root) and "thestrongestsinglecellis" in words(root)
    assert "Clickor" not in words(root)  # a picture cannot be used
    assert root.find(f".//{HTML}img").get("src").startswith("data:image/png;base64,")
    assert not root.findall(f".//{HTML}button") and not root.findall(f".//{HTML}canvas")

    data = png.read_bytes()
    sizes = [int.from_bytes(data[start : start + 4], "big") for start in (16, 20)]
    assert data.startswith(b"\x89PNG") and sizes == [2 * width, 2 * height]

    page.context.set_offline(True)
    other = page.context.new_page()
    other.goto(html.as_uri())
    expect(other.locator("p")).to_contain_text("the strongest single cell is")
    last, picture = other.get_by_text("end", exact=True).last.bounding_box(), other.locator("svg").bounding_box()
    assert picture["y"] < last["y"] and last["y"] + last["height"] < picture["y"] + picture["height"]
    pixel = "() => getComputedStyle(document.body).backgroundColor"
    assert other.evaluate(pixel) == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 18, 24)"}[scheme]


def test_the_grid_keeps_its_pictures_and_the_largest_weight_of_each_head(page, tmp_path):
    view = open_view(page, "?see=heads&head=1", "head_grid")
    heads = view.locator(".tile").count()
    svg, table = save(page, "head_grid", tmp_path, "SVG picture", "CSV table")
    root = ElementTree.parse(svg).getroot()
    assert len(root.findall(f".//{HTML}img")) == heads
    assert "Head1·open" in words(root)  # what a style sheet adds is there, too
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == ["Layer", "Head", "Largest weight", "Query", "Key"] and len(rows) == heads
    best = max(rows, key=lambda row: float(row["Largest weight"]))
    assert f"layer{best['Layer']},head{best['Head']}:" in words(root)


def test_a_dialogue_with_a_script_stays_text_in_the_files(page, tmp_path):
    open_view(page, "?see=head&kind=encoder&head=1", "head_lines")
    paste_here(page, f'Eve: {ATTACK} & "x"\nDov: <img src=x onerror=alert(2)>')
    expect(page.locator(".st-key-head_lines .root")).to_contain_text("alert")
    files = save(page, "head_lines", tmp_path, "SVG picture", "Web page that works offline")
    root = ElementTree.parse(files[0]).getroot()
    assert ATTACK in words(root) and not [node for node in root.iter() if "script" in node.tag]
    dialogs = []
    for file in files:
        other = page.context.new_page()
        other.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        other.goto(file.as_uri())
        assert other.locator("script, [onerror]").count() == 0
        assert ATTACK in re.sub(r"\s", "", other.locator("svg").text_content())
        other.close()
    assert dialogs == []
