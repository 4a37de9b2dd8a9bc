"""The command `written`: keep what a checkpoint writes of the bundled dialogues beside its weights."""

import json
from pathlib import Path

from core import checkpoints
from core.cli.options import DEFAULT, CheckpointOption, JsonOption, print_json
from core.errors import CheckpointError


def written(checkpoint: CheckpointOption = DEFAULT, as_json: JsonOption = False) -> None:
    """Summarise and score the bundled dialogues; the Errors page then shows them before the model is loaded."""
    path: Path = checkpoints.locate(checkpoint) / checkpoints.WRITTEN
    from core.evaluation import written as of_examples
    from core.files import beside, writing
    from core.service import Summarizer

    found = of_examples.make(Summarizer.load(checkpoint))
    with writing(f"the summaries '{path}'", CheckpointError, remedy=""), beside(path) as file:
        file.write(json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode())
    if as_json:
        print_json({"rows": len(found["rows"]), "bytes": path.stat().st_size})
    else:
        print(f"{len(found['rows'])} summaries in {path}")
