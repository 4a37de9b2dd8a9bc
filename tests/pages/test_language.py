"""The language of a session: from its link, the sidebar or the browser; what keeps it, and who is told."""

from types import SimpleNamespace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core import words
from core.words import say
from pages.shared.model import cache
from pages.shared.session import language
from tests.pages.driver import choose, data, go, noted, open_link, press, send
from tests.words.pseudo import WIDE, Pseudo, wide


@pytest.fixture(autouse=True)
def browser(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Turkish has every message, in letters that can be told from English; what a browser sends is in the language
    `shown` of what it shows.
    """
    found = SimpleNamespace(shown="en")
    monkeypatch.setitem(words._catalogues, "tr", Pseudo())
    in_session = lambda: get_script_run_ctx(suppress_warning=True) is not None  # noqa: E731
    monkeypatch.setattr(words, "_ask", [lambda: language.current() if in_session() else found.shown])
    return found


def speak(app, browser: SimpleNamespace, code: str) -> None:
    """Choose a language in the sidebar, from a page in the language of before."""
    choose(app, "language", code)
    browser.shown = "en" if code == "browser" else code


@pytest.mark.parametrize(
    ("locale", "chosen", "spoken"),
    [
        ("tr-TR", "browser", "tr"), ("TR", "browser", "tr"), ("vi", "browser", "vi"), ("de-AT", "browser", "en"),
        ("", "browser", "en"), (None, "browser", "en"), ("tr-TR", "vi", "vi"), ("tr-TR", "xx", "tr"),
        (None, ["tr"], "en"), ("vi-VN", 3, "vi"), ("../tr", None, "en"),
    ],
)  # fmt: skip
def test_the_language_is_that_of_the_choice_or_else_of_the_browser(monkeypatch, locale, chosen, spoken):
    state = {language.LANGUAGE.name: chosen}
    page = SimpleNamespace(context=SimpleNamespace(locale=locale), session_state=state, query_params={})
    monkeypatch.setattr(language, "st", page)
    monkeypatch.setattr(language, "get_script_run_ctx", lambda **_: object())
    assert language.current() == spoken
    monkeypatch.undo()
    assert language.current() == "en"  # without a session


def test_a_link_and_the_sidebar_choose_and_the_browser_is_told(app, browser):
    open_link("pages/architecture.py", app, language="tr")
    browser.shown = "tr"
    assert data(app, "opened_box")["language"] == "tr" and app.title[0].value[0] in WIDE
    speak(app, browser, "en")
    assert data(app, "opened_box")["language"] == "en" and app.query_params["language"] == "en"
    assert not any(letter in app.title[0].value for letter in WIDE)
    speak(app, browser, "tr")
    go(app, "pages/training.py")
    assert data(app, "opened_box")["language"] == "tr"


def test_another_language_loses_no_choice(app, browser):
    open_link("pages/architecture.py", app, arch_view="cost", truncation="middle", strategy="sample", arch_batch=3)
    for code in ("tr", "vi", "tr", "browser"):
        speak(app, browser, code)
        kept = {name: app.session_state[name] for name in ("arch_view", "truncation", "strategy", "arch_batch")}
        assert kept == {"arch_view": "cost", "truncation": "middle", "strategy": "sample", "arch_batch": 3}
        model = app.selectbox(key="arch_model").proto
        assert model.set_value and model.raw_value in model.options, "the browser learns the new name"
        assert not noted(app)


def test_what_starts_over_keeps_the_language(app, browser):
    open_link("pages/summarize.py", app, language="tr", strategy="greedy")
    browser.shown = "tr"
    press(press(app, "reset"), "reset_now")
    assert app.session_state["language"] == "tr" and app.session_state["strategy"] != "greedy"
    assert app.query_params["language"] == "tr"


@pytest.mark.parametrize("forged", [{"string_value": "xx"}, {"double_value": 3.0}, {"json_value": "[["}])
def test_a_forged_language_is_left_out(app, forged):
    open_link("pages/start.py", app, language="tr")
    send(app, WidgetState(id=app.selectbox(key="language").proto.id, **forged))
    assert not app.error and app.session_state["language"] in language.LANGUAGE.options
    choose(app, "language", "vi")
    assert data(app, "opened_box")["language"] == "vi"


def test_a_file_that_is_made_later_speaks_the_language_of_who_asked():
    storage = MemoryMediaFileStorage("/media")
    files = MediaFileManager(storage)
    with words.speaking("tr"):
        made = files.add_deferred(lambda: say("of {name}", name="x"), "text/plain", "1")
    url = files.execute_deferred(made)
    assert storage.get_file(url.rpartition("/")[2]).content.decode() == wide("of {name}").format(name="x")


def test_a_spinner_speaks_the_language_and_the_result_is_shared():
    computed: list[int] = []

    @cache.cached(4, "Computing")
    def square(number: int) -> int:
        computed.append(number)
        return number * number

    assert square(3) == 9
    with words.speaking("tr"):
        assert square(3) == 9
    assert computed == [3]
    square.clear(3)
    assert square(3) == 9 and computed == [3, 3]


def test_a_result_with_words_is_kept_for_each_language():
    computed: list[str] = []

    @cache.cached(4, "Computing", worded=True)
    def named(number: int) -> str:
        computed.append(words.language())
        return say("{number} heads", number=number)

    with words.speaking("tr"):
        assert named(3) == wide("{number} heads").format(number=3) == named(3)
    assert named(3) == "3 heads" == named(3) and computed == ["tr", "en"]
