"""The command `patch`: where the network keeps who said it."""

from typing import TYPE_CHECKING, Annotated

import typer

from core.cli.data import EncodingOption, ReadingOption
from core.cli.options import (
    DEFAULT,
    NONE_GIVEN,
    CheckpointOption,
    ForceOption,
    Given,
    JsonOption,
    decode_settings,
    print_check,
    print_json,
    progress,
    with_decoding,
)
from core.cli.summarize import given_summary, read_dialogue, summary_of

if TYPE_CHECKING:
    from core.experiments.attribution.patching import Patched


@with_decoding
def patch(
    file: Annotated[str, typer.Argument(help="A text file or chat export, or - for standard input.")] = "-",
    swap: Annotated[
        str, typer.Option(help="What the twin has exchanged: speakers (the first two), or NAME=NAME.")
    ] = "speakers",
    checkpoint: CheckpointOption = DEFAULT,
    decoding: Given = NONE_GIVEN,
    reading: ReadingOption = "",
    encoding: EncodingOption = "",
    force: ForceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put states of a dialogue into the run of its twin, and say how much of the difference comes back."""
    settings = decode_settings(checkpoint, decoding)
    given = given_summary(force)
    text = read_dialogue(file, reading, encoding).text
    from core.experiments.attribution.patching import patch as patched
    from core.experiments.attribution.twins import twin_of
    from core.explain.shared.recomputing import check_blocks
    from core.service import Summarizer

    summarizer = Summarizer.load(checkpoint)
    check_blocks(summarizer.config)
    summary = summary_of(summarizer, text, settings, given)
    twin = twin_of(summarizer, summary, swap)
    with progress("patch", "step") as moved:
        effects = patched(summarizer, summary, twin, moved)
    if as_json:
        print_json(effects.to_dict())
    else:
        _print(effects)


def _print(effects: "Patched") -> None:
    first, second = effects.log_odds
    print(f"{' / '.join(effects.twin.names)}: log odds {first:+.2f} in the dialogue, {second:+.2f} in its twin")
    print("what comes back with the state of one turn, after so many blocks of the encoder")
    print("      " + "".join(f"{turn.label[:9]:>10}" for turn in effects.turns))
    for depth, row in enumerate(effects.layers.tolist()):
        print(f"{depth:>6}" + "".join(f"{value:>10.2f}" for value in row))
    for kind, values in effects.heads.items():
        place = int(abs(values).argmax())
        layer, head = divmod(place, values.shape[1])
        print(f"{kind}: most with head {layer + 1}.{head + 1}, {values[layer, head]:+.2f}")
    print_check(effects.check)
