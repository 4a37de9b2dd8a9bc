"""The command `toy`: train a tiny network that copies, reverses or sorts letters."""

import platform
import tempfile
import threading
from pathlib import Path
from typing import Annotated, Literal

import typer

from core import checkpoints
from core.cli.options import JsonOption, command_line, print_result
from core.cli.outputs import OverwriteOption, check_checkpoint

LIMIT = 600.0
"""Time limit of the training in seconds."""


def toy(
    task: Annotated[Literal["copy", "reverse", "sort"], typer.Argument(help="copy, reverse or sort.")],
    output: Annotated[Path, typer.Option(help="Folder of the checkpoint.")],
    overwrite: OverwriteOption = False,
    length: Annotated[int, typer.Option(help="Letters of the longest input.")] = 8,
    letters: Annotated[int, typer.Option(help="Letters of the alphabet.")] = 10,
    width: Annotated[int, typer.Option(help="Width of the model.")] = 64,
    layers: Annotated[int, typer.Option(help="Layers of the encoder, and of the decoder.")] = 1,
    heads: Annotated[int, typer.Option(help="Heads of each attention.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of weights and data.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Train a tiny network on letters: in a minute it has the clearest attention of all."""
    check_checkpoint(output, [], overwrite)
    from core.training import toys
    from core.training.tiny import Watched

    chosen = toys.task(task, length=length, letters=letters, width=width, layers=layers, heads=heads, seed=seed)
    watched = Watched(chosen, threading.Event(), LIMIT)
    with tempfile.TemporaryDirectory(prefix="dialoscope-toy-") as folder:
        trained = checkpoints.read(watched.run(Path(folder)))
    last = watched.looks[-1]
    right = sum(attempt.score for attempt in last.attempts)
    card = {
        **trained.card,
        "about": f"A tiny network: {toys.ABOUT[task]} {-(-length // 2)} to {length} letters of {letters}.",
        "preset": f"toy: {task}",
        "data": {"name": "random letters", "rows": toys.ROWS * toys.STEPS * len(watched.history)},
        "licence": "MIT",
        "command": command_line(),
        "machine": f"{platform.machine()}, {platform.system()}",
        "input": last.clearest,
        "held_out": {"right": int(right), "of": len(last.attempts)},
    }
    checkpoints.write(output, trained.config, trained.tokenizer, trained.weights, trained.history, card)
    report = {"epochs": len(trained.history), "seconds": round(watched.took, 1), **card["held_out"]}
    text = f"{int(right)} of {len(last.attempts)} held-out inputs right after {len(trained.history)} epochs: {output}"
    print_result(as_json, {**report, "checkpoint": str(output)}, text)
