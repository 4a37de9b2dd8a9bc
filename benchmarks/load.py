"""Many visitors at once: how long a change takes each of them, what memory a session costs, and whose words they see.

    make app                                                          (in another window)
    python benchmarks/load.py [URL] [--sessions 1,10,30] [--changes 6] [--come-and-go 200] [--heavy] [--pid PID]

Every visitor has a dialogue of its own with a marker in it, changes a setting of decoding every second, and waits for
the summary. Prints for each number of visitors the median, p95 and the longest wait in seconds, also as a multiple of
one visitor's median in this run; errors; and pages that hold another visitor's marker. With `--heavy` a visitor that
measures a long sweep works beside one light visitor. With the process of the app, the memory per session, and what is
left of it after sessions came and went.
"""

import argparse
import asyncio
import math
import re
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.text import links
from tests.protocol import Visitor

TURNS = (
    "Good morning, {name}. How was the trip to the lake?",
    "It rained on Saturday, so we stayed in the house and played cards.",
    "And on Sunday? I heard the weather was better there.",
    "Yes, we rented a boat for three hours and saw two herons.",
    "Did your brother come with you? He wanted to fish.",
    "He missed the train, {name}, and came on Sunday at noon.",
    "Shall we go together next month? I can borrow a tent.",
    "I would love that. Let me ask at work for a day off.",
)
THOUGHT = 1.0
"""Seconds between two changes of a visitor."""
LEAVES = 60
"""Seconds for which the server keeps the session of a closed tab (`server.disconnectedSessionTTL`)."""


def marker(number: int) -> str:
    """Return a name that only one visitor's dialogue has."""
    return "Q" + "".join("abcdefghij"[int(digit)] for digit in f"{number:04}") + "x"


def link(number: int) -> str:
    """Return the query of a visitor's own dialogue."""
    name = marker(number)
    lines = [f"{('Anna', name)[place % 2]}: {turn.format(name=name)}" for place, turn in enumerate(TURNS)]
    return f"input=paste&t={links.pack(chr(10).join(lines))}"


async def work(url: str, number: int, changes: int, start: asyncio.Event) -> tuple[list[float], int, int]:
    """Be one visitor; return the waits, the number of errors, and of pages with foreign markers."""
    waits, errors, mixed = [], 0, 0
    async with Visitor(url) as visitor:
        await visitor.open("summarize", link(number))
        await visitor.until("summary_tokens")
        await start.wait()
        await asyncio.sleep(THOUGHT * (number % 10) / 10)
        for change in range(changes):
            await asyncio.sleep(THOUGHT)
            waits.append(await visitor.set("penalty", [round(0.1 * ((number + 7 * change) % 30), 1)]))
            own, said = marker(number), visitor.said
            if visitor.error or "Something went wrong" in said or own not in said:
                errors += 1
                print(f"visitor {number}, change {change}: {said[-400:]!r}", file=sys.stderr)
            mixed += bool(set(re.findall("Q[a-j]{4}x", said)) - {own})
    return waits, errors, mixed


async def together(url: str, count: int, changes: int, first: int) -> tuple[list[float], int, int]:
    """Let visitors work at once; return all waits, errors and mixed pages."""
    start = asyncio.Event()
    tasks = [asyncio.create_task(work(url, first + place, changes, start)) for place in range(count)]
    await asyncio.sleep(min(3 + count, 30))
    start.set()
    found = await asyncio.gather(*tasks)
    return [wait for waits, _, _ in found for wait in waits], sum(e for _, e, _ in found), sum(m for _, _, m in found)


async def beside_a_sweep(url: str, changes: int) -> tuple[list[float], bool]:
    """Let a visitor work beside one that measures every head; return its waits, and whether the sweep still ran then.

    The sweep has to be new to the app, which shares what it measured among visitors.
    """
    async with Visitor(url) as heavy:
        await heavy.open("experiments", f"experiment=heads&{link(9000)}")
        await heavy.until("start_heads")
        stop = asyncio.Event()

        async def sweep() -> None:
            await heavy.set("start_heads", True)
            while not stop.is_set():
                await heavy.run()

        task = asyncio.create_task(sweep())
        start = asyncio.Event()
        start.set()
        waits, _, _ = await work(url, 8999, changes, start)
        stop.set()
        await task
        return waits, "stop_heads" in heavy.drawn


def memory(pid: int) -> float:
    """Return the megabytes that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def p95(values: Sequence[float]) -> float:
    """Return the value that 95 of 100 do not exceed."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


async def come_and_go(url: str, count: int, pid: int) -> None:
    """Open sessions ten at a time and leave; print the memory before, at the most, and after they are forgotten."""

    async def visit(number: int) -> None:
        async with Visitor(url) as visitor:
            await visitor.open("summarize", link(number))
            await visitor.until("summary_tokens")

    before, most = memory(pid), 0.0
    for first in range(0, count, 10):
        await asyncio.gather(*(visit(2000 + first + place) for place in range(10)))
        most = max(most, memory(pid))
    await asyncio.sleep(LEAVES + 15)
    after = memory(pid)
    print(f"{count} sessions came and went: {before:.0f} MB before, {most:.0f} MB at most, {after:.0f} MB after")


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", nargs="?", default="http://localhost:8501")
    parser.add_argument("--sessions", default="1,10,30")
    parser.add_argument("--changes", type=int, default=6)
    parser.add_argument("--come-and-go", type=int, default=0)
    parser.add_argument("--heavy", action="store_true")
    parser.add_argument("--pid", type=int)
    options = parser.parse_args()
    alone: list[float] = []
    first, counts = 0, [int(part) for part in options.sessions.split(",")]
    await together(options.url, 1, 2, 1900)  # not counted: it compiles
    idle = memory(options.pid) if options.pid else 0.0
    for count in counts:
        waits, errors, mixed = await together(options.url, count, options.changes, first)
        first += count
        alone = alone or waits
        middle = statistics.median(waits)
        line = f"{count:3} visitors: median {middle:5.2f} s  p95 {p95(waits):5.2f}  longest {max(waits):5.2f}  "
        line += f"median {middle / statistics.median(alone):4.1f} x of one  errors {errors}  mixed {mixed}"
        if options.pid:
            line += f"  {(memory(options.pid) - idle) / first:.1f} MB a session"
        print(line, flush=True)
    if options.heavy:
        waits, ran = await beside_a_sweep(options.url, 2 * options.changes)
        line = f"  1 visitor beside a sweep: p95 {p95(waits):5.2f} s, {p95(waits) / p95(alone):.1f} x of alone"
        print(line if ran else f"{line}, but the sweep was over before", flush=True)
    if options.come_and_go and options.pid:
        await come_and_go(options.url, options.come_and_go, options.pid)


if __name__ == "__main__":
    asyncio.run(main())
