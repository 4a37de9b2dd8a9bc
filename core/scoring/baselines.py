"""Baselines of BERTScore: the mean score of unrelated texts, layer by layer.

A raw score x is rescaled as (x - b) / (1 - b), where b is the mean over random pairs of texts, separately for
precision, recall and F1 (bert_score's note on rescaling).
"""

import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, stdev

from core.errors import ScoringError
from core.files import beside, fault, read_text, writing
from core.scoring.encoders import Encoder, weights_sha256
from core.words import say

HEADINGS = ("LAYER", "P", "R", "F")


@dataclass(frozen=True, slots=True)
class Baseline:
    """Mean scores of random pairs: precision, recall and F1."""

    precision: float
    recall: float
    f1: float

    def rescale(self, precision: float, recall: float, f1: float) -> tuple[float, float, float]:
        """Rescale so that the baseline is 0 and 1 stays 1; scores below the baseline become negative.

        The rescaled F1 is therefore not the harmonic mean of the rescaled precision and recall.
        """
        pairs = ((precision, self.precision), (recall, self.recall), (f1, self.f1))
        rescaled = tuple((value - base) / (1.0 - base) for value, base in pairs)
        return rescaled[0], rescaled[1], rescaled[2]


@dataclass(frozen=True, slots=True)
class Measured:
    """Baselines of every layer, and the details of the measurement.

    Args:
        layers: one baseline for each layer; the first is that of the embedding layer.
        encoder: its name.
        weights_sha256: of the encoder.
        pairs: number of random pairs.
        texts: number of texts they were drawn from.
        seed: of the draw.
        standard_error: of the last layer's F1.
    """

    layers: tuple[Baseline, ...]
    encoder: str
    weights_sha256: str
    pairs: int
    texts: int
    seed: int
    standard_error: float


def read(encoder: Encoder) -> Baseline:
    """Read the baseline of an encoder's layer.

    Raises:
        ScoringError: there is none, or its file has no row for the layer.
    """
    if encoder.baseline is None:
        message = say(
            "scores of the encoder {name} cannot be rescaled: nobody measured its baseline. Measure one with "
            "python -m core baseline, or leave the scores raw",
            name=encoder.name,
        )
        raise ScoringError(message)
    try:
        text = io.StringIO(read_text(encoder.baseline), newline="")
        rows = {int(row["LAYER"]): row for row in csv.DictReader(text)}
        row = rows[encoder.layers]
        numbers = [float(row[name]) for name in HEADINGS[1:]]
        if not all(-1 <= number < 1 for number in numbers):
            raise ValueError(f"a baseline must be below 1. Received: {numbers}")
        return Baseline(*numbers)
    except (OSError, KeyError, ValueError, TypeError, csv.Error) as error:
        remedy = say("measure it again with python -m core baseline, or leave the scores raw")
        message = say(
            "the baseline of the encoder {name} has no usable row for layer {layer}: {file}: {reason}",
            name=encoder.name,
            layer=encoder.layers,
            file=encoder.baseline.name,
            reason=fault(encoder.baseline, error, remedy),
        )
        raise ScoringError(message) from None


def draw_pairs(groups: Sequence[Sequence[str]], pairs: int, seed: int) -> list[tuple[str, str]]:
    """Draw random pairs of texts of two different groups, both texts not blank.

    Args:
        groups: the texts of each dialogue; two texts of one dialogue are never a pair.
        pairs: number of pairs.
        seed: of the draw.

    Raises:
        ScoringError: fewer than two groups with a text, or no pair asked for.
    """
    kept = [[text for text in group if text.strip()] for group in groups]
    kept = [group for group in kept if group]
    if len(kept) < 2 or pairs < 1:
        raise ScoringError(
            f"a baseline needs texts of at least 2 dialogues and at least 1 pair. Received: {len(kept)} dialogues with "
            f"texts, pairs={pairs}"
        )
    dice = random.Random(seed)
    return [(dice.choice(first), dice.choice(second)) for first, second in (dice.sample(kept, 2) for _ in range(pairs))]


def measure(
    encoder: Encoder,
    groups: Sequence[Sequence[str]],
    pairs: int,
    seed: int,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Measured:
    """Measure the baselines of all layers over random pairs of texts.

    Args:
        encoder: the network.
        groups: the texts of each dialogue.
        pairs: number of random pairs; with 10,000 the mean is known to about 0.001.
        seed: of the draw.
        report: called with finished pairs and all pairs.

    Returns:
        The mean raw scores, without idf weights.

    Raises:
        ScoringError: too few texts, or the encoder cannot be loaded.
    """
    from core.scoring.loaded import score_all_layers

    drawn = draw_pairs(groups, pairs, seed)
    scores = []
    for done, values in enumerate(score_all_layers(encoder, drawn), start=1):
        scores.append(values)
        report(done, pairs)
    layers = tuple(
        Baseline(*(fmean(pair[layer][which] for pair in scores) for which in range(3)))
        for layer in range(len(scores[0]))
    )
    last = [pair[-1][2] for pair in scores]
    error = stdev(last) / len(last) ** 0.5 if len(last) > 1 else 0.0
    texts = sum(len(group) for group in groups)
    return Measured(layers, encoder.name, weights_sha256(encoder), pairs, texts, seed, error)


def write(path: Path, measured: Measured, command: str) -> None:
    """Write the baselines in the library's format, and the details of the measurement as .json beside them.

    Raises:
        ScoringError: the files cannot be written.
    """
    about = asdict(measured) | {"command": command}
    del about["layers"]
    about["standard_error"] = round(measured.standard_error, 6)
    with writing(f"the baseline '{path}'", ScoringError, ""):
        for place, text in ((path.with_suffix(".json"), json.dumps(about, indent=2) + "\n"), (path, to_tsv(measured))):
            with beside(place) as file:
                file.write(text.encode())


def to_tsv(measured: Measured) -> str:
    """Format the table as the library reads it: with commas, in spite of its name."""
    rows = [
        f"{layer},{each.precision:.8f},{each.recall:.8f},{each.f1:.8f}" for layer, each in enumerate(measured.layers)
    ]
    return "\n".join([",".join(HEADINGS), *rows]) + "\n"
