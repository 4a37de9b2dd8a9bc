"""What a visitor sees who waits for the model, and what is left of it afterwards."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from core.limits import FULL
from core.runtime import queue
from core.runtime.queue import CALLS, Place
from pages.shared.model import queue_notice
from tests.pages.driver import another, healthy, press_label, said

WAITS = "Others are using the model"


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Place | None]:
    """The places that were drawn."""
    monkeypatch.setattr(queue, "LOOK", 0.05)
    found: list[Place | None] = []
    draw = queue_notice._draw
    monkeypatch.setattr(queue_notice, "_draw", lambda place: (found.append(place), draw(place)))
    return found


@contextmanager
def taken() -> Iterator[threading.Event]:
    """All turns are taken by others until the event is set."""
    for thread in threading.enumerate():
        if thread.name.startswith("load "):  # of an earlier test: its last call would stand in the queue before ours
            thread.join(60)
    free = threading.Event()

    def hold() -> None:
        with CALLS.turn():
            assert free.wait(30)

    with ThreadPoolExecutor(CALLS.turns) as pool:
        held = [pool.submit(hold) for _ in range(CALLS.turns)]
        while CALLS.load()[0] < CALLS.turns:
            pass
        try:
            yield free
        finally:
            free.set()
            for each in held:
                each.result()


def free_when(free: threading.Event, seen: Callable[[], bool]) -> None:
    """Give a turn free once a visitor has seen something; until a page waits at all, a busy machine takes any time."""
    while not seen() and not free.wait(0.01):
        pass
    free.set()


def test_who_waits_sees_a_place_that_is_gone_afterwards(app, drawn):
    healthy(app.run())
    with taken() as free:
        threading.Thread(target=free_when, args=(free, lambda: len(drawn) > 3), daemon=True).start()
        healthy(app.slider(key="max_tokens").set_value(7).run())
    places = [each.number for each in drawn if each]
    assert len(places) > 3 and places[-1] == 1 and places == sorted(places, reverse=True) and drawn[-1] is None
    assert WAITS not in said(app) and CALLS.load() == (0, 0)
    # The summary is in the cache now, without what was drawn while it was made.
    second = another(app)
    healthy(second.run())
    healthy(second.slider(key="max_tokens").set_value(7).run())
    assert WAITS not in said(second) and not any("Leave" in each.label for each in second.button)


def test_who_left_the_queue_is_told_so_and_may_try_again(app, drawn):
    healthy(app.run())
    with taken():
        app.session_state[queue_notice.LEAVING] = True
        app.slider(key="max_tokens").set_value(23).run()  # what no other test has written already
        assert "You left the queue for the model, so this was not computed" in said(app)
        assert not app.exception and CALLS.load() == (CALLS.turns, 0)
    press_label(app, "Try again")
    assert "You left the queue" not in said(app)


def test_too_many_visitors_are_told_when_to_try_again(app, set_limits):
    healthy(app.run())
    set_limits(waiting_visitors=0)
    app.slider(key="max_tokens").set_value(9).run()
    assert "0 visitors wait for the model already" in said(app)
    set_limits(waiting_visitors=FULL.waiting_visitors)
    press_label(app, "Try again")
    assert "visitors wait" not in said(app)
