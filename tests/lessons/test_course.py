"""The lessons that ship, and those of a folder of one's own."""

from pathlib import Path

import pytest

from core.lessons import course
from core.lessons.course import BUNDLED, OWN, PATH, SETTING, load
from core.lessons.stop import Stop, Talk
from core.words import ENGLISH, LANGUAGES, speaking

TEN = (
    "tokens", "positions", "masks", "one-head", "many-heads", "cross-attention", "decoding", "scores", "errors",
    "three-words",
)  # fmt: skip
STOP = "---\ntitle: {}\nlink: /tokens\ndo: Do.\ndone: page = tokens\n---\nText.\n"


OTHERS = [code for code in LANGUAGES if code != ENGLISH]


def put(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name.replace('_', '-')}.md").write_text(text, encoding="utf-8")
    return folder


def test_ten_stops_and_three_talks_ship():
    found = load()
    assert not found.faults and tuple(found.stops) == TEN
    assert {name: each.minutes for name, each in found.talks.items()} == {
        PATH: 0, "talk-5": 5, "talk-15": 15, "talk-45": 45,
    }  # fmt: skip
    assert tuple(leg.stop for leg in found.talks["talk-45"].legs) == TEN
    assert all(each.ask and are_two_or_three_sentences(each) for each in found.stops.values())


def are_two_or_three_sentences(stop: Stop) -> bool:
    return 2 <= stop.text.count(". ") + stop.text.count(".\n") + 1 <= 4 and len(stop.text) < 330


@pytest.mark.parametrize("code", OTHERS)
def test_every_lesson_is_translated_and_asks_for_the_same(code):
    names = sorted(path.name for path in BUNDLED.glob("*.md"))
    assert sorted(path.name for path in (BUNDLED / code).glob("*.md")) == names
    for name in names:
        english, found = course.read(BUNDLED / name), course.read(BUNDLED / code / name)
        assert found.title != english.title or "BERTScore" in found.title
        assert found.text != english.text
        if isinstance(english, Talk):
            assert found == Talk(english.id, found.title, found.text, english.legs)
            continue
        assert isinstance(found, Stop) and found.task != english.task
        assert (found.id, found.place, found.done, found.ask, found.needs) == (
            english.id, english.place, english.done, english.ask, english.needs,
        )  # fmt: skip
        assert are_two_or_three_sentences(found), name


@pytest.mark.parametrize("code", OTHERS)
def test_lessons_are_in_the_language_spoken_and_each_language_keeps_its_own(code):
    english = load()
    with speaking(code):
        found = load()
        assert load() is found and not found.faults
    assert tuple(found.stops) == TEN and found.talks.keys() == english.talks.keys()
    assert found.stops["masks"].text != english.stops["masks"].text
    assert load() is english


def test_what_is_not_translated_is_english():
    with speaking("xx"):
        assert load().stops == load().stops and load().stops["masks"].title == "Masks"


def test_a_folder_of_ones_own_may_have_a_folder_for_a_language(tmp_path):
    put(tmp_path, greeting=STOP.format("Greeting"), other=STOP.format("Other"))
    put(tmp_path / "tr", greeting=STOP.format("Merhaba"), masks=STOP.format("Bizim maskeler"), bad="nothing")
    put(tmp_path / "vi", greeting=STOP.format("Xin chào"))
    assert load(tmp_path).stops["greeting"].title == "Greeting" and not load(tmp_path).faults
    with speaking("tr"):
        found = load(tmp_path)
        assert [found.stops[id].title for id in ("masks", "greeting", "other")] == [
            "Bizim maskeler", "Merhaba", "Other",
        ]  # fmt: skip
        assert [leg.stop for leg in found.talks[OWN].legs] == ["greeting", "other"]
        (fault,) = found.faults
        assert fault.file == "tr/bad.md" and fault.reason.startswith("tr/bad.md, ")
        put(tmp_path / "tr", greeting=STOP.format("Selam"))
        assert load(tmp_path).stops["greeting"].title == "Selam"
    with speaking("vi"):
        assert load(tmp_path).stops["greeting"].title == "Xin chào"
        assert load(tmp_path).stops["masks"].title == "Mặt nạ"
    assert [each.file for each in course.elsewhere(tmp_path)] == ["tr/bad.md"]


def test_own_lessons_stand_beside_ours_and_may_take_their_place(tmp_path, monkeypatch):
    put(tmp_path, b_greeting=STOP.format("Greeting"), masks=STOP.format("Our masks"), talk="---\ntitle: Mine\nstops: "
        "masks 1, b-greeting 2\n---\n")  # fmt: skip
    (tmp_path / "notes.txt").write_text("no lesson")
    monkeypatch.setenv(SETTING, str(tmp_path))
    found = load()
    assert not found.faults and tuple(found.stops) == (*TEN, "b-greeting")
    assert found.stops["masks"].title == "Our masks" and len(found.talks[PATH].legs) == 10
    assert [leg.stop for leg in found.talks[OWN].legs] == ["b-greeting"] and found.talks["talk"].minutes == 3
    assert found.talk("talk", "masks").id == "talk" and found.talk("talk", "tokens").id == PATH
    assert found.talk("gone", "b-greeting").id == OWN


def test_a_broken_file_is_named_and_the_others_work(tmp_path):
    put(tmp_path, bad="nothing", good=STOP.format("Good"), talk="---\ntitle: T\nstops: good, lost\n---\n")
    put(tmp_path, **{"1_good": STOP.format("Good again")})
    (tmp_path / "folder.md").mkdir()
    found = load(tmp_path)
    assert "good" in found.stops and "talk" not in found.talks
    said = {each.file: each.reason for each in found.faults}
    assert said.keys() == {"bad.md", "folder.md", "good.md", "talk.md"}
    assert "line 1: the file must begin" in said["bad.md"] and "another file is called good" in said["good.md"]
    assert "there is no stop lost; allowed: tokens" in said["talk.md"]


def test_a_check_of_the_app_finds_more_faults(tmp_path):
    put(tmp_path, one=STOP.format("One"), two=STOP.format("Two"))
    found = load(tmp_path, _no_two)
    assert [each.reason for each in found.faults] == ["two.md: it is Two"] and "one" in found.stops


def _no_two(stop) -> str:
    return "it is Two" if stop.title == "Two" else ""


def test_a_changed_folder_is_read_again(tmp_path):
    put(tmp_path, one=STOP.format("One"))
    assert load(tmp_path).stops["one"].title == "One"
    assert load(tmp_path) is load(tmp_path)
    put(tmp_path, one=STOP.format("Another"))
    assert load(tmp_path).stops["one"].title == "Another"


def test_a_folder_that_is_not_there_is_said(tmp_path):
    (fault,) = load(tmp_path / "lost").faults
    assert "the folder cannot be read" in fault.reason and "lost" in fault.file


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"x" * 20_001])
def test_what_is_no_text_or_too_large_is_named(tmp_path, content):
    (tmp_path / "a.md").write_bytes(content)
    (fault,) = load(tmp_path).faults
    assert fault.reason.startswith("a.md")
