"""Which turn mattered: delete, mask, swap or move turns, and leave each out once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import DialoscopeError, SettingsError
from core.experiments import turn_effects
from core.experiments.effects import Condition, Effect
from core.figures.experiments import changes
from core.figures.experiments.beside import beside
from core.figures.experiments.turn_effects import turn_drops, turn_rewrites
from core.figures.shared.wording import count, turn_ranges
from core.text import arrangement
from core.text.arrangement import Arrangement, arrange
from core.text.dialogue import Dialogue
from core.words import language, later, say
from pages.parts.experiments import outcome, runs
from pages.parts.experiments.runs import Run
from pages.parts.experiments.turn_bench import bench_data, turn_bench
from pages.shared.figures import pictures
from pages.shared.guard import demo
from pages.shared.model import loading, sweep
from pages.shared.session import decoding, notices, selection
from pages.shared.session.fields import Text
from pages.shared.session.notices import literal, sentence, show_complaint

if TYPE_CHECKING:
    from core.experiments.attribution.shapley import Beside

BENCH = "turn_bench"
BATCH = 4
TURNS = Text("turns", 4000, of_dialogue=True)
FIELDS = (TURNS,)
LEFT_OUT = {
    "greedy": later("the turn deleted, greedy decoding"),
    "beam": later("the turn deleted, beam decoding"),
    "sample": later("the turn deleted, sample decoding"),
}
AT_ONCE = 16
"""Most turns that are left out one by one without being asked."""


@dataclass(frozen=True)
class TurnEffect:
    """The effect of leaving a turn out, and its noise floor: the drops when random stretches as long are cut."""

    effect: Effect
    floor: tuple[float, ...]


def draw(run: Run) -> None:
    """Draw the turns with their buttons, what a change of them does, and each left out once."""
    encoded = run.base.condition.encoded
    read = turn_effects.turns_read(encoded)
    key = ("turns", *run.key)
    if not sweep.known(key) and len(read) <= AT_ONCE:
        sweep.start(key)
    effects: dict[int, TurnEffect] = sweep.results(key)
    now, plain = _arrangement(run), arrangement.plain(encoded)
    turns = arrangement.arranged_turns(encoded, now, as_read=run.control == "shuffled")
    drops = {turn: turn_effect.effect.drop for turn, turn_effect in effects.items()}
    data = bench_data(turns, run.dialogue.speakers, drops)
    turn_bench(key=BENCH, data=data, on_act_change=_act)
    show_complaint()
    run.explain()
    st.markdown(
        say(
            "Delete a turn, mask it (it keeps its place, unseen), let someone else say it, or move it: "
            "the model reads the dialogue again and writes."
        )
    )
    if run.summary.omitted:
        omitted = turn_ranges(run.summary.omitted)
        st.caption(say("The model did not read turns {turns}: it was too long.", turns=omitted))
    if now != plain:
        _changed(run, now, plain, effects)
    if len(read) < 2:
        text = say("This dialogue has one turn: leaving it out would leave nothing (n/a).")
        st.info(text, icon=":material/info:")
        return
    start = say("Leave out each of {turns}", turns=count(len(read), "turn"))
    sweep.controls("turns", key, read, start, say("turns"))
    if effects:
        with st.expander(say("Leave each turn out once"), key="turns_left_out"):
            _pictures(run, read, effects)

    def measure(turns: Sequence[int]) -> Mapping[int, TurnEffect]:
        left_out = turn_effects.leave_out(run.summarizer, run.base, turns)
        floors = turn_effects.random_cuts(run.summarizer, run.base, turns)
        return dict(zip(turns, map(TurnEffect, left_out, floors), strict=True))

    sweep.advance(key, read, BATCH, measure)


def _changed(run: Run, now: Arrangement, plain: Arrangement, effects: Mapping[int, TurnEffect]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(say("With the change"), anchor=False, width="content")
        st.button(say("Put everything back"), icon=":material/restart_alt:", key="put_back", on_click=TURNS.clear)
    change = Condition(arrange(run.base.condition.encoded, now))
    gone = [turn for turn in plain.order if turn not in now.order]
    only_left_out = now == Arrangement(tuple(turn for turn in plain.order if turn not in gone))
    if len(gone) > 1 and only_left_out and all(turn in effects for turn in gone):
        alone = [effects[turn].effect.drop for turn in gone]
        text = changes.together(gone, alone, run.compare(change).original.drop)
        st.info(literal(text), icon=":material/join:")
    name = changes.arrangement_named(plain.order, now.order, now.masked, now.speakers)
    outcome.draw(run, change, name, "turn")


def _arrangement(run: Run) -> Arrangement:
    """Return how the turns are arranged now; a link that asks for the impossible is refused."""
    encoded = run.base.condition.encoded
    try:
        if TURNS.value:
            now = arrangement.read(TURNS.value, run.dialogue)
            arrange(encoded, now)
            return now
    except DialoscopeError as error:
        TURNS.refuse(say("The link asks for turns that cannot be arranged so: {error}.", error=error))
    return arrangement.plain(encoded)


def _act() -> None:
    event = st.session_state[BENCH].act
    if event:
        notices.attempt(lambda: _change(int(event["turn"]), str(event["action"])))


def _clicked() -> None:
    """Delete the turn that was clicked in the picture, or bring it back."""
    run = runs.current()
    read = turn_effects.turns_read(run.base.condition.encoded)
    row = pictures.clicked("turn_drops", len(read))
    if row is not None:
        turn = read[row]
        gone = turn not in _arrangement(run).order
        notices.attempt(lambda: _change(turn, "restore" if gone else "delete"))


def _change(turn: int, action: str) -> None:
    run = runs.current()
    now, encoded = _arrangement(run), run.base.condition.encoded
    plain = arrangement.plain(encoded)
    if action == "swap":
        there = next(each for each in arrangement.arranged_turns(encoded, now, as_read=False) if each.index == turn)
        other = arrangement.next_speaker(there, run.dialogue.speakers)
        changed = now.said_by(turn, None if other == there.speaker else other)
    elif action in ("mask", "unmask"):
        changed = now.flipped_mask(turn)
    elif action in ("up", "down"):
        changed = now.moved(turn, -1 if action == "up" else 1)
    else:
        changed = now.without(turn) if action == "delete" else now.restored(turn, plain.order)
    arrange(encoded, changed)  # refuses what leaves nothing to read
    _keep(changed, plain, run.dialogue)


def _keep(now: Arrangement, plain: Arrangement, dialogue: Dialogue) -> None:
    TURNS.value = "" if now == plain else arrangement.write(now, dialogue)


def forget_moves() -> None:
    """Let turns stand where the untouched run, which has another order now, has them; all other changes stay."""
    asked, summarizer = TURNS.value, loading.current_job().summarizer
    if not asked or summarizer is None:
        return
    try:
        encoded = runs.read(summarizer, selection.current().text, decoding.settings(), runs.CONTROL.value)
        now, plain = arrangement.read(asked, encoded.dialogue), arrangement.plain(encoded)
    except DialoscopeError:  # the view refuses it
        return
    order = tuple(turn for turn in plain.order if turn in now.order)
    _keep(replace(now, order=order), plain, encoded.dialogue)


def _pictures(run: Run, read: Sequence[int], effects: Mapping[int, TurnEffect]) -> None:
    turns = [run.turns[turn] for turn in read]
    left_out = [effects[turn].effect if turn in effects else None for turn in read]
    floors = [effects[turn].floor if turn in effects else () for turn in read]
    st.markdown(say("**How much less likely the summary becomes** (it is scored, not written again)"))
    picture = turn_drops(turns, [one.drop if one else None for one in left_out], floors, say("the turn deleted"))
    # The browser forgets a click where the figure changes, so that the same bar can be clicked again.
    picture.figure.update_layout(selectionrevision=TURNS.value)
    pictures.show(picture, "turn_drops", on_select=_clicked)
    st.markdown(say("**What turns do together** (each is hidden and keeps its place; no turn is deleted)"))
    try:
        _shares(run)
    except SettingsError as error:
        st.info(literal(f"{sentence(error)}."), icon=":material/info:")
    st.markdown(say("**How different the summary becomes** (the model writes again)"))
    changed, texts = [one.changed if one else None for one in left_out], [(one and one.text) or "" for one in left_out]
    what = say(LEFT_OUT[run.base.settings.strategy])
    pictures.show(turn_rewrites(turns, changed, texts, what), "turn_rewrites")


def _shares(run: Run) -> None:
    """Draw Shapley values beside leaving each turn out, once they were asked for."""
    if not run.of_its_own():
        return
    demo.check(say("no Shapley values are computed"))
    from core.experiments.attribution.question import Question
    from core.experiments.attribution.shapley import beside_alone

    def compute(report: Callable[[int, int], object]) -> "Beside":
        return beside_alone(Question(run.summarizer, run.summary, unit="turn", report=report))

    label = say("Compute Shapley values (up to a minute)")
    both: "Beside | None" = sweep.once("shapley", ("shapley", *run.key, language()), label, compute)
    if both is None:
        return
    turns = [part.turn or 0 for part in both.shares.columns]
    alone, shares = (each.values.sum(axis=0).tolist() for each in (both.alone, both.shares))
    pair = sorted(both.pair)
    why = changes.together([turns[each] for each in pair], [alone[each] for each in pair], both.together)
    answers = {"occlusion": (alone, both.alone.check), "shapley": (shares, both.shares.check)}
    pictures.show(beside([run.turns[turn] for turn in turns], answers, len(turns), why), "turns_beside")
