"""The registry of classes: codes, keys, versions, expiry, and who is told."""

import threading

import pytest

from core.errors import FollowingError
from core.lessons.following import GRACE, LENGTH, LETTERS, TABS, Classes, Ticket, read_code, spaced
from core.limits import FULL
from core.place import Place
from tests.refusals import refusals, refused

MASKS, STEP = Place("masks"), Place("decoding", {"step": "4"}, "Ann: Hi.")


class Clock:
    """Seconds that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def classes(clock: Clock) -> Classes:
    return Classes(clock)


def hears(classes: Classes, code: str, who: str) -> list[str]:
    """Listen, and keep what was called."""
    called: list[str] = []
    classes.listen(code, who, lambda: called.append(who))
    return called


def test_a_class_sees_what_its_presenter_published_last(classes):
    ticket = classes.begin(MASKS)
    assert classes.look(ticket.code).scene == MASKS and classes.look(ticket.code).version == 1
    classes.publish(ticket, STEP)
    classes.publish(ticket, STEP)
    view = classes.look(ticket.code)
    assert (view.scene, view.version, view.followers) == (STEP, 2, 0), "the same scene again is no news"


def test_all_who_listen_are_called_once_a_change(classes):
    ticket = classes.begin(MASKS)
    calls = [hears(classes, ticket.code, f"f{number}") for number in range(FULL.followers)]
    classes.publish(ticket, STEP)
    assert calls == [[f"f{number}"] for number in range(FULL.followers)]


def test_another_key_presents_nothing_and_ends_nothing(classes):
    ticket = classes.begin(MASKS)
    for key in ("", ticket.code, ticket.key[:-1], ticket.key + "x", "ключ"):
        refused(FollowingError, "Only who began the class", classes.publish, Ticket(ticket.code, key), STEP)
        classes.end(Ticket(ticket.code, key))
    assert classes.look(ticket.code).version == 1


def test_a_forged_code_is_told_so_in_one_short_line(snapshot, classes):
    classes.begin(MASKS)
    for ask in (classes.look, lambda it: classes.admit(it, "f"), lambda it: classes.listen(it, "f", print)):
        assert refusals(FollowingError, ask, ["", "AAAAAA", "x" * 10_000, "../etc", "<b>"]) == snapshot(name="one code")


def test_a_class_expires_when_its_presenter_is_silent_and_no_sooner(classes, clock):
    ticket = classes.begin(MASKS)
    clock.now += 60 * FULL.following_minutes
    classes.publish(ticket, MASKS)
    clock.now += 60 * FULL.following_minutes
    told = hears(classes, ticket.code, "f")
    clock.now += 1
    refused(FollowingError, "it is over", classes.publish, ticket, STEP)
    assert told == ["f"], "who listens hears that it is over"


def test_an_end_is_told_and_may_come_twice(classes):
    ticket = classes.begin(MASKS)
    told = hears(classes, ticket.code, "f")
    classes.end(ticket)
    classes.end(ticket)
    assert told == ["f"]
    refused(FollowingError, "No class has the code", classes.look, ticket.code)


def test_who_left_gives_the_place_to_another_one_after_a_moment(classes, clock, set_limits):
    set_limits(followers=1)
    code = classes.begin(MASKS).code
    leave = classes.listen(code, "first", lambda: None)
    refused(FollowingError, "is full. Received: one follower more; allowed: 1", classes.admit, code, "second")
    leave()
    clock.now += GRACE
    assert classes.look(code).followers == 1, "a browser that asks again at once keeps its place"
    clock.now += 0.1
    classes.admit(code, "second")
    assert classes.look(code).followers == 0


def test_a_follower_with_two_connections_counts_once_and_a_bounded_number_is_served(classes):
    ticket = classes.begin(MASKS)
    called = [hears(classes, ticket.code, "f") for _ in range(TABS + 2)]
    classes.publish(ticket, STEP)
    assert [len(each) for each in called] == [0, 0] + [1] * TABS and classes.look(ticket.code).followers == 1


def test_the_presenter_does_not_count_and_hears_who_comes_and_goes(classes):
    ticket = classes.begin(MASKS)
    told = hears(classes, ticket.code, ticket.key)
    leave = classes.listen(ticket.code, "f", lambda: None)
    assert len(told) == 1 and classes.look(ticket.code).followers == 1
    leave()
    assert len(told) == 2


def test_a_new_code_takes_the_place_of_the_emptiest_class_but_of_none_that_is_followed(classes, clock, set_limits):
    set_limits(following_codes=2)
    first, second = classes.begin(MASKS), classes.begin(MASKS)
    classes.listen(first.code, "f", lambda: None)
    clock.now += 1
    third = classes.begin(STEP)
    assert classes.look(first.code).version == classes.look(third.code).version == 1
    refused(FollowingError, "No class has the code", classes.look, second.code)
    classes.listen(third.code, "g", lambda: None)
    refused(FollowingError, "All codes are taken. .* allowed: 2 at once", classes.begin, MASKS)


def test_a_demonstration_gives_no_code(classes, monkeypatch):
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    refused(FollowingError, "allowed: 0", classes.begin, MASKS)


def test_codes_are_read_as_people_type_them(snapshot, classes):
    code = classes.begin(MASKS).code
    assert len(code) == LENGTH and set(code) <= set(LETTERS) and not set("01258BEILOSUZ") & set(LETTERS)
    for typed in (code, spaced(code), f" {code.lower()} ", f"{code[:3]}-{code[3:]}"):
        assert read_code(typed) == code
    wrong = ["", LETTERS[: LENGTH - 1], LETTERS[: LENGTH + 1], "KO0L!1", "<script>"]
    assert refusals(FollowingError, read_code, wrong) == snapshot


def test_many_threads_lose_no_change(classes):
    ticket = classes.begin(MASKS)

    def present(number: int) -> None:
        for step in range(50):
            classes.publish(ticket, Place("decoding", {"step": f"{number}-{step}"}))

    threads = [threading.Thread(target=present, args=(number,)) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert classes.look(ticket.code).version == 1 + 8 * 50
