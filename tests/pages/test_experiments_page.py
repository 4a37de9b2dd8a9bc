"""The Experiments page as a whole: links, controls, history, other pages, odd dialogues, and another kind of model."""

from collections.abc import Iterator

import pytest
import streamlit
from streamlit.testing.v1 import AppTest, app_test

from core import checkpoints
from core.experiments import ablations, gradients, interventions, lenses, turn_effects
from core.experiments.ablations import Head
from core.experiments.interventions import Condition
from core.figures.wording import number
from core.service import Summarizer
from core.text import links
from core.text.arrangement import plain
from pages.shared.frame import address, model
from tests.models import build, script
from tests.pages.attention import PAGE as ATTENTION
from tests.pages.conftest import ROOT, SECONDS, paste
from tests.pages.decoding import PAGE as DECODING
from tests.pages.decoding import fork, move
from tests.pages.driver import (
    Settled,
    another,
    captions,
    chart,
    choose,
    data,
    decoded,
    go,
    noted,
    press,
    table,
    tiny,
)
from tests.pages.experiments import (
    MARKUP,
    NAMED,
    PAGE,
    TAGGED,
    VIEWS,
    act,
    arranged,
    arrive,
    bars,
    base,
    bench,
    heads,
    infos,
    left_out,
    off,
    shows,
    without,
)
from tests.pages.test_address import back


def another_token(step: int) -> int:
    """A probable token that was not written at a step."""
    chosen = decoded().steps[step]
    return next(each.id for each in chosen.alternatives if each.id != chosen.token.id)


def lead_here(app: AppTest) -> AppTest:
    """Press the button of another page that leads here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_test, "PagesManager", Settled)  # a first run starts anew, and would forget the click
        return press(app, "to_experiments")


def test_a_link_reopens_everything_which_survives_another_page_until_it_is_reset(app):
    everything = {
        "experiment": "words", "control": "shuffled", "off": "cross1.1-encoder2.2", "ablation": "mean",
        "turns": "1.3m.2s1.10", "word": "3", "instead": str(another_token(2)), "lens_color": "rank",
    }  # fmt: skip
    assert set(everything) == {field.name for field in address.own_fields("experiments")}
    arrive(app, **everything)
    assert app.query_params == everything and not noted(app)
    assert data(app, "word_map")["chosen"] == 2 and app.selectbox(key="instead").value == another_token(2)
    go(app, DECODING)
    assert app.query_params == {}
    go(app, PAGE)
    assert app.query_params == everything
    choose(app, "experiment", "turns")
    rows = bench(app)
    assert [number for number, row in rows.items() if row["state"] not in ("unread", "deleted")] == [1, 3, 2, 10]
    assert (rows[3]["state"], rows[9]["state"]) == ("masked", "deleted")
    assert (rows[2]["name"], rows[2]["was"]) == ("#Person1#", "#Person2#")
    choose(app, "experiment", "lenses")
    assert app.segmented_control(key="lens_color").value == "rank"
    choose(app, "experiment", "heads")
    assert app.segmented_control(key="ablation").value == "mean" and app.query_params["experiment"] == "heads"
    gone = {Head("cross", 0, 0), Head("encoder", 1, 1)}
    assert {head for head, on in heads(app, "on").items() if not on} == gone
    press(app, "start_heads")
    press(app, "reset")
    assert app.query_params == {} and len(bench(app)) == 10
    for view in ("heads", "words"):
        choose(app, "experiment", view)
    assert len(app.session_state["sweeps"]) == 2  # what was measured before is gone
    assert data(app, "word_map")["chosen"] != 2


def test_the_address_after_some_steps_is_a_link_to_them(app):
    act(act(arrive(app), 1, "delete"), 8, "mask")
    assert app.query_params == {"turns": "1.3.9m.10"}
    again = arrive(another(app), **app.query_params)
    assert bench(again) == bench(app) and again.query_params == app.query_params
    assert table(again, "With the change").equals(table(app, "With the change"))


def test_another_dialogue_forgets_turns_and_token_and_back_brings_them(app, monkeypatch):
    """Once the change of the dialogue took the turns and the token of the link away."""
    said = []  # each of its values becomes an entry of the browser's history
    write = address.write
    monkeypatch.setattr(address, "write", lambda: (write(), said.append(dict(streamlit.query_params.to_dict()))))
    link = {"example": "cat-sitter", "turns": "2.3", "word": "5", "off": "cross1.1", "ablation": "mean"}
    arrive(app, **link)
    assert link in said
    said.clear()
    app.selectbox(key="example").set_value("lost-suitcase").run()
    assert said and all(each == {"off": "cross1.1", "ablation": "mean"} for each in said)
    assert not noted(app) and not app.error and all(row["state"] in ("", "unread") for row in bench(app).values())
    back(app, monkeypatch, **link)
    assert app.query_params == link and bench(app)[1]["state"] == "deleted" and not noted(app)
    # Streamlit pushes the new page's query with the old page's path: half a page change loses nothing.
    back(app, monkeypatch, see="head", layer="1")
    assert app.query_params == link


def test_attention_leads_to_its_head_or_its_whole_layer_switched_off(app):
    app.query_params.update({"kind": "encoder", "layer": "1", "head": "2"})
    app.switch_page(ATTENTION).run()
    assert app.button(key="to_experiments").label == "Test it: ablate this head"
    lead_here(app)
    assert app.query_params == {"experiment": "heads", "off": "encoder1.2"}
    shows(app, base(), interventions.compare(tiny(), base(), off(base(), Head("encoder", 0, 1))), "ablation")
    other = arrive(another(app), experiment="lenses", control="shuffled", off="encoder1.1")
    go(other, ATTENTION)
    assert other.button(key="to_experiments").label == "Test it: ablate all heads of this layer"
    lead_here(other)
    assert other.query_params == {"experiment": "heads", "off": "cross2.1-cross2.2"}


def test_decoding_leads_to_the_token_that_is_looked_at(app):
    arrive(app, experiment="words", word=2, control="shuffled", turns="1.2.3")
    go(app, DECODING)
    lead_here(move(app, 6))
    assert app.query_params == {"experiment": "words", "word": "7", "turns": "1.2.3"}
    assert data(app, "word_map")["chosen"] == 6
    assert f" is {number(gradients.gradient_times_input(tiny(), base(), 6).value)} nats in the model" in captions(app)
    # In another dialogue: once the token was forgotten, as if it belonged to the one experimented on before.
    go(app, DECODING)
    app.selectbox(key="example").set_value("cat-sitter").run()
    lead_here(move(app, 5))
    assert app.query_params == {"example": "cat-sitter", "experiment": "words", "word": "6"}
    assert data(app, "word_map")["chosen"] == 5 and not noted(app)
    # A branch is not experimented on.
    go(app, DECODING)
    fork(move(app, 3), 273)
    assert "to_experiments" not in [each.key for each in app.button]


def test_what_a_link_asks_in_vain_is_said_and_the_rest_is_shown(app):
    arrive(app, turns="1.4", off="cross1.1", control="xyz", ablation="<script>", strategy="greedy")
    for said in (
        "only turns that the model read can be arranged. Received: 4",
        "asks for control=xyz, which is not possible here",
        "asks for ablation=<script>, which is not possible here",
    ):
        assert said in noted(app)
    assert app.query_params == {"off": "cross1.1", "strategy": "greedy"} and list(bench(app)) == list(range(1, 11))
    app.button(key="notes_read").click().run()
    assert not noted(app)
    ablated = arrive(another(app), experiment="heads", off="cross1.1-cross1.3", turns="1.2")
    assert "heads that cannot be ablated" in noted(ablated) and "Received: 'cross1.3'" in noted(ablated)
    assert ablated.query_params == {"experiment": "heads", "turns": "1.2"} and all(heads(ablated, "on").values())
    words = arrive(another(app), experiment="words", word=9999)
    assert "asks for word 9999, which does not exist here (possible: 0 to 16)" in noted(words)
    token = arrive(another(app), experiment="words", word=3, instead=123456)
    assert "asks for token id 123456, which does not exist here" in noted(token)
    assert words.query_params == {"experiment": "words"} and token.query_params == {"experiment": "words", "word": "3"}


def test_odd_dialogues(app):
    arrive(app, input="paste")
    for view in VIEWS:
        choose(app, "experiment", view)
        assert "No dialogue is chosen yet" in infos(app)
        assert {each.key for each in app.get("bidi_component")} <= {"class_bar", "opened_box"}  # those of the frame
    long = another(app)
    long.query_params["truncation"] = "error"
    long.switch_page(PAGE).run()
    assert not long.exception and "The dialogue is too long" in long.error[0].value.replace("\\", "")
    paste(long, TAGGED)
    assert not long.exception and not long.error and list(bench(long)) == [1, 2, 3, 4]
    edited = arrive(another(app), example="cat-sitter", t=links.pack(NAMED))
    assert bars(edited, "turn_drops") == pytest.approx([each.drop for each in left_out(base(NAMED))], abs=1e-4)
    assert [row["text"] for row in bench(edited).values()] == [line.split(": ")[1] for line in NAMED.splitlines()]


def test_texts_stay_texts_in_every_view(app):
    paste(arrive(app, off="cross1.1"), MARKUP)
    act(act(app, 0, "swap"), 1, "mask")
    assert bench(app)[1]["text"] == "<b>bold</b> *stars* costs $5 or $y$"
    assert (bench(app)[1]["name"], bench(app)[1]["was"]) == ("Dov", "Eve")
    for view in VIEWS:
        choose(app, "experiment", view)
        for said in (*app.markdown, *app.caption, *app.info, *(each.label for each in app.selectbox)):
            text = said if isinstance(said, str) else said.value
            for mark in ("<", "$y", "*stars*"):
                assert mark not in text.replace("\\" + mark[0], "").replace("\\*", "")
        for each in app.get("plotly_chart"):
            assert not any(tag in str(chart(app, each.key)) for tag in ("<b>bold", "<script", "<i>"))
        if view == "words":  # they stand as in the dialogue
            drawn = data(app, "word_map")["turns"]
            lines = ["".join(word["gap"] + word["text"] for word in each["words"] if not word["special"])
                     for each in drawn]  # fmt: skip
            assert [line.strip() for line in lines] == MARKUP.splitlines()
            marks = [word["text"] for each in drawn for word in each["words"] if word["special"]]
            assert marks == ["end of turn", "end of turn", "end of dialogue"]


def test_a_reference_is_compared_with(app):
    act(arrive(app), 1, "delete")
    assert "ROUGE-L against the reference: " in captions(app)
    for reference in ("", "#Person1# lost keys."):
        paste(app, TAGGED, reference=reference)
        act(app, 1 if not reference else 2, "delete")
        assert ("ROUGE-L against the reference" in captions(app)) == bool(reference)


# Controls ------------------------------------------------------------------------------------------------------------


def test_shuffled_turns_keep_their_numbers_and_their_changes(app):
    run, other = base(), base(control="shuffled")
    read = list(plain(other.condition.encoded).order)
    assert sorted(read) == [0, 1, 2, 8, 9] != read
    arrive(app, control="shuffled")
    assert list(bench(app)) == [turn + 1 for turn in read] + [4, 5, 6, 7, 8]
    assert not any(row["marks"] for row in list(bench(app).values())[:5])  # nothing was moved by anybody
    assert bars(app, "turn_drops") == pytest.approx([each.drop for each in left_out(other)], abs=1e-4)
    assert list(table(app, "Effect (nats)")["Turn"]) == [str(turn + 1) for turn in read]
    assert "the same turns in a random order" in infos(app)
    for turn in read:  # a deleted one comes back to its place
        act(act(app, turn, "delete"), turn, "restore")
        assert app.query_params == {"control": "shuffled"}
    choose(app, "experiment", "words")
    assert [turn["number"] for turn in data(app, "word_map")["turns"]] == [turn + 1 for turn in [*read, *range(3, 8)]]
    assert "in the model with shuffled turns." in captions(app)
    # A change goes along, there and back; a move means nothing among shuffled turns.
    choose(app, "experiment", "turns")
    choose(app, "control", "none")
    act(act(app, 1, "delete"), 0, "down")
    choose(app, "control", "shuffled")
    shows(app, other, interventions.compare(tiny(), other, without(other, 1)), "turn")
    assert any("Without turn 2**" in each.value for each in app.markdown)
    choose(app, "control", "none")
    assert app.query_params == {"turns": "1.3.9.10"}
    shows(app, run, interventions.compare(tiny(), run, without(run, 1)), "turn")


@pytest.mark.slow
def test_an_untrained_network_is_another_model(app, folder):
    job = model.job("tiny", trained=False)
    assert job.done.wait(SECONDS) and job.error is None
    untrained = job.summarizer
    run, other = base(), base(control="untrained", summarizer=untrained)
    assert untrained.checkpoint.identity == "tiny@0-untrained" and other.ids == run.ids and other.text != run.text
    press(arrive(app, experiment="heads", word=3), "start_heads")
    trained = heads(app)
    choose(app, "control", "untrained")
    assert set(heads(app).values()) == {"·"} and "the same network before training" in infos(app)
    press(app, "start_heads")
    every = ablations.every_head(tiny().config)
    found = interventions.measure_effects(untrained, other, [off(other, head) for head in every], rewrite=False)
    assert heads(app) == {head: number(each.drop_per_token) for head, each in zip(every, found, strict=True)}
    assert heads(app) != trained and "catalogue" not in str(data(app, "head_switches")["grids"])
    choose(app, "ablation", "mean")
    assert "An untrained network has no mean outputs" in app.warning[0].value.replace("\\", "")
    choose(app, "experiment", "turns")
    drops = [each.drop for each in turn_effects.leave_out(untrained, other, [0, 1, 2, 8, 9], rewrite=False)]
    assert bars(app, "turn_drops") == pytest.approx(drops, abs=1e-4)
    act(app, 0, "delete")
    shows(app, other, interventions.compare(untrained, other, without(other, 0)), "turn")
    assert "the summary of the trained model for the dialogue as it is" in captions(app)
    choose(app, "experiment", "words")
    gradient = gradients.gradient_times_input(untrained, other, 2)
    assert f" is {number(gradient.value)} nats in the untrained network." in captions(app)
    cross = untrained.engine.replay(other.condition.encoded.ids, other.ids)["cross"][-1, :, 2].mean(axis=0)
    tokens = other.condition.encoded.tokens
    looks = [sum(cross[place] for place, token in enumerate(tokens) if token.turn == turn) for turn in (0, 1, 2, 8, 9)]
    assert list(table(app, "Effect of leaving it out")["Cross-attention looks at"]) == pytest.approx(looks, abs=1e-4)


def test_an_untrained_network_that_cannot_be_made_says_so(app, monkeypatch):
    def fail(*_: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(Summarizer, "untrained", fail)
    failed = model.LoadJob("tiny", trained=False)
    assert failed.done.wait(SECONDS)
    real, retried = model.job, []
    monkeypatch.setattr(model, "job", lambda name, trained=True: real(name) if trained else failed)
    monkeypatch.setattr(model, "retry", retried.append)
    app.query_params["control"] = "untrained"
    app.switch_page(PAGE).run()
    assert not app.exception and "The model could not be loaded (`MemoryError`)." in app.error[0].value
    next(each for each in app.button if each.label == "Try again").click().run()
    assert retried == [failed]
    choose(app, "control", "none")
    assert bars(app, "turn_drops")


# Another kind of model -----------------------------------------------------------------------------------------------


@pytest.fixture
def words(tmp_path, folder, monkeypatch) -> Iterator[Summarizer]:
    """The only checkpoint: post-norm, without copying, with words for tokens and names that are words; loaded."""
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    build(tmp_path / "words", "post", False, "word")
    job = model.job("words")
    assert job.done.wait(SECONDS) and job.error is None
    yield job.summarizer
    job.thread.join(SECONDS)


@pytest.mark.slow
def test_a_model_of_words_without_copying(words):
    app, settings = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120), words.settings
    summary = words.summarize(script(), settings)
    ids = [each.id for each in summary.tokens]
    run = interventions.untouched(words, Condition(words.encode(script())), ids, settings)
    arrive(app, input="paste", t=links.pack(script()))
    found = turn_effects.leave_out(words, run, range(4))
    assert bars(app, "turn_drops") == pytest.approx([each.drop for each in found], abs=1e-4)
    act(act(app, 0, "swap"), 3, "mask")
    shows(app, run, interventions.compare(words, run, arranged(run, "1s2.2.3.4m")), "turn")
    press(choose(app, "experiment", "heads"), "start_heads")
    every = ablations.every_head(words.config)
    changes = [off(run, head, config=words.config) for head in every]
    lost = interventions.measure_effects(words, run, changes, rewrite=False)
    assert heads(app) == {head: number(each.drop_per_token) for head, each in zip(every, lost, strict=True)}
    choose(app, "experiment", "words")
    by_hand = gradients.gradient_times_input(words, run, data(app, "word_map")["chosen"])
    assert bars(app, "turn_gradients")[-1] == pytest.approx(float(by_hand.prefix.sum()), abs=1e-4)
    choose(app, "experiment", "lenses")
    read, early = lenses.logit_lens(words, run), lenses.decoder_lens(words, run)
    assert chart(app, "logit_lens_picture")["data"][0]["z"] == pytest.approx(read.probability.T, abs=1e-5)
    assert f"forced: {number(float(early[0].log_probabilities.mean()))} nats a token (effect of" in captions(app)
