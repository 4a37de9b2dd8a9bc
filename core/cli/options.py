"""Shared by several commands: options, the settings made of them, a progress bar."""

import inspect
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from core import checkpoints
from core.config import DecodeSettings
from core.errors import SettingsError
from core.words import count

if TYPE_CHECKING:
    from core.explain.attribution.attribution import Check
    from core.text.corpus import SkippedRow

DEFAULT = "dialoscope"
"""Default checkpoint and preset."""
_quiet: list[bool] = []
LISTED = 10
"""Rows that could not be used, of which each gets a line."""


def help_alone(context: typer.Context) -> None:
    """Print the help where no command is named, and end; for the callback of a group."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


def _option(kind: Any, text: str, *names: str) -> Any:
    return Annotated[kind | None, typer.Option(*names, help=text)]


class Metric(StrEnum):
    """Scores that `evaluate` measures; a list of options takes no Literal."""

    rouge = "rouge"
    rouge_lsum = "rougeLsum"
    bertscore = "bertscore"


CheckpointOption = Annotated[str, typer.Option(help="Name of an installed checkpoint, or its folder.")]
ForceOption = Annotated[
    Path | None,
    typer.Option(help="A text file with another summary of the dialogue: the model reads it instead of writing one."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
DECODING: Mapping[str, Any] = {
    "strategy": _option(Literal["greedy", "beam", "sample"], "How the next token is chosen."),
    "beam_size": _option(int, "Live hypotheses of beam search, 1 to 8."),
    "length_penalty": _option(
        float, "Score = log-probability / length^penalty: a higher one favours longer summaries."
    ),
    "temperature": _option(float, "Divides the logits before sampling."),
    "top_k": _option(int, "Sample from the k most probable tokens; 0 = all."),
    "top_p": _option(float, "Sample from the smallest set of this probability."),
    "seed": _option(int, "Seed of the sampling."),
    "max_tokens": _option(int, "Most tokens of a summary."),
    "min_tokens": _option(int, "Fewest tokens of a summary."),
    "no_repeat_ngram": _option(
        int, "No n-gram of this length twice, but in words that --whole-words ends; 0 = allowed."
    ),
    "early_stopping": _option(
        bool,
        "End beam search as soon as as many hypotheses are finished as there are beams.",
        "--early-stopping/--no-early-stopping",
    ),
    "whole_words": _option(
        bool, "Write words of the dialogue in full, as they are there.", "--whole-words/--any-words"
    ),
    "truncation": _option(Literal["start", "middle", "end", "error"], "Where a too long dialogue loses turns."),
}
"""The options of decoding, by their names in DecodeSettings."""
Given = Mapping[str, Any]
"""Values of options, None for those that were not given."""
NONE_GIVEN: Given = MappingProxyType({})


def with_decoding(command: Callable[..., None]) -> Callable[..., None]:
    """Put the options of `DECODING` in the place of a command's parameter `decoding`, which gets their values."""
    parameters = []
    for each in inspect.signature(command).parameters.values():
        if each.name == "decoding":
            parameters += [each.replace(name=name, default=None, annotation=kind) for name, kind in DECODING.items()]
        else:
            parameters.append(each)

    @wraps(command)
    def run(**values: Any) -> None:
        command(decoding={name: values.pop(name) for name in DECODING}, **values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def decode_settings(checkpoint: str, options: Given) -> DecodeSettings:
    """Return the card's decoding settings with the given options; report options without effect.

    Raises:
        CheckpointError: there is no such checkpoint.
        SettingsError: a value is not allowed.
    """
    settings = checkpoints.card_decoding(checkpoints.read_card(checkpoint))
    given = {name: options[name] for name in DecodeSettings().to_dict() if options.get(name) is not None}
    try:
        chosen = settings.replace(**given)
    except SettingsError as error:
        if len({"min_tokens", "max_tokens"} & set(given)) == 1 and "min_tokens" in str(error):
            own = "min_tokens" if "max_tokens" in given else "max_tokens"
            raise SettingsError(f"{error}; {own} is what the checkpoint's card names: give it, too") from None
        raise
    idle = (chosen.idle - {"seed"}) & set(given)  # --seed may be given for something else
    if idle:
        tell(f"without effect under --strategy {chosen.strategy}: {', '.join(sorted(idle))}")
    return chosen


def layer_numbers(text: str) -> list[int]:
    """Read numbers of layers with commas between them; raises SettingsError."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise SettingsError(f"layers must be numbers with commas between them. Received: {text!r}") from None


def be_quiet(quiet: bool) -> None:
    """Print nothing on standard error but why a command failed, or all of it."""
    _quiet[:] = [True] if quiet else []
    if quiet:
        os.environ["TQDM_DISABLE"] = "1"  # for bars that libraries draw


def tell(message: str) -> None:
    """Print a line on standard error, unless --quiet was given."""
    if not _quiet:
        print(message, file=sys.stderr)


def complain(message: str) -> None:
    """Print on standard error why a command failed."""
    print(message, file=sys.stderr)


def print_check(check: "Check") -> None:
    """Print whether numbers passed their check, and warn of those that did not."""
    print(f"{'passed' if check.holds else 'NOT PASSED'}: {check.name} ({check.value:.2g}, allowed {check.bound:g})")
    if not check.holds:
        tell("the numbers do not pass their check: do not rely on them")


def tell_skipped(rows: "Iterable[SkippedRow]", name: str = "") -> None:
    """Report the first rows of a corpus that could not be used, each with its place and the reason, and the others."""
    skipped_rows = list(rows)
    for row in skipped_rows[:LISTED]:
        tell(f"{name} {row.place} skipped: {row.reason}".lstrip())
    if len(skipped_rows) > LISTED:
        tell(f"{name} and {count(len(skipped_rows) - LISTED, f'more {skipped_rows[0].unit}')} skipped".lstrip())


def command_line() -> str:
    """Return the command line of this process, for a card."""
    return f"python -m core {shlex.join(word for word in sys.argv[1:] if word not in ('--resume', '--json'))}"


def print_json(values: dict[str, Any]) -> None:
    """Print a result on standard output as one JSON object."""
    print(json.dumps(values, ensure_ascii=False))


def print_result(as_json: bool, values: dict[str, Any], text: str) -> None:
    """Print a result on standard output: as one JSON object, or in a sentence."""
    print(json.dumps(values, ensure_ascii=False) if as_json else text)


@contextmanager
def progress(what: str, unit: str = "dialogue") -> Iterator[Callable[[int, int], None]]:
    """Yield what moves a progress bar on standard error, by the work done and all of it.

    The bar appears with the first report, when all input has been checked; work done before it does not count for the
    time left.
    """
    with ExitStack() as shown:
        bar: Any = None

        def report(done: int, total: int) -> None:
            nonlocal bar
            if bar is None:
                from tqdm import tqdm

                bar = shown.enter_context(
                    tqdm(
                        total=total, initial=done, desc=what, file=sys.stderr, unit=unit, unit_scale=unit == "B",
                        mininterval=1.0, disable=bool(_quiet),
                    )
                )  # fmt: skip
            bar.update(done - bar.n)

        yield report
