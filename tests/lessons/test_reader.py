"""The files of lessons: what a good one becomes, and what is said of a bad one."""

import pytest

from core.errors import LessonError
from core.lessons.questions import QUESTIONS
from core.lessons.reader import parse
from core.lessons.stop import EDITED, PAGE, Ask, Condition, Leg, Stop, Talk
from core.place import Place
from tests.refusals import refused

GOOD = """---
title: One head
link: /attention?see=head&kind=encoder&layer=1&head=3
needs: heads
question: most-read-turn step=15
do: Open **layer 2**,
  head 9.
done: layer = 2 and head changes
---
An **attention head** gives weights. See [the page](/attention) or [the paper](https://arxiv.org/abs/1706.03762).
"""


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_a_stop_is_read():
    assert parse("04-one-head.md", GOOD) == Stop(
        "one-head",
        "One head",
        GOOD.split("---\n")[2].strip(),
        Place("attention", {"see": "head", "kind": "encoder", "layer": "1", "head": "3"}),
        "Open **layer 2**, head 9.",
        (Condition("layer", "2"), Condition("head")),
        Ask("most-read-turn", {"step": 15}),
        "heads",
    )


def test_a_talk_is_read():
    text = "---\ntitle: 5 minutes\nstops: one-head 2, cross-attention 3, errors\n---\nFor a stand.\n"
    legs = (Leg("one-head", 2), Leg("cross-attention", 3), Leg("errors"))
    found = parse("talk-5.md", text)
    assert found == Talk("talk-5", "5 minutes", "For a stand.", legs)
    assert found.minutes == 5 and found.place("errors") == 2 and found.place("masks") is None


@pytest.mark.parametrize(
    ("done", "conditions"),
    [
        ("head changes", (Condition("head"),)),
        ("see = head", (Condition("see", "head"),)),
        ("bert_text = a b = c", (Condition("bert_text", "a b = c"),)),
        ("page = decoding", (Condition(PAGE, "decoding"),)),
        ("page = /decoding", (Condition(PAGE, "decoding"),)),
        ("turn edited", (Condition(EDITED),)),
        ("token forced", (Condition("branch"),)),
        (
            "see = head and head changes and turn edited",
            (Condition("see", "head"), Condition("head"), Condition(EDITED)),
        ),
    ],
)
def test_each_way_to_say_that_a_task_is_done(done, conditions):
    assert parse("a.md", changed("layer = 2 and head changes", done)).done == conditions


@pytest.mark.parametrize(
    ("link", "page", "values"),
    [
        ("/tokens", "tokens", {}),
        ("/", "", {}),
        ("http://localhost:8501/tokens?tokens_text=a%20b&lesson=masks&talk=path", "tokens", {"tokens_text": "a b"}),
        ("https://class.example.org/errors?err_find=", "errors", {"err_find": ""}),
    ],
)
def test_an_address_may_be_copied_from_the_browser(link, page, values):
    found = parse("a.md", changed("/attention?see=head&kind=encoder&layer=1&head=3", link))
    assert found.place == Place(page, values)


def test_windows_writes_lines_and_a_mark_in_another_way():
    assert parse("one-head.md", "\ufeff" + GOOD.replace("\n", "\r\n")) == parse("one-head.md", GOOD)


DONE, TEXT = "layer = 2 and head changes", "An **attention"
BAD = [
    "", "# Title\n", "---\ntitle: One head\n", GOOD[: GOOD.index("An **")], GOOD + "x" * 900,
    "---\ntitle: T\nstops: masks, masks\n---\n", "---\ntitle: T\nstops: masks 181\n---\n",
    "---\ntitle: T\nstops: masks; heads\n---\n", "---\ntitle: T\nstops: masks\ndo: x\n---\n",
] + [
    changed(old, new) for old, new in [
        ("title: One head", "One head"), ("title: One head\n", ""), ("title: One head", "title:"),
        ("title: One head", f"title: {'x' * 61}"), ("needs: heads", "title: Two"), ("needs: heads", "colour: red"),
        ("needs: heads", "needs: wheels"), ("/attention?see", "attention?see"),
        ("/attention?see", "ftp://x/attention?see"), ("/attention?see", "/a/../b?see"), ("&head=3", "&head"),
        ("&head=3", "&layer=2"), ("&head=3", "&head=" + "3" * 6000), ("most-read-turn", "most-read-book"),
        ("step=15", "page=15"), ("step=15", "step=many"), ("most-read-turn step=15", "tokens step=15"),
        ("head 9.", "x" * 300), (DONE, "the head changes colour"), (DONE, "page changes"),
        (DONE, "page = parts.tokens"), ("head changes", " and ".join(["head changes"] * 4)),
        (TEXT, "<script>x</script> An **attention"), (TEXT, "<!-- x --> An **attention"),
        (TEXT, "![](https://x.invalid/y) An **attention"), ("(/attention)", "(javascript:alert(1))"),
        ("(/attention)", "(//evil.example)"), ("(/attention)", "(http://evil.example)"),
        (TEXT, "http://evil.example An **attention"), (TEXT, "[a]: http://evil.example\n\nAn **attention"),
        (TEXT, "\x07An **attention"),
    ]
]  # fmt: skip


def test_a_bad_file_is_refused_with_its_line(snapshot):
    said = []
    for text in BAD:
        with pytest.raises(LessonError) as refused:
            parse("bad.md", text)
        said.append(str(refused.value).replace(", ".join(QUESTIONS), "…"))  # a new question needs no edit here
    assert "\n".join(said) == snapshot and len(said) == "\n".join(said).count("\n") + 1


@pytest.mark.parametrize(
    "name", ["Masks.md", "masks.txt", "3.md", "a b.md", "none.md", "own.md", f"{'a' * 60}.md", "é.md"]
)
def test_a_name_that_no_link_can_carry_is_refused(name):
    refused(LessonError, "the name must be lower-case letters", parse, name, GOOD)
