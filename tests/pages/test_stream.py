"""The events of a class: what a browser gets, what is refused, and how fast thirty have the news."""

import asyncio
import json

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.testclient import TestClient

from core.lessons.following import Classes
from core.place import Place
from pages.shared.guard import server_access
from pages.shared.teaching import stream
from tests.loops import run
from tests.pages.driver import serving as served
from tests.protocol import events

ALL = 30
"""Followers of a class."""


@pytest.fixture
def classes(monkeypatch) -> Classes:
    found = Classes()
    monkeypatch.setattr(stream, "CLASSES", found)
    return found


@pytest.fixture
def app() -> Starlette:
    """The answer behind the guard, as app.py puts them together."""
    return Starlette(routes=[Route(stream.PATH, stream.answer)], middleware=[Middleware(server_access.Guard)])


@pytest.fixture
def client(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(stream, "SECONDS", 0.05)
    return TestClient(app, base_url="http://localhost:8501")


def test_a_follower_gets_number_and_page_of_the_newest_scene_and_nothing_of_the_dialogue(client, classes):
    ticket = classes.begin(Place("masks"))
    classes.publish(ticket, Place("decoding", {"step": "4"}, "Ann: a secret."))
    answer = client.get(stream.PATH, params={"code": ticket.code, "who": "f"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
    assert answer.headers["Cache-Control"] == "no-store" and answer.headers["X-Accel-Buffering"] == "no"
    assert answer.headers["Content-Security-Policy"] == server_access.HEADERS["Content-Security-Policy"]
    retry, data = answer.text.split("\n")[:2]
    assert retry == "retry: 200" and json.loads(data.removeprefix("data: ")) == {
        "version": 2, "path": "decoding", "followers": 1,
    }  # fmt: skip
    assert "secret" not in answer.text and ticket.key not in answer.text


def test_unknown_codes_and_full_classes_get_a_clear_answer(client, classes, set_limits):
    unknown = client.get(stream.PATH, params={"code": "x" * 9_999, "who": "f"})
    assert unknown.status_code == 404 and unknown.text.startswith("No class has the code 'xxxx")
    assert client.get(stream.PATH).status_code == 404 and client.post(stream.PATH).status_code == 405
    set_limits(followers=1)
    code = classes.begin(Place("masks")).code
    classes.listen(code, "first", lambda: None)
    full = client.get(stream.PATH, params={"code": code, "who": "second"})
    assert full.status_code == 429 and "allowed: 1. Try" in full.text and full.headers["Retry-After"] == "10"


def test_a_foreign_name_gets_no_events(app, classes):
    code = classes.begin(Place("masks")).code
    answer = TestClient(app, base_url="http://evil.example").get(stream.PATH, params={"code": code, "who": "f"})
    assert answer.status_code == 403


def test_who_is_gone_is_called_no_more(client, classes):
    ticket = classes.begin(Place("masks"))
    for _ in range(3):
        client.get(stream.PATH, params={"code": ticket.code, "who": "f"})
    assert classes._classes[ticket.code].listeners["f"].calls == []


def test_thirty_followers_have_each_change_within_seconds_and_hear_of_the_end(app, classes):
    ticket = classes.begin(Place("masks"))
    last: dict[int, dict] = {}

    async def follow(number: int) -> None:
        async for news in events(f"http://127.0.0.1:{port}", ticket.code, f"f{number}"):
            last[number] = news
            if "over" in news:
                return

    async def until(done: str, value: object) -> None:
        async with asyncio.timeout(10):  # far more than the hundredths that it takes
            while [each.get(done) for each in last.values()] != [value] * ALL:
                await asyncio.sleep(0.01)

    async def lesson() -> None:
        tasks = [asyncio.create_task(follow(number)) for number in range(ALL)]
        await until("version", 1)
        for step in range(2, 12):
            classes.publish(ticket, Place("decoding", {"step": str(step)}))
        await until("version", 11)
        assert classes.look(ticket.code).followers == ALL
        classes.end(ticket)
        await until("over", True)
        await asyncio.gather(*tasks)

    with served(app) as port:
        run(lesson())
