"""The queue for model work: its order, its bound, one turn a visitor, and who leaves it."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from core.errors import BusyError
from core.runtime import queue
from core.runtime.queue import Place, Queue
from tests.refusals import refused


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


class Work:
    """Pieces of work that hold a turn until they are released; `order` is that of their beginning."""

    def __init__(self, pool: ThreadPoolExecutor, turns: int) -> None:
        self.line, self.pool = Queue(turns), pool
        self.order: list[str] = []
        self.visitor = threading.local()
        self.line.who = lambda: self.visitor.name
        self.ends: dict[str, threading.Event] = {}
        self.futures: list[Future[None]] = []

    def start(self, name: str, visitor: str | None = None) -> "Future[None]":
        """Start a piece and return when it runs or waits."""
        end = self.ends[name] = threading.Event()
        before = sum(self.line.load())

        def run() -> None:
            self.visitor.name = visitor or name
            with self.line.turn():
                self.order.append(name)
                assert end.wait(20)

        future = self.pool.submit(run)
        self.futures.append(future)
        until(lambda: sum(self.line.load()) > before or future.done())
        return future

    def finish(self) -> None:
        """Let every piece end; raises what one of them raised."""
        for end in self.ends.values():
            end.set()
        for future in self.futures:
            future.result()


def until(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError("it did not happen within 10 s")


def test_turns_are_given_in_the_order_of_arrival(pool):
    work = Work(pool, 2)
    line = work.line
    for name in "abcde":
        work.start(name)
    assert line.load() == (2, 3) and work.order == ["a", "b"]
    work.ends["b"].set()
    until(lambda: len(work.order) == 3)
    assert work.order[2] == "c" and line.load() == (2, 2)
    work.finish()
    assert work.order == list("abcde") and line.load() == (0, 0)


def test_a_visitor_has_one_turn_at_a_time_and_others_pass(pool):
    work = Work(pool, 2)
    for name in ("one", "two", "three"):
        work.start(name, "heavy")
    assert work.line.load() == (1, 2)  # a turn is free, but not for the same visitor
    work.start("light")
    until(lambda: "light" in work.order)
    assert work.order == ["one", "light"] and work.line.load() == (2, 2)
    work.finish()
    assert work.order == ["one", "light", "two", "three"]


def test_more_than_may_wait_are_refused_at_once_with_a_time(pool):
    work = Work(pool, 1)
    work.line.most = lambda: 2
    for name in "abc":
        work.start(name)
    refused(BusyError, "2 visitors wait for the model already.*Try again in about 2 s", work.start("d").result)
    assert work.line.load() == (1, 2)  # at once: nobody has ended
    work.futures.pop()
    work.finish()
    assert work.order == list("abc")


def test_inside_of_a_turn_there_is_nothing_to_wait_for_and_a_pause_serves_who_waits(pool):
    work = Work(pool, 1)
    line = work.line
    work.visitor.name = "long"
    with line.turn():
        with line.turn():
            assert line.load() == (1, 0)
        line.pause()  # nobody waits
        other = work.start("short")
        work.ends["short"].set()
        assert work.order == []
        line.pause()
        assert work.order == ["short"] and line.load()[0] == 1
    other.result()
    line.pause()  # outside of a turn it does nothing
    assert line.load() == (0, 0)


def test_who_waits_is_told_the_place_and_what_that_raises_gives_it_up(pool, monkeypatch):
    monkeypatch.setattr(queue, "LOOK", 0.02)
    work = Work(pool, 1)
    line = work.line
    told: list[Place | None] = []
    line.waiting = told.append
    _, _, third = (work.start(name) for name in ("first", "second", "third"))
    until(lambda: {each.number for each in told if each} == {1, 2})
    assert all(each.seconds == pytest.approx(each.number) for each in told if each)  # a turn takes 1 s at first

    def leave(place: Place | None) -> None:
        if place and place.number == 2:
            raise BusyError("left")

    line.waiting = leave
    refused(BusyError, "left", third.result)
    assert line.load() == (1, 1)
    line.waiting = told.append
    told.clear()
    work.futures.remove(third)
    work.finish()
    assert told[-1] is None and line.load() == (0, 0)  # None: the wait is over


def test_an_error_at_the_end_of_the_wait_frees_the_turn(pool, monkeypatch):
    monkeypatch.setattr(queue, "LOOK", 0.02)
    work = Work(pool, 1)
    line = work.line
    seen: list[Place | None] = []

    def waiting(place: Place | None) -> None:
        seen.append(place)
        if place is None:
            raise RuntimeError("the page is gone")

    line.waiting = waiting
    first, second = work.start("first"), work.start("second")
    until(lambda: bool(seen))
    refused(RuntimeError, "gone", work.finish)
    assert first.exception() is None and second.exception()
    assert line.load() == (0, 0) and work.order == ["first"]
