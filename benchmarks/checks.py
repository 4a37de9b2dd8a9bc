"""The check of every explanation on random networks of every family: the largest error of each.

    python benchmarks/checks.py [--networks 3]

Each family is built with weights of several spreads (`tests.models`), writes a summary of a dialogue of four turns, and
is explained by every method. Prints a table in Markdown: method × family, the largest value of its check, and the
bound below which the check holds. Families: pre-norm that copies, post-norm with words, the settings of BART, T5 and
Marian, and those of `dialoscope` ("shipped"); one recurrent model where the method needs no blocks.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.config import RecurrentConfig
from core.errors import SettingsError
from core.experiments.attribution import gradient
from core.experiments.attribution.patching import patch
from core.experiments.attribution.registry import attribute
from core.explain.attribution.attribution import Check
from core.explain.attribution.methods import METHODS
from core.explain.attribution.votes import votes
from core.service import Summarizer
from core.text.tokenizer import Tokenizer
from core.trace import Summary
from tests.experiments.attribution.test_patching import twin_of_random
from tests.models import KINDS, SETTINGS, build, bundled, operator_by_operator, script, untrained

SPREADS = (0.5, 0.4, 0.3, 0.6)
"""Scales of the weights, the tests' first."""
OWN = {"pre, copying": ("pre", True, "bpe"), "post, words": ("post", False, "word")}
STEP = 2


def networks(family: str, folder: Path, count: int) -> Iterator[Summarizer]:
    """Build networks of a family."""
    if family == "recurrent":
        tokenizer = Tokenizer.train_words(bundled(10), 2)
        size = {"source_vocabulary": tokenizer.size, "target_vocabulary": tokenizer.size}
        config = RecurrentConfig(**size, max_source_length=100, max_target_length=16, embedding_dim=8, units=8)
        yield Summarizer.load(untrained(folder / family, config, tokenizer))
        return
    for place, spread in enumerate(SPREADS[:count]):
        yield build(folder / f"{family}-{place}", *OWN.get(family, ("post", False, "bpe", family)), scale=spread)


def checks(summarizer: Summarizer, run: Summary) -> Iterator[tuple[str, Check]]:
    """Return the check of every method, by its name; what a model lacks is left out."""
    asked: dict[str, Callable[[], Check]] = {
        name: partial(_of_method, name, summarizer, run) for name in METHODS if name != "random"
    }
    if summarizer.config.has.blocks:
        asked["votes"] = lambda: votes(summarizer, run).check
        asked["patching"] = lambda: patch(summarizer, run, twin_of_random(summarizer, run)).check
    for name, check in asked.items():
        try:
            yield name, check()
        except SettingsError:  # the model lacks what the method needs, or hardly tells the twins apart
            continue


def _of_method(name: str, summarizer: Summarizer, run: Summary) -> Check:
    step = STEP if name == "integrated" else None  # a path for every token would take minutes
    return attribute(name, summarizer, run, step, by="token" if step else "turn").check


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", type=int, default=3, help="networks of a family, at most 4")
    count = parser.parse_args().networks
    gradient.HALVINGS = 200  # random weights make a rough path
    families = [*OWN, *KINDS, "recurrent"]
    worst: dict[str, dict[str, Check]] = {}
    with TemporaryDirectory() as folder, operator_by_operator():
        for family in families:
            for summarizer in networks(family, Path(folder), count):
                for method, check in checks(summarizer, summarizer.summarize(script(), SETTINGS)):
                    known = worst.setdefault(method, {})
                    known[family] = max(known.get(family, check), check, key=lambda each: each.value)
    print("| method | " + " | ".join(families) + " | bound |")
    print("|---|" + "---:|" * (len(families) + 1))
    for method, found in worst.items():
        cells = [_cell(found.get(family)) for family in families]
        print(f"| `{method}` | {' | '.join(cells)} | {next(iter(found.values())).bound:.0e} |", flush=True)


def _cell(check: Check | None) -> str:
    return "–" if check is None else f"{check.value:.0e}" + ("" if check.holds else " ✗")


if __name__ == "__main__":
    main()
