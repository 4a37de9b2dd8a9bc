"""Pictures of the way from text to ids: the merges of a word, and what fits into a length.

Bytes are written by `readable`: a blank is a dot.
"""

from collections.abc import Sequence
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from plotly.graph_objects import Bar, Figure

from core.figures.shared.marks import bars, words
from core.figures.shared.palette import AMOUNT, FAINT, FONT, GREY, Note, annotate, base, faded, speaker_styles
from core.figures.shared.picture import Picture
from core.figures.shared.rows import Turn, frame, head, row_bars, row_ticks, turn_label, write
from core.figures.shared.wording import count, cut, escape, listed
from core.words import later, say

if TYPE_CHECKING:
    from core.text.merges import Merged

STEP = 34
"""Pixels of one step of merging."""
MADE = faded(AMOUNT, 0.38)
"""Ground of a symbol that a step made: the page's ink stays readable on it."""
MANY = 40
"""Rows of turns: of more turns, neighbours with the same fate share a row."""
MARKS, PREFIXED = later("[TURN] and [EOS]"), later("special tokens and prefix")
"""What stands in a sequence beside the tokens of the turns: here, and in imported models."""
LONG = 4
"""Longest bar of padding, in lengths of the longest turn: a longer one would make the turns too small to see."""


def readable(raw: bytes) -> str:
    """Bytes for the eye: a blank is a dot, and what is no whole or no visible character is written in hexadecimal."""
    try:
        text = raw.decode("utf-8").replace(" ", "·")
    except UnicodeDecodeError:
        text = ""
    return text if text.isprintable() and text else raw.hex(" ").upper()


def merge_steps(merged: "Merged", rules: int) -> Picture:
    """The symbols of a word after each merge, from its bytes down to its tokens.

    Args:
        merged: the steps of one word, at least one byte.
        rules: how many rules the tokenizer has.

    Raises:
        ValueError: the word is empty.
    """
    if not merged.ids:
        raise ValueError("the word must have at least one byte. Received: an empty word")
    cells = [
        (row, start, symbol, place in step.merged)
        for row, step in enumerate(merged.steps)
        for place, (start, symbol) in enumerate(zip(_starts(step.symbols), step.symbols, strict=True))
    ]
    figure = Figure()
    for legend, fill, edge, made in (
        (say("as before"), FAINT, GREY, False),
        (say("made by this rule"), MADE, AMOUNT, True),
    ):
        chosen = [(row, start, symbol) for row, start, symbol, is_made in cells if is_made == made]
        hover = [
            f"{escape(readable(symbol))}<br>{count(len(symbol), 'byte')}: {symbol.hex(' ').upper()}"
            for _, _, symbol in chosen
        ]
        figure.add_trace(boxes(legend, fill, edge, [(row, start, len(symbol)) for row, start, symbol in chosen], hover))
    labels = [(row, start, len(symbol), escape(readable(symbol))) for row, start, symbol, _ in cells]
    titles = say("Byte (UTF-8), the blank in front included"), say("Byte (UTF-8); a dot marks a word's end")
    first = say("bytes") if merged.units == "bytes" else say("characters")
    names = [first, *(say("rule {rule:,}", rule=step.rule) for step in merged.steps[1:])]
    box_axes(figure, labels, names, (titles[merged.units != "bytes"], ""))
    for place in _starts(merged.pieces)[1:]:
        figure.add_vline(
            x=place,
            line={"color": GREY, "width": 2, "dash": "dot"},
            name=say("no merge reaches across"),
            showlegend=True,
        )
    return Picture("merges", figure, _merge_caption(merged, rules), _merge_table(merged))


def _starts(parts: Sequence[bytes]) -> list[int]:
    """The first byte of each part."""
    return [0, *accumulate(map(len, parts))][:-1]


def boxes(name: str, fill: str, edge: str, places: Sequence[tuple[int, int, int]], hover: Sequence[str]) -> Bar:
    """Boxes of one meaning, each with its row, first character and length."""
    rows, starts, lengths = ([place[part] for place in places] for part in range(3))
    more = {"base": starts, "orientation": "h", "width": 0.8, "marker": {"line": {"color": edge, "width": 1.5}}}
    return bars(name, fill, lengths, rows, hover, **more)


def box_axes(
    figure: Figure, labels: Sequence[tuple[int, int, int, str]], names: Sequence[str], titles: tuple[str, str]
) -> None:
    """Write into each box its text, and give the figure its frame.

    Args:
        figure: with its boxes.
        labels: of the boxes: row, first character, length, and text, escaped.
        names: of the rows, escaped.
        titles: of the axes, x first.
    """
    size = max(start + length for _, start, length, _ in labels)
    middles = [start + length / 2 for _, start, length, _ in labels]
    figure.add_trace(words(middles, [row for row, *_ in labels], [text for *_, text in labels], FONT))
    base(figure, *titles, STEP * len(names) + 125)
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(range=[0, size], tickvals=list(range(0, size + 1, -(-size // 12))), showgrid=False)
    figure.update_yaxes(**row_ticks(names))


def _merge_caption(merged: "Merged", rules: int) -> str:
    merges = len(merged.steps) - 1
    tokens = [readable(token) for token in merged.tokens]
    shown = f"{listed(tokens)}." if len(tokens) <= 8 else ", ".join([*tokens[:8], "…"])
    if not merges:
        symbols = count(len(tokens), "symbol")
        return say("No rule fits: each of the {symbols} stays a token: {tokens}", symbols=symbols, tokens=shown)
    parts = (
        count(sum(map(len, merged.pieces)), "byte")
        if merged.units == "bytes"
        else count(len(merged.steps[0].symbols), "character")
    )
    made = ", ".join([parts, count(merges, "merge"), count(len(tokens), "token")])
    rarest = say(
        "The rarest pair needed rule {last:,} of {rules:,}; what training saw often was learnt first.",
        last=max(step.rule or 0 for step in merged.steps),
        rules=rules,
    )
    return f"{made}: {shown} {rarest}"


def _merge_table(merged: "Merged") -> dict[str, list[object]]:
    pairs: list[tuple[str, str]] = [("", "")]
    for before, after in zip(merged.steps, merged.steps[1:], strict=False):
        first = after.merged[0]
        pairs.append((readable(before.symbols[first]), readable(before.symbols[first + 1])))
    return {
        later("Step"): list(range(len(merged.steps))),
        later("Rule"): [step.rule for step in merged.steps],
        later("Left"): [left for left, _ in pairs],
        later("Right"): [right for _, right in pairs],
        later("Symbols"): [" | ".join(map(readable, step.symbols)) for step in merged.steps],
    }


def kept_turns(
    turns: Sequence[Turn], whole: Sequence[int], kept: Sequence[int], special: int, length: int, marks: str = MARKS
) -> Picture:
    """Which turns fit into a length, which are lost, and how much of it is padding.

    Args:
        turns: label, speaker and text of every turn, at least one.
        whole: tokens of each turn without special tokens.
        kept: those that stay.
        special: number of other tokens that stay.
        length: places of the sequence.
        marks: what these other tokens are, marked with `later`.

    Raises:
        ValueError: there is not one number for each turn, or more stays than has room.
    """
    padding = length - sum(kept) - special
    if not turns or not len(turns) == len(whole) == len(kept) or padding < 0:
        raise ValueError(
            "there must be one number for each turn, and the kept tokens must fit. Received: "
            f"{count(len(turns), 'turn')}, {len(whole)} and {len(kept)} numbers, "
            f"{sum(kept)} tokens and {count(special, 'special token')} for length {length}"
        )
    rows = [(turn_label(turn), turn[1], stay, all_ - stay) for turn, all_, stay in zip(turns, whole, kept, strict=True)]
    if len(rows) > MANY:
        rows = _joined(turns, whole, kept)
    figure = Figure()
    styles = speaker_styles([speaker for _, speaker, stay, _ in rows if stay])
    for speaker, style in styles.items():
        members = [(row, stay) for row, (_, name, stay, _) in enumerate(rows) if name == speaker and stay]
        figure.add_trace(_bar(members, cut(speaker or say("no speaker"), 24), style))
    lost = [(row, missing) for row, (_, _, _, missing) in enumerate(rows) if missing]
    if lost:
        style = {"color": GREY, "pattern": {"shape": "/", "solidity": 0.25}}
        figure.add_trace(_bar(lost, say("left out"), style, [rows[row][2] for row, _ in lost]))
    figure.add_trace(
        _bar([(len(rows), special)], say("special tokens") if marks == MARKS else say(marks), {"color": GREY})
    )
    longest = max([special, *(stay + missing for _, _, stay, missing in rows)])
    fits = padding <= LONG * longest
    if padding:
        pattern = {"shape": ".", "solidity": 0.2}
        drawn = padding if fits else LONG * longest
        figure.add_trace(_bar([(len(rows) + 1, drawn)], say("padding"), {"color": GREY, "pattern": pattern}))
        longest = max(longest, drawn)
    title = say("Tokens; the sequence has {length:,} positions", length=length)
    frame(figure, len(rows) + 1 + bool(padding), title, (0, 1.25 * longest))
    notes = _kept_notes(rows)
    notes += head(len(rows), say(marks)), write(special, len(rows) + 0.2, f"<b>{special:,}</b>")
    if padding:
        notes.append(head(len(rows) + 1, "[PAD]" if fits else say("[PAD], bar cut off")))
        notes.append(write(min(padding, longest), len(rows) + 1.2, f"<b>{padding:,}</b>"))
    annotate(figure, notes)
    around = count(special, "special token") if marks == MARKS else count(special, "other token")
    caption = _kept_caption(whole, kept, around, padding, length)
    return Picture("kept-turns", figure, caption, _kept_table(turns, whole, kept, special, padding, marks))


def _kept_notes(rows: Sequence[tuple[str, str, int, int]]) -> list[Note]:
    """The label of each row, and how many of its tokens stay."""
    notes: list[Note] = []
    for row, (label, _, stay, missing) in enumerate(rows):
        part = say("{kept} of {tokens}", kept=stay, tokens=stay + missing)
        written = f"{stay}" if not missing else part if stay else say("left out")
        notes += head(row, label), write(stay + missing, row + 0.2, f"<b>{written}</b>")
    return notes


def _bar(
    members: Sequence[tuple[int, int]], name: str, marker: dict[str, object], bases: Sequence[int] | None = None
) -> Bar:
    """Bars of one meaning: (row, tokens), from 0 or from `bases`."""
    rows, sizes = [row for row, _ in members], [size for _, size in members]
    bar = row_bars(escape(name), GREY, sizes, rows, None, base=list(bases) if bases else 0, marker=marker)
    return bar.update(hoverinfo="name")


def _joined(turns: Sequence[Turn], whole: Sequence[int], kept: Sequence[int]) -> list[tuple[str, str, int, int]]:
    """One row for neighbours that are all kept or all left out; a cut turn has its own."""
    rows = []
    fates = [0 if not stay else 1 if stay == all_ else 2 + place for place, (all_, stay) in enumerate(zip(
        whole, kept, strict=True))]  # fmt: skip
    for _, group in groupby(range(len(turns)), key=lambda place: fates[place]):
        places = list(group)
        first, last = turns[places[0]], turns[places[-1]]
        label = turn_label(first) if len(places) == 1 else say("turns {first}–{last}", first=first[0], last=last[0])
        stay = sum(kept[place] for place in places)
        speaker = first[1] if len(places) == 1 else say("several speakers")
        rows.append((label, speaker, stay, sum(whole[place] for place in places) - stay))
    return rows


def _kept_caption(whole: Sequence[int], kept: Sequence[int], around: str, padding: int, length: int) -> str:
    lost = sum(not stay for stay in kept)
    shortened = sum(0 < stay < all_ for all_, stay in zip(whole, kept, strict=True))
    sizes = {"turns": count(len(kept), "turn"), "padding": padding, "length": length, "tokens": sum(whole)}
    if sum(kept) == sum(whole):
        return say(
            "All {turns} fit: {tokens:,} tokens and {around}; {padding:,} of {length:,} positions are padding.",
            **sizes,
            around=around,
        )
    message = {
        (True, True): later(
            "{lost} of {turns} is left out and {cut} cut: {missing:,} of {tokens:,} tokens are lost; {padding:,} of "
            "{length:,} positions are padding."
        ),
        (True, False): later(
            "{lost} of {turns} are left out and {cut} cut: {missing:,} of {tokens:,} tokens are lost; {padding:,} of "
            "{length:,} positions are padding."
        ),
        (False, True): later(
            "{lost} of {turns} is left out: {missing:,} of {tokens:,} tokens are lost; {padding:,} of {length:,} "
            "positions are padding."
        ),
        (False, False): later(
            "{lost} of {turns} are left out: {missing:,} of {tokens:,} tokens are lost; {padding:,} of {length:,} "
            "positions are padding."
        ),
    }[bool(shortened), lost == 1]
    return say(message, **sizes, lost=lost, missing=sum(whole) - sum(kept), cut=shortened)


def _kept_table(
    turns: Sequence[Turn], whole: Sequence[int], kept: Sequence[int], special: int, padding: int, marks: str
) -> dict[str, list[object]]:
    return {
        later("Turn"): [*(turn[0] for turn in turns), say(marks), "[PAD]"],
        later("Speaker"): [*(turn[1] for turn in turns), "", ""],
        later("Text"): [*(turn[2] for turn in turns), "", ""],
        later("Tokens"): [*whole, special, padding],
        later("Tokens kept"): [*kept, special, padding],
        later("Tokens left out"): [*(all_ - stay for all_, stay in zip(whole, kept, strict=True)), 0, 0],
    }
