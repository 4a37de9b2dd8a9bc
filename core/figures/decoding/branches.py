"""Pictures of the branches that a user forked: the tree of them, and two of them in a race."""

from collections.abc import Sequence
from itertools import accumulate, zip_longest
from os.path import commonprefix

from plotly.graph_objects import Figure, Scatter

from core.explain.decoding.beams import length_score
from core.explain.decoding.branches import Branch, Branches, Path
from core.figures.shared.marks import line
from core.figures.shared.palette import AMOUNT, RULE, SERIES, annotate, base, mark_step, note
from core.figures.shared.picture import Picture
from core.figures.shared.wording import cut, escape, nats, number, percent, plain, quoted, token_text, wrapped
from core.trace import DecodingStep
from core.words import later, say

COLORS = (AMOUNT, *SERIES)
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "star", "cross")
LINE, LINES, LETTERS = 18, 3, 44
"""Pixels of a line of text, most lines of a branch, and letters of a line (they fit a phone)."""
FRAME = 130
TICKS = 12


def branch_tree(tree: Branches, current: Path, penalty: float) -> Picture:
    """Branches one under another, each from the step at which it leaves its parent, with its own words above it.

    Args:
        tree: its branches.
        current: path of the branch that the page looks at.
        penalty: exponent of the length in the score, log P / length^penalty.

    Returns:
        The picture; the points' customdata is the place of the branch.

    Raises:
        ValueError: there are no branches, or a branch has no tokens.
    """
    branches = tree.items
    if not branches or any(not branch.tokens for branch in branches):
        raise ValueError(
            "branches must hold at least one branch, each with tokens. "
            f"Received: {len(branches)} with {[len(branch.tokens) for branch in branches]} tokens"
        )
    figure, place, lines, notes, traces = Figure(), 0.0, dict[Path, float](), [], []
    for branch in _order(tree):
        words, shown, top = _lines_of(_own_text(tree, branch)), branch.path == current, place
        place += LINE * (len(words) + 1) + 12
        lines[branch.path] = place
        if branch.path:
            style, ends = {"color": RULE, "width": 2}, [lines[branch.path[:-1]], place]
            traces.append(line(say("fork"), style, [branch.step] * 2, ends, showlegend=False))
        traces.append(_line(branch, branches.index(branch), place, shown))
        place += 16
        heading = _heading(branch, words, shown)
        notes.append(note(heading, 0, top, xref="x domain", xanchor="left", yanchor="top", align="left"))
    annotate(figure, notes)
    figure.add_traces(traces)
    longest = max(len(branch.tokens) for branch in branches)
    base(figure, say("Step"), say("Branches"), round(place) + FRAME)
    figure.update_xaxes(range=[-0.2, longest + 0.6], tick0=0, dtick=max(1, -(-longest // TICKS)), showgrid=False)
    figure.update_yaxes(range=[place, -6], showgrid=False, showticklabels=False)
    scores = [length_score(branch.log_probability, len(branch.ids), penalty) for branch in branches]
    return Picture("branches", figure, _tree_caption(branches, scores), _tree_table(tree, scores))


def _order(tree: Branches) -> list[Branch]:
    """Each branch directly followed by those that leave it, the later forks first, so that few lines cross."""
    order, waiting = list[Branch](), [tree.items[0]]
    while waiting:
        order.append(waiting.pop())
        leaving = [branch for branch in tree.items if tree.parent(branch) is order[-1]]
        waiting += sorted(leaving, key=lambda branch: branch.step)
    return order


def _own_text(tree: Branches, branch: Branch) -> str:
    """The words after those that a branch shares with its parent."""
    words, parent = branch.text.split(), tree.parent(branch)
    shared = len(commonprefix([words, parent.text.split()])) if parent else 0
    return "… " + " ".join(words[shared:]) if shared else " ".join(words)


def _lines_of(text: str) -> list[str]:
    lines = wrapped(text, LETTERS)
    return [*lines[: LINES - 1], cut(" ".join(lines[LINES - 1 :]), LETTERS)] if len(lines) > LINES else lines


def _heading(branch: Branch, words: Sequence[str], shown: bool) -> str:
    head = [f"<b>{escape(cut(branch.name, LETTERS - 22))}</b>"]
    if shown:
        head.append(say("shown now"))
    head.append(say("{value} a token", value=number(branch.mean)))
    return "<br>".join([" · ".join(head), *(escape(line) for line in words)])


def _line(branch: Branch, index: int, y: float, shown: bool) -> Scatter:
    color, symbol = COLORS[index % len(COLORS)], SYMBOLS[index % len(SYMBOLS)]
    size = 10 if shown else 8
    steps = list(range(branch.step, len(branch.tokens)))
    hover = [
        f"{escape(branch.name)}<br>{step + 1} · {escape(plain(branch.tokens[step]))}<br>"
        + say("log-probability {value}", value=nats(branch.log_probabilities[step]))
        for step in steps
    ]
    return line(
        escape(cut(branch.name, 24)),
        {"color": color, "width": 6 if shown else 3},
        [branch.step, *(step + 1 for step in steps)],
        [y] * (len(steps) + 1),
        [escape(branch.name), *hover],
        {"symbol": symbol, "opacity": 1, "size": [0, *[size] * len(steps)], "line": {"width": 0}},
        customdata=[index] * (len(steps) + 1),
    )


def _tree_caption(branches: Sequence[Branch], scores: Sequence[float]) -> str:
    best = max(branches, key=lambda branch: branch.mean)
    if len(branches) == 1:
        return say(
            "One branch so far, “{name}”: log P is {total}, {mean} a token.",
            name=best.name,
            total=nats(best.log_probability),
            mean=nats(best.mean),
        )
    others = [branch for branch in branches if branch is not best]
    second = max(others, key=lambda branch: branch.mean)
    return say(
        "Of {count} branches, “{best}” has the highest log-probability per token, {mean} (score {score}); "
        "next is “{second}” with {other}.",
        count=len(branches),
        best=best.name,
        mean=number(best.mean),
        score=number(scores[branches.index(best)]),
        second=second.name,
        other=number(second.mean),
    )


def _tree_table(tree: Branches, scores: Sequence[float]) -> dict[str, list[object]]:
    branches, parents = tree.items, map(tree.parent, tree.items)
    return {
        later("Name"): [branch.name for branch in branches],
        later("Leaves"): [parent.name if parent else "" for parent in parents],
        later("At step"): [branch.step + 1 for branch in branches],
        later("Text"): [branch.text for branch in branches],
        later("Tokens"): [len(branch.tokens) for branch in branches],
        later("Log-probability (nats)"): [branch.log_probability for branch in branches],
        later("Per token (nats)"): [branch.mean for branch in branches],
        later("Score"): [*scores],
    }


def race(
    first: Sequence[DecodingStep], second: Sequence[DecodingStep], names: tuple[str, str], places: tuple[int, int]
) -> Picture:
    """Log-probability of two branches, summed up along their steps.

    Args:
        first: the steps of one branch, at least one.
        second: those of the other, at least one.
        names: of the branches.
        places: of both in the tree, which give them the same colours there and here.

    Returns:
        The picture; the points' customdata is the step.

    Raises:
        ValueError: a branch has no steps.
    """
    if not first or not second:
        raise ValueError(f"both branches must have steps. Received: {len(first)} and {len(second)}")
    pairs = (first, second)
    sums = [list(accumulate(step.log_probability for step in steps)) for steps in pairs]
    apart = _apart(first, second)
    figure = Figure()
    styles = ({"width": 3.5, "dash": "solid"}, {"width": 2.5, "dash": "6px,4px"})
    for steps, totals, name, branch, dashes in zip(pairs, sums, names, places, styles, strict=True):
        style, symbol = dashes | {"color": COLORS[branch % len(COLORS)]}, SYMBOLS[branch % len(SYMBOLS)]
        hover = [
            f"{escape(name)}<br>{place} · {escape(quoted(step.token))}: {percent(step.probability)}<br>"
            + say("log P so far {value}", value=nats(total))
            for place, (step, total) in enumerate(zip(steps, totals, strict=True), 1)
        ]
        hover, marker = [say("before the first token"), *hover], {"symbol": symbol, "size": 8}
        across, heights, label = list(range(len(totals) + 1)), [0.0, *totals], escape(cut(name, 24))
        codes = [0, *range(len(totals))]
        figure.add_trace(line(label, style, across, heights, hover, marker, customdata=codes))
    base(figure, say("Step"), say("Log-probability so far (nats)"), 400)
    longest = max(map(len, pairs))
    figure.update_xaxes(showgrid=False, dtick=max(1, -(-longest // TICKS)), range=[-0.3, longest + 0.5])
    if apart is not None:
        mark_step(figure, apart + 1, say("where they part"))
    return Picture("race", figure, _race_caption(pairs, sums, names, apart), _race_table(pairs, sums, names))


def _apart(first: Sequence[DecodingStep], second: Sequence[DecodingStep]) -> int | None:
    """The first step at which the tokens differ, or one branch has ended; None for equal branches."""
    pairs = zip_longest(*([step.token.id for step in steps] for steps in (first, second)))
    return next((place for place, (one, other) in enumerate(pairs) if one != other), None)


def _race_caption(
    pairs: tuple[Sequence[DecodingStep], Sequence[DecodingStep]],
    sums: Sequence[Sequence[float]],
    names: tuple[str, str],
    apart: int | None,
) -> str:
    if apart is None:
        total = nats(sums[0][-1])
        return say("“{first}” and “{second}” say the same, with {total}.", first=names[0], second=names[1], total=total)
    words = [quoted(steps[apart].token) if apart < len(steps) else say("nothing more") for steps in pairs]
    gap = sums[0][-1] - sums[1][-1]
    means = [total[-1] / len(total) for total in sums]
    ahead, mean = (0 if gap >= 0 else 1), (0 if means[0] >= means[1] else 1)
    values = {"step": apart + 1, "first": words[0], "second": words[1], "ahead": names[ahead], "gap": nats(abs(gap))}
    values["mean"] = nats(abs(means[0] - means[1]))
    if ahead == mean:
        return say(
            "They part at step {step} ({first} against {second}); at the end “{ahead}” is ahead by {gap}, "
            "and also per token, by {mean}.",
            **values,
        )
    return say(
        "They part at step {step} ({first} against {second}); at the end “{ahead}” is ahead by {gap}, "
        "but “{other}” is per token, by {mean}.",
        other=names[mean],
        **values,
    )


def _race_table(
    pairs: tuple[Sequence[DecodingStep], Sequence[DecodingStep]],
    sums: Sequence[Sequence[float]],
    names: tuple[str, str],
) -> dict[str, list[object]]:
    rows = [(side, place, step) for side, steps in enumerate(pairs) for place, step in enumerate(steps)]
    return {
        later("Branch"): [names[side] for side, _, _ in rows],
        later("Step"): [place + 1 for _, place, _ in rows],
        later("Token"): [token_text(step.token) for _, _, step in rows],
        later("Log-probability (nats)"): [step.log_probability for _, _, step in rows],
        later("So far (nats)"): [sums[side][place] for side, place, _ in rows],
    }
