"""The files of lessons: what a good one becomes, and what is said of a bad one."""

import pytest

from core.errors import LessonError
from core.lessons.reader import parse
from core.lessons.stop import EDITED, PAGE, Ask, Condition, Leg, Stop, Talk

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
        "attention",
        {"see": "head", "kind": "encoder", "layer": "1", "head": "3"},
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
    assert (found.page, found.link) == (page, values)


def test_windows_writes_lines_and_a_mark_in_another_way():
    assert parse("one-head.md", "\ufeff" + GOOD.replace("\n", "\r\n")) == parse("one-head.md", GOOD)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "must begin with a line ---. Received: 'nothing'"),
        ("# Title\n", 1, "must begin with a line ---. Received: '# Title'"),
        ("---\ntitle: One head\n", 2, "a second line --- must end the keys"),
        (changed("title: One head", "One head"), 2, "must be “key: value”. Received: 'One head'"),
        (changed("title: One head\n", ""), 1, "title is needed"),
        (changed("title: One head", "title:"), 2, "title is needed"),
        (changed("title: One head", f"title: {'x' * 61}"), 2, "title is too long: 61 characters; allowed: 60"),
        (changed("needs: heads", "title: Two"), 4, "title is there twice"),
        (changed("needs: heads", "colour: red"), 4, "no such key; allowed: title, link, do, done, question, needs"),
        (changed("needs: heads", "needs: wheels"), 4, "needs must be one of heads, positions, blocks"),
        (changed("/attention?see", "attention?see"), 3, "an address of the app"),
        (changed("/attention?see", "ftp://x/attention?see"), 3, "an address of the app"),
        (changed("/attention?see", "/a/../b?see"), 3, "an address of the app"),
        (changed("&head=3", "&head"), 3, "an address of the app"),
        (changed("&head=3", "&layer=2"), 3, "each field once"),
        (changed("&head=3", "&head=" + "3" * 6000), 3, "at most 6,000 characters"),
        (changed("most-read-turn", "most-read-book"), 5, "no such question; allowed: tokens, cut-words"),
        (changed("step=15", "page=15"), 5, "takes step=1. Received: 'page=15'"),
        (changed("step=15", "step=many"), 5, "takes step=1"),
        (changed("most-read-turn step=15", "tokens step=15"), 5, "takes nothing"),
        (changed("head 9.", "x" * 300), 6, "do is too long: 318 characters; allowed: 300"),
        (changed("layer = 2 and head changes", "the head changes colour"), 8, "“turn edited” or “token forced”"),
        (changed("layer = 2 and head changes", "page changes"), 8, "done must be"),
        (changed("layer = 2 and head changes", "page = parts.tokens"), 8, "done must be"),
        (changed("head changes", " and ".join(["head changes"] * 4)), 8, "at most 4 conditions. Received: 5"),
        (changed("An **attention", "<script>x</script> An **attention"), 10, "without HTML. Received: '<script>"),
        (changed("An **attention", "<!-- x --> An **attention"), 10, "without HTML"),
        (changed("An **attention", "![](https://x.invalid/y) An **attention"), 10, "no images"),
        (changed("(/attention)", "(javascript:alert(1))"), 10, "[words](https://…). Received: 'javas"),
        (changed("(/attention)", "(//evil.example)"), 10, "links must stand"),
        (changed("(/attention)", "(http://evil.example)"), 10, "links must stand"),
        (changed("An **attention", "http://evil.example An **attention"), 10, "links must stand"),
        (changed("An **attention", "[a]: http://evil.example\n\nAn **attention"), 10, "links must stand"),
        (changed("An **attention", "\x07An **attention"), 10, "no control characters"),
        (GOOD[: GOOD.index("An **")], 10, "the text is needed"),
        (GOOD + "x" * 900, 10, "the text is too long"),
        ("---\ntitle: T\nstops: masks, masks\n---\n", 3, "at most 40 stops, each once"),
        ("---\ntitle: T\nstops: masks 181\n---\n", 3, "of at most 180 minutes. Received: 'masks 181'"),
        ("---\ntitle: T\nstops: masks; heads\n---\n", 3, "stops must be “id minutes”, with commas"),
        ("---\ntitle: T\nstops: masks\ndo: x\n---\n", 4, "no such key; allowed: title, stops. Received: 'do'"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_with_its_line(text, line, said):
    with pytest.raises(LessonError) as refused:
        parse("bad.md", text)
    assert str(refused.value).startswith(f"bad.md, line {line}: ") and said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "name", ["Masks.md", "masks.txt", "3.md", "a b.md", "none.md", "own.md", f"{'a' * 60}.md", "é.md"]
)
def test_a_name_that_no_link_can_carry_is_refused(name):
    with pytest.raises(LessonError, match="the name must be lower-case letters"):
        parse(name, GOOD)
