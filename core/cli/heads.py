"""The command `heads`: measure every attention head over a corpus."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core import checkpoints
from core.cli.options import DEFAULT, Bar, CheckpointOption, JsonOption, print_json, say
from core.errors import SettingsError

if TYPE_CHECKING:
    from core.explain.catalogue import Catalogue


def heads(
    data: Annotated[str, typer.Argument(help="JSONL, JSONL.gz or CSV with dialogue, or a hub name.")],
    checkpoint: CheckpointOption = DEFAULT,
    limit: Annotated[int | None, typer.Option(help="Only the first rows.")] = None,
    output: Annotated[
        Path | None, typer.Option(help=f"Write the catalogue to this file: {checkpoints.HEADS} beside the checkpoint.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the scores and the mean output of each attention head over a corpus."""
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
    command = f"python -m core heads {shlex.join(words)}"  # names without folders: the paths are private
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


def _print_heads(found: "Catalogue") -> None:
    for each in found.heads:
        scores = each.scores
        place = f"{scores.kind} {scores.layer + 1}.{scores.head + 1}"
        kind, out = found.nearest(each), found.outstanding(each)
        named = f"{kind.type_text:52} stands out by {out.text}" if kind and out else "no row was measured"
        print(f"{place:12} {named:100} entropy {scores.entropy:.2f}  sink {scores.sink:.2f}")
    print(f"{found.dialogues} dialogues of {found.data}")
