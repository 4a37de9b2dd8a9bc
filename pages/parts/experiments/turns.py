"""Which turn mattered: delete, mask, swap or move turns, and leave each out once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import DialoscopeError
from core.experiments import turn_effects
from core.experiments.interventions import Condition, Effect
from core.figures import effects
from core.figures.wording import listed, nats, number, turn_ranges
from core.text import arrangement
from core.text.arrangement import Arrangement, arrange
from core.text.dialogue import Dialogue
from pages.parts.experiments import outcome, runs
from pages.parts.experiments.runs import Run
from pages.parts.experiments.turn_bench import BenchTurn, next_speaker, turn_bench
from pages.shared.figures import pictures
from pages.shared.frame import decoding, loading, notices, selection, sweep
from pages.shared.frame.fields import Text
from pages.shared.frame.notices import literal, show_complaint

BENCH = "turn_bench"
BATCH = 2
TURNS = Text("turns", 4000, of_dialogue=True)
FIELDS = (TURNS,)
AT_ONCE = 16
"""Most turns that are left out one by one without being asked."""


@dataclass(frozen=True)
class TurnEffect:
    """A turn left out, and the drops without random stretches of as many tokens."""

    effect: Effect
    floor: tuple[float, ...]


def draw(run: Run) -> None:
    """Draw the view."""
    st.markdown(
        "Delete a turn, mask it (it keeps its place, unseen), let someone else say it, or move it: "
        "the model reads the dialogue again and writes."
    )
    read = turn_effects.turns_read(run.base.condition.encoded)
    key = ("turns", *run.key)
    if not sweep.known(key) and len(read) <= AT_ONCE:
        sweep.start(key)
    found: dict[int, TurnEffect] = sweep.results(key)
    now = _arrangement(run)
    turn_bench(_bench(run, now, found), run.dialogue.speakers, key=BENCH, on_act=_act)
    show_complaint()
    if run.summary.omitted:
        st.caption(f"The model did not read turns {turn_ranges(run.summary.omitted)}: it was too long.")
    plain = arrangement.plain(run.base.condition.encoded)
    if now != plain:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.header("With the change", anchor=False, width="content")
            st.button("Put everything back", icon=":material/restart_alt:", key="put_back", on_click=_put_back)
        _together(run, now, plain, found)
        change = Condition(arrange(run.base.condition.encoded, now))
        outcome.draw(run, change, _name(now, plain), "turn")
    st.header("Leave each turn out once", anchor=False)
    if len(read) < 2:
        st.info("This dialogue has one turn: leaving it out would leave nothing (n/a).", icon=":material/info:")
        return
    sweep.controls("turns", key, read, f"Leave out each of {len(read)} turns", "turns")
    if found:
        _pictures(run, found)
    sweep.advance(key, read, BATCH, lambda turns: _measure(run, turns))


def _measure(run: Run, turns: Sequence[int]) -> Mapping[int, TurnEffect]:
    left_out = turn_effects.leave_out(run.summarizer, run.base, turns)
    floors = turn_effects.random_cuts(run.summarizer, run.base, turns)
    found = zip(turns, left_out, floors, strict=True)
    return {turn: TurnEffect(effect, floor) for turn, effect, floor in found}


def _arrangement(run: Run) -> Arrangement:
    """How the turns are arranged now; a link that asks for the impossible is refused."""
    asked = TURNS.value
    encoded = run.base.condition.encoded
    if not asked:
        return arrangement.plain(encoded)
    try:
        found = arrangement.read(asked, run.dialogue)
        arrange(encoded, found)
    except DialoscopeError as error:
        TURNS.refuse(f"The link asks for turns that cannot be arranged so: {error}.")
        return arrangement.plain(encoded)
    return found


def _bench(run: Run, now: Arrangement, found: Mapping[int, TurnEffect]) -> list[BenchTurn]:
    """All turns: those that are read in their order, the deleted and unread ones after the one before them."""
    plain = arrangement.plain(run.base.condition.encoded)
    everything = range(len(run.dialogue.turns))
    whole = [*plain.order, *(turn for turn in everything if turn not in plain.order)]
    whole = whole if run.control == "shuffled" else list(everything)
    order = list(now.order)
    for place, turn in enumerate(whole):
        if turn not in order:
            order.insert(order.index(whole[place - 1]) + 1 if place else 0, turn)
    kept = [turn for turn in plain.order if turn in now.order]
    return [
        BenchTurn(
            index=turn,
            speaker=run.dialogue.turns[turn].speaker,
            text=run.dialogue.turns[turn].text,
            state="deleted" if turn not in now.order else "masked" if turn in now.masked else "",
            moved=turn in now.order and kept.index(turn) != now.order.index(turn),
            said_by=now.speakers.get(turn),
            read=turn in plain.order,
            drop=found[turn].effect.drop if turn in found else None,
        )
        for turn in order
    ]


def _act() -> None:
    """A button of the bench was pressed."""
    event = st.session_state[BENCH].act
    if event:
        notices.attempt(lambda: _change(int(event["turn"]), str(event["action"])))


def _change(turn: int, action: str) -> None:
    run = runs.current()
    now = _arrangement(run)
    plain = arrangement.plain(run.base.condition.encoded)
    if action == "swap":
        there = next(each for each in _bench(run, now, {}) if each.index == turn)
        other = next_speaker(there, run.dialogue.speakers)
        changed = now.said_by(turn, None if other == there.speaker else other)
    else:
        changed = {
            "delete": lambda: now.without(turn),
            "restore": lambda: _restored(now, plain, turn),
            "mask": lambda: now.flipped_mask(turn),
            "unmask": lambda: now.flipped_mask(turn),
            "up": lambda: now.moved(turn, -1),
            "down": lambda: now.moved(turn, 1),
        }[action]()
    arrange(run.base.condition.encoded, changed)  # refuses what leaves nothing to read
    _keep(changed, plain, run.dialogue)


def _restored(now: Arrangement, plain: Arrangement, turn: int) -> Arrangement:
    """A deleted turn back, after the nearest one that stands before it in the untouched run."""
    before = [each for each in plain.order[: plain.order.index(turn)] if each in now.order]
    place = now.order.index(before[-1]) + 1 if before else 0
    return replace(now, order=(*now.order[:place], turn, *now.order[place:]))


def _keep(found: Arrangement, plain: Arrangement, dialogue: Dialogue) -> None:
    TURNS.value = "" if found == plain else arrangement.write(found, dialogue)


def forget_moves() -> None:
    """The untouched run has another order now: turns stand where they stand there, and all other changes stay."""
    asked, summarizer = TURNS.value, loading.current_job().summarizer
    if not asked or summarizer is None:
        return
    try:
        encoded = runs.read(summarizer, selection.current().text, decoding.settings(), runs.CONTROL.value)
        found, plain = arrangement.read(asked, encoded.dialogue), arrangement.plain(encoded)
    except DialoscopeError:  # the view refuses it
        return
    order = tuple(turn for turn in plain.order if turn in found.order)
    _keep(replace(found, order=order), plain, encoded.dialogue)


def _put_back() -> None:
    TURNS.value = ""


def _name(now: Arrangement, plain: Arrangement) -> str:
    """The change in a sentence."""
    gone = [turn for turn in plain.order if turn not in now.order]
    kept = [turn for turn in plain.order if turn in now.order]
    parts = []
    if gone:
        parts.append(f"without {_turns(gone)}")
    if now.masked:
        parts.append(f"with {_turns(sorted(now.masked))} masked")
    parts += [f"with turn {turn + 1} said by {name}" for turn, name in sorted(now.speakers.items())]
    if kept != list(now.order):
        parts.append("with the turns in another order")
    return listed(parts)


def _turns(turns: Sequence[int]) -> str:
    return f"turn{'s' if len(turns) > 1 else ''} {listed([str(turn + 1) for turn in turns])}"


def _together(run: Run, now: Arrangement, plain: Arrangement, found: Mapping[int, TurnEffect]) -> None:
    """Say what leaving out one turn at a time misses: several turns left out at once against the sum of each alone."""
    gone = [turn for turn in plain.order if turn not in now.order]
    only_left_out = now == Arrangement(tuple(turn for turn in plain.order if turn not in gone))
    if len(gone) < 2 or not only_left_out or not all(turn in found for turn in gone):
        return
    change = Condition(arrange(run.base.condition.encoded, now))
    together = run.compare(change).original.drop
    alone = [found[turn].effect.drop for turn in gone]
    rest = together - sum(alone)
    meaning = (
        "they say the same, and each alone hid the other's part"
        if rest > max(1.0, 0.2 * abs(sum(alone)))
        else "together they are worth less than alone: one needs the other"
        if rest < -max(1.0, 0.2 * abs(sum(alone)))
        else "they count about as much together as alone"
    )
    st.info(
        literal(
            f"{_turns(gone).capitalize()}: alone {listed([number(each) for each in alone])} nats, "
            f"together {nats(together)}; {number(abs(rest))} {'more' if rest >= 0 else 'less'} than the sum: {meaning}."
        ),
        icon=":material/join:",
    )


def _pictures(run: Run, found: Mapping[int, TurnEffect]) -> None:
    """Two separate numbers: how likely the old summary stays, and how different the new one is."""
    read = turn_effects.turns_read(run.base.condition.encoded)
    turns = [run.turns[turn] for turn in read]
    drops = [found[turn].effect.drop if turn in found else None for turn in read]
    floors = [found[turn].floor if turn in found else () for turn in read]
    st.markdown("**How much less likely the summary becomes** (it is scored, not written again)")
    picture = effects.turn_drops(turns, drops, floors, "the turn deleted")
    # The browser forgets a click where the figure changes, so that the same bar can be clicked again.
    picture.figure.update_layout(selectionrevision=TURNS.value)
    pictures.show(picture, "turn_drops", on_select=_clicked)
    st.markdown("**How different the summary becomes** (the model writes again)")
    changed = [found[turn].effect.changed if turn in found else None for turn in read]
    texts = [(found[turn].effect.text or "") if turn in found else "" for turn in read]
    what = f"the turn deleted, {run.base.settings.strategy} decoding"
    pictures.show(effects.turn_rewrites(turns, changed, texts, what), "turn_rewrites")


def _clicked() -> None:
    """A turn was clicked in the picture: delete it, or bring it back."""
    row = pictures.clicked("turn_drops")
    if row is None:
        return
    run = runs.current()
    turn = turn_effects.turns_read(run.base.condition.encoded)[row]
    gone = turn not in _arrangement(run).order
    notices.attempt(lambda: _change(turn, "restore" if gone else "delete"))
