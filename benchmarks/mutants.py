"""Seeded faults: which of them the tests notice, before and after a change of the tests.

    python benchmarks/mutants.py map                      which test reaches which fault: one run of the tests
    python benchmarks/mutants.py run                      the tests of every fault, until one fails
    python benchmarks/mutants.py run --retry --limit 300  more tests of those that survived
    python benchmarks/mutants.py report                   a table; the survivors; what died before and does not now
    python benchmarks/mutants.py show 17                  a fault as a difference
    python benchmarks/mutants.py check                    the same tests without faults, which have to pass
    python benchmarks/mutants.py draw                     draw other faults: they are kept in benchmarks/mutants.jsonl

The faults were drawn at random over the rooms of `core/` whose numbers have to be right. A fault is found again by the
text of its line; one whose line is not found is reported: its entry needs the new place, or why the line is gone. `run`
tries the test that noticed a fault before, if it is still there, then what reaches the line: the file named after the
module, its folder, the other folders, the fastest first. Line by line it writes what it finds and goes on from there
when it is started again. Browser tests and slow tests are left out. A test that takes three times its time and half a
minute more has noticed the fault.

After a change of the tests, in an empty work folder:

    python benchmarks/mutants.py map --work NEW
    python benchmarks/mutants.py run --near --work NEW && python benchmarks/mutants.py run --retry --work NEW
    python benchmarks/mutants.py report --work NEW

`map damage` and so on makes the map of some groups alone: the folders of `tests`, `root`, and `pages-0`, `pages-1`, …
"""

import argparse
import difflib
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))

from benchmarks import mutant_kinds
from benchmarks.mutant_kinds import ROOMS, Mutant
from benchmarks.mutant_runs import PROBE, Chosen, Forks, Mapper, Ran, Tree

DRAWN = HERE.with_name("mutants.jsonl")
BEFORE = HERE.with_name("mutants_before.jsonl")
SIDE_BY_SIDE = 6
"""Files of pages whose tests run in one process."""
WAVE = 40
"""Tests of other folders that run in one process."""


@dataclass(frozen=True)
class Found:
    """What the tests said of a fault.

    Args:
        number: of the mutant.
        ended: "killed", "time" (the tests took too long), "crashed" (the process died), "survived", "unreached" (no
            test runs the line) or "gone" (no such line).
        by: the test that failed.
        tried: tests that ran.
        left: tests that reach the line and were left out, because all would have taken longer than the limit.
        seconds: of processor time.
    """

    number: int
    ended: str
    by: str = ""
    tried: int = 0
    left: int = 0
    seconds: float = 0.0

    @property
    def dead(self) -> bool:
        """Whether a test noticed it."""
        return self.ended in ("killed", "time", "crashed")


def read_results(path: Path) -> dict[int, Found]:
    """Read results; of two of one mutant the later counts."""
    if not path.exists():
        return {}
    rows = [Found(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row.number: row for row in rows}


def units(tree: Path) -> dict[str, list[str]]:
    """Return the test files in groups that run in one process each, those of the drawn rooms first."""
    groups: dict[str, list[str]] = {}
    pages = 0
    for path in sorted((tree / "tests").rglob("test_*.py")):
        folder = path.parent.relative_to(tree / "tests").as_posix()
        if folder == "browser":
            continue
        name = "root" if folder == "." else folder.replace("/", "-")
        if name == "pages":
            name, pages = f"pages-{pages // SIDE_BY_SIDE}", pages + 1
        groups.setdefault(name, []).append(path.relative_to(tree).as_posix())
    return dict(sorted(groups.items(), key=lambda group: (group[0] not in ROOMS, "pages" in group[0])))


def make_map(forks: Forks, mutants: Sequence[Mutant], folder: Path, again: bool, only: Sequence[str]) -> None:
    """Run the tests once, with probes in the lines of the faults."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"core/mutation_probe.py": PROBE}
    for file, those in mutant_kinds.by_file(mutants):
        if (forks.tree.folder / file).exists():
            source = (forks.tree.folder / file).read_text(encoding="utf-8")
            texts[file] = mutant_kinds.probed(source, those)[0]
    with forks.tree.holding(texts):
        for unit, files in units(forks.tree.folder).items():
            path = folder / f"{unit}.json"
            if (only and unit not in only) or (path.exists() and not again):
                continue
            begun, hits = time.monotonic(), folder / f"{unit}.hits"
            hits.unlink(missing_ok=True)
            with forks.setting(MUTATION_HITS=str(hits)):
                ended = forks.run(files, Mapper(path, hits), 3600, 7200)
            made = json.loads(path.read_text()) if path.exists() else {"tests": {}}
            failed = [name for name, ran in made["tests"].items() if not ran["passed"]]
            cost = sum(ran["seconds"] for ran in made["tests"].values())
            print(f"{unit}: {len(made['tests'])} tests, {cost:.0f} s of processor time, "
                  f"{time.monotonic() - begun:.0f} s, ended {ended}, failed {failed}", flush=True)  # fmt: skip


class Map:
    """Which test reaches which fault, as `make_map` wrote it; tests that failed without a fault are left out."""

    def __init__(self, folder: Path) -> None:
        self.tests: dict[str, Ran] = {}
        self.fixtures: dict[str, set[int]] = {}
        for path in sorted(folder.glob("*.json")):
            made = json.loads(path.read_text(encoding="utf-8"))
            self.tests |= {name: Ran(**ran) for name, ran in made["tests"].items()}
            for name, numbers in made["fixtures"].items():
                self.fixtures.setdefault(name, set()).update(numbers)
        self.known = set(self.tests)
        self.tests = {name: ran for name, ran in self.tests.items() if ran.passed}

    def reaching(self, number: int) -> set[str]:
        """Return the tests that run a line, or use a fixture that runs it."""
        shared = {name for name, numbers in self.fixtures.items() if number in numbers}
        return {name for name, ran in self.tests.items() if number in ran.hits or shared.intersection(ran.fixtures)}

    def waves(
        self, mutant: Mutant, source: str, limit: float, killer: str = "", near_only: bool = False
    ) -> tuple[list[list[str]], int]:
        """Return the tests of a fault in the order in which they run, one process each, and how many are left out.

        What is compiled once, or said when a module is imported, is used by more tests than those that run the line:
        then the other tests of the room's folder come last.
        """
        reaching = self.reaching(mutant.number)
        room, stem = f"tests/{mutant.room}/", Path(mutant.file).stem
        _, loose = mutant_kinds.probed(source, [mutant])
        near = {name for name in self.tests if name.startswith(room)}
        further = near - reaching if loose or mutant.room in ("model", "decoding", "experiments") else set()

        def fast(names: set[str]) -> list[str]:
            return sorted(names, key=lambda name: (self.tests[name].seconds, name))

        own = {name for name in near if name.startswith(f"{room}test_{stem}.py") and (name in reaching or loose)}
        others = fast(reaching - near)
        rank: Counter[str] = Counter()
        place = {}
        for name in others:  # first a case of each function
            function = name.partition("[")[0]
            place[name] = rank[function]
            rank[function] += 1
        others.sort(key=lambda name: (place[name], self.tests[name].seconds))
        order = [fast(own), fast((reaching & near) - own), others[:WAVE], others[WAVE:], fast(further - own)]
        if killer in self.tests:
            order.insert(0, [killer])
        waves, spent, left, seen = [], 0.0, 0, set()
        for wave in order:
            kept = []
            for name in wave:
                if name in seen:
                    continue
                seen.add(name)
                spent += self.tests[name].seconds
                far = near_only and name not in near and name != killer
                if far or (spent > limit and waves + [kept] != [[]]):
                    left += 1
                else:
                    kept.append(name)
            if kept:
                waves.append(kept)
        return waves, left


def test(forks: Forks, mapped: Map, mutant: Mutant, limit: float, killer: str, near: bool) -> Found:
    """Let the tests of a fault run until one fails; those that passed before are not run again.

    Args:
        forks: run them.
        mapped: says which.
        mutant: the fault.
        limit: seconds of processor time that the tests may take together without the fault.
        killer: the test that comes first.
        near: whether only the folder of the room is tried, besides this test.
    """
    path = forks.tree.folder / mutant.file
    source = path.read_text(encoding="utf-8") if path.exists() else ""
    changed = mutant.apply(source)
    if changed is None:
        return Found(mutant.number, "gone")
    waves, left = mapped.waves(mutant, source, limit, killer, near)
    if not waves and not left:
        return Found(mutant.number, "unreached")
    seconds, outcome = 0.0, forks.tree.folder.parent / "outcome.json"
    passed = forks.tree.folder.parent / "passed" / f"{mutant.number}.json"
    tried = json.loads(passed.read_text(encoding="utf-8")) if passed.exists() else []
    with forks.tree.holding({mutant.file: changed}):
        for wave in waves:
            new = [name for name in wave if name not in tried]
            if not new:
                continue
            failed, ended, spent = run_wave(forks, mapped, new, outcome)
            seconds += spent
            tried += new
            if ended != "passed":
                return Found(mutant.number, ended, failed, len(tried), left, round(seconds, 1))
    passed.parent.mkdir(exist_ok=True)
    passed.write_text(json.dumps(tried), encoding="utf-8")
    return Found(mutant.number, "survived", "", len(tried), left, round(seconds, 1))


def run_wave(forks: Forks, mapped: Map, wave: list[str], outcome: Path) -> tuple[str, str, float]:
    """Run tests in one process; return the first that failed, how it ended, and the seconds of processor time."""
    outcome.unlink(missing_ok=True)
    files = list(dict.fromkeys(name.partition("::")[0] for name in wave))
    usual = sum(mapped.tests[name].seconds for name in wave)
    most = 3 * usual + 30
    ended = forks.run(files, Chosen(wave, mapped.known, outcome), most, 4 * most, ["-x"])
    failed, last, spent = json.loads(outcome.read_text()) if outcome.exists() else ("", wave[0], most)
    if ended in ("time", "crashed"):
        return failed or last, ended, spent if failed else most
    if failed or ended not in ("0", "5"):
        return failed or f"pytest ended {ended}", "killed", spent
    return "", "passed", spent


def run(forks: Forks, mutants: Sequence[Mutant], mapped: Map, args: argparse.Namespace) -> None:
    """Test every fault that has no result yet; with `retry` go on with those that no test noticed."""
    before, programs = read_results(args.known), forks.programs()
    done = read_results(args.results)
    for mutant in mutants:
        last = done.get(mutant.number)
        wanted = (last and last.ended in ("survived", "unreached")) if args.retry else last is None
        if not wanted or (args.only and mutant.number not in args.only):
            continue
        killer = before[mutant.number].by if mutant.number in before else ""
        found = test(forks, mapped, mutant, args.limit, killer, args.near)
        forks.forget(programs)
        with args.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(vars(found)) + "\n")
        print(f"{mutant.number} {mutant.file}:{mutant.line} {mutant.kind}: {found.ended} {found.by} "
              f"({found.tried} tests, {found.left} left out, {found.seconds} s)", flush=True)  # fmt: skip


def check(forks: Forks, mutants: Sequence[Mutant], mapped: Map, args: argparse.Namespace) -> None:
    """Run the tests of some faults without them: each has to pass."""
    for mutant in random.Random(args.seed).sample(list(mutants), min(args.count, 20)):
        source = (forks.tree.folder / mutant.file).read_text(encoding="utf-8")
        with forks.tree.holding({mutant.file: source}):
            for wave in mapped.waves(mutant, source, args.limit)[0]:
                failed, ended, spent = run_wave(forks, mapped, wave, forks.tree.folder.parent / "outcome.json")
                print(f"{mutant.number}: {len(wave)} tests {ended} {failed} ({spent:.1f} s)", flush=True)


def report(mutants: Sequence[Mutant], results: dict[int, Found], before: dict[int, Found]) -> None:
    """Print a table by room, the survivors, and what died before and did not now."""
    print("| room | drawn | noticed | not noticed | of these equivalent | not reached | line gone |")
    print("|---|---|---|---|---|---|---|")
    total: Counter[str] = Counter()
    for room in (*dict.fromkeys(mutant.room for mutant in mutants), "all"):
        row: Counter[str] = Counter()
        for mutant in mutants:
            if mutant.room == room and mutant.number in results:
                found = results[mutant.number]
                row.update(["drawn", "dead" if found.dead else found.ended])
                row["equal"] += found.ended in ("survived", "unreached") and bool(mutant.equivalent)
        total += row
        row = total if room == "all" else row
        keys = ("drawn", "dead", "survived", "equal", "unreached", "gone")
        print(f"| {room} | " + " | ".join(str(row[key]) for key in keys) + " |")
    noticed = {number for number, found in before.items() if found.dead}
    for title, numbers in (("Not noticed", {*results}), ("Noticed before, not now", noticed)):
        print(f"\n{title}:")
        for mutant in mutants:
            found = results.get(mutant.number)
            if found and mutant.number in numbers and not found.dead and not mutant.equivalent:
                cut = f", {found.left} tests left out" if found.left else ""
                print(f"  {mutant.number} {mutant.file}:{mutant.line} {found.ended}{cut}: {mutant.text.strip()}\n"
                      f"      {mutant.old!r} -> {mutant.new!r}")  # fmt: skip


def show(mutant: Mutant, root: Path) -> None:
    """Print a fault as a difference."""
    source = (root / mutant.file).read_text(encoding="utf-8")
    changed = mutant.apply(source)
    if changed is None:
        print(f"{mutant.number} {mutant.file}: {mutant.equivalent or 'not found'}")
        return
    lines = (source.splitlines(), changed.splitlines(), mutant.file, f"{mutant.kind} {mutant.equivalent}")
    print("\n".join(difflib.unified_diff(*lines, lineterm="")))


def main() -> None:
    """Read the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("draw", "map", "run", "check", "report", "show"))
    parser.add_argument("only", nargs="*", help="numbers of faults; of `map`: groups of tests")
    parser.add_argument("--root", type=Path, default=HERE.parents[1], help="the repository whose tests run")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "dialoscope-mutants")
    parser.add_argument("--results", type=Path, help="default: results.jsonl in the work folder")
    parser.add_argument("--known", type=Path, default=BEFORE, help="results before; their failing tests come first")
    parser.add_argument("--limit", type=float, default=150.0, help="seconds of processor time of the tests of a fault")
    parser.add_argument(
        "--retry", action="store_true", help="go on with faults that no test noticed: with a larger limit or map"
    )
    parser.add_argument("--near", action="store_true", help="only tests of the room's folder, which notice most")
    parser.add_argument("--again", action="store_true", help="make the map anew")
    parser.add_argument("--count", type=int, default=340)
    parser.add_argument("--seed", type=int, default=37)
    args = parser.parse_intermixed_args()
    args.results = (args.results or args.work / "results.jsonl").resolve()
    args.root, args.work, args.known = args.root.resolve(), args.work.resolve(), args.known.resolve()
    if args.command == "draw":
        mutant_kinds.write(DRAWN, mutant_kinds.draw(args.root, args.count, args.seed))
        return
    mutants = mutant_kinds.read(DRAWN)
    if args.command == "report":
        report(mutants, read_results(args.results), read_results(args.known))
        return
    if args.command == "show":
        for number in args.only:
            show(mutants[int(number)], args.root)
        return
    forks = Forks(Tree(args.root, args.work / "tree"), args.work / "log.txt")
    if args.command == "map":
        make_map(forks, mutants, args.work / "map", args.again, args.only)
        return
    args.only = [int(number) for number in args.only]
    tell: Any = {"run": run, "check": check}[args.command]
    tell(forks, mutants, Map(args.work / "map"), args)


if __name__ == "__main__":
    main()
