"""The Experiments page as a whole: links, controls, history, the pages that lead here, and users' texts."""

import pytest
import streamlit

from core.experiments import effects, gradients, turn_effects
from core.experiments.ablations import Head
from core.figures.experiments.effect_scale import signed_figures
from core.service import Summarizer
from core.text.arrangement import plain
from pages.shared.model import models
from pages.shared.place import address
from tests.pages import driver, experiments
from tests.pages.attention import PAGE as ATTENTION
from tests.pages.conftest import SECONDS
from tests.pages.decoding import PAGE as DECODING
from tests.pages.decoding import fork, move
from tests.pages.driver import captions, chart, choose, data, go, noted, open_link, press, press_label, table, tiny
from tests.pages.experiments import PAGE, arrive, arrive_with, bars, base, bench, heads, off, shows, without
from tests.pages.test_address import back


def test_turns_of_a_link_stand_on_the_bench_until_everything_is_reset(app):
    arrive(app, turns="1.3m.2s1.10", off="cross1.1", control="shuffled", word="3")
    rows = bench(app)
    assert [number for number, row in rows.items() if row["state"] not in ("unread", "deleted")] == [1, 3, 2, 10]
    assert (rows[3]["state"], rows[9]["state"]) == ("masked", "deleted")
    assert (rows[2]["name"], rows[2]["was"]) == ("#Person1#", "#Person2#")
    press(press(app, "reset"), "reset_now")
    assert app.query_params == {} and not any(row["marks"] for row in bench(app).values() if row["state"] != "unread")
    assert not any("shuffled" in key for key in app.session_state["sweeps"])  # what was measured before is gone


def test_another_dialogue_forgets_turns_and_token_and_back_brings_them(app, monkeypatch):
    """Once the change of the dialogue took the turns and the token of the link away."""
    said = []  # each of its values becomes an entry of the browser's history
    write = address.write
    monkeypatch.setattr(address, "write", lambda: (write(), said.append(dict(streamlit.query_params.to_dict()))))
    link = {"example": "cat-sitter", "turns": "2.3", "word": "5", "off": "cross1.1", "ablation": "mean"}
    arrive(app, **link)
    assert link in said
    said.clear()
    choose(app, "example", "lost-suitcase")
    assert said and all(each == {"off": "cross1.1", "ablation": "mean"} for each in said)
    assert not noted(app) and all(row["state"] in ("", "unread") for row in bench(app).values())
    back(app, monkeypatch, **link)
    assert app.query_params == link and bench(app)[1]["state"] == "deleted" and not noted(app)
    # Streamlit pushes the new page's query with the old page's path: half a page change loses nothing.
    back(app, monkeypatch, see="head", layer="1")
    assert app.query_params == link


def test_attention_leads_to_its_head_switched_off(app, settled):
    open_link(ATTENTION, app, kind="encoder", layer=1, head=2)
    assert app.button(key="to_experiments").label == "Test it: ablate this head"
    press(app, "to_experiments")
    assert app.query_params == {"experiment": "heads", "off": "encoder1.2"}
    shows(app, base(), effects.compare(tiny(), base(), off(base(), Head("encoder", 0, 1))), "ablation")


def test_attention_leads_to_its_whole_layer_switched_off_whatever_was_experimented_on(app, settled):
    go(arrive(app, experiment="words", control="shuffled", off="encoder1.1"), ATTENTION)
    assert app.button(key="to_experiments").label == "Test it: ablate all heads of this layer"
    assert press(app, "to_experiments").query_params == {"experiment": "heads", "off": "cross2.1-cross2.2"}


def test_decoding_leads_to_the_token_that_is_looked_at(app, settled):
    go(arrive(app, experiment="words", word=2, control="shuffled", turns="1.2.3"), DECODING)
    press(move(app, 6), "to_experiments")
    assert app.query_params == {"experiment": "words", "word": "7", "turns": "1.2.3"}
    assert data(app, "word_map")["chosen"] == 6
    found = gradients.gradient_times_input(tiny(), base(), 6)
    assert f" is {signed_figures(found.value)} nats in the model" in captions(app)
    # In another dialogue: once the token was forgotten, as if it belonged to the one experimented on before.
    choose(go(app, DECODING), "example", "cat-sitter")
    press(move(app, 5), "to_experiments")
    assert app.query_params == {"example": "cat-sitter", "experiment": "words", "word": "6"}
    assert data(app, "word_map")["chosen"] == 5 and not noted(app)


def test_a_branch_is_not_experimented_on(app):
    fork(open_link(DECODING, app, step=4), 273)
    assert "to_experiments" not in [each.key for each in app.button]


def test_texts_of_users_stay_texts_in_maps_and_charts(app):
    arrive_with(app, experiments.MARKUP, turns="1s2.2m.3")
    assert bench(app)[1]["text"] == "<b>bold</b> *stars* costs $5 or $y$"
    assert (bench(app)[1]["name"], bench(app)[1]["was"]) == ("Dov", "Eve")
    for view in ("turns", "words"):
        choose(app, "experiment", view)
        for each in app.get("plotly_chart"):
            assert not any(tag in str(chart(app, each.key)) for tag in ("<b>bold", "<script", "<i>"))
    drawn = data(app, "word_map")["turns"]
    lines = ["".join(word["gap"] + word["text"] for word in each["words"] if not word["special"]) for each in drawn]
    assert [line.strip() for line in lines] == experiments.MARKUP.splitlines()
    marks = [word["text"] for each in drawn for word in each["words"] if word["special"]]
    assert marks == ["end of turn", "end of turn", "end of dialogue"]


def test_a_reference_is_compared_with(app):
    arrive(app, turns="1.3.9.10")
    assert "ROUGE-L against the reference: " in captions(app)
    other = arrive_with(driver.another(app), experiments.TAGGED, turns="1.3.4")
    assert "ROUGE-L against the reference" not in captions(other)


# Controls ------------------------------------------------------------------------------------------------------------


def test_shuffled_turns_keep_their_numbers(app):
    other = base(control="shuffled")
    read = list(plain(other.condition.encoded).order)
    assert sorted(read) == [0, 1, 2, 8, 9] != read
    arrive(app, control="shuffled")
    assert list(bench(app)) == [turn + 1 for turn in read] + [4, 5, 6, 7, 8]
    assert not any(row["marks"] for row in list(bench(app).values())[:5])  # nothing was moved by anybody
    experiments.same(bars(app, "turn_drops"), [each.drop for each in experiments.left_out(other)])
    assert list(table(app, "Effect (nats)")["Turn"]) == [str(turn + 1) for turn in read]
    assert "the same turns in a random order" in experiments.infos(app)
    experiments.act(experiments.act(app, read[2], "delete"), read[2], "restore")  # it comes back to its place
    assert app.query_params == {"control": "shuffled"}
    choose(app, "experiment", "words")
    assert [turn["number"] for turn in data(app, "word_map")["turns"]] == [turn + 1 for turn in [*read, *range(3, 8)]]
    assert "in the model with shuffled turns." in captions(app)
    step = data(app, "word_map")["chosen"]
    cross = tiny().engine.replay(other.condition.encoded.ids, other.ids)["cross"][-1, :, step].mean(axis=0)
    tokens = other.condition.encoded.tokens
    looks = [sum(cross[place] for place, token in enumerate(tokens) if token.turn == turn) for turn in read]
    experiments.same(table(app, "Effect of leaving it out")["Cross-attention looks at"], looks)


def test_changes_go_along_to_shuffled_turns_and_back_without_moves(app):
    run, other = base(), base(control="shuffled")
    arrive(app, turns="3.1.9.10")
    choose(app, "control", "shuffled")
    shows(app, other, effects.compare(tiny(), other, without(other, 1)), "turn")
    assert any("Without turn 2**" in each.value for each in app.markdown)
    choose(app, "control", "none")
    assert app.query_params == {"turns": "1.3.9.10"}
    shows(app, run, effects.compare(tiny(), run, without(run, 1)), "turn")


@pytest.mark.slow
def test_an_untrained_network_is_another_model(app, folder):
    job = models.job("tiny", trained=False)
    assert job.done.wait(SECONDS) and job.error is None
    untrained = job.summarizer
    run, other = base(), base(control="untrained", summarizer=untrained)
    assert untrained.checkpoint.identity == "tiny@0-untrained" and other.ids == run.ids and other.text != run.text
    arrive(app, control="untrained", turns="2.3.9.10", word=3, ablation="mean")
    assert "the same network before training" in experiments.infos(app)
    drops = [each.drop for each in turn_effects.leave_out(untrained, other, [0, 1, 2, 8, 9], rewrite=False)]
    experiments.same(bars(app, "turn_drops"), drops)
    shows(app, other, effects.compare(untrained, other, without(other, 0)), "turn")
    assert "the summary of the trained model for the dialogue as it is" in captions(app)
    choose(app, "experiment", "heads")
    assert set(heads(app).values()) == {"·"} and "catalogue" not in str(data(app, "head_switches")["grids"])
    assert "An untrained network has no mean outputs" in app.warning[0].value.replace("\\", "")
    job.thread.join(SECONDS)  # ending Python while XLA compiles would crash it


def test_an_untrained_network_that_cannot_be_made_says_so(app, monkeypatch):
    def fail(*_: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(Summarizer, "untrained", fail)
    failed = models.LoadJob("tiny", trained=False)
    assert failed.done.wait(SECONDS)
    real, retried = models.job, []
    monkeypatch.setattr(models, "job", lambda name, trained=True: real(name) if trained else failed)
    monkeypatch.setattr(models, "retry", retried.append)
    open_link(PAGE, app, may_refuse=True, control="untrained")
    assert "The model could not be loaded (`MemoryError`)." in app.error[0].value
    press_label(app, "Try again", may_refuse=True)
    assert retried == [failed]
    choose(app, "control", "none")
    assert bars(app, "turn_drops")
