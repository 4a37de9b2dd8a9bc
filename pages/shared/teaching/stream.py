"""How a browser learns that the presenter of a class has gone on: server-sent events beside the app's own pages.

An event says the number of the newest scene, its page and how many follow, or that the class is over. The scene itself
stays on the server, where the session of a follower takes it. A stream ends by itself after some seconds, and the
browser opens the next one: so the server can stop, and somebody who has left is not counted for long.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from core.errors import FollowingError
from core.lessons.following import CLASSES
from pages.shared.guard import server_access

PATH = f"{server_access.root()}following"
SECONDS = 8.0
"""Length of a stream."""
AGAIN = 200
"""Milliseconds after which a browser opens the next one."""
LONGEST = 64
"""Characters of a code or a name in a question."""


async def answer(request: Request) -> Response:
    """Answer with the events of a class; 404 if there is none of this code, 429 if it is full."""
    code, who = (request.query_params.get(name, "")[:LONGEST] for name in ("code", "who"))
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def call() -> None:
        with suppress(RuntimeError):  # the server has stopped meanwhile
            loop.call_soon_threadsafe(news.set)

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    try:
        CLASSES.look(code)
    except FollowingError as error:
        return PlainTextResponse(f"{error}\n", 404, headers)
    try:
        leave = CLASSES.listen(code, who, call)
    except FollowingError as error:
        return PlainTextResponse(f"{error}\n", 429, headers | {"Retry-After": "10"})
    return _Events(_events(code, news), leave, headers)


class _Events(StreamingResponse):
    """A response that stops listening however it ends."""

    def __init__(self, events: AsyncIterator[str], leave: Callable[[], None], headers: dict[str, str]) -> None:
        super().__init__(events, headers=headers, media_type="text/event-stream")
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


async def _events(code: str, news: asyncio.Event) -> AsyncIterator[str]:
    """Give an event at once and one after each change, until the stream has its length or the class is over."""
    clock = asyncio.get_running_loop().time
    end = clock() + SECONDS
    yield f"retry: {AGAIN}\n"
    with suppress(TimeoutError):
        while True:
            news.clear()
            try:
                view = CLASSES.look(code)
            except FollowingError:
                yield 'data: {"over": true}\n\n'
                return
            told = {"version": view.version, "path": view.scene.page, "followers": view.followers}
            yield f"data: {json.dumps(told)}\n\n"
            await asyncio.wait_for(news.wait(), end - clock())
