"""Collect the commands, run one, and turn bad input into one line on standard error."""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from core.cli import (
    attribute,
    behave,
    describe,
    evaluate,
    faults,
    heads,
    importing,
    keeping,
    lessons,
    patch,
    report,
    scores,
    slices,
    summarize,
    toy,
    train,
)
from core.cli.options import be_quiet, complain, help_alone
from core.errors import DialoscopeError
from core.files import FULL
from core.runtime.version import NAME
from core.runtime.version import version as version_of_project

INSTALLED = Path(sys.argv[0]).stem == NAME
"""Whether the command itself was called; a shell completes nothing after `python -m core`."""
app = typer.Typer(add_completion=INSTALLED, rich_markup_mode=None, pretty_exceptions_enable=False)


def _called() -> str:
    """Return how the command was called, for its help."""
    return NAME if INSTALLED else f"python -m {NAME if Path(sys.argv[0]).parent.name == NAME else 'core'}"


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "summarize": (summarize.summarize, "chat.txt --strategy beam --json"),
    "report": (report.report, "chat.txt --output report.html"),
    "attribute": (attribute.attribute, "chat.txt --method contributions --by turn"),
    "patch": (patch.patch, "chat.txt --swap speakers"),
    "heads": (heads.heads, "data.jsonl --limit 40 --output heads.json"),
    "describe": (describe.describe, "dialoscope"),
    "lessons": (lessons.lessons, ""),
    "checkpoints": (describe.list_checkpoints, ""),
    "import": (importing.import_, "folder/of/a-bart --output checkpoints/mine"),
    "export": (importing.export, "mine folder/for-transformers"),
    "snapshots": (keeping.snapshots, "runs/first/last --output runs/snapshots"),
    "toy": (toy.toy, "copy --output runs/copier"),
    "begin": (importing.begin, "folder/of/a-bert data.jsonl --output runs/begun"),
    "pretrain": (train.pretrain, "data.jsonl --validation more.jsonl --output runs/before --preset small"),
    "train": (train.train, "train.jsonl --validation validation.jsonl --output runs/first --epochs 5"),
    "refine": (
        train.refine,
        "train.jsonl --validation validation.jsonl --start runs/first/checkpoint --output runs/second",
    ),
    "evaluate": (evaluate.evaluate, "validation.jsonl --metric rouge --output scored.jsonl"),
    "slices": (slices.slices, "scored.jsonl --by topic --by 'hint*turns'"),
    "behave": (behave.behave, "validation.jsonl --limit 50 --output behaviour.jsonl"),
    "written": (keeping.written, ""),
    "score": (scores.score, "--candidate 'They met.' --reference 'They meet at seven.'"),
    "baseline": (scores.baseline, "data.jsonl --pairs 1000"),
    "faults measure": (faults.measure, "validation.jsonl --output measured.json"),
    "faults sheet": (faults.sheet, "validation.jsonl --checkpoint mine --output to-label.jsonl"),
    "faults agree": (faults.agree, "anna.jsonl ben.jsonl"),
}
"""The commands by name, each with what stands behind it in the call that its help shows."""
for _name, (_command, _example) in COMMANDS.items():
    _group, _, _last = _name.rpartition(" ")
    _of = faults.app if _group else app
    _of.command(_last, epilog=f"Example: {_called()} {_name} {_example}")(_command)
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
    words = sys.argv[1:] if arguments is None else arguments
    if "--quiet" in words:  # also after the command
        words = ["--quiet", *(word for word in words if word != "--quiet")]
    try:
        result = app(words, standalone_mode=False, prog_name=_called())
        return result if isinstance(result, int) else 0
    except typer.TyperException as error:
        text = error.format_message() if hasattr(error, "format_message") else error
        message = " ".join(str(text).split())
        complain(message + _received(message, words))
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
