"""The commands `written` and `snapshots`: keep what checkpoints write of the bundled dialogues."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from core import checkpoints
from core.cli.options import DEFAULT, CheckpointOption, JsonOption, print_result, tell
from core.cli.outputs import check_not_read, check_writable
from core.errors import CheckpointError, SettingsError


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


def snapshots(
    checkpoint: Annotated[list[str], typer.Argument(help="Checkpoints of one training, in the order of its epochs.")],
    output: Annotated[Path, typer.Option(help="File of the snapshots: moments.npz in a checkpoint's folder.")],
    first: Annotated[
        int | None, typer.Option(min=0, help="Epoch of the first one; by default the epoch after those in the file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Record what checkpoints of one training write about the bundled dialogues, and where they look."""
    check_not_read(output, checkpoint)  # of another file the snapshots stay, these are added
    if output.parent.is_dir():
        check_writable(output.parent, output)
    from core.service import Summarizer
    from core.training import snapshots as files
    from core.training.recipes.observing import attempts

    kept = list(files.read(output))
    start = first if first is not None else int(kept[-1].epoch) + 1 if kept else 0
    if kept and kept[-1].epoch >= start:
        raise SettingsError(
            f"{output.name} has snapshots up to epoch {kept[-1].epoch} already. Received: first={start}"
        )
    for epoch, name in enumerate(checkpoint, start):
        kept.append(files.Snapshot(epoch, attempts(Summarizer.load(name))))
        files.write(output, kept)
        tell(f"epoch {epoch}: {name}")
    report = {"epochs": [snapshot.epoch for snapshot in kept], "dialogues": len(kept[-1].attempts), "file": str(output)}
    print_result(as_json, report, f"{len(kept)} snapshots of {report['dialogues']} dialogues: {output}")
