"""Collect the commands, run one, and turn bad input into one line on standard error."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from core.cli import (
    attribute,
    begin,
    describe,
    evaluate,
    faults,
    heads,
    importing,
    lessons,
    patch,
    report,
    scores,
    snapshots,
    summarize,
    toy,
    train,
    written,
)
from core.cli.options import help_alone, tell
from core.errors import DialoscopeError
from core.files import FULL
from core.runtime.version import NAME
from core.runtime.version import version as version_of_project

INSTALLED = Path(sys.argv[0]).stem == NAME
"""Whether the command itself was called; a shell completes nothing after `python -m core`."""
app = typer.Typer(add_completion=INSTALLED, rich_markup_mode=None, pretty_exceptions_enable=False)
_COMMANDS = (
    summarize.summarize, report.report, attribute.attribute, patch.patch, heads.heads, describe.describe,
    lessons.lessons, describe.list_checkpoints, importing.import_, importing.export, snapshots.snapshots, toy.toy,
    begin.begin, train.pretrain, train.train, train.refine, evaluate.evaluate, written.written, scores.score,
    scores.baseline,
)  # fmt: skip
_OTHER_NAMES = {describe.list_checkpoints: "checkpoints", importing.import_: "import"}
for _command in _COMMANDS:
    app.command(_OTHER_NAMES.get(_command))(_command)
app.add_typer(faults.app, name="faults")


@app.callback(invoke_without_command=True)
def every(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Summarize dialogues with an encoder-decoder Transformer, and train, evaluate and describe it."""
    if version:
        print(f"{NAME} {version_of_project()}")
        raise typer.Exit
    help_alone(context)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, or 2 with one line on standard error for bad input."""
    try:
        result = app(arguments, standalone_mode=False, prog_name=NAME if INSTALLED else "python -m core")
        return result if isinstance(result, int) else 0
    except typer.TyperException as error:
        text = error.format_message() if hasattr(error, "format_message") else error
        message = " ".join(str(text).split())
        tell(message + _received(message, sys.argv[1:] if arguments is None else arguments))
        return 2
    except DialoscopeError as error:
        tell(" ".join(str(error).split()))
        return 2
    except OSError as error:
        if error.errno not in FULL:
            raise
        tell(f"{error.filename or 'a file'} cannot be written: {error.strerror}. Make room, or name another folder")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        tell("stopped")
        return 130


def _received(message: str, arguments: Sequence[str]) -> str:
    """Return the value of the option that a usage error names, unless its message quotes it already."""
    named = re.search(r"'(--[a-z-]+)'", message)
    if named and named.group(1) in arguments[:-1]:
        value = arguments[arguments.index(named.group(1)) + 1]
        return "" if repr(value) in message else f". Received: {value!r}"
    return ""
