"""The command line: `python -m core COMMAND`. Results on standard output, everything else on standard error."""

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core import checkpoints, cli_evaluate, cli_faults, cli_scores, cli_train
from core.config import PRESETS
from core.errors import DialogueError, DialoscopeError, SettingsError
from core.options import (
    DEFAULT,
    Bar,
    BeamOption,
    CheckpointOption,
    JsonOption,
    MaxTokensOption,
    MinTokensOption,
    NgramOption,
    PenaltyOption,
    SeedOption,
    StrategyOption,
    TemperatureOption,
    TopKOption,
    TopPOption,
    TruncationOption,
    WholeWordsOption,
    decode_settings,
    print_json,
    say,
)

if TYPE_CHECKING:
    from core.explain.catalogue import Catalogue

app = typer.Typer(
    help="Summarise dialogues with an encoder-decoder Transformer, and train, evaluate and describe it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.command()
def summarize(
    file: Annotated[str, typer.Argument(help="A text file or chat export, or - for standard input.")] = "-",
    checkpoint: CheckpointOption = DEFAULT,
    strategy: StrategyOption = None,
    beam_size: BeamOption = None,
    length_penalty: PenaltyOption = None,
    temperature: TemperatureOption = None,
    top_k: TopKOption = None,
    top_p: TopPOption = None,
    seed: SeedOption = None,
    max_tokens: MaxTokensOption = None,
    min_tokens: MinTokensOption = None,
    no_repeat_ngram: NgramOption = None,
    whole_words: WholeWordsOption = None,
    truncation: TruncationOption = None,
    trace: Annotated[Path | None, typer.Option(help="Write the whole run to this .npz file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Summarise one dialogue."""
    settings = decode_settings(checkpoint, locals())
    text = _read_dialogue(file)
    from core.service import Summarizer

    summary = Summarizer.load(checkpoint).summarize(text, settings)
    if summary.omitted or summary.shortened:
        turns = [str(index + 1) for index in (*summary.omitted, *summary.shortened)]
        say(f"too long for this model: turns left out or cut: {', '.join(turns)} (truncation: {settings.truncation})")
    if trace:
        try:
            summary.save(trace)
        except OSError as error:
            raise SettingsError(f"the trace cannot be written: {error}") from None
    if as_json:
        print_json(summary.to_dict())
    else:
        print(summary.text)


@app.command()
def heads(
    data: Annotated[str, typer.Argument(help="JSONL, JSONL.gz or CSV with dialogue, or a hub name.")],
    checkpoint: CheckpointOption = DEFAULT,
    limit: Annotated[int | None, typer.Option(help="Only the first rows.")] = None,
    output: Annotated[
        Path | None, typer.Option(help=f"Write the catalogue to this file: {checkpoints.HEADS} beside the checkpoint.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure over a corpus what each attention head tends to do, and its mean output."""
    checkpoints.locate(checkpoint)
    if output and not output.parent.is_dir():
        raise SettingsError(f"the output folder does not exist. Received: {output}")
    from core.explain import catalogue
    from core.service import Summarizer
    from core.text.corpus import load_corpus

    corpus = load_corpus(data, limit=limit, require_summaries=False)
    skipped = [{"line": row.line, "reason": row.reason} for row in corpus.skipped]
    summarizer = Summarizer.load(checkpoint)
    words = [corpus.name, "--checkpoint", summarizer.checkpoint.name, *(["--limit", str(limit)] if limit else [])]
    command = f"python -m core heads {shlex.join(words)}"  # names alone: where the files lie is nobody's business
    total = len(corpus.dataset)
    with Bar("measure") as bar:

        def report(done: int, reason: str | None) -> None:
            bar.report(done, total)
            if reason:
                skipped.append({"line": done, "reason": reason})

        found = catalogue.measure(summarizer, corpus.dataset["dialogue"], corpus.name, command, report)
    for row in skipped:
        say(f"line {row['line']} skipped: {row['reason']}")
    if output:
        catalogue.write(output, found)
    if as_json:
        print_json(found.to_dict() | {"skipped": skipped})
    else:
        _print_heads(found)


@app.command()
def describe(
    name: Annotated[str, typer.Argument(help="A preset, an installed checkpoint, or a checkpoint folder.")],
    as_json: JsonOption = False,
) -> None:
    """List every layer: output shape, parameters, source file and line."""
    if name in PRESETS and name not in checkpoints.installed():
        config = PRESETS[name].model
    else:
        try:
            config = checkpoints.read_config(name)
        except DialoscopeError as error:
            raise SettingsError(f"{error}; presets: {', '.join(PRESETS)}") from None
    from core.describe import describe as list_layers

    layers, parameters = list_layers(config)
    if as_json:
        rows = [asdict(layer) for layer in layers]
        print_json({"name": name, "config": config.to_dict(), "parameters": parameters, "layers": rows})
        return
    for layer in layers:
        indent, leaf = "  " * layer.path.count("/"), layer.path.rsplit("/", 1)[-1]
        shape = "[" + ", ".join(map(str, layer.output_shape)) + "]"
        print(f"{indent + leaf:42} {layer.kind:20} {shape:16} {layer.parameters:>12,}  {layer.source}")
    print(f"{parameters:,} parameters")


@app.command("checkpoints")
def list_checkpoints(as_json: JsonOption = False) -> None:
    """List the installed checkpoints with card and hash."""
    cards = [{"name": name, **checkpoints.read_card(name)} for name in checkpoints.installed()]
    if as_json:
        print_json({"checkpoints": cards})
        return
    for card in cards:
        scores = card.get("scores", {}).get("rouge", {})
        print(f"{card['name']}  {card['sha256']['weights.safetensors'][:12]}  {card.get('about', '')}")
        print(f"  epochs {card.get('epochs')}, validation loss {card.get('validation_loss')}, ROUGE {scores}")
        print(f"  licence: {card.get('licence')}")


app.command()(cli_train.pretrain)
app.command()(cli_train.train)
app.command()(cli_train.refine)
app.command()(cli_evaluate.evaluate)
app.command()(cli_scores.score)
app.command()(cli_scores.baseline)
app.add_typer(cli_faults.app, name="faults")


def _read_dialogue(file: str) -> str:
    from core.text.upload import load_dialogue_file

    if file == "-":
        return load_dialogue_file("", sys.stdin.buffer.read())
    try:
        return load_dialogue_file(Path(file).name, Path(file).read_bytes())
    except OSError as error:
        raise DialogueError(f"the dialogue cannot be read: {error}") from None


def _received(message: str, arguments: Sequence[str]) -> str:
    """The value of the option that a usage error names, unless its message quotes it already."""
    named = re.search(r"'(--[a-z-]+)'", message)
    if named and named.group(1) in arguments[:-1]:
        value = arguments[arguments.index(named.group(1)) + 1]
        return "" if repr(value) in message else f". Received: {value!r}"
    return ""


def _print_heads(found: "Catalogue") -> None:
    for each in found.heads:
        scores, tag = each.scores, each.tag
        place = f"{scores.kind} {scores.layer + 1}.{scores.head + 1}"
        named = f"{tag.name} {tag.score:.2f}, then {tag.runner_up} {tag.runner_up_score:.2f}"
        print(f"{place:12} {named:42} entropy {scores.entropy:.2f}  sink {scores.sink:.2f}")
    print(f"{found.dialogues} dialogues of {found.data}")


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, or 2 with one line on standard error for bad input."""
    try:
        result = app(arguments, standalone_mode=False, prog_name="python -m core")
        return result if isinstance(result, int) else 0
    except typer.TyperException as error:
        text = error.format_message() if hasattr(error, "format_message") else error
        message = " ".join(str(text).split())
        say(message + _received(message, sys.argv[1:] if arguments is None else arguments))
        return 2
    except DialoscopeError as error:
        say(" ".join(str(error).split()))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        say("stopped")
        return 130


if __name__ == "__main__":
    sys.exit(main())
