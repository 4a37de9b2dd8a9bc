"""`say`: a message in the language of here and now."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from core import words
from core.figures.shared.wording import count, listed
from core.words import ask, language, later, say, speaking
from tests.words.pseudo import PLAIN, WIDE, wide
from tests.words.unsaid import english


@pytest.fixture(autouse=True)
def catalogues(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Turkish catalogue of this file's own."""
    own = {"Hello {name}": "Merhaba {name}", "head": "başlık", "{items} and {last}": "{items} ve {last}"}
    own["{amount} {noun}"] = "{amount} {noun}"
    monkeypatch.setattr(words, "_catalogues", {"en": {}, "tr": own})
    monkeypatch.setattr(words, "_ask", [])


def test_english_where_nobody_chose():
    assert language() == "en" and say("Hello {name}", name="Ada") == "Hello Ada"


def test_a_language_lasts_as_long_as_it_is_spoken():
    with speaking("tr"):
        assert say("Hello {name}", name="Ada") == "Merhaba Ada" and later("Hello {name}") == "Hello {name}"
        with speaking("en"):
            assert say("Hello {name}", name="Ada") == "Hello Ada"
        assert language() == "tr"
    assert language() == "en"


def test_a_thread_does_not_hear_another_one():
    with speaking("tr"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(language).result() == "en"


def test_the_session_is_asked_where_nothing_else_is_said():
    ask(lambda: "tr")
    assert language() == "tr"
    with speaking("en"):
        assert language() == "en"


def test_what_is_not_translated_is_english():
    with speaking("tr"):
        assert say("Not there: {n}", n=1) == "Not there: 1"


def test_braces_are_braces_without_values():
    assert say("{a} as it is") == "{a} as it is"


def test_numbers_and_lists_follow_the_language():
    assert count(2, "head") == "2 heads" and listed(["a", "b", "c"]) == "a, b and c"
    with speaking("tr"):
        assert count(2, "head") == "2 başlık" and listed(["a", "b", "c"]) == "a, b ve c" and listed([]) == ""


def test_the_pseudo_language_leaves_what_a_translator_leaves():
    assert wide("a {b:.2f} `c` $d$ :material/e: [f](g) <b>h</b>") == "ａ {b:.2f} `c` $d$ :material/e: [ｆ](g) <b>ｈ</b>"
    assert english("ａ Wrong word", frozenset()) and not english("ａ cat", frozenset({"cat"}))
    assert len(WIDE) == len(PLAIN)
