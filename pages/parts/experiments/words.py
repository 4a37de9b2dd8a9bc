"""The words that mattered for one token of the summary: gradient times input, beside attention and ablation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.experiments import gradients, word_effects
from core.experiments.gradients import TokenEffects
from core.experiments.word_effects import WordEffect
from core.explain.attribution.attribution import Check
from core.figures.experiments import agreement as agreement_figures
from core.figures.experiments.attribution import verdict
from core.figures.experiments.beside import beside
from core.figures.experiments.effect_scale import signed_figures
from core.figures.shared.rows import Turn
from core.figures.shared.shades import strip_data, weakest
from core.figures.shared.wording import capital, percent, plain, quoted, token_text
from core.words import later, say
from pages.parts.experiments.runs import Run
from pages.parts.experiments.word_map import map_data, word_map
from pages.shared.controls.choices import row, select
from pages.shared.controls.foils import foils
from pages.shared.figures import pictures
from pages.shared.model.answers import answer
from pages.shared.session import selection
from pages.shared.session.fields import Number
from pages.shared.session.notices import literal

MAP, BOX = "word_map", "integrated_box"
BESIDE = 12
"""Words that are drawn by two methods beside each other, those with the largest effects."""
WORD = Number("word", 0, 9999, 0, of_dialogue=True)
FOIL = Number("instead", 0, 999999, 0, of_dialogue=True)
FIELDS = (WORD, FOIL)


def draw(run: Run) -> None:
    """Draw the effect of every word and turn on one token of the summary."""
    asked = WORD.fit(range(len(run.summary.steps) + 1), say("word"))
    step = int(asked) - 1 if asked else run.summary.steps.index(weakest(run.summary))
    against = foil(run, step)
    effects, encoded = run.effects(step, against), run.base.condition.encoded
    dialogue = word_effects.dialogue(encoded, effects, as_read=run.control == "shuffled")
    prefix = [float(value) for value in effects.prefix]
    largest = max(abs(value) for value in (*prefix, *(word.value or 0.0 for turn in dialogue for word in turn.words)))
    data = map_data(_target(run), step, prefix, dialogue, largest)
    word_map(key=MAP, data=data, on_pick_change=_pick)
    run.explain()
    st.markdown(
        say(
            "Choose a word of the summary. Green words, of the dialogue and of the summary before it, support it: it "
            "becomes more probable when their embeddings grow. Purple words work against it."
        )
    )
    turn, best = _strongest(run, effects)
    check = _check(run, effects, best)
    caption = f"{_caption(run, effects, turn, best)} {verdict(check)}"
    st.caption(literal(caption))
    with st.container(horizontal=True):
        with st.popover(say("Table"), icon=":material/table:"):
            table = {say(name): column for name, column in _table(run, effects).items()}
            st.dataframe(table, hide_index=True, width=720, alt=say("Effect of every token"))
        pictures.save_view(MAP, "gradient-times-input", caption, lambda: _table(run, effects))
    by_turn = {group.turn: group.members for group in run.turn_groups if group.turn is not None}
    turns = [run.turns[turn] for turn in by_turn]
    values = [float(effects.source[list(members)].sum()) for members in by_turn.values()]
    box = st.expander(say("What do integrated gradients say? (about twenty seconds)"), key=BOX, on_change="rerun")
    if box.open:
        with box:
            if run.of_its_own():
                _integrated(run, effects, check)
    with st.expander(say("Do three methods agree on the turns?")):
        _agreement(run, step, list(by_turn), turns, values)


def foil(run: Run, step: int) -> int | None:
    """Draw the choice of another token to contrast the chosen one with; return it, or None."""
    chosen = run.summary.steps[step]
    others = foils(run.summarizer, run.summary, step, selection.current().references)
    options = {0: say("anything else"), **others}
    FOIL.fit(options, say("token id"))
    label = say("Why {token}, and not", token=quoted(chosen.token))
    tip = say("With another token, what speaks for both of them is left out: only what decides between them remains.")
    with row():
        return int(select(label, options, FOIL, tip, width=260)) or None


def _pick() -> None:
    event = st.session_state[MAP].pick
    if event:
        WORD.value, FOIL.value = int(event["index"]) + 1, 0


def _target(run: Run) -> list[WordEffect]:
    """Return the summary's tokens, as far apart as in its text."""
    return [
        WordEffect(say("the end"), token["gap"], special=True)
        if token["special"] == "end"
        else WordEffect(token["text"].strip() or token["special"], token["gap"])
        for token in strip_data(run.summary)["tokens"]
    ]


def _strongest(run: Run, effects: TokenEffects) -> tuple[int, WordEffect]:
    """Return the word of the dialogue with the largest effect, and its turn."""
    read = word_effects.by_word(run.base.condition.encoded, effects)
    pairs = [(turn, word) for turn, words in read.items() for word in words]
    return max(pairs, key=lambda pair: abs(pair[1].value or 0.0))


def _check(run: Run, effects: TokenEffects, best: WordEffect) -> Check:
    """Return whether the gradient keeps its promise for the strongest word."""
    from core.experiments.attribution.gradient import DIFFERENCE, SMALL

    value = best.value or 0.0
    missed = abs(run.check(effects.step, best.places, effects.foil) - value) / max(abs(value), SMALL)
    name = say(
        "the effect of “{word}” is the slope when its embedding is really scaled by ±{step}",
        word=best.text,
        step=percent(gradients.STEP),
    )
    return Check(name, missed, DIFFERENCE)


def _caption(run: Run, effects: TokenEffects, turn: int, best: WordEffect) -> str:
    """Return the target, the strongest word, and the sums."""
    value = best.value or 0.0
    token = quoted(run.summary.tokens[effects.step])
    what = say("log p of {token}", token=token)
    if effects.foil is not None:
        what = say("log p of {token} minus log p of the other token", token=token)
    places = {"word": best.text, "turn": turn + 1, "effect": signed_figures(value)}
    if value > 0:
        counts = say("“{word}” in turn {turn} counts most in the dialogue, for it: {effect}.", **places)
    else:
        counts = say("“{word}” in turn {turn} counts most in the dialogue, against it: {effect}.", **places)
    target = say(
        "{target} is {value} nats in {run}.", target=capital(what), value=signed_figures(effects.value), run=run.name
    )
    sums = say(
        "The dialogue sums to {dialogue}, the summary before it to {summary}.",
        dialogue=signed_figures(float(effects.source.sum())),
        summary=signed_figures(float(effects.prefix.sum())),
    )
    return f"{target} {counts} {sums}"


def _integrated(run: Run, effects: TokenEffects, check: Check) -> None:
    """Draw gradient × input and integrated gradients of the same token and foil, word for word."""
    along = answer(run.summarizer, run.summary, "integrated", effects.step, effects.foil, "word")
    parts: list[Turn] = [
        (say("dialogue"), "", plain(word.label))
        if word.turn is None
        else (str(word.turn + 1), run.turns[word.turn][1], plain(word.label))
        for word in along.columns
    ]
    seen = slice(effects.step + 1)
    parts += [(say("summary so far"), "", plain(text)) for text in along.inputs[seen]]
    at_once = [float(effects.source[list(word.members)].sum()) for word in along.columns] + effects.prefix.tolist()
    whole = along.values[0].tolist() + ([] if along.prefix is None else along.prefix[0][seen].tolist())
    why = say("The first follows the slope at the real words, the second all the way from empty ones to them.")
    answers = {"gradient": (at_once, check), "integrated": (whole, along.check)}
    pictures.show(beside(parts, answers, BESIDE, why), "words_beside")


def _table(run: Run, effects: TokenEffects) -> dict[str, list[Any]]:
    source = run.base.condition.encoded.tokens
    before = ["[SOS]", *(token_text(token) for token in run.summary.tokens[: effects.step])]
    return {
        later("Side"): [say("dialogue")] * len(source) + [say("summary so far")] * len(before),
        later("Token"): [*(token_text(token) for token in source), *before],
        later("Turn"): [*(None if token.turn is None else token.turn + 1 for token in source), *[None] * len(before)],
        later("Effect (nats)"): [*map(float, effects.source), *map(float, effects.prefix)],
    }


def _agreement(run: Run, step: int, read: Sequence[int], turns: Sequence[Turn], values: Sequence[float]) -> None:
    cross, drops = run.cross(), run.drops()
    if len(read) < 2:
        st.info(say("There is one turn: nothing to rank (n/a)."), icon=":material/info:")
        return
    tokens = run.base.condition.encoded.tokens
    left_out = [float(drops[turn][step]) for turn in read]
    methods = {agreement_figures.GRADIENT: values, agreement_figures.LEFT_OUT: left_out}
    if cross is not None:
        looks = [float(np.sum(cross[step], where=[token.turn == turn for token in tokens])) for turn in read]
        methods = {agreement_figures.LOOKS: looks, **methods}
    picture = agreement_figures.agreement(turns, methods, token_text(run.summary.tokens[step]))
    pictures.show(picture, "agreement_picture")
    st.caption(
        say(
            "Cross-attention: mean over the heads of the last layer. Gradient × input: signed, summed over the turn's "
            "tokens. Leaving it out: how much less probable this token becomes without the turn. Only the last one "
            "changes what the model reads; none of them is the reason."
        )
    )
