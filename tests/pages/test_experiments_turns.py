"""Turns on the Experiments page: every button, the knock-outs and their noise floor, and what cannot be done."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.experiments import interventions, turn_effects
from core.experiments.interventions import Effect
from core.text.arrangement import Arrangement
from pages.parts.experiments import outcome, turns
from pages.parts.experiments.turns import TurnEffect
from tests.pages.attention import said
from tests.pages.conftest import paste
from tests.pages.driver import FIRST, captions, chart, click, notes, press, table, tiny
from tests.pages.experiments import (
    MARKUP,
    NAMED,
    TAGGED,
    able,
    act,
    arranged,
    arrive,
    bars,
    base,
    bench,
    infos,
    left_out,
    order,
    refused,
    row_of,
    shows,
    step_by_step,
    texts,
    without,
)

READ = [1, 2, 3, 9, 10]  # of the first example; the model is too small for the others
MANY = "\n".join(f"{'AB'[turn % 2]}: hm {turn}" for turn in range(60))
"""60 turns, more than the model reads."""


def test_every_turn_left_out_once_is_what_the_model_does(app):
    run = base()
    found = left_out(run)
    drops = [each.drop for each in found]
    arrive(app)
    assert bars(app, "turn_drops") == pytest.approx(drops, abs=1e-4)
    assert bars(app, "turn_rewrites") == pytest.approx([100 * each.changed for each in found], abs=1e-4)
    on_bench = [row["drop"]["text"] for row in bench(app) if row["drop"]]
    assert on_bench == [f"{drop:+.2f}".replace("-", "−") for drop in drops]
    best = max(range(5), key=lambda place: drops[place])
    assert f"depends most on turn {READ[best]} (#Person" in captions(app)
    assert f"and loses {drops[best]:.2f} nats without it" in captions(app)
    most = max(range(5), key=lambda place: found[place].changed)
    assert f"it changes most, {said(found[most].changed)} of the words" in captions(app)
    assert app.query_params == {} and "All 5 turns are measured." in captions(app)


def test_the_noise_floor_is_three_stretches_as_long_out_of_the_other_turns(app):
    run = base()
    read = turn_effects.turns_read(run.condition.encoded)
    floors = turn_effects.random_cuts(tiny(), run, read)
    drops = [each.drop for each in left_out(run)]
    arrive(app)
    draws = next(trace for trace in chart(app, "turn_drops")["data"] if "each draw" in trace["name"])
    assert list(draws["x"]) == pytest.approx([draw for floor in floors for draw in floor], abs=1e-4)
    assert [len(floor) for floor in floors] == [3] * 5
    above = sum(drop > max(floor) for drop, floor in zip(drops, floors, strict=True))
    assert f"{above} of 5 turns stand" in captions(app)


def test_the_table_of_drops_has_the_numbers_and_the_texts(app):
    run = base()
    found = left_out(run)
    arrive(app)
    drops, rewritten = table(app, "Effect (nats)"), table(app, "Summary without the turn")
    assert list(drops["Effect (nats)"]) == pytest.approx([each.drop for each in found], abs=1e-4)
    assert list(rewritten["Summary without the turn"]) == [each.text for each in found]
    assert list(rewritten["Changed words"]) == pytest.approx([each.changed for each in found], abs=1e-6)


@pytest.mark.parametrize(
    ("steps", "link", "name"),
    [
        ([(1, "delete")], "1.3.4", "Without turn 2"),
        ([(0, "mask")], "1m.2.3.4", "With turn 1 masked"),
        ([(0, "swap")], "1s2.2.3.4", "With turn 1 said by #Person2#"),
        ([(2, "up")], "1.3.2.4", "With the turns in another order"),
        ([(0, "down"), (0, "down")], "2.3.1.4", "With the turns in another order"),
        ([(3, "delete"), (1, "mask"), (2, "swap"), (0, "down")], "2m.1.3s2",
         "Without turn 4, with turn 2 masked, with turn 3 said by #Person2# and with the turns in another order"),
    ],
)  # fmt: skip
def test_a_button_changes_what_is_read_and_both_answers_are_shown(app, steps, link, name):
    run = base(TAGGED)
    paste(arrive(app), TAGGED)
    for turn, action in steps:
        act(app, turn, action)
    assert app.query_params["turns"] == link
    found = interventions.compare(tiny(), run, arranged(run, link))
    shows(app, run, found, "turn")
    assert any(name in each.value.replace("\\", "") for each in app.markdown)
    drop = found.original.drop
    assert f"summary is {drop:+.2f} nats: ".replace("-", "−") in captions(app)
    press(app, "put_back")
    assert "turns" not in app.query_params and not [each for each in app.dataframe if "With the change" in each.value]


def test_every_button_has_one_that_takes_it_back(app):
    paste(arrive(app), TAGGED)
    assert able(app, 1) == ["delete", "mask", "swap", "down"] and able(app, 4) == ["delete", "mask", "swap", "up"]
    for turn, there, back in ((1, "delete", "restore"), (1, "mask", "unmask"), (2, "swap", "swap"), (1, "up", "down")):
        act(app, turn, there)
        assert "turns" in app.query_params
        assert back in able(app, turn + 1)
        act(app, turn, back)
        assert "turns" not in app.query_params, there
    assert order(app) == [1, 2, 3, 4]


def test_two_changes_of_the_same_kind_are_told_apart(app):
    """Once "with the turns in another order" was one experiment, whatever the order."""
    run = base(TAGGED)
    paste(arrive(app), TAGGED)
    for turn, link in ((0, "2.1.3.4"), (0, "2.3.1.4"), (3, "2.3.4.1")):
        act(app, turn, "down" if turn == 0 else "up")
        assert app.query_params["turns"] == link
        shows(app, run, interventions.compare(tiny(), run, arranged(run, link)), "turn")


def test_the_last_turn_that_is_heard_cannot_go(app):
    paste(arrive(app), TAGGED)
    for turn in (0, 1, 2):
        act(app, turn, "delete")
    assert able(app, 4) == ["swap"]
    assert "at least one turn must be left" in refused(app, 3, "delete")
    assert "at least one turn must stay visible" in refused(app, 3, "mask")
    assert app.query_params["turns"] == "4"
    act(app, 0, "restore")
    assert app.query_params["turns"] == "1.4" and not app.error


def test_a_click_on_a_bar_deletes_its_turn_and_brings_it_back(app):
    arrive(app)
    click(app, "turn_drops", 3)
    assert app.query_params == {"turns": "1.2.3.10"} and row_of(app, 9)["state"] == "deleted"
    click(app, "turn_drops", 0)
    assert app.query_params == {"turns": "2.3.10"}
    click(app, "turn_drops", 3)
    assert app.query_params == {"turns": "2.3.9.10"} and row_of(app, 9)["state"] == ""


@pytest.mark.parametrize(
    ("gone", "meaning"),
    [
        ((0, 2), "they say the same, and each alone hid the other's part"),
        ((0, 1), "together they are worth less than alone: one needs the other"),
        ((0, 3), "they count about as much together as alone"),
    ],
)
def test_two_turns_left_out_together_against_each_alone(app, gone, meaning):
    run = base(TAGGED)
    alone = [found.drop for place, found in enumerate(left_out(run)) if place in gone]
    together = interventions.compare(tiny(), run, without(run, *gone)).original.drop
    rest = together - sum(alone)
    paste(arrive(app), TAGGED)
    for turn in gone:
        act(app, turn, "delete")
    expected = (
        f"Turns {gone[0] + 1} and {gone[1] + 1}: alone {alone[0]:.2f} and {alone[1]:.2f} nats, "
        f"together {together:.2f} nats; {abs(rest):.2f} {'more' if rest >= 0 else 'less'} than the sum: {meaning}."
    )
    assert expected.replace("-", "−") in infos(app)


@pytest.mark.parametrize(
    ("together", "said"),
    [
        (6.5, "together 6.50 nats; 2.50 more than the sum: they say the same"),
        (5.0, "together 5.00 nats; 1.00 more than the sum: they count about as much"),  # the least that is told is 1
        (3.2, "together 3.20 nats; 0.80 less than the sum: they count about as much"),
        (2.9, "together 2.90 nats; 1.10 less than the sum: together they are worth less than alone"),
    ],
)
def test_the_sentence_about_two_turns_by_hand(monkeypatch, together, said):
    knockouts = [Effect(np.array([-1.0, 0.0]), np.array([-1.0 - drop, 0.0])) for drop in (1.5, 2.5)]
    found = {turn: TurnEffect(each, ()) for turn, each in enumerate(knockouts)}
    seen = []
    monkeypatch.setattr(turns.st, "info", lambda text, **_: seen.append(text.replace("\\", "").replace("\xa0", " ")))
    monkeypatch.setattr(turns, "arrange", lambda *_: None)
    outcome = SimpleNamespace(original=SimpleNamespace(drop=together))
    run = SimpleNamespace(base=SimpleNamespace(condition=SimpleNamespace(encoded=None)), compare=lambda _: outcome)
    turns._together(run, Arrangement((2,)), Arrangement((0, 1, 2)), found)
    assert seen == [seen[0]] and f"Turns 1 and 2: alone 1.50 and 2.50 nats, {said}" in seen[0]
    turns._together(run, Arrangement((2,), frozenset({2})), Arrangement((0, 1, 2)), found)
    turns._together(run, Arrangement((1, 2)), Arrangement((0, 1, 2)), found)
    turns._together(run, Arrangement((2,)), Arrangement((0, 1, 2)), {0: found[0]})
    assert len(seen) == 1  # something else was changed, too; one turn alone; not measured yet


def test_a_dialogue_of_one_turn_has_nothing_to_leave_out(app):
    paste(arrive(app), "Anna: I lost my keys at the station.")
    assert "This dialogue has one turn: leaving it out would leave nothing (n/a)." in infos(app)
    assert able(app, 1) == [] and not app.get("plotly_chart")
    assert "at least one turn must be left" in refused(app, 0, "delete")


def test_a_text_without_speakers_has_nobody_to_swap(app):
    arrive(app, example="bridge-closed")
    assert {row["name"] for row in bench(app)} == {""}
    assert all("swap" not in able(app, row["number"]) for row in bench(app))
    act(app, 0, "mask")
    run = base(app.session_state["subject_of_turns"][1])
    link = app.query_params["turns"]
    assert link.startswith("1m.2")
    shows(app, run, interventions.compare(tiny(), run, arranged(run, link)), "turn")


def test_unread_turns_are_shown_and_left_alone(app):
    arrive(app)
    assert order(app) == list(range(1, 11))
    for number in range(4, 9):
        row = row_of(app, number)
        assert (row["state"], row["actions"], row["drop"], row["marks"]) == (
            "unread", [], None, ["not read by the model"]
        )  # fmt: skip
    assert "The model did not read turns 4–8: it was too long." in captions(app)
    act(act(app, 2, "delete"), 8, "up")
    assert app.query_params == {"turns": "1.9.2.10"}
    assert [number for number in order(app) if number not in range(4, 9)] == [1, 9, 2, 3, 10]


def test_a_long_dialogue_is_measured_when_it_is_asked_for_and_in_parts(app, monkeypatch):
    step_by_step(monkeypatch)
    paste(arrive(app), MANY)
    read = turn_effects.turns_read(tiny().encode(MANY))
    assert 16 < len(read) < 60
    assert not any(row["drop"] for row in bench(app)) and not app.get("plotly_chart")
    assert {row["number"] - 1 for row in bench(app) if row["state"] == "unread"} == set(range(60)) - set(read)
    assert app.button(key="start_turns").label == f"Leave out each of {len(read)} turns"
    press(app, "start_turns")
    app.run()
    assert sum(row["drop"] is not None for row in bench(app)) == 2
    press(app, "stop_turns")
    some = sum(row["drop"] is not None for row in bench(app))
    app.run()
    assert some == sum(row["drop"] is not None for row in bench(app)) <= 6
    run = base(MANY)
    first = turn_effects.leave_out(tiny(), run, read[:2])
    shown = [row["drop"]["text"] for row in bench(app)[:2]]
    assert shown == [f"{each.drop:+.2f}".replace("-", "−") for each in first]
    assert any(each.label.startswith("Go on with the other") for each in app.button)


def test_names_and_marks_of_turns_stay_texts(app):
    paste(arrive(app), MARKUP)
    act(act(app, 0, "swap"), 1, "mask")
    assert row_of(app, 1)["text"] == "<b>bold</b> *stars* costs $5 or $y$"
    assert (row_of(app, 1)["name"], row_of(app, 1)["was"]) == ("Dov", "Eve")
    for each in (*app.markdown, *app.caption, *app.info):
        assert "<" not in each.value.replace("\\<", "") and "$y" not in each.value.replace("\\$", "")
        assert "*stars*" not in each.value.replace("\\*", "")
    for key in ("turn_drops", "turn_rewrites", "turn_changes"):
        assert "<b>bold" not in str(chart(app, key)) and "<script" not in str(chart(app, key))
    run = base(MARKUP)
    shows(app, run, interventions.compare(tiny(), run, arranged(run, "1s2.2m.3")), "turn")


def test_named_speakers_swap_in_a_circle(app):
    three = NAMED + "\nCleo: Lucky you."
    paste(arrive(app), three)
    for expected in ("1s2.2.3.4", "1s3.2.3.4", None):
        act(app, 0, "swap")
        assert app.query_params.get("turns") == expected
    run = base(three)
    act(app, 0, "swap")
    shows(app, run, interventions.compare(tiny(), run, arranged(run, "1s2.2.3.4")), "turn")
    assert "with turn 1 said by Ben" in captions(app).casefold().replace("ben", "Ben")


def test_sampled_summaries_are_written_with_the_same_draws(app):
    settings = {"strategy": "sample", "seed": 7, "temperature": 0.9}
    run = base(TAGGED, **settings)
    paste(arrive(app, **settings), TAGGED)
    act(app, 2, "delete")
    shows(app, run, interventions.compare(tiny(), run, without(run, 2)), "turn")
    found = left_out(run)
    assert list(table(app, "Summary without the turn")["Summary without the turn"]) == [each.text for each in found]
    assert run.text in texts(app) and "sample decoding" in str(chart(app, "turn_rewrites")["layout"]["xaxis"]["title"])


@pytest.mark.parametrize(
    ("drop", "said"),
    [(0.0, "1"), (0.41, "1.51"), (-0.41, "1.51"), (2.31, "10.1"), (7.0, "1,097"), (-11.0, "59,874"),
     (13.83, "1.01 · 10⁶"), (120.0, "1.30 · 10⁵²"), (2000.0, "3.88 · 10⁸⁶⁸")],
)  # fmt: skip
def test_how_many_times_more_likely(drop, said):
    """e to the power of the drop, in decimals."""
    assert outcome._times(drop) == said


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("abc", "turns must be numbers from 1, as in 1.2m.4s2. Received: 'abc'"),
        ("1.1", "at least one turn must be left, each once. Received: turns 1, 1"),
        ("99", "this dialogue has 10 turns"),
        ("1m", "at least one turn must stay visible"),
        ("1.4", "only turns that the model read can be arranged. Received: 4"),
        ("1s9", "this dialogue has 2 speakers. Received: s9"),
        ("<script>", "Received: '<script>'"),
        ("1" * 4001, "allowed: 4000 characters"),
    ],
)
def test_turns_that_a_link_asks_in_vain(app, asked, said):
    arrive(app, turns=asked, off="cross1.1", strategy="greedy")
    assert said in notes(app).replace("\\", "")
    assert app.query_params == {"off": "cross1.1", "strategy": "greedy"} and order(app) == list(range(1, 11))


def test_captions_follow_the_dialogue(app):
    arrive(app)
    before = captions(app)
    app.selectbox(key="example").set_value("cat-sitter").run()
    run = base(app.session_state["subject_of_turns"][1])
    drops = [each.drop for each in left_out(run)]
    assert f"loses {max(drops):.2f} nats" in captions(app) and f"loses {max(drops):.2f} nats" not in before
    assert FIRST != app.session_state["subject_of_turns"][1]
