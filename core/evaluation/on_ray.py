"""The same batches through Ray Data: each worker holds the model and makes whole batches.

Ray is an optional extra, see requirements-ray.txt. A worker gets a batch of the plan and does with it what the local
engine does, so the rows are equal; they come back in any order and are kept by who asks.
"""

import json
import logging
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from core.errors import DialoscopeError, SettingsError
from core.evaluation.local import Batch
from core.evaluation.plan import Plan, items_of
from core.evaluation.rows import from_line, to_line
from core.text.corpus import Corpus

if TYPE_CHECKING:
    from core.evaluation.run import Task

BLOCK = 4
"""Batches that a worker hands back together: what a stopped run may lose."""


class Worker:
    """Lives in a Ray actor: loads the model once.

    Args:
        task: what is done with each row.
    """

    def __init__(self, task: "Task") -> None:
        self._make = task.maker()

    def __call__(self, block: dict[str, Any]) -> dict[str, Any]:
        """Rows of one batch: JSON in, JSON out, for they travel between processes."""
        rows = self._make(json.loads(block["items"][0]))
        return {"number": block["number"], "rows": [json.dumps([to_line(row) for row in rows])]}


def run_on_ray(corpus: Corpus, plan: Plan, task: "Task", done: Collection[int], workers: int) -> Iterator[Batch]:
    """Make the rows of every batch that is not done, in the order in which workers finish them.

    Args:
        corpus: the rows; this process holds them, the workers get theirs.
        plan: the batches.
        task: what is done with each row; its checkpoint is read by every worker.
        done: numbers of the batches that are left out.
        workers: Ray actors, each on one core; RAY_ADDRESS names a cluster, otherwise one is started here.

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


def _stream(ray: Any, batches: list[dict[str, Any]], plan: Plan, task: "Task", workers: int) -> Iterator[Batch]:
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
    """A cluster for the time of a run, quiet: results alone go to standard output."""
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
    """Ray with its data library, and without its usage reports."""
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
    """The last line of what a worker said: the error itself, below its traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
