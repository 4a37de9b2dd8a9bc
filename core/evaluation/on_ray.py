"""Evaluate on Ray Data: each worker loads the model and makes whole batches.

Ray is an optional extra, see requirements-ray.txt. A worker treats a batch of the plan
as the local engine does, so that the rows are equal; batches are returned in any order.
"""

import json
import logging
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from core.errors import DialoscopeError, SettingsError
from core.evaluation.local import Batch, Task
from core.evaluation.plan import Plan, items_of
from core.evaluation.rows import from_line, to_line
from core.text.corpus import Corpus

BLOCK = 4
"""Batches that a worker returns together; a stopped run may lose as many."""


class Worker:
    """A Ray actor that loads the model once.

    Args:
        task: the work on each row.
    """

    def __init__(self, task: Task) -> None:
        self._make = task.maker()

    def __call__(self, block: dict[str, Any]) -> dict[str, Any]:
        """Make the rows of one batch, as JSON, because they are sent between processes."""
        rows = self._make(json.loads(block["items"][0]))
        return {"number": block["number"], "rows": [json.dumps([to_line(row) for row in rows])]}


def run_on_ray(corpus: Corpus, plan: Plan, task: Task, done: Collection[int], workers: int) -> Iterator[Batch]:
    """Make the rows of every batch that is not done, in the order in which workers finish them.

    Args:
        corpus: the rows; each worker gets its own ones from this process.
        plan: the batches.
        task: the work on each row; every worker reads its checkpoint.
        done: numbers of the batches that are left out.
        workers: Ray actors, each on one core; on the cluster of RAY_ADDRESS, or on one that is started here.

    Raises:
        SettingsError: Ray is not installed, or fewer than 1 worker.
        DialoscopeError: a worker failed.
    """
    if workers < 1:
        raise SettingsError(f"Ray needs at least 1 worker. Received: {workers}")
    ray = _ray()
    batches = [
        {"number": number, "items": json.dumps(list(items_of(corpus, places)))}
        for number, places in enumerate(plan.batches)
        if number not in done
    ]
    return _stream(ray, batches, plan, task, workers)


def _stream(ray: Any, batches: list[dict[str, Any]], plan: Plan, task: Task, workers: int) -> Iterator[Batch]:
    with _cluster(ray, workers):
        blocks = max(min(workers, len(batches)), -(-len(batches) // BLOCK))
        made = ray.data.from_items(batches, override_num_blocks=blocks).map_batches(
            Worker,
            fn_constructor_args=(task,),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=min(workers, len(batches))),
            num_cpus=1,
        )
        try:
            for row in made.iter_rows():
                number = int(row["number"])
                yield Batch(number, plan.batches[number], tuple(map(from_line, json.loads(row["rows"]))))
        except ray.exceptions.RayError as error:
            raise DialoscopeError(f"a Ray worker failed: {_reason(error)}") from None


@contextmanager
def _cluster(ray: Any, workers: int) -> Iterator[None]:
    """Run a cluster inside the block, without output of its own."""
    ray.init(
        num_cpus=None if os.environ.get("RAY_ADDRESS") else workers,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield
    finally:
        ray.shutdown()


def _ray() -> Any:
    """Import Ray with its data library, usage reports turned off."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        import ray
        import ray.data
    except ImportError:
        raise SettingsError(
            "the engine ray needs Ray, which is not installed. Install it: pip install -r requirements-ray.txt"
        ) from None
    return ray


def _reason(error: Exception) -> str:
    """Return the last line of a worker's error, without its traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
