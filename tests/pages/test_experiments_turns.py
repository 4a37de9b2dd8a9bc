"""Turns on the Experiments page: every button, the knock-outs and their noise floor, and what cannot be done."""

from core.experiments import effects, turn_effects
from core.experiments.attribution.question import Question
from core.experiments.attribution.shapley import beside_alone
from core.figures.experiments.beside import beside
from core.figures.experiments.changes import arrangement_named, together
from core.figures.experiments.turn_effects import turn_drops, turn_rewrites
from core.text.arrangement import plain, read
from pages.shared.session.notices import literal
from tests.pages import driver, experiments
from tests.pages.driver import captions, click, decoded, draws, press, tiny
from tests.pages.experiments import TAGGED, able, act, arrive, arrive_with, base, bench, in_nats, infos, refused

READ = [1, 2, 3, 9, 10]  # of the first example; the model is too small for the others
ALL_AT_ONCE = "2m.1.3s2"
"""Turn 4 deleted, turn 2 masked and moved up, turn 3 said by the other speaker."""


def test_a_newcomer_sees_every_turn_left_out_once(app):
    run = base()
    found, floors = experiments.left_out(run), turn_effects.random_cuts(tiny(), run, [turn - 1 for turn in READ])
    drops, dialogue = [each.drop for each in found], run.condition.encoded.dialogue.turns
    turns = [(str(number), dialogue[number - 1].speaker, dialogue[number - 1].text) for number in READ]
    arrive(app)
    assert infos(app) == ""
    draws(app, "turn_drops", turn_drops(turns, drops, floors, "the turn deleted"))
    changed, texts = [each.changed for each in found], [each.text for each in found]
    draws(app, "turn_rewrites", turn_rewrites(turns, changed, texts, "the turn deleted, beam decoding"))
    for sentence in ("All 5 turns are done.", "The model did not read turns 4–8: it was too long."):
        assert sentence in captions(app)
    # The bench has them, too; what the model did not read is shown and left alone.
    assert list(bench(app)) == list(range(1, 11))
    assert [row["drop"]["text"] for row in bench(app).values() if row["drop"]] == in_nats(drops)
    unread = [(row["state"], row["actions"], row["drop"]) for row in list(bench(app).values())[3:8]]
    assert unread == [("unread", [], None)] * 5


def test_a_click_on_a_bar_leaves_its_turn_out_and_another_brings_it_back(app):
    click(arrive(app, turns="2.3.9.10"), "turn_drops", 3)
    assert app.query_params == {"turns": "2.3.10"}
    click(app, "turn_drops", 3)
    assert app.query_params == {"turns": "2.3.9.10"}
    assert (bench(app)[9]["state"], bench(app)[1]["state"]) == ("", "deleted")


def test_every_button_has_one_that_takes_it_back(app):
    arrive_with(app, TAGGED)
    assert able(app, 1) == ["delete", "mask", "swap", "down"] and able(app, 4) == ["delete", "mask", "swap", "up"]
    for turn, there, back, link in (
        (1, "delete", "restore", "1.3.4"), (0, "mask", "unmask", "1m.2.3.4"), (0, "swap", "swap", "1s2.2.3.4"),
        (2, "up", "down", "1.3.2.4"),
    ):  # fmt: skip
        act(app, turn, there)
        assert app.query_params["turns"] == link and back in able(app, turn + 1)
        act(app, turn, back)
        assert "turns" not in app.query_params, there
    assert list(bench(app)) == [1, 2, 3, 4]


def test_a_turn_moves_over_those_that_were_not_read(app):
    act(act(arrive(app), 2, "delete"), 8, "up")
    assert app.query_params == {"turns": "1.9.2.10"}
    assert [number for number in bench(app) if number not in range(4, 9)] == [1, 9, 2, 3, 10]


def test_both_answers_to_a_change_are_shown_until_everything_is_put_back(app):
    run = base(TAGGED)
    arrive_with(app, TAGGED, turns=ALL_AT_ONCE)
    found = effects.compare(tiny(), run, experiments.arranged(run, ALL_AT_ONCE))
    experiments.shows(app, run, found, "turn")
    assert f"summary is {in_nats([found.original.drop])[0]} nats: " in captions(app)
    name = "Without turn 4, with turn 2 masked, with turn 3 said by #Person2# and with the turns in another order"
    assert any(name in each.value.replace("\\", "") for each in app.markdown)
    press(app, "put_back")
    assert "turns" not in app.query_params
    assert not [each for each in app.dataframe if "With the change" in each.value]


def test_changes_are_named():
    encoded = base(TAGGED).condition.encoded
    for link, name in {
        "1.3.4": "without turn 2",
        "1m.2.3.4": "with turn 1 masked",
        "1s2.2.3.4": "with turn 1 said by #Person2#",
        "1.3.2.4": "with the turns in another order",
        "2.3.1.4": "with the turns in another order",
    }.items():
        now = read(link, encoded.dialogue)
        assert arrangement_named(plain(encoded).order, now.order, now.masked, now.speakers) == name


def test_several_turns_go_together(app):
    run = base(TAGGED)
    alone = [found.drop for found in experiments.left_out(run)]
    arrive_with(app, TAGGED, turns="1m.2.4")
    assert "together" not in infos(app)  # something else was changed, too
    act(app, 0, "unmask")
    assert "together" not in infos(app)  # one alone
    act(app, 0, "delete")
    drop = effects.compare(tiny(), run, experiments.without(run, 0, 2)).original.drop
    assert together((0, 2), [alone[0], alone[2]], drop).replace("\xa0", " ") in infos(app)


def test_the_last_turn_that_is_heard_cannot_go(app):
    arrive_with(app, TAGGED, turns="4")
    assert able(app, 4) == ["swap"]
    assert "at least one turn must be left" in refused(app, 3, "delete")
    assert "at least one turn must stay visible" in refused(app, 3, "mask")
    assert app.query_params["turns"] == "4"
    act(app, 0, "restore")
    assert app.query_params["turns"] == "1.4" and not app.error


def test_one_turn_cannot_be_left_out(app):
    arrive_with(app, "Anna: I lost my keys at the station.")
    assert "This dialogue has one turn: leaving it out would leave nothing (n/a)." in infos(app)
    assert able(app, 1) == [] and not app.get("plotly_chart")
    assert "at least one turn must be left" in refused(app, 0, "delete")


def test_a_long_dialogue_is_measured_when_it_is_asked_for_and_in_parts(app, monkeypatch):
    experiments.step_by_step(monkeypatch)
    text = "\n".join(f"{'AB'[turn % 2]}: hm {turn}" for turn in range(60))  # more than the model reads
    arrive_with(app, text)
    read = turn_effects.turns_read(tiny().encode(text))
    rows = bench(app).values()
    assert 16 < len(read) < 60 and not any(row["drop"] for row in rows) and not app.get("plotly_chart")
    assert {row["number"] - 1 for row in rows if row["state"] == "unread"} == set(range(60)) - set(read)
    assert app.button(key="start_turns").label == f"Leave out each of {len(read)} turns"
    press(app, "start_turns")
    app.run()
    shown = [row["drop"]["text"] for row in bench(app).values() if row["drop"]]
    assert shown == in_nats([each.drop for each in turn_effects.leave_out(tiny(), base(text), read[:4])])


def test_shapley_values_stand_beside_leaving_one_out_when_they_are_asked_for(app):
    arrive_with(app, TAGGED)
    assert [each for each in app.get("plotly_chart") if "turns_beside" in each.proto.id] == []
    press(app, "start_shapley")
    found = beside_alone(Question(tiny(), decoded(text=TAGGED), unit="turn"))
    alone, shares = (list(each.values.sum(axis=0)) for each in (found.alone, found.shares))
    first, second = sorted(found.pair)
    why = together((first, second), [alone[first], alone[second]], found.together)
    said = base(TAGGED).condition.encoded.dialogue.turns
    turns = [(str(turn.index + 1), turn.speaker, turn.text) for turn in said]
    answers = {"occlusion": (alone, found.alone.check), "shapley": (shares, found.shares.check)}
    draws(app, "turns_beside", beside(turns, answers, 4, why))
    assert found.alone.check.holds and found.shares.check.holds


def test_a_demonstration_computes_no_shapley_values(app, monkeypatch):
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    arrive(app)
    assert "no Shapley values are computed" in infos(app) and driver.element(app, "plotly_chart", "turn_rewrites")


def test_a_given_summary_is_shown_and_is_what_is_scored(app):
    arrive(app)
    own = [row["drop"]["text"] for row in bench(app).values() if row["drop"]]
    app = driver.another(app)
    arrive(app, given="Anna <b>did</b> *it*.")
    line = literal("Scored is the given summary: “Anna <b>did</b> *it*.”")
    assert line in [each.value for each in app.caption]
    assert [row["drop"]["text"] for row in bench(app).values() if row["drop"]] != own
