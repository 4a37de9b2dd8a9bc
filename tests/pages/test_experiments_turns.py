"""Turns on the Experiments page: every button, the knock-outs and their noise floor, and what cannot be done."""

from core.experiments import interventions, turn_effects
from core.figures import effects
from core.figures.changes import together
from tests.pages.conftest import paste
from tests.pages.driver import captions, click, draws, press, tiny
from tests.pages.experiments import (
    TAGGED,
    able,
    act,
    arranged,
    arrive,
    base,
    bench,
    infos,
    left_out,
    refused,
    shows,
    step_by_step,
    without,
)

READ = [1, 2, 3, 9, 10]  # of the first example; the model is too small for the others


def test_a_newcomer_sees_every_turn_left_out_once(app):
    run = base()
    found, floors = left_out(run), turn_effects.random_cuts(tiny(), run, [turn - 1 for turn in READ])
    drops, dialogue = [each.drop for each in found], run.condition.encoded.dialogue.turns
    turns = [(str(number), dialogue[number - 1].speaker, dialogue[number - 1].text) for number in READ]
    arrive(app)
    assert app.query_params == {} and app.segmented_control(key="experiment").value == "turns" and infos(app) == ""
    draws(app, "turn_drops", effects.turn_drops(turns, drops, floors, "the turn deleted"))
    changed, texts = [each.changed for each in found], [each.text for each in found]
    draws(app, "turn_rewrites", effects.turn_rewrites(turns, changed, texts, "the turn deleted, beam decoding"))
    for sentence in ("All 5 turns are measured.", "The model did not read turns 4–8: it was too long."):
        assert sentence in captions(app)
    # The bench has them, too; what the model did not read is shown and left alone.
    assert list(bench(app)) == list(range(1, 11))
    on_bench = [row["drop"]["text"] for row in bench(app).values() if row["drop"]]
    assert on_bench == [f"{drop:+.2f}".replace("-", "−") for drop in drops]
    unread = [(row["state"], row["actions"], row["drop"]) for row in list(bench(app).values())[3:8]]
    assert unread == [("unread", [], None)] * 5
    act(act(app, 2, "delete"), 8, "up")
    assert app.query_params == {"turns": "1.9.2.10"}
    assert [number for number in bench(app) if number not in range(4, 9)] == [1, 9, 2, 3, 10]
    press(app, "put_back")
    for row, link in ((3, "1.2.3.10"), (0, "2.3.10"), (3, "2.3.9.10")):  # a click on a bar, and one that takes it back
        click(app, "turn_drops", row)
        assert app.query_params == {"turns": link}
    assert (bench(app)[9]["state"], bench(app)[1]["state"]) == ("", "deleted")


def test_buttons_change_what_is_read_and_both_answers_are_shown(app):
    run = base(TAGGED)
    paste(arrive(app), TAGGED)
    moved = "With the turns in another order"
    for steps, link, name in (
        ([(1, "delete")], "1.3.4", "Without turn 2"),
        ([(0, "mask")], "1m.2.3.4", "With turn 1 masked"),
        ([(0, "swap")], "1s2.2.3.4", "With turn 1 said by #Person2#"),
        ([(2, "up")], "1.3.2.4", moved),
        ([(0, "down"), (0, "down")], "2.3.1.4", moved),  # once the same experiment as any other order
        ([(3, "delete"), (1, "mask"), (2, "swap"), (0, "down")], "2m.1.3s2",
         "Without turn 4, with turn 2 masked, with turn 3 said by #Person2# and with the turns in another order"),
    ):  # fmt: skip
        for turn, action in steps:
            act(app, turn, action)
        assert app.query_params["turns"] == link
        found = interventions.compare(tiny(), run, arranged(run, link))
        shows(app, run, found, "turn")
        assert any(name in each.value.replace("\\", "") for each in app.markdown)
        assert f"summary is {found.original.drop:+.2f} nats: ".replace("-", "−") in captions(app)
        press(app, "put_back")
        assert "turns" not in app.query_params
        assert not [each for each in app.dataframe if "With the change" in each.value]
    # Every button has one that takes it back.
    assert able(app, 1) == ["delete", "mask", "swap", "down"] and able(app, 4) == ["delete", "mask", "swap", "up"]
    for turn, there, back in ((1, "delete", "restore"), (1, "mask", "unmask"), (2, "swap", "swap"), (1, "up", "down")):
        act(app, turn, there)
        assert "turns" in app.query_params and back in able(app, turn + 1)
        act(app, turn, back)
        assert "turns" not in app.query_params, there
    assert list(bench(app)) == [1, 2, 3, 4]


def test_several_turns_go_together_and_the_last_that_is_heard_cannot_go(app):
    run = base(TAGGED)
    alone = [found.drop for found in left_out(run)]
    paste(arrive(app), TAGGED)
    act(act(app, 0, "mask"), 2, "delete")
    assert "together" not in infos(app)  # something else was changed, too
    act(app, 0, "unmask")
    assert "together" not in infos(app)  # one alone
    act(app, 0, "delete")
    drop = interventions.compare(tiny(), run, without(run, 0, 2)).original.drop
    assert together((0, 2), [alone[0], alone[2]], drop).replace("\xa0", " ") in infos(app)
    act(app, 1, "delete")
    assert able(app, 4) == ["swap"]
    assert "at least one turn must be left" in refused(app, 3, "delete")
    assert "at least one turn must stay visible" in refused(app, 3, "mask")
    assert app.query_params["turns"] == "4"
    act(app, 0, "restore")
    assert app.query_params["turns"] == "1.4" and not app.error


def test_what_a_dialogue_does_not_have_is_not_offered(app, monkeypatch):
    paste(arrive(app), "Anna: I lost my keys at the station.")
    assert "This dialogue has one turn: leaving it out would leave nothing (n/a)." in infos(app)
    assert able(app, 1) == [] and not app.get("plotly_chart")
    assert "at least one turn must be left" in refused(app, 0, "delete")
    nameless = "Where are my keys?\nDid you ask the guard?\nHe found them."
    paste(app, nameless)
    assert {row["name"] for row in bench(app).values()} == {""}
    assert all("swap" not in able(app, number) for number in bench(app))
    act(app, 0, "mask")
    shows(
        app, base(nameless), interventions.compare(tiny(), base(nameless), arranged(base(nameless), "1m.2.3")), "turn"
    )
    # A long one is measured when it is asked for, and in parts.
    step_by_step(monkeypatch)
    text = "\n".join(f"{'AB'[turn % 2]}: hm {turn}" for turn in range(60))  # more than the model reads
    paste(app, text)
    read = turn_effects.turns_read(tiny().encode(text))
    rows = bench(app).values()
    assert 16 < len(read) < 60 and not any(row["drop"] for row in rows) and not app.get("plotly_chart")
    assert {row["number"] - 1 for row in rows if row["state"] == "unread"} == set(range(60)) - set(read)
    assert app.button(key="start_turns").label == f"Leave out each of {len(read)} turns"
    press(app, "start_turns")
    app.run()
    shown = [row["drop"]["text"] for row in bench(app).values() if row["drop"]]
    first = turn_effects.leave_out(tiny(), base(text), read[:2])
    assert shown == [f"{each.drop:+.2f}".replace("-", "−") for each in first]
