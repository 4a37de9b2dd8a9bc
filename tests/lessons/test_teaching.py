"""docs/teaching.md: its examples are lessons, its tables list what there is, and its solutions are computed."""

import re

from core.lessons.course import load
from core.lessons.questions import QUESTIONS
from core.lessons.reader import STOP_KEYS, parse
from core.lessons.stop import Stop, Talk
from core.words import LANGUAGES
from pages.shared.place import open_stop
from tests.layering import ROOT
from tests.lessons.test_questions import SHIPPED, SLOW

TEXT = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```markdown\n(.*?)```", TEXT, re.DOTALL)


def rows(part: str) -> list[list[str]]:
    """The cells of the tables below a heading."""
    text = TEXT.partition(f"\n## {part}\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_the_examples_are_lessons_that_the_app_can_show(tmp_path):
    stop, talk = parse("whos-not-coming.md", EXAMPLES[0]), parse("errors-talk.md", EXAMPLES[1])
    assert isinstance(stop, Stop) and isinstance(talk, Talk) and open_stop.wrong(stop) == ""
    for name, text in (("whos-not-coming.md", EXAMPLES[0]), ("errors-talk.md", EXAMPLES[1])):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = load(tmp_path)
    assert not found.faults and found.talks["errors-talk"].minutes == 10


def test_the_solutions_are_what_is_computed():
    written = {cells[0].split()[0].strip("`"): cells[2] for cells in rows("Exercises")[2:]}
    assert written.keys() == QUESTIONS.keys()
    for name, right in (SHIPPED | SLOW).items():
        assert f"**{right}**" in written[name], name


def test_every_key_of_a_file_is_described():
    keys = [cells[0].strip("`") for cells in rows("Your own lessons") if cells[0].strip("`") in STOP_KEYS]
    assert sorted(keys) == sorted(STOP_KEYS)


def test_the_plan_has_the_stops_of_the_talk_with_their_minutes():
    plan = [(cells[0], cells[1]) for cells in rows("A lesson of 45 minutes")[2:]]
    start, expected = 0, []
    course = load()
    for leg in course.talks["talk-45"].legs:
        expected.append((f"{start}–{start + leg.minutes}", course.stops[leg.stop].title))
        start += leg.minutes
    assert plan == expected


def test_what_is_said_of_languages_is_so():
    assert "`language=tr`" in TEXT
    for code in LANGUAGES:
        assert f"`{code}`" in TEXT, code
