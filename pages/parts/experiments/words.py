"""The words that mattered for one token of the summary: gradient times input, beside attention and ablation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.config import END, TURN
from core.experiments import gradients
from core.experiments.gradients import TokenEffects
from core.explain.rollup import groups
from core.figures import agreement as agreement_figures
from core.figures import gradients as figures
from core.figures.shades import strip_data, weakest
from core.figures.wording import plain, quoted, signed, token_text
from core.trace import Token
from pages.parts.experiments.runs import Run
from pages.parts.experiments.word_map import MapTurn, MapWord, word_map
from pages.shared.controls.choices import select
from pages.shared.figures import pictures
from pages.shared.frame.fields import Number
from pages.shared.frame.notices import literal

MAP = "word_map"
WORD = Number("word", 0, 9999, 0, of_dialogue=True)
FOIL = Number("instead", 0, 999999, 0, of_dialogue=True)
FIELDS = (WORD, FOIL)


def draw(run: Run) -> None:
    """Draw the effect of every word and turn on one token of the summary."""
    st.markdown(
        "Choose a word of the summary. Orange words, of the dialogue and of the summary before it, support it: it "
        "becomes more probable when their embeddings grow. Blue words work against it."
    )
    step = _step(run)
    token = run.summary.tokens[step]
    foil = _foil(run, step)
    found = run.effects(step, foil)
    words = groups(run.base.condition.encoded.tokens, "word")
    sums = [float(found.source[list(group.members)].sum()) for group in words]
    largest = max(map(abs, [*sums, *map(float, found.prefix)]))
    word_map(
        _target(run),
        step,
        [float(value) for value in found.prefix],
        _dialogue(run, [group.members for group in words], sums),
        caption_scale=largest,
        key=MAP,
        on_pick=_pick,
    )
    caption = _caption(run, found, [group.members for group in words], sums)
    st.caption(literal(caption))
    with st.container(horizontal=True):
        with st.popover("Table", icon=":material/table:"):
            st.dataframe(_table(run, found), hide_index=True, width=720, alt="Effect of every token")
        pictures.save_view(MAP, "gradient-times-input", caption, lambda: _table(run, found))
    by_turn = [group for group in run.turn_groups if group.turn is not None]
    turns = [run.turns[group.turn] for group in by_turn if group.turn is not None]
    values = [float(found.source[list(group.members)].sum()) for group in by_turn]
    st.markdown("**By turn**")
    what = "gradient × input of log p" + (", against the other token" if foil is not None else "")
    prefix = float(found.prefix.sum())
    pictures.show(figures.turn_gradients(turns, values, prefix, token_text(token), what), "turn_gradients")
    _agreement(run, step, [group.turn for group in by_turn if group.turn is not None], turns, values)


def _step(run: Run) -> int:
    """Return the chosen token from 0; without a choice the one that the model was least sure of."""
    asked = WORD.fit(range(len(run.summary.steps) + 1), "word")
    return int(asked) - 1 if asked else run.summary.steps.index(weakest(run.summary))


def _foil(run: Run, step: int) -> int | None:
    """Draw the choice of another token to contrast the chosen one with; return it, or None."""
    chosen = run.summary.steps[step]
    options = {each.id: f"“{plain(each.text)}” ({each.probability:.0%})" for each in chosen.alternatives}
    options.pop(chosen.token.id, None)
    options = {0: "anything else", **options}
    FOIL.fit(options, "token id")
    label = f"Why {quoted(chosen.token)}, and not"
    tip = "With another token, what speaks for both of them is left out: only what decides between them remains."
    return int(select(label, options, FOIL, tip, width=320)) or None


def _pick() -> None:
    """A token of the summary was clicked."""
    event = st.session_state[MAP].pick
    if event:
        WORD.value, FOIL.value = int(event["index"]) + 1, 0


def _target(run: Run) -> list[MapWord]:
    """The summary's tokens, as far apart as in its text."""
    drawn = strip_data(run.summary)["tokens"]
    return [
        MapWord("the end", each["gap"], special=True)
        if each["special"] == "end"
        else MapWord(each["text"].strip() or each["special"], each["gap"])
        for each in drawn
    ]


def _dialogue(run: Run, words: Sequence[Sequence[int]], sums: Sequence[float]) -> list[MapTurn]:
    """The dialogue by turn; words that were not read have no value."""
    tokens, text = run.base.condition.encoded.tokens, run.dialogue.text
    of_turn: dict[int, list[MapWord]] = {}
    ends: dict[int, int] = {}
    for members, value in zip(words, sums, strict=True):
        inside = [tokens[place] for place in members]
        turn = inside[0].turn
        if turn is None:
            continue
        mark = inside[0].id in (TURN, END)
        gap = " " if mark else text[ends.get(turn, inside[0].start) : inside[0].start]
        of_turn.setdefault(turn, []).append(_word(inside, text, gap, value))
        ends[turn] = inside[-1].end
    order = [*of_turn, *(each.index for each in run.dialogue.turns if each.index not in of_turn)]
    if run.control != "shuffled":
        order.sort()
    return [
        MapTurn(turn + 1, None, of_turn[turn])
        if turn in of_turn
        else MapTurn(
            turn + 1,
            run.dialogue.turns[turn].speaker,
            [MapWord(word, " ") for word in run.dialogue.turns[turn].text.split()],
        )
        for turn in order
    ]


def _word(tokens: Sequence[Token], text: str, gap: str, value: float) -> MapWord:
    marks = {TURN: "end of turn", END: "end of dialogue"}
    if tokens[0].id in marks:
        return MapWord(marks[tokens[0].id], gap, value, special=True)
    shown = text[tokens[0].start : tokens[-1].end]
    word = shown.lstrip()  # a blank may be part of a word's first token
    return MapWord(word or shown or tokens[0].text, gap + shown[: len(shown) - len(word)] if word else gap, value)


def _caption(run: Run, found: TokenEffects, words: Sequence[Sequence[int]], sums: Sequence[float]) -> str:
    """The target, the strongest word, and whether the gradient keeps its promise there."""
    token = run.summary.tokens[found.step]
    best = max(range(len(sums)), key=lambda place: abs(sums[place]))
    source = run.base.condition.encoded.tokens
    word = _word([source[place] for place in words[best]], run.dialogue.text, "", 0.0)
    measured = run.check(found.step, words[best], found.foil)
    what = f"log p of {quoted(token)}" + (" minus log p of the other token" if found.foil is not None else "")
    side = "for" if sums[best] > 0 else "against"
    turn = source[words[best][0]].turn
    return (
        f"{what[:1].upper() + what[1:]} is {signed(found.value)} nats in {run.name}. “{word.text}” in turn "
        f"{(turn or 0) + 1} counts most in the dialogue, {side} it: {signed(sums[best])} (check: really scaling its "
        f"embedding by ±{gradients.STEP:.1%} gives a slope of {signed(measured)}). The dialogue sums to "
        f"{signed(float(found.source.sum()))}, the summary before it to {signed(float(found.prefix.sum()))}."
    )


def _table(run: Run, found: TokenEffects) -> dict[str, list[Any]]:
    """Every token of both sides with its effect."""
    source = run.base.condition.encoded.tokens
    before = ["[SOS]", *(token_text(token) for token in run.summary.tokens[: found.step])]
    return {
        "Side": ["dialogue"] * len(source) + ["summary so far"] * len(before),
        "Token": [*(token_text(token) for token in source), *before],
        "Turn": [*(None if token.turn is None else token.turn + 1 for token in source), *[None] * len(before)],
        "Effect (nats)": [*map(float, found.source), *map(float, found.prefix)],
    }


def _agreement(
    run: Run, step: int, indices: Sequence[int], turns: Sequence[tuple[str, str, str]], values: Sequence[float]
) -> None:
    """Three methods on the same turns: where they disagree is the lesson."""
    st.markdown("**Do three methods agree on the turns?**")
    cross, drops = run.cross(), run.drops()
    if len(indices) < 2:
        st.info("There is one turn: nothing to rank (n/a).", icon=":material/info:")
        return
    tokens = run.base.condition.encoded.tokens
    methods = {"Gradient × input": values, "Effect of leaving it out": [float(drops[turn][step]) for turn in indices]}
    if cross is not None:
        looks = [float(np.sum(cross[step], where=[token.turn == turn for token in tokens])) for turn in indices]
        methods = {"Cross-attention looks at": looks, **methods}
    picture = agreement_figures.agreement(turns, methods, token_text(run.summary.tokens[step]))
    pictures.show(picture, "agreement_picture")
    st.caption(
        "Cross-attention: mean over the heads of the last layer. Gradient × input: signed, summed over the turn's "
        "tokens. Leaving it out: how much less probable this token becomes without the turn. Only the last one changes "
        "what the model reads; none of them is the reason."
    )
