"""The command `written`: keep what a checkpoint writes of the bundled dialogues beside its weights."""

import json
from pathlib import Path
from typing import Any

from core import checkpoints
from core.cli.options import DEFAULT, CheckpointOption, JsonOption, print_result
from core.errors import CheckpointError


def written(checkpoint: CheckpointOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Summarize and score the bundled dialogues; Start and Errors then show them before the model is loaded."""
    folder = checkpoints.locate(checkpoint)
    from core.evaluation import written as of_examples
    from core.experiments.start import opening
    from core.service import Summarizer

    summarizer = Summarizer.load(checkpoint)
    rows = of_examples.make(summarizer)
    path = _keep(folder / checkpoints.WRITTEN, rows)
    first = _keep(folder / checkpoints.OPENING, opening.make(summarizer))
    report = {"rows": len(rows["rows"]), "bytes": path.stat().st_size, "opening_bytes": first.stat().st_size}
    print_result(as_json, report, f"{len(rows['rows'])} summaries in {path}, the first one token by token in {first}")


def _keep(path: Path, values: dict[str, Any]) -> Path:
    from core.files import beside, writing

    with writing(f"the summaries '{path}'", CheckpointError, remedy=""), beside(path) as file:
        file.write(json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode())
    return path
