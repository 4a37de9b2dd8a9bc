"""The picture of a beam search: every beginning that was considered, as a tree from left to right."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import exp

from plotly.graph_objects import Figure

from core.config import END
from core.explain.decoding.beams import BeamNode, BeamTree, Ending, length_score
from core.figures.decoding import tree_layout
from core.figures.shared.marks import line, points
from core.figures.shared.palette import AMOUNT, FONT, GREY, SERIES, annotate, base, note, token_ticks
from core.figures.shared.picture import Picture
from core.figures.shared.wording import count, cut, escape, number, percent, plain
from core.words import later, say

WIDTHS = ((0.05, 1.0), (0.3, 2.5), (1.0, 5.0))
"""Widths of lines: up to this share of a step's probability, so many pixels."""
STYLES = {
    "summary": (later("the summary"), AMOUNT, "circle", 9),
    "live": (later("went on for a while"), SERIES[2], "circle-open", 7),
    "finished": (later("finished"), SERIES[0], "circle", 13),
    "pruned": (later("pruned"), GREY, "x-thin-open", 6),
}
"""Legend (marked with `later`), colour, symbol and size."""
FATES = {
    "live": later("live"),
    "open": later("live at the end"),
    "finished": later("finished"),
    "pruned": later("pruned"),
}
"""What became of a node; marked with `later`."""
FEW = 32
"""Steps up to which the points have their full size."""
LOWEST, HIGHEST, ROW, FRAME = 340, 900, 26, 210
"""Height of the picture, of a row, and of what is not rows, in pixels."""
PLOT_WIDTH = 300
"""Pixels for which the words beside nodes are chosen: the width of a phone, so that they never overlap."""
LETTER, WORD = 7.0, 10
"""Pixels of a letter, and letters of a word, that are shown beside a node."""
TAIL = 60
"""Characters of a beginning that a hover shows."""


def beam(tree: BeamTree, text: Callable[[int], str], penalty: float) -> Picture:
    """A beam search from left to right: merged beginnings, the summary as a thick line.

    Args:
        tree: all that was considered, at least one node.
        text: an id as on a label, a leading space kept.
        penalty: exponent of the length in the score, log P / length^penalty.

    Returns:
        The picture; the points' customdata is the index of the node.

    Raises:
        ValueError: the tree is empty.
    """
    if not tree.nodes:
        raise ValueError("tree must hold at least one node. Received: none")
    nodes = tree.nodes
    heights = tree_layout.rows([node.parent for node in nodes], _weights(nodes))
    beginnings = _beginnings(nodes, text)
    figure = Figure()
    _lines(figure, nodes, heights)
    _points(figure, nodes, heights, [_hover(node, beginnings[node.index], text, penalty) for node in nodes])
    top, bottom = min(heights), max(heights)
    height = min(HIGHEST, max(LOWEST, round(ROW * (bottom - top + 1)) + FRAME))
    steps = 1 + max(node.step for node in nodes)
    base(figure, say("Step, with the words of the summary\n(a thicker line: a larger share of its step)"), "", height)
    words = {node.step: _name(node, text) for node in nodes if node.chosen}
    figure.update_xaxes(**token_ticks([words.get(step, str(step + 1)) for step in range(steps)]))
    figure.update_xaxes(range=[-0.3, steps + 0.7])
    figure.update_yaxes(
        range=[bottom + 0.8, top - 0.8], showgrid=False, showticklabels=False, title={"text": say("Beginnings")}
    )
    figure.update_layout(dragmode="pan", margin_r=36, legend_itemsizing="constant")
    pitch = (height - FRAME) / (bottom - top + 1.6)
    notes = []
    for node in _labelled(nodes, heights, text, PLOT_WIDTH / (steps + 1), pitch):
        word, shift = escape(cut(_name(node, text), WORD)), 12 if _goes_up(node, heights) else -12
        notes.append(note(word, node.step + 1, heights[node.index], yshift=shift, font={"size": FONT - 2}))
    annotate(figure, notes)
    return Picture("beam", figure, _caption(nodes, penalty), _table(nodes, beginnings, text))


def _goes_up(node: BeamNode, heights: Sequence[float]) -> bool:
    """Whether the line to a node comes from below or from its own row, which leaves room for a word above it."""
    return heights[node.index] <= (heights[node.parent] if node.parent >= 0 else 0.0)


def _kind(node: BeamNode) -> str:
    """Which of STYLES a node has: the summary's first of all."""
    return "summary" if node.chosen else "live" if node.fate == "open" else node.fate


def _weights(nodes: Sequence[BeamNode]) -> list[float]:
    """What goes straight on: the summary, then what lasted longest, then what was likelier."""
    last = [node.step for node in nodes]
    for node in reversed(nodes):
        if node.parent >= 0:
            last[node.parent] = max(last[node.parent], last[node.index])
    return [1e9 * node.chosen + 1e4 * last[node.index] + node.log_probability for node in nodes]


def _lines(figure: Figure, nodes: Sequence[BeamNode], heights: Sequence[float]) -> None:
    """One trace for each fate and width: a trace a line would be slow."""
    best: dict[int, float] = {}
    for node in nodes:
        best[node.step] = max(node.log_probability, best.get(node.step, node.log_probability))
    odds = [exp(node.log_probability - best[node.step]) for node in nodes]
    totals = dict.fromkeys(best, 0.0)
    for node, odd in zip(nodes, odds, strict=True):
        totals[node.step] += odd
    groups: dict[tuple[str, float], tuple[list[float | None], list[float | None]]] = {}
    for node, odd in zip(nodes, odds, strict=True):
        width = next(width for share, width in WIDTHS if odd / totals[node.step] <= share or share == 1)
        x, y = groups.setdefault((_kind(node), width), ([], []))
        x += [node.step, node.step + 1, None]
        y += [heights[node.parent] if node.parent >= 0 else 0.0, heights[node.index], None]
    for kind in reversed(STYLES):
        for width in (width for _, width in WIDTHS):
            if (kind, width) in groups:
                style = {"color": STYLES[kind][1], "width": width + 3 if kind == "summary" else width}
                figure.add_trace(line(say(STYLES[kind][0]), style, *groups[kind, width], showlegend=False))


def _points(figure: Figure, nodes: Sequence[BeamNode], heights: Sequence[float], hover: Sequence[str]) -> None:
    shrink = min(1.0, max(0.7, FEW / (1 + max(node.step for node in nodes))))
    for kind, (name, color, symbol, size) in STYLES.items():
        members = [node for node in nodes if _kind(node) == kind]
        if members:
            end = size + 6 if kind == "summary" else size
            sizes = [shrink * (end if node.fate == "finished" else size) for node in members]
            marker = {"color": color, "symbol": symbol, "size": sizes, "opacity": 1}
            marker["line"] = {"width": 2 * shrink, "color": color}
            steps, indices = [node.step + 1 for node in members], [node.index for node in members]
            rows, texts = [heights[index] for index in indices], [hover[index] for index in indices]
            figure.add_trace(points(say(name), steps, rows, texts, marker, customdata=indices))


def _labelled(
    nodes: Sequence[BeamNode], heights: Sequence[float], text: Callable[[int], str], step: float, row: float
) -> list[BeamNode]:
    """The nodes whose word fits above them, the important ones first; the axis names those of the summary.

    `step` and `row` are the pixels between two steps, and between two rows.
    """
    place = {"finished": 0, "live": 1, "pruned": 2}
    taken: list[tuple[float, float, float]] = []
    chosen = []
    for node in sorted((node for node in nodes if not node.chosen), key=lambda node: (place[_kind(node)], node.index)):
        half = LETTER * len(cut(_name(node, text), WORD)) / 2 + 2
        x, y = step * (node.step + 1), row * heights[node.index] + (-12 if _goes_up(node, heights) else 12)
        if all(abs(x - left) >= half + other or abs(y - top) >= 17 for left, other, top in taken) and row >= 17:
            taken.append((x, half, y))
            chosen.append(node)
    return chosen


def _beginnings(nodes: Sequence[BeamNode], text: Callable[[int], str]) -> list[str]:
    beginnings: list[str] = []
    for node in nodes:
        before = beginnings[node.parent] if node.parent >= 0 else ""
        beginnings.append(before if node.id == END else before + text(node.id))
    return [beginning.strip() for beginning in beginnings]


def _name(node: BeamNode, text: Callable[[int], str]) -> str:
    return say("the end") if node.id == END else plain(text(node.id))


def _tail(beginning: str) -> str:
    return beginning if len(beginning) <= TAIL else "…" + beginning[-TAIL:].lstrip()


def _hover(node: BeamNode, beginning: str, text: Callable[[int], str], penalty: float) -> str:
    score = length_score(node.log_probability, node.step + 1, penalty)
    tail, token = escape(_tail(beginning)), escape(_name(node, text))
    if node.chosen:
        fate = say("the summary runs through it; {fate}", fate=say(FATES[node.fate]))
    else:
        fate = say("live when the search stopped") if node.fate == "open" else say(STYLES[_kind(node)][0])
    return "<br>".join(
        (
            say("“{beginning}”, the end", beginning=tail) if node.id == END else f"“{tail}”",
            say(
                "step {step} · {token}: {probability}",
                step=node.step + 1,
                token=token,
                probability=percent(exp(node.own)),
            ),
            say(
                "log P {total}, log P / length^{penalty:g} {score}",
                total=number(node.log_probability),
                penalty=penalty,
                score=number(score),
            ),
            fate,
        )
    )


def _caption(nodes: Sequence[BeamNode], penalty: float) -> str:
    fates = Counter("live" if node.fate == "open" else node.fate for node in nodes)
    values: dict[str, object] = {name: fates[name] for name in ("live", "finished", "pruned")}
    values["beginnings"] = count(len(nodes), "beginning")
    end = next((node for node in reversed(nodes) if node.chosen), None)
    if end is None:
        return say(
            "Of {beginnings} that were considered, {live} lived on, {finished} finished and {pruned} were pruned.",
            **values,
        )
    score = length_score(end.log_probability, end.step + 1, penalty)
    return say(
        "Of {beginnings} that were considered, {live} lived on, {finished} finished and {pruned} were pruned; the "
        "summary ended with log P {total} after {tokens}: a score of {score} (log P / length^{penalty:g}).",
        **values,
        total=number(end.log_probability),
        tokens=count(end.step + 1, "token"),
        score=number(score),
        penalty=penalty,
    )


def _table(nodes: Sequence[BeamNode], beginnings: Sequence[str], text: Callable[[int], str]) -> dict[str, list[object]]:
    return {
        later("Step"): [node.step + 1 for node in nodes],
        later("Token"): [_name(node, text) for node in nodes],
        later("Beginning"): list(beginnings),
        later("Log-probability (nats)"): [node.log_probability for node in nodes],
        later("Token probability"): [exp(node.own) for node in nodes],
        later("Fate"): [say(FATES[node.fate]) for node in nodes],
        later("In the summary"): [node.chosen for node in nodes],
    }


def finished_table(endings: Sequence[Ending], first: Sequence[int], texts: Sequence[str]) -> dict[str, list[object]]:
    """Return the finished hypotheses as a table, with headings marked with `later`.

    Args:
        endings: best first.
        first: their nodes in the order of the search itself.
        texts: their summaries.
    """
    return {
        later("Rank"): list(range(1, len(endings) + 1)),
        later("Score"): [ending.score for ending in endings],
        later("Log-probability"): [ending.log_probability for ending in endings],
        later("Tokens"): [len(ending.ids) for ending in endings],
        later("Rank in the search"): [first.index(ending.node) + 1 for ending in endings],
        later("Summary"): [*texts],
    }


def finished_caption(
    endings: Sequence[Ending], first: Sequence[int], texts: Sequence[str], penalty: float, used: float
) -> str:
    """Return whether another length penalty than the one used had chosen another summary; see `finished_table`."""
    best = endings[0]
    if best.node == first[0]:
        line = say(
            "With a = {penalty:g} the same summary stays first as in the search (a = {used:g}).",
            penalty=penalty,
            used=used,
        )
    else:
        line = say(
            "With a = {penalty:g} “{text}…” with {tokens} would be first; "
            "the search (a = {used:g}) had it at rank {rank}.",
            penalty=penalty,
            text=texts[0][:60],
            tokens=count(len(best.ids), "token"),
            used=used,
            rank=first.index(best.node) + 1,
        )
    only = say("Only this list is sorted anew: with another penalty the search itself might have stopped elsewhere.")
    return f"{line} {only}"
