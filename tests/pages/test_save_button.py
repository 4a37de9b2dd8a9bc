"""What a file holds counts as saved once the file was made: a press that gets none saves nothing."""

from collections.abc import Callable
from functools import partial
from threading import Timer
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.errors import save_button
from tests.pages import driver
from tests.pages.driver import captions
from tests.pages.errors import brought, label

SAVED, LOST = "All of it is saved as a file.", "No file was made. Press the button again."


def pressed(app: AppTest, key: str, make: Callable[[Callable[[], str]], Any]) -> None:
    """Press a button: `make` is given what makes its file, as the server is, beside the run that the press starts."""
    drawn: dict[str, Callable[[], None]] = {}
    files: dict[str, Callable[[], str]] = {}

    def draw(label: str, data: Callable[[], str], *_, key: str, on_click: Any = "ignore", args=(), **__) -> None:
        files[key] = data
        if on_click != "ignore":
            drawn[key] = partial(on_click, *args)

    def begin() -> None:
        patch.undo()
        make(files[key])
        drawn[key]()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.download_button", draw)
        app.run()
        patch.setattr(save_button, "settle", begin)
        app.run()
    driver.healthy(app.run())  # what stands above the bar of the session shows it from then on


@pytest.mark.parametrize("key", ["errors_save_session", "export_labels.jsonl", "export_labels.csv"])
def test_work_is_saved_once_its_file_was_made(app: AppTest, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setattr(save_button, "LONGEST", 0.05)
    brought(app, err_row="row-0")
    label(app, "a note", [])
    pressed(app, key, lambda make: None)
    assert "saved as a file" not in captions(app) and driver.data(app, "leaving") == {"unsaved": True}
    monkeypatch.setattr(save_button, "LONGEST", 20.0)
    pressed(app, key, lambda make: Timer(0.2, make).start())
    assert "saved as a file" in captions(app) and LOST not in [each.value for each in app.warning]
    if key == "errors_save_session":
        assert SAVED in captions(app) and driver.data(app, "leaving") == {"unsaved": False}


def test_a_press_without_a_file_is_told_and_a_late_one_counts(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(save_button, "LONGEST", 0.05)
    brought(app, err_row="row-0")
    late: list[Callable[[], str]] = []
    pressed(app, "errors_save_session", late.append)
    assert [each.value for each in app.warning] == [LOST] and SAVED not in captions(app)
    driver.healthy(app.run())
    assert [each.value for each in app.warning] == [LOST], "it stays until there is a file"
    late[0]()
    driver.healthy(app.run())
    assert not app.warning and "saved as a file" in captions(app)


def test_a_file_that_is_made_while_a_run_ends_is_left_to_its_own_press(app: AppTest, monkeypatch) -> None:
    brought(app, err_row="row-0")
    made: list[Callable[[], str]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.download_button", lambda label, data, *_, **__: made.append(data))
        app.run()
    made[-1]()
    app.run()  # the run that was on when the button was pressed
    monkeypatch.setattr(save_button, "LONGEST", 0.05)
    pressed(app, "errors_save_session", lambda make: None)
    assert not app.warning and SAVED in captions(app)
