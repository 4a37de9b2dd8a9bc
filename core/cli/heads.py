"""The command `heads`: measure every attention head over a corpus."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core import checkpoints
from core.cli.data import FILES, ColumnsOption, EncodingOption, load
from core.cli.options import DEFAULT, CheckpointOption, JsonOption, print_json, progress, tell_skipped
from core.cli.outputs import OverwriteOption, check_file

if TYPE_CHECKING:
    from core.explain.attention.catalogue import Catalogue

EFFECTS = 25
"""Dialogues on which heads are switched off, unless said otherwise."""


def heads(
    data: Annotated[str, typer.Argument(help=f"{FILES} with dialogues, or a hub name.")],
    checkpoint: CheckpointOption = DEFAULT,
    limit: Annotated[int | None, typer.Option(help="Only the first rows.")] = None,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "",
    effects: Annotated[
        int, typer.Option(min=0, help="Dialogues on which each head and layer is switched off; 0: none.")
    ] = EFFECTS,
    output: Annotated[
        Path | None, typer.Option(help=f"Write the catalogue to this file: {checkpoints.HEADS} beside the checkpoint.")
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure every attention head: its scores, its mean output, and what is lost without it."""
    checkpoints.locate(checkpoint)
    check_file(output, [data, checkpoint], overwrite)
    from core.experiments import ablations
    from core.explain.attention import catalogue
    from core.service import Summarizer
    from core.text.corpus import SkippedRow

    corpus = load(data, columns, limit=limit, summaries=False, encoding=encoding)
    skipped = list(corpus.skipped)
    summarizer = Summarizer.load(checkpoint)
    words = [corpus.name, "--checkpoint", summarizer.checkpoint.name, *(["--limit", str(limit)] if limit else [])]
    words += ["--effects", str(effects)] if effects != EFFECTS else []
    command = f"python -m core heads {shlex.join(words)}"  # names without folders: the paths are private
    total = len(corpus.dataset)
    with progress("measure") as moved:

        def report(done: int, reason: str | None) -> None:
            moved(done, total)
            if reason:
                skipped.append(SkippedRow(done, reason, "row"))

        texts = corpus.dataset["dialogue"]
        measured = catalogue.measure(summarizer, texts, corpus.name, command, report)
    if effects and summarizer.config.has.blocks:
        with progress("switch off") as moved:
            lost = ablations.measure(summarizer, texts, effects, lambda done: moved(done, min(effects, total)))
        measured = replace(measured, effects=lost)
    tell_skipped(skipped)
    if output:
        catalogue.write(output, measured)
    if as_json:
        print_json(measured.to_dict() | {"skipped": [{"line": row.line, "reason": row.reason} for row in skipped]})
    else:
        _print_heads(measured)


def _print_heads(catalogue: "Catalogue") -> None:
    off = catalogue.effects
    for head in catalogue.heads:
        scores = head.scores
        place = f"{scores.kind} {scores.layer + 1}.{scores.head + 1}"
        by_type, out = catalogue.type_or_nearest(head), catalogue.outstanding(head)
        named = f"{by_type.type_text:52} stands out by {out.text}" if by_type and out else "no row was measured"
        lost = off.of(*head.place) if off else None
        loss_text = "" if lost is None else f"  {lost:+.3f} nats a token"
        print(f"{place:12} {named:100} entropy {scores.entropy:.2f}  separators {scores.sink:.2f}{loss_text}")
    print(f"{catalogue.dialogues} dialogues of {catalogue.data}")
    if off:
        whole = (f"{name} {lost:+.3f}" for name, lost in off.nats.items() if "." not in name)
        print(f"nats a token lost without, over {off.dialogues} dialogues: {', '.join(whole)}")
