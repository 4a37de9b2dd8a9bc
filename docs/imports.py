"""Draw which part of the project imports which, and list the rooms of each page.

`make docs` writes docs/imports.svg and the table in docs/architecture.md, `--check` compares them.

A box is a part of the project, a line an import, and every line points down. A line that follows from others is left
out: where a imports b and b imports c, a line from a to c would say nothing more about the order. Imports for types
only are left out, imports inside functions are not.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.tables import with_table, write
from tests.layering import VALUES, imports_of, part_of, project, resolve

PICTURE = ROOT / "docs" / "imports.svg"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
ROOMS = ("figures", "explain", "experiments")
"""Parts of core that have rooms of pages."""
HEAD = """\
| page | files in `core/figures/` | in `core/explain/` | in `core/experiments/` | other parts of core |
|---|---|---|---|---|
"""
BOX = (186, 34)
"""Width and height of a box in pixels."""
ROW = 74
"""Pixels from the top of a row to that of the next one."""
GAP = 18
"""Fewest pixels between two boxes of a row, or between a box and a line that passes it."""
SWEEPS = 24
STYLE = """
  .ground { fill: #ffffff } .box { fill: #e8f0fa; stroke: #1f5fa8 } .pages { fill: #fbeee3; stroke: #b05a16 }
  path { fill: none; stroke: #8a96a6; stroke-width: 1.4 } text { fill: #10161f; font: 14px system-ui, sans-serif }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1218 } .box { fill: #16263a; stroke: #6fb7f0 } .pages { fill: #33210f; stroke: #f0914a }
    path { stroke: #647387 } text { fill: #e9edf2 }
  }
"""

Graph = Mapping[str, set[str]]
Point = tuple[str, int]
"""A name on a level: a box, or the place on a higher level where a line to that box passes."""


def box_of(module: str, packages: frozenset[str]) -> str:
    """Name the box of a module: a part of core, a room of pages/shared, the pages, or the app."""
    names = module.split(".")
    if names[0] == "core":
        return "/".join(["core", *part_of(module).split(".")]).rstrip("/")
    if names[:2] == ["pages", "shared"]:
        return "/".join(names[1:3] if len(names) > 3 or module in packages else names[1:2])
    return names[0]


def read() -> dict[str, set[str]]:
    """Return for every box the boxes that it imports."""
    sources, packages = project()
    graph: dict[str, set[str]] = {box_of(module, packages): set() for module in sources}
    for module, source in sources.items():
        for item in imports_of(source, module, is_package=module in packages):
            if item.package in ("app", "core", "pages") and not item.typing_only:
                graph[box_of(module, packages)].add(box_of(resolve(item.name, sources), packages))
    alone = {
        box for box, others in graph.items() if not others - {box} and not any(box in graph[each] for each in graph)
    }
    return joined({box: others - {box} for box, others in sorted(graph.items()) if box not in alone})


def joined(graph: Graph) -> dict[str, set[str]]:
    """Make one box of those that import one another: rooms may, modules may not."""
    below = {box: set(others) for box, others in graph.items()}
    for _ in graph:
        below = {box: others.union(*(below[other] for other in others)) for box, others in below.items()}
    groups = {box: {box} | {other for other in below[box] if box in below[other]} for box in graph}
    names = {box: _together(sorted(group)) for box, group in groups.items()}
    return {
        names[box]: {names[other] for each in group for other in graph[each]} - {names[box]}
        for box, group in groups.items()
    }


def _together(boxes: list[str]) -> str:
    folder = boxes[0].rpartition("/")[0] + "/"
    return boxes[0] if len(boxes) == 1 else folder + " + ".join(box.removeprefix(folder) for box in boxes)


def levels_of(graph: Graph) -> dict[str, int]:
    """Return the level of every box: 0 if it imports nothing, else one more than the highest that it imports.

    Raises:
        ValueError: boxes import one another.
    """
    levels: dict[str, int] = {}
    while len(levels) < len(graph):
        ready = sorted(box for box in graph.keys() - levels.keys() if graph[box] <= levels.keys())
        if not ready:
            raise ValueError(f"these parts import one another: {', '.join(sorted(graph.keys() - levels.keys()))}")
        levels.update({box: max((levels[other] + 1 for other in graph[box]), default=0) for box in ready})
    return levels


def reduced(graph: Graph, levels: Mapping[str, int]) -> dict[str, set[str]]:
    """Leave out each import that follows from others."""
    below: dict[str, set[str]] = {}
    for box in sorted(graph, key=lambda each: levels[each]):
        below[box] = graph[box].union(*(below[other] for other in graph[box]))
    return {box: others - set().union(*(below[other] for other in others)) for box, others in graph.items()}


def lines_of(graph: Graph, levels: Mapping[str, int]) -> list[list[Point]]:
    """Return each line as its points from the upper box down, one a level; lines to one box join on their way."""
    return [
        [(box, levels[box]), *((other, level) for level in range(levels[box] - 1, levels[other] - 1, -1))]
        for box, others in sorted(graph.items())
        for other in sorted(others)
    ]


def arrange(points: Iterable[Point], lines: Iterable[list[Point]], levels: Mapping[str, int]) -> dict[Point, float]:
    """Return the x of the middle of every point, near the points it is joined to and clear of its row's others."""
    rows: dict[int, list[Point]] = {}
    for point in sorted(set(points)):
        rows.setdefault(point[1], []).append(point)
    near: dict[Point, list[Point]] = {point: [] for row in rows.values() for point in row}
    for line in lines:
        for upper, lower in zip(line, line[1:], strict=False):
            near[upper].append(lower)
            near[lower].append(upper)

    def width(point: Point) -> float:
        return (BOX[0] if levels[point[0]] == point[1] else 0) + GAP

    x = {point: place for row in rows.values() for point, place in zip(row, _spread(row, width), strict=True)}
    for sweep in range(SWEEPS):
        for level in sorted(rows, reverse=bool(sweep % 2)):
            wanted = {p: sum(x[each] for each in near[p]) / len(near[p]) if near[p] else x[p] for p in rows[level]}
            rows[level].sort(key=lambda point: (round(wanted[point], 3), point))
            x.update(_apart(rows[level], wanted, width))
    left = min(middle - width(point) / 2 for point, middle in x.items())
    return {point: middle - left + GAP / 2 for point, middle in x.items()}


def _spread(row: list[Point], width: Callable[[Point], float]) -> list[float]:
    """Middles of the points of a row side by side, about 0."""
    whole, places, edge = sum(map(width, row)), [], 0.0
    for point in row:
        places.append(edge + width(point) / 2 - whole / 2)
        edge += width(point)
    return places


def _apart(row: list[Point], wanted: Mapping[Point, float], width: Callable[[Point], float]) -> dict[Point, float]:
    """Keep the order and clear the overlaps: the mean of pushing to the right and of pushing to the left."""
    found = []
    for order, side in ((row, 1), (row[::-1], -1)):
        places: dict[Point, float] = {}
        edge = None
        for point in order:
            middle = side * wanted[point]
            places[point] = middle if edge is None else max(middle, edge + width(point) / 2)
            edge = places[point] + width(point) / 2
        found.append({point: side * place for point, place in places.items()})
    return {point: (found[0][point] + found[1][point]) / 2 for point in row}


def draw(graph: Graph) -> str:
    """Return the picture as SVG, the same bytes for the same graph."""
    levels = levels_of(graph)
    lines = lines_of(reduced(graph, levels), levels)
    points = [(box, levels[box]) for box in graph] + [point for line in lines for point in line]
    x, highest = arrange(points, lines, levels), max(levels.values())
    width, height = round(max(x.values()) + BOX[0] / 2 + GAP), highest * ROW + BOX[1] + 2 * GAP

    def y(level: int) -> int:
        return GAP + (highest - level) * ROW

    parts = [f'<rect class="ground" width="{width}" height="{height}"/>']
    for line in lines:
        path = f"M{x[line[0]]:.0f} {y(line[0][1]) + BOX[1]}"
        for upper, lower in zip(line, line[1:], strict=False):
            start, end = y(upper[1]) + BOX[1], y(lower[1])
            path += f"C{x[upper]:.0f} {(start + end) // 2} {x[lower]:.0f} {(start + end) // 2} {x[lower]:.0f} {end}"
            if levels[lower[0]] != lower[1]:
                path += f"V{end + BOX[1]}"
        parts.append(f'<path d="{path}"><title>{escape(f"{line[0][0]} imports {line[-1][0]}")}</title></path>')
    for box, level in levels.items():
        left, top = x[box, level] - BOX[0] / 2, y(level)
        kind = "box" if box.startswith("core") else "box pages"
        parts.append(f'<rect class="{kind}" x="{left:.0f}" y="{top}" width="{BOX[0]}" height="{BOX[1]}" rx="6"/>')
        label = escape(box.removeprefix("core/"))
        parts.append(f'<text x="{x[box, level]:.0f}" y="{top + 22}" text-anchor="middle">{label}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    title = "The parts of the project; every line points from a part to one that it imports"
    return "\n".join([f'{head} role="img">', f"<title>{title}</title><style>{STYLE}</style>", *parts, "</svg>", ""])


def rooms() -> str:
    """Return the table page → rooms as Markdown: the files of its rooms, and what else of core its parts import."""
    sources, packages = project()
    pages = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
    rows = []
    for page in pages:
        own = [name for name in sources if f"{name}.".startswith((f"pages.{page}.", f"pages.parts.{page}."))]
        used = {
            part_of(resolve(item.name, sources))
            for name in own
            for item in imports_of(sources[name], name, is_package=name in packages)
            if item.package == "core"
        }
        files = [
            ", ".join(
                name.rpartition(".")[2]
                for name in sorted(sources)
                if name not in packages and _page_of(name, part, pages) == page
            )
            for part in ROOMS
        ]
        others = ", ".join(sorted(used - {*ROOMS, "", *VALUES}))
        rows.append(f"| {' | '.join([f'`{page}`', *files, others])} |\n".replace("  ", " "))
    return HEAD + "".join(rows)


def _page_of(module: str, part: str, pages: list[str]) -> str | None:
    """Return the page whose room of a part a module lies in; what lies in no room is of the page with that name."""
    names = module.split(".")
    if names[:2] != ["core", part]:
        return None
    return names[2] if names[2] in pages or len(names) > 3 else part


def main() -> int:
    """Write the picture and the table, or with `--check` say which is out of date; returns the exit status."""
    table = with_table(ARCHITECTURE.read_text(encoding="utf-8"), HEAD, rooms())
    return write({PICTURE: draw(read()), ARCHITECTURE: table})


if __name__ == "__main__":
    sys.exit(main())
