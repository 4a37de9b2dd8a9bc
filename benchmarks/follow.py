"""A class that follows: how long after a change of the presenter all followers have heard of it, and see it.

    make app                                                          (in another window)
    python benchmarks/follow.py [URL] [--followers 1,10,30] [--changes 6] [--rest 4]

Each follower is a session of its own with a stream of events, and asks for the new page as its browser would. Prints
for each kind of change the seconds from the presenter's click: until the event is there, and until the page is drawn.
"""

import argparse
import asyncio
import re
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.load import p95
from tests.protocol import Visitor, events

VIEWS = (":material/visibility_off: What if it were missing?", ":material/grid_on: Your batch")
"""Views of Masks, as the browser names them."""


class Follower:
    """A session that goes where the presenter goes.

    Args:
        url: of the app.
        code: of the class.

    Attributes:
        heard: when the newest event came.
        seen: when the page of the newest event was drawn.
        version: of the scene that was drawn.
        page: of the scene that was drawn.
    """

    def __init__(self, url: str, code: str) -> None:
        self.url, self.code = url, code
        self.heard = self.seen = 0.0
        self.version, self.page = 0, ""
        self.joined = asyncio.Event()

    async def follow(self) -> None:
        """Join, and follow until the task is cancelled."""
        async with Visitor(self.url) as visitor:
            await visitor.open("lessons", f"follow={self.code}")
            who = re.findall(r'"who": ?"([0-9a-f]+)"', visitor.said)[-1]
            async for news in events(self.url, self.code, who):
                self.joined.set()
                if news["version"] > self.version:
                    self.heard = time.perf_counter()
                    visitor.page, visitor.script = news["path"], ""
                    visitor.query = f"follow={self.code}&now={news['version']}"
                    await visitor.run()
                    self.seen, self.version, self.page = time.perf_counter(), news["version"], news["path"]


async def present(presenter: Visitor) -> str:
    """Begin a class; return its code."""
    await presenter.open("masks")
    await presenter.until("masks_view")
    await presenter.set("class_open_sidebar", True)
    await presenter.set("class_begin", True)
    await presenter.run()
    return re.findall(r'"code": ?"(\w{6})"', presenter.said)[-1]


async def measure(url: str, count: int, changes: int, rest: float) -> None:
    """Let followers follow some changes and print how long they took."""
    async with Visitor(url) as presenter:
        code = await present(presenter)
        followers = [Follower(url, code) for _ in range(count)]
        tasks = [asyncio.create_task(each.follow()) for each in followers]
        await asyncio.gather(*(each.joined.wait() for each in followers))
        await asyncio.sleep(rest)

        async def page(number: int) -> None:
            presenter.page, presenter.script = ("tokens", "masks")[number % 2], ""
            await presenter.run()

        async def view(number: int) -> None:
            await presenter.set("masks_view", [VIEWS[number % 2]])

        for name, change in (("page", page), ("view", view)):
            print(await _kind(name, change, followers, changes, rest), flush=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _kind(
    name: str, change: Callable[[int], Awaitable[None]], followers: list[Follower], changes: int, rest: float
) -> str:
    heard, seen = [], []
    for number in range(changes):
        started = time.perf_counter()
        await change(number)
        await asyncio.sleep(rest)
        if not all(each.seen > started for each in followers):
            return f"{name}: some followers did not see change {number} within {rest} s"
        heard += [each.heard - started for each in followers]
        seen += [each.seen - started for each in followers]
    line = f"{len(followers):3} followers, another {name}:"
    for what, times in (("heard", heard), ("seen", seen)):
        line += f"  {what}: median {statistics.median(times):.2f} s  p95 {p95(times):.2f}  last {max(times):.2f}"
    return line


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", nargs="?", default="http://localhost:8501")
    parser.add_argument("--followers", default="1,10,30")
    parser.add_argument("--changes", type=int, default=6)
    parser.add_argument("--rest", type=float, default=5.0)
    options = parser.parse_args()
    for count in options.followers.split(","):
        await measure(options.url, int(count), options.changes, options.rest)


if __name__ == "__main__":
    asyncio.run(main())
