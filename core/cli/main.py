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
from core.cli.options import be_quiet, complain, help_alone
from core.errors import DialoscopeError
from core.files import FULL
from core.runtime.version import NAME
from core.runtime.version import version as version_of_project

INSTALLED = Path(sys.argv[0]).stem == NAME
"""Whether the command itself was called; a shell completes nothing after `python -m core`."""
CALLED = NAME if INSTALLED else "python -m core"
app = typer.Typer(add_completion=INSTALLED, rich_markup_mode=None, pretty_exceptions_enable=False)
_COMMANDS = (
    summarize.summarize, report.report, attribute.attribute, patch.patch, heads.heads, describe.describe,
    lessons.lessons, describe.list_checkpoints, importing.import_, importing.export, snapshots.snapshots, toy.toy,
    begin.begin, train.pretrain, train.train, train.refine, evaluate.evaluate, written.written, scores.score,
    scores.baseline,
)  # fmt: skip
EXAMPLES = {
    "summarize": "chat.txt --strategy beam --json",
    "report": "chat.txt --output report.html",
    "attribute": "chat.txt --method contributions --by turn",
    "patch": "chat.txt --swap speakers",
    "heads": "data.jsonl --limit 40 --output heads.json",
    "describe": "dialoscope",
    "lessons": "",
    "checkpoints": "",
    "import": "folder/of/a-bart --output checkpoints/mine",
    "export": "mine folder/for-transformers",
    "snapshots": "runs/first/last --output runs/snapshots",
    "toy": "copy --output runs/copier",
    "begin": "folder/of/a-bert data.jsonl --output runs/begun",
    "pretrain": "data.jsonl --validation more.jsonl --output runs/before --preset small",
    "train": "train.jsonl --validation validation.jsonl --output runs/first --epochs 5",
    "refine": "train.jsonl --validation validation.jsonl --start runs/first/checkpoint --output runs/second",
    "evaluate": "validation.jsonl --metric rouge --output scored.jsonl",
    "written": "",
    "score": "--candidate 'They met.' --reference 'They meet at seven.'",
    "baseline": "data.jsonl --pairs 1000",
}
"""One call of each command, which its help shows."""
_OTHER_NAMES = {describe.list_checkpoints: "checkpoints", importing.import_: "import"}
for _command in _COMMANDS:
    _name = _OTHER_NAMES.get(_command, _command.__name__)
    app.command(_name, epilog=f"Example: {CALLED} {_name} {EXAMPLES[_name]}")(_command)
app.add_typer(faults.app, name="faults")


@app.callback(invoke_without_command=True)
def every(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no notes and no progress, only what failed.")] = False,
) -> None:
    """Summarize dialogues with an encoder-decoder Transformer, and train, evaluate and describe it."""
    if version:
        print(f"{NAME} {version_of_project()}")
        raise typer.Exit
    be_quiet(quiet)
    help_alone(context)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, or 2 with one line on standard error for bad input."""
    try:
        result = app(arguments, standalone_mode=False, prog_name=NAME if INSTALLED else CALLED)
        return result if isinstance(result, int) else 0
    except typer.TyperException as error:
        text = error.format_message() if hasattr(error, "format_message") else error
        message = " ".join(str(text).split())
        complain(message + _received(message, sys.argv[1:] if arguments is None else arguments))
        return 2
    except DialoscopeError as error:
        complain(" ".join(str(error).split()))
        return 2
    except OSError as error:
        if error.errno not in FULL:
            raise
        complain(f"{error.filename or 'a file'} cannot be written: {error.strerror}. Make room, or name another folder")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        complain("stopped")
        return 130


def _received(message: str, arguments: Sequence[str]) -> str:
    """Return the value of the option that a usage error names, unless its message quotes it already."""
    named = re.search(r"'(--[a-z-]+)'", message)
    if named and named.group(1) in arguments[:-1]:
        value = arguments[arguments.index(named.group(1)) + 1]
        return "" if repr(value) in message else f". Received: {value!r}"
    return ""
