"""The command `behave`: change every dialogue of a corpus, and count how often its summary follows or stays."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core import checkpoints
from core.cli import stdin
from core.cli.data import FILES, ColumnsOption, EncodingOption, StrictOption, load
from core.cli.options import (
    DEFAULT,
    NONE_GIVEN,
    CheckpointOption,
    Given,
    JsonOption,
    decode_settings,
    print_json,
    progress,
    tell_skipped,
    with_decoding,
)
from core.cli.outputs import OverwriteOption, check_resumable, resumable
from core.errors import CorpusError, DialogueError
from core.words import count

if TYPE_CHECKING:
    from core.behaviour.run import Trial
    from core.evaluation.parts import Parts
    from core.text.corpus import Corpus, SkippedRow

FORMAT = 1
SHOWN = 3
"""Failures of each kind that are printed, those with the least overlap."""


@with_decoding
def behave(
    data: Annotated[str, typer.Argument(help=f"{FILES} with dialogues, or a hub name.")],
    checkpoint: CheckpointOption = DEFAULT,
    limit: Annotated[int | None, typer.Option(help="Only the first rows.")] = None,
    columns: ColumnsOption = None,
    encoding: EncodingOption = "",
    strict: StrictOption = False,
    same: Annotated[
        float, typer.Option(min=0, max=100, help="ROUGE-1 from which a summary stayed the same; 100: word for word.")
    ] = 100.0,
    output: Annotated[Path | None, typer.Option(help="Write every pair of summaries to this JSONL file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a stopped run of this --output.")] = False,
    overwrite: OverwriteOption = False,
    decoding: Given = NONE_GIVEN,
    as_json: JsonOption = False,
) -> None:
    """Change names, numbers and turns of every dialogue, and count how often the summary follows, or stays."""
    settings = decode_settings(checkpoint, decoding)
    check_resumable(output, [data, checkpoint], resume, overwrite)
    corpus = load(data, columns, limit=limit, summaries=False, strict=strict, encoding=encoding)
    from core.behaviour.run import Trial
    from core.evaluation.parts import kept
    from core.evaluation.rows import RowOrigin

    content = hashlib.sha256("\0".join(corpus.dataset["dialogue"]).encode("utf-8", "replace")).hexdigest()
    hashes, seed = checkpoints.read_card(checkpoint)["sha256"], decoding["seed"] or 0
    made = {"format": FORMAT, "data": content, "checkpoint": hashes, "settings": settings.to_dict(), "seed": seed}
    name, weights = checkpoints.locate(checkpoint).name, hashes["weights.safetensors"]
    origin = RowOrigin.today(stdin.named(data), settings, checkpoint=name, weights=weights)
    skipped = list(corpus.skipped)
    with kept(output, made, resume) as parts, progress("behave") as moved:
        with resumable(output):
            lines = _lines(corpus, checkpoint, settings, seed, parts, moved, skipped, origin)
        if parts:
            lines = list(parts.rows())
            parts.join()
    tell_skipped(skipped)
    if not lines:
        raise CorpusError(f"no dialogue of {corpus.name} could be changed: every one is too short or cannot be read")
    _show([Trial.from_dict(line) for line in lines], same, as_json, {"checkpoint": f"{name}@{weights[:12]}"} | made)


def _lines(
    corpus: "Corpus", checkpoint: str, settings: Any, seed: int, parts: "Parts | None", moved: Any,
    skipped: "list[SkippedRow]", origin: Any,
) -> list[dict[str, Any]]:  # fmt: skip
    """Try the changes of every dialogue, `BATCH` dialogues at once; return the lines that were not kept as parts."""
    from core.behaviour.changes import KINDS
    from core.behaviour.run import try_changes
    from core.decoding.shapes import BATCH
    from core.evaluation.plan import items_of
    from core.service import Summarizer
    from core.text.corpus import SkippedRow

    summarizer, done = Summarizer.load(checkpoint), parts.done() if parts else set()
    size, kinds = len(corpus.dataset), list(KINDS)
    lines: list[dict[str, Any]] = []
    for number, first in enumerate(range(0, size, BATCH)):
        places = range(first, min(first + BATCH, size))
        if number not in done:
            items = list(items_of(corpus, places))
            outcomes = try_changes(summarizer, [(each["id"], each["dialogue"]) for each in items], settings, seed)
            batch = []
            for place, item, trials in zip(places, items, outcomes, strict=True):
                if isinstance(trials, DialogueError):
                    skipped.append(SkippedRow(item["line"], str(trials), corpus.unit))
                    continue
                about = origin.to_dict() | {"row": item["line"]}
                batch += [(place * len(kinds) + kinds.index(e.kind), e.to_dict() | {"origin": about}) for e in trials]
            if parts:
                parts.write_lines(number, [(at, json.dumps(line, ensure_ascii=False)) for at, line in batch])
            lines += [line for _, line in batch]
        moved(places[-1] + 1, size)
    return lines


def _show(trials: "list[Trial]", same: float, as_json: bool, about: dict[str, Any]) -> None:
    from core.behaviour.changes import KINDS
    from core.behaviour.run import shares

    rates = shares(trials, same)
    dialogues = len({(each.id, each.dialogue) for each in trials})
    if as_json:
        tests = [asdict(each) | {"test": KINDS[each.kind].test} for each in rates]
        print_json({"dialogues": dialogues, "pairs": len(trials), "same": same, "tests": tests} | about)
        return
    print(f"{count(dialogues, 'dialogue')}, {len(trials)} changed; a summary stays from a ROUGE-1 of {same:g} on")
    print(f"{'change':24}{'test':14}{'possible':>9}{'fails':>7}{'does what it must':>26}{'ROUGE-1':>9}")
    for each in rates:
        kind = KINDS[each.kind]
        share = f"{100 * each.held / each.count:.0f} % ({100 * each.low:.0f} to {100 * each.high:.0f})"
        fails = each.count - each.held
        print(f"{kind.label:24}{kind.test:14}{each.count:9}{fails:7}{share:>26}{each.overlap:9.1f}")
    for each in rates:
        failed = sorted((e for e in trials if e.kind == each.kind and not e.holds(same)), key=lambda e: e.overlap)
        for trial in failed[:SHOWN]:
            print(f"\n{KINDS[each.kind].label}, {trial.id}: {trial.changed}")
            print(f"  before: {trial.before}\n  after:  {trial.after}")
