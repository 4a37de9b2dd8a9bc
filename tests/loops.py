"""Run coroutines in a test: `from tests.loops import run`."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def run(coroutine: Coroutine[None, None, T]) -> T:
    """Run a coroutine in a thread of its own: that of the tests has a loop already once a browser was there."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
