"""The documents: the picture of the imports says what it should, and no link leads nowhere."""

import re
import xml.etree.ElementTree as ElementTree

from core.limits import table
from docs import readme
from docs.imports import BOX, draw, joined, levels_of, reduced
from docs.tables import with_table
from tests.layering import ROOT
from tests.refusals import refused

GRAPH = {"app": {"core/b", "core/a"}, "core/b": {"core/a"}, "core/c": {"core/a"}, "core/a": set()}
DOCUMENTS = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")))


def test_a_line_that_follows_from_others_is_left_out():
    levels = levels_of(GRAPH)
    assert levels == {"core/a": 0, "core/b": 1, "core/c": 1, "app": 2}
    assert reduced(GRAPH, levels) == {"app": {"core/b"}, "core/b": {"core/a"}, "core/c": {"core/a"}, "core/a": set()}


def test_parts_that_import_one_another_become_one_box():
    circle = {"app": {"core/a"}, "core/a": {"core/b", "core/c"}, "core/b": {"core/a"}, "core/c": set()}
    assert joined(circle) == {"app": {"core/a + b"}, "core/a + b": {"core/c"}, "core/c": set()}
    assert joined(GRAPH) == GRAPH
    refused(ValueError, "import one another: app, core/a, core/b", draw, circle)


def test_boxes_of_a_row_stand_apart():
    wide = {"app": {f"core/{name}" for name in "abcdefg"}, **{f"core/{name}": set() for name in "abcdefg"}}
    picture = ElementTree.fromstring(draw(wide))
    boxes = [each for each in picture.findall(".//{*}rect") if "box" in each.get("class")]
    places = sorted(int(each.get("x")) for each in boxes if each.get("class") == "box")
    assert len(places) == 7
    assert min(after - before for before, after in zip(places, places[1:], strict=False)) > BOX[0]
    titles = [each.text for each in picture.findall(".//{*}title")]
    assert "app imports core/g" in titles


def test_the_links_of_the_documents_lead_somewhere():
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text("utf-8")):
            name, _, heading = target.partition("#")
            if name.startswith("http"):
                continue
            path = document.parent / name if name else document
            assert path.exists(), (document.name, target)
            titles = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE) if heading else []
            anchors = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
            assert not heading or heading in anchors, (document.name, target)


def test_the_document_of_the_limits_has_the_table_of_the_server():
    written = (ROOT / "docs" / "limits.md").read_text("utf-8")
    cells = [re.split(r"\s*\|\s*", line.strip("| ")) for line in written.splitlines() if line.startswith("| `")]
    assert cells == [
        [f"`{row['Limit']}`", row["What is limited"], f"{row['Most']:,}", f"{row['In a demonstration']:,}"]
        for row in table()
    ]


def test_the_table_of_pages_says_what_the_pages_declare():
    text = readme.README.read_text("utf-8")
    assert with_table(text, readme.HEAD, readme.table()) == text
    assert with_table(text.replace("**Masks**", "**Veils**"), readme.HEAD, readme.table()) == text
    refused(ValueError, "must have a table", with_table, "# Dialoscope\n", readme.HEAD, readme.table())


def test_the_guide_through_the_network_names_what_is_there_and_takes_two_hours():
    rows = re.findall(
        r"^\| (\d+) \| \[(\S+)\]\(\S+\) \| (.+) \| .+ \|$", (ROOT / "docs/reading.md").read_text("utf-8"), re.M
    )
    assert len(rows) == 10 and sum(int(minutes) for minutes, *_ in rows) == 120
    for _, file, read in rows:
        source = (ROOT / file).read_text("utf-8")
        for name in re.findall(r"`([\w.]+)`", read):
            assert re.search(rf"(?:class|def) {name.rpartition('.')[2]}\b", source), (file, name)
