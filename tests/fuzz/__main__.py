"""Run thousands of seeded hostile cases: `make fuzz`; one again: `make fuzz ARGS="--case texts:1234"`."""

import argparse
import math
import os
import sys
import time
from collections import Counter

import tests.conftest  # noqa: F401  sets the environment before anything imports Keras
from tests.fuzz.families import FAMILIES, NAMED
from tests.fuzz.house import opened
from tests.fuzz.run import Family, Outcome, Overdue, ended_after, errors, run

MANY = 10_000
"""Cases of a whole run."""


def main() -> int:
    """Run the cases and print a table; return 1 if one failed."""
    options = _options()
    if options.case:
        name, _, seed = options.case.partition(":")
        plan = {NAMED[name]: range(int(seed), int(seed) + 1)}
    else:
        chosen = [NAMED[name] for name in options.family] if options.family else list(FAMILIES)
        share = options.cases / sum(family.share for family in chosen)
        plan = {family: range(options.seed, options.seed + math.ceil(share * family.share)) for family in chosen}
    print(f"{'family':<13}{'cases':>7}{'refused':>9}{'seconds':>9}{'slowest':>9}{'failures':>10}", flush=True)
    with opened():
        failures = [_family(family, seeds) for family, seeds in plan.items()]
    cases = sum(map(len, plan.values()))
    print(f"{cases:,} cases, {sum(failures):,} failures", flush=True)
    return int(any(failures))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=int(os.environ.get("CASES") or MANY), help="of all families")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of each family")
    parser.add_argument("--family", action="append", choices=sorted(NAMED), help="only this one; may be repeated")
    parser.add_argument("--case", help="one case again, such as texts:1234")
    return parser.parse_args()


def _family(family: Family, seeds: range) -> int:
    """Run the cases of a family and print its line; return the number of failures."""
    with errors():  # libraries tell how far they are
        family.prepare()
    start, refused, slowest, kinds = time.perf_counter(), 0, 0.0, Counter[str]()
    for seed in seeds:
        try:
            with ended_after(6 * family.seconds):
                outcome = run(family, seed)
        except Overdue as error:
            outcome = Outcome(6 * family.seconds, "", str(error))
        refused += bool(outcome.refused)
        slowest = max(slowest, outcome.seconds)
        if outcome.problem:
            kinds[outcome.problem[:100]] += 1
            if kinds[outcome.problem[:100]] <= 3:  # the same again is not worth a line
                print(f"FAILED {family.name}:{seed}  {outcome.problem}", flush=True)
    seconds, failed = time.perf_counter() - start, sum(kinds.values())
    print(f"{family.name:<13}{len(seeds):>7,}{refused:>9,}{seconds:>9.1f}{slowest:>9.2f}{failed:>10,}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
