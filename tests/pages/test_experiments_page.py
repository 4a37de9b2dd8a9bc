"""The Experiments page as a whole: links, controls, history, other pages, odd dialogues, and another kind of model."""

from collections.abc import Iterator

import numpy as np
import pytest
import streamlit
from streamlit.testing.v1 import AppTest, app_test

from core import checkpoints
from core.config import DecodeSettings, ModelConfig
from core.experiments import ablations, gradients, interventions, lenses, turn_effects
from core.experiments.ablations import Head
from core.experiments.interventions import Condition
from core.figures.wording import number
from core.service import Summarizer
from core.text import links
from core.text.arrangement import plain
from core.text.tokenizer import Tokenizer
from pages.shared.frame import address, model
from tests.pages.attention import PAGE as ATTENTION
from tests.pages.conftest import ROOT, SECONDS, paste
from tests.pages.decoding import PAGE as DECODING
from tests.pages.decoding import fork, move
from tests.pages.driver import (
    FIRST,
    Settled,
    another,
    captions,
    chart,
    choose,
    data,
    decoded,
    element,
    go,
    notes,
    press,
    table,
    tiny,
)
from tests.pages.experiments import (
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
    damage,
    infos,
    left_out,
    lit,
    order,
    row_of,
    shows,
    without,
)
from tests.pages.test_address import back


def another_token(step: int) -> int:
    """A probable token that was not written at a step."""
    chosen = decoded().steps[step]
    return next(each.id for each in chosen.alternatives if each.id != chosen.token.id)


def everything() -> dict[str, str]:
    """A link that says all that a link to this page can say."""
    return {
        "experiment": "words", "control": "shuffled", "off": "cross1.1-encoder2.2", "ablation": "mean",
        "turns": "1.3m.2s1.10", "word": "3", "instead": str(another_token(2)), "lens_color": "rank",
    }  # fmt: skip


def lead_here(app: AppTest) -> AppTest:
    """Press the button of another page that leads here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_test, "PagesManager", Settled)  # a first run starts anew, and would forget the click
        return press(app, "to_experiments")


@pytest.mark.parametrize("control", ["none", "shuffled"])
@pytest.mark.parametrize("strategy", ["beam", "greedy"])
def test_every_view_can_be_looked_at(app, strategy, control):
    arrive(app, strategy=strategy, control=control)
    for view, picture in VIEWS.items():
        choose(app, "experiment", view)
        assert not app.warning
        assert picture is None or element(app, "plotly_chart", picture).proto.alt
        assert (app.query_params.get("experiment", "turns"), app.query_params.get("control", "none")) == (view, control)


def test_a_newcomer_sees_what_every_turn_was_worth(app):
    arrive(app)
    assert app.query_params == {} and len([row for row in bench(app) if row["drop"]]) == 5
    assert app.segmented_control(key="experiment").value == "turns" and infos(app) == ""


def test_a_link_reopens_everything(app):
    assert set(everything()) == {field.name for field in address.own_fields("experiments")}
    arrive(app, **everything())
    assert app.query_params == everything() and not notes(app)
    assert data(app, "word_map")["chosen"] == 2 and app.selectbox(key="instead").value == another_token(2)
    choose(app, "experiment", "turns")
    assert [row["number"] for row in bench(app) if row["state"] not in ("unread", "deleted")] == [1, 3, 2, 10]
    assert (row_of(app, 3)["state"], row_of(app, 9)["state"]) == ("masked", "deleted")
    assert (row_of(app, 2)["name"], row_of(app, 2)["was"]) == ("#Person1#", "#Person2#")
    choose(app, "experiment", "heads")
    assert app.segmented_control(key="ablation").value == "mean" and app.segmented_control(key="control").value
    assert lit(app) == set(ablations.every_head(tiny().config)) - {Head("cross", 0, 0), Head("encoder", 1, 1)}
    choose(app, "experiment", "lenses")
    assert app.segmented_control(key="lens_color").value == "rank"
    assert app.query_params == everything() | {"experiment": "lenses"}


def test_the_address_after_some_steps_is_a_link_to_them(app):
    act(act(arrive(app), 1, "delete"), 8, "mask")
    assert app.query_params == {"turns": "1.3.9m.10"}
    again = arrive(another(app), **app.query_params)
    assert bench(again) == bench(app) and again.query_params == app.query_params
    assert table(again, "With the change").equals(table(app, "With the change"))


def test_what_was_chosen_survives_another_page(app):
    link = {name: value for name, value in everything().items() if name not in ("experiment", "control")}
    arrive(app, **link)
    before = bench(app)
    go(app, DECODING)
    assert app.query_params == {}
    go(app, PAGE)
    assert app.query_params == link and bench(app) == before


def test_back_to_another_dialogue_brings_its_turns(app, monkeypatch):
    """Once the change of the dialogue took the turns and the token of the link away."""
    arrive(app, example="cat-sitter", turns="2.3", word=5)
    app.selectbox(key="example").set_value("lost-suitcase").run()
    assert app.query_params == {}
    back(app, monkeypatch, example="cat-sitter", turns="2.3", word="5")
    assert app.query_params == {"example": "cat-sitter", "turns": "2.3", "word": "5"}
    assert row_of(app, 1)["state"] == "deleted" and not notes(app)


def test_the_address_never_says_old_turns_with_a_new_dialogue(app, monkeypatch):
    """Each of its values becomes an entry of the browser's history."""
    said = []
    write = address.write
    monkeypatch.setattr(address, "write", lambda: (write(), said.append(dict(streamlit.query_params.to_dict()))))
    arrive(app, example="cat-sitter", turns="2.3", word=5, experiment="words")
    assert {"example": "cat-sitter", "turns": "2.3", "word": "5", "experiment": "words"} in said
    said.clear()
    app.selectbox(key="example").set_value("lost-suitcase").run()
    assert said and all(each == {"experiment": "words"} for each in said)


def test_back_to_half_a_page_change_loses_nothing(app, monkeypatch):
    """Streamlit pushes the new page's query with the old page's path."""
    arrive(app, experiment="words", word=5, off="cross1.1")
    back(app, monkeypatch, see="head", layer="1")
    assert app.query_params == {"experiment": "words", "word": "5", "off": "cross1.1"}
    assert data(app, "word_map")["chosen"] == 4


def test_another_dialogue_forgets_turns_and_token_and_keeps_heads(app):
    arrive(app, turns="1.2.3", word=5, off="cross1.1", ablation="mean")
    app.selectbox(key="example").set_value("cat-sitter").run()
    assert app.query_params == {"example": "cat-sitter", "off": "cross1.1", "ablation": "mean"}
    assert not notes(app) and not app.error
    assert all(row["state"] in ("", "unread") for row in bench(app))


def test_attention_leads_to_its_head_switched_off(app):
    app.query_params.update({"kind": "encoder", "layer": "1", "head": "2"})
    app.switch_page(ATTENTION).run()
    assert app.button(key="to_experiments").label == "Test it: ablate this head"
    lead_here(app)
    assert app.query_params == {"experiment": "heads", "off": "encoder1.2"}
    shows(app, base(), interventions.compare(tiny(), base(), off(base(), Head("encoder", 0, 1))), "ablation")


def test_attention_leads_to_a_whole_layer_and_to_the_model_itself(app):
    arrive(app, experiment="lenses", control="shuffled", off="encoder1.1")
    go(app, ATTENTION)
    assert app.button(key="to_experiments").label == "Test it: ablate all heads of this layer"
    lead_here(app)
    assert app.query_params == {"experiment": "heads", "off": "cross2.1-cross2.2"}


def off(run, *heads: Head) -> Condition:
    return Condition(run.condition.encoded, ablations.gates(tiny().config, heads))


def test_decoding_leads_to_the_token_that_is_looked_at(app):
    arrive(app, experiment="words", word=2, control="shuffled")
    go(app, DECODING)
    lead_here(move(app, 6))
    assert app.query_params == {"experiment": "words", "word": "7"}
    assert data(app, "word_map")["chosen"] == 6
    run = base()
    found = gradients.gradient_times_input(tiny(), run, 6)
    assert f" is {number(found.value)} nats in the model tiny@" in captions(app)


def test_decoding_leads_to_a_token_of_another_dialogue_than_before(app):
    """Once the token was forgotten there, as if it belonged to the dialogue that was experimented on before."""
    arrive(app, experiment="words", word=2, turns="1.2.3")
    go(app, DECODING)
    app.selectbox(key="example").set_value("cat-sitter").run()
    lead_here(move(app, 6))
    assert app.query_params == {"example": "cat-sitter", "experiment": "words", "word": "7"}
    assert data(app, "word_map")["chosen"] == 6 and not notes(app)


def test_a_branch_is_not_experimented_on(app):
    app.switch_page(DECODING).run()
    assert app.button(key="to_experiments")
    fork(move(app, 3), 273)
    assert "to_experiments" not in [each.key for each in app.button]


@pytest.mark.parametrize(
    "link", [{"experiment": "xyz"}, {"control": "xyz"}, {"ablation": "median"}, {"experiment": "<script>"}]
)
def test_words_that_a_link_may_not_say(app, link):
    ((name, value),) = link.items()
    arrive(app, **link, off="cross1.1", turns="1.2", word=3)
    assert f"asks for {name}={value}, which is not possible here" in notes(app).replace("\\", "")
    assert app.query_params == {"off": "cross1.1", "turns": "1.2", "word": "3"}
    app.button(key="notes_read").click().run()
    assert not notes(app)


def test_without_a_dialogue_the_page_says_what_to_do(app):
    arrive(app, input="paste")
    assert "No dialogue is chosen yet" in infos(app) and not app.get("bidi_component")
    for view in VIEWS:
        choose(app, "experiment", view)
        assert "No dialogue is chosen yet" in infos(app)


def test_a_dialogue_that_is_too_long_to_be_read_is_refused_and_the_page_stays(app):
    app.query_params["truncation"] = "error"
    app.switch_page(PAGE).run()
    assert not app.exception and "The dialogue is too long" in app.error[0].value.replace("\\", "")
    paste(app, TAGGED)
    assert not app.exception and not app.error and order(app) == [1, 2, 3, 4]


def test_an_edited_example_is_what_is_experimented_on(app):
    arrive(app, example="cat-sitter", t=links.pack(NAMED))
    run = base(NAMED)
    assert bars(app, "turn_drops") == pytest.approx([each.drop for each in left_out(run)], abs=1e-4)
    assert [row["text"] for row in bench(app)] == [line.split(": ")[1] for line in NAMED.splitlines()]


def test_reset_everything_works_here(app):
    press(arrive(app, **everything() | {"experiment": "heads"}), "start_heads")
    press(app, "reset")
    assert app.query_params == {} and len(bench(app)) == 10
    for view in ("heads", "words"):
        choose(app, "experiment", view)
    assert len(app.session_state["sweeps"]) == 2  # what was measured before is gone
    assert data(app, "word_map")["chosen"] != 2


def test_a_reference_is_compared_with(app):
    act(arrive(app), 1, "delete")
    found = interventions.compare(tiny(), base(), without(base(), 1))
    assert found.text and "ROUGE-L against the reference: " in captions(app)
    paste(app, TAGGED)
    act(app, 1, "delete")
    assert "ROUGE-L against the reference" not in captions(app)
    paste(app, TAGGED, reference="#Person1# lost keys.")
    act(app, 2, "delete")
    assert "ROUGE-L against the reference" in captions(app)


# Control: shuffled turns.


def test_shuffled_turns_keep_their_numbers(app):
    run = base(control="shuffled")
    read = list(plain(run.condition.encoded).order)
    assert sorted(read) == [0, 1, 2, 8, 9] != read
    arrive(app, control="shuffled")
    assert order(app) == [turn + 1 for turn in read] + [4, 5, 6, 7, 8]
    assert not any(row["marks"] for row in bench(app)[:5])  # nothing was moved by anybody
    found = dict(zip(turn_effects.turns_read(run.condition.encoded), left_out(run), strict=True))
    assert list(found) == read
    assert bars(app, "turn_drops") == pytest.approx([each.drop for each in found.values()], abs=1e-4)
    assert list(table(app, "Effect (nats)")["Turn"]) == [str(turn + 1) for turn in read]
    assert "the same turns in a random order" in infos(app)
    choose(app, "experiment", "words")
    assert [turn["number"] for turn in data(app, "word_map")["turns"]] == [turn + 1 for turn in [*read, *range(3, 8)]]
    assert "in the model with shuffled turns." in captions(app)


def test_a_deleted_shuffled_turn_comes_back_to_its_place(app):
    read = plain(base(control="shuffled").condition.encoded).order
    arrive(app, control="shuffled")
    for turn in read:
        act(app, turn, "delete")
        run = base(control="shuffled")
        shows(app, run, interventions.compare(tiny(), run, without(run, turn)), "turn")
        act(app, turn, "restore")
        assert app.query_params == {"control": "shuffled"}


def test_a_change_goes_along_to_the_shuffled_turns_and_back(app):
    run, other = base(), base(control="shuffled")
    act(arrive(app), 1, "delete")
    choose(app, "control", "shuffled")
    shows(app, other, interventions.compare(tiny(), other, without(other, 1)), "turn")
    assert any("Without turn 2**" in each.value for each in app.markdown)  # and nothing about another order
    choose(app, "control", "none")
    assert app.query_params == {"turns": "1.3.9.10"}
    act(app, 0, "down")
    choose(app, "control", "shuffled")
    choose(app, "control", "none")
    assert app.query_params == {"turns": "1.3.9.10"}  # a move means nothing among shuffled turns
    shows(app, run, interventions.compare(tiny(), run, without(run, 1)), "turn")
    press(app, "put_back")
    choose(app, "control", "shuffled")
    assert app.query_params == {"control": "shuffled"}


# Control: an untrained network.


@pytest.fixture
def untrained(folder) -> Summarizer:
    job = model.job("tiny", trained=False)
    assert job.done.wait(SECONDS) and job.error is None
    return job.summarizer


def test_an_untrained_network_is_another_model(app, untrained):
    assert untrained.checkpoint.identity == "tiny@0-untrained" and untrained is not tiny()
    run, other = base(), base(control="untrained", summarizer=untrained)
    press(arrive(app, experiment="heads"), "start_heads")
    trained = damage(app)
    choose(app, "control", "untrained")
    assert set(damage(app).values()) == {"·"} and "the same network before training" in infos(app)
    press(app, "start_heads")
    every = ablations.every_head(tiny().config)
    found = interventions.measure_effects(untrained, other, [off(other, head) for head in every], rewrite=False)
    assert damage(app) == {head: number(each.drop_per_token) for head, each in zip(every, found, strict=True)}
    assert damage(app) != trained
    assert data(app, "head_switches")["grids"][0]["rows"][0]["cells"][0]["tip"].count("catalogue") == 0
    choose(app, "ablation", "mean")
    assert "An untrained network has no mean outputs" in app.warning[0].value.replace("\\", "")
    choose(app, "experiment", "turns")
    drops = [each.drop for each in turn_effects.leave_out(untrained, other, [0, 1, 2, 8, 9], rewrite=False)]
    assert bars(app, "turn_drops") == pytest.approx(drops, abs=1e-4)
    act(app, 0, "delete")
    compared = interventions.compare(untrained, other, without(other, 0))
    shows(app, other, compared, "turn")
    assert "the summary of the trained model for the dialogue as it is" in captions(app)
    assert other.ids == run.ids and other.text != run.text


def test_the_words_of_an_untrained_network(app, untrained):
    other = base(control="untrained", summarizer=untrained)
    arrive(app, experiment="words", word=3, control="untrained")
    found = gradients.gradient_times_input(untrained, other, 2)
    assert f" is {number(found.value)} nats in the untrained network." in captions(app)
    assert bars(app, "turn_gradients")[-1] == pytest.approx(float(found.prefix.sum()), abs=1e-4)
    cross = untrained.engine.replay(other.condition.encoded.ids, other.ids)["cross"][-1, :, 2].mean(axis=0)
    tokens = other.condition.encoded.tokens
    looks = [sum(cross[place] for place, token in enumerate(tokens) if token.turn == turn) for turn in (0, 1, 2, 8, 9)]
    assert list(table(app, "Effect of leaving it out")["Cross-attention looks at"]) == pytest.approx(looks, abs=1e-4)


def test_an_untrained_network_that_cannot_be_made_says_so(app, monkeypatch):
    def fail(*_: object) -> None:
        raise MemoryError("no room")

    real, failed = model.job, []

    def job(name: str, trained: bool = True) -> model.LoadJob:
        if trained:
            return real(name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Summarizer, "untrained", fail)
            failed.append(model.LoadJob(name, trained=False))
            assert failed[-1].done.wait(SECONDS)
        return failed[-1]

    monkeypatch.setattr(model, "job", job)
    retried = []
    monkeypatch.setattr(model, "retry", retried.append)
    app.query_params["control"] = "untrained"
    app.switch_page(PAGE).run()
    assert not app.exception and "The model could not be loaded (`MemoryError`)." in app.error[0].value
    next(each for each in app.button if each.label == "Try again").click().run()
    assert retried and not retried[0].trained
    choose(app, "control", "none")
    assert bars(app, "turn_drops")


# Another kind of model: post-norm, without copying, with words for tokens and names that are words.

WORDS = "\n".join(f"{('Ann', 'Ben')[turn % 2]}: w{turn} w{turn + 1} and w{2 * turn} stop" for turn in range(5))


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory, folder) -> Iterator[Summarizer]:
    """The only checkpoint, `words`; loaded."""
    import keras

    from core.model.transformer import Transformer

    tokenizer = Tokenizer.train_words([WORDS], min_frequency=1)
    config = ModelConfig(
        source_vocabulary=tokenizer.size,
        target_vocabulary=tokenizer.size,
        d_model=8,
        num_heads=2,
        head_dim=5,
        feed_forward_dim=8,
        encoder_layers=2,
        decoder_layers=1,
        max_source_length=64,
        max_target_length=8,
        norm="post",
    )
    keras.utils.set_random_seed(7)
    place = tmp_path_factory.mktemp("installed")
    settings = DecodeSettings(strategy="greedy", max_tokens=6, min_tokens=4)
    card = {"about": "For tests.", "decoding": settings.to_dict(), "licence": "none"}
    checkpoints.write(place / "words", config, tokenizer, checkpoints.weights_of(Transformer(config)), [], card)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", place)
        job = model.job("words")
        assert job.done.wait(SECONDS) and job.error is None
        yield job.summarizer
        job.thread.join(SECONDS)


def test_a_model_of_words_without_copying(words):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    settings = words.settings
    summary = words.summarize(WORDS, settings)
    assert summary.attention.copy is None
    run = interventions.untouched(words, Condition(words.encode(WORDS)), [each.id for each in summary.tokens], settings)
    arrive(app, input="paste", t=links.pack(WORDS))
    found = turn_effects.leave_out(words, run, range(5))
    assert bars(app, "turn_drops") == pytest.approx([each.drop for each in found], abs=1e-4)
    act(act(app, 0, "swap"), 3, "mask")
    shows(app, run, interventions.compare(words, run, arranged(run, "1s2.2.3.4m.5")), "turn")
    press(choose(app, "experiment", "heads"), "start_heads")
    every = ablations.every_head(words.config)
    assert len(every) == 8
    changes = [Condition(run.condition.encoded, ablations.gates(words.config, [head])) for head in every]
    lost = interventions.measure_effects(words, run, changes, rewrite=False)
    assert damage(app) == {head: number(each.drop_per_token) for head, each in zip(every, lost, strict=True)}
    choose(app, "experiment", "words")
    step = data(app, "word_map")["chosen"]
    by_hand = gradients.gradient_times_input(words, run, step)
    assert bars(app, "turn_gradients")[-1] == pytest.approx(float(by_hand.prefix.sum()), abs=1e-4)
    choose(app, "experiment", "lenses")
    read = lenses.logit_lens(words, run)
    assert chart(app, "logit_lens_picture")["data"][0]["z"] == pytest.approx(read.probability.T, abs=1e-5)
    early = lenses.decoder_lens(words, run)
    assert f"forced: {number(float(early[0].log_probabilities.mean()))} nats a token (effect of" in captions(app)
    assert len(early) == 3 and read.rank.shape == (2, len(run.ids)) and np.all(read.rank >= 1) and FIRST != WORDS
