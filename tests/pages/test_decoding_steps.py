"""The step-by-step view: the next token, what the sliders do, forks, the reference, and where the model looks."""

import numpy as np
import pytest

from core.config import END
from core.explain.distribution import next_token
from pages.parts.decoding.probability_table import table_data
from pages.shared.frame import address, model
from tests.pages.conftest import paste
from tests.pages.decoding import arrive, count_calls, fork, move, press, shown, table, traces, tree, type_here, words
from tests.pages.driver import choose, click, data, decoded, tiny

THE = 273  # id of “ the”
GOAT = "Anna: A goat ate my hat.\nBen: Which hat?"


def expected(summary, step: int, temperature: float, top_k: int, top_p: float, rows: int = 12) -> dict:
    """The table of a step, made without the page; the reference of the first dialogue is too long to be written."""
    written, speakers = summary.tokens[step].id, tiny().encode(summary.dialogue).speakers
    found = next_token(
        summary.logits[step], temperature=temperature, top_k=top_k, top_p=top_p, banned=tiny().banned(summary, step),
        rows=rows, always=(written,), text=lambda token: tiny().tokenizer.id_text(token, speakers),
    )  # fmt: skip
    return table_data(found, written, None, (temperature, top_k, top_p))


def test_looking_asks_nobody(app, monkeypatch):
    summary = decoded()
    move(arrive(app), 5)
    calls = count_calls(monkeypatch)
    settings = [1.0, 0, 1.0]
    assert table(app)["rows"] == expected(summary, 5, *settings)["rows"] and not table(app)["rows"][0]["reference"]
    assert any("longer than this model can write" in each.value for each in app.caption)
    for place, (key, value) in enumerate((("look_temperature", 0.5), ("look_top_k", 30), ("look_top_p", 0.1))):
        app.slider(key=key).set_value(value).run()
        settings[place] = value
        assert table(app) == expected(summary, 5, *settings)
    link = {"step": "6", "look_temperature": "0.5", "look_top_k": "30", "look_top_p": "0.1"}
    assert app.query_params == link
    choose(app, "rows", 80)
    assert table(app) == expected(summary, 5, *settings, rows=80)
    for step in (1, 7, 3):
        move(app, step)
        assert data(app, "stepper")["step"] == step and app.query_params["step"] == str(step + 1)
    click(app, "surprise", 9)
    choose(app, "heads_choice", "1.1")
    assert app.query_params == link | {"step": "10", "heads": "1.1"} and not calls


def test_the_turns_hold_all_attention_and_a_click_opens_one(app):
    move(arrive(app), 2)
    summary = decoded()
    weights = summary.attention.cross[1, :, 2].mean(axis=0)
    by_turn = dict.fromkeys((token.turn for token in summary.source), 0.0)
    for token, weight in zip(summary.source, weights, strict=True):
        by_turn[token.turn] += 100 * float(weight) * (token.id != END)
    bars = [each for each in traces(app, "looks_at") if each["name"].startswith("#Person")]
    percents = {turn: share for bar in bars for turn, share in zip(bar["customdata"], bar["x"], strict=True)}
    assert percents == pytest.approx({turn: by_turn[turn] for turn in percents}, abs=1e-3)
    best = sorted(by_turn, key=lambda turn: -by_turn[turn])[:3]
    heading = f"Turn {best[0] + 1}, token by token"
    assert set(best) <= set(percents) and heading in [each.value for each in app.header]
    click(app, "looks_at", 2)
    assert app.query_params["turn"] == "3"
    members = [place for place, token in enumerate(summary.source) if token.turn == 2 and token.id != END]
    app.selectbox(key="heads_choice").set_value("copy").run()
    percents = [100 * float(summary.attention.copy[2][place]) for place in members]
    assert traces(app, "in_turn")[0]["x"] == pytest.approx(percents, abs=1e-3)
    press(app, "Follow the most attention")
    assert "turn" not in app.query_params and app.query_params["heads"] == "copy"


def test_playing_leaves_the_address_alone_until_it_stops(app):
    move(arrive(app), 1)
    version = data(app, "stepper")["version"]
    move(app, 2, playing=True)
    assert data(app, "stepper")["version"] == version  # the stepper keeps its own position
    assert app.query_params == {"step": "2"}
    click(app, "surprise", 0)
    assert data(app, "stepper")["version"] > version and "step" not in app.query_params
    move(app, 4, playing=True)
    choose(app, "view", "branches")  # the stepper is gone, and with it what would stop
    assert app.session_state[address.HELD] is False and app.query_params == {"view": "branches", "step": "5"}


def test_a_fork_writes_the_token_and_lets_the_model_go_on(app, monkeypatch):
    model._summary.clear()  # the test of another file may have written this fork
    move(arrive(app), 3)
    calls = count_calls(monkeypatch)
    fork(app, THE)
    assert calls["beam"] == calls["replay"] == 1
    root = decoded()
    found = decoded((*(token.id for token in root.tokens[:3]), THE))
    assert words(app) == [token.text for token in found.tokens]
    assert data(app, "stepper")["step"] == 3 and data(app, "stepper")["forced"] == 4
    branch = tree(app).items[1]
    assert (branch.ids, branch.text) == (tuple(token.id for token in found.tokens), found.text)
    assert branch.log_probabilities == pytest.approx([step.log_probability for step in found.steps], abs=1e-4)
    assert shown(app) == "Branch 1" and app.query_params == {"step": "4", "branch": "4.273"}
    choose(app, "branch_choice", "")
    assert words(app) == [token.text for token in root.tokens] and app.query_params == {"step": "4"}
    calls.clear()
    fork(app, THE)  # it is there already
    assert len(tree(app).items) == 2 and shown(app) == "Branch 1" and not calls
    choose(app, "branch_choice", "")
    fork(app, root.tokens[3].id)
    assert "already says this at step 4" in app.error[0].value and len(tree(app).items) == 2
    # A shorter branch is shown at its own last step.
    fork(app, END)
    assert not app.error and words(app)[-1] == "[EOS]" and len(words(app)) == 4
    move(choose(app, "branch_choice", ""), 12)
    choose(app, "branch_choice", "4.2")
    assert data(app, "stepper")["step"] == 3 and not app.warning


def test_typed_text_becomes_a_branch_of_one_or_several_tokens(app):
    move(arrive(app), 2)
    for text in (" you ", "you and you", "+ing", "zebra *stripes*"):
        if any(each.key == "branch_choice" for each in app.selectbox):
            choose(app, "branch_choice", "")
        ids = tiny().tokenizer.encode_continuation(text, {})
        type_here(app, text)
        assert not app.error and app.text_input(key="typed").value == ""
        branch = tree(app).items[-1]
        assert branch.ids[2 : 2 + len(ids)] == tuple(ids) and branch.ids[:2] == tree(app).items[0].ids[:2]
        assert app.query_params["branch"] == ".".join(map(str, (3, *ids)))
        assert len([each.value for each in app.info if "not one token" in each.value]) == (len(ids) > 1)
    said = app.info[0].value
    assert rf"“zebra \*stripes\*” is not one token of this model\. It was written as {len(ids)}\:" in said
    assert said.count(r"\|") == len(ids) - 1
    move(app, 5)
    assert not app.info


def test_text_that_cannot_be_written_is_said_and_nothing_is_lost(app):
    arrive(app, max_tokens=6)
    fork(move(app, 3), THE)
    before, link = words(app), dict(app.query_params)
    for text, said in (
        ("  ", "There are no words to go on with"),
        ("+", "There are no words to go on with"),
        ("zebra stripes", "The forced prefix must be shorter than max"),
    ):
        type_here(app, text)
        assert said in app.error[0].value and app.text_input(key="typed").value == text
        assert (words(app), app.query_params, len(tree(app).items)) == (before, link, 2)
    type_here(app, "you")
    assert not app.error and len(tree(app).items) == 3


def test_a_sampled_token_can_be_looked_at_as_it_was_drawn(app):
    settings = {"temperature": 0.7, "top_k": 20, "top_p": 0.9}
    arrive(app, strategy="sample", step=3, **settings)
    assert app.slider(key="look_top_k").value == 0
    press(app, "Use the settings of the sidebar")
    assert {key: app.slider(key=f"look_{key}").value for key in settings} == settings
    summary = decoded(strategy="sample", **settings)
    assert table(app) == expected(summary, 2, *settings.values())
    assert next(row for row in table(app)["rows"] if row["id"] == summary.tokens[2].id)["after"][0] > 0


def test_a_pasted_dialogue_has_its_speakers_and_its_reference(app):
    paste(arrive(app), GOAT, "Ben.")
    assert words(app) == [token.text for token in decoded(text=GOAT).tokens]
    forced = tiny().force(GOAT, "Ben.")
    assert "Ben." in [each.value for each in app.text]
    said = f"rank {forced.steps[0].rank}"
    assert any(said in each.value and "shares so far" in each.value for each in app.markdown)
    assert [row["id"] for row in table(app)["rows"] if row["reference"]] == [forced.tokens[0].id]
    ranks = dict(pair for each in traces(app, "reference_ranks") for pair in zip(each["x"], each["y"], strict=True))
    assert ranks == {place + 1: step.rank for place, step in enumerate(forced.steps)}
    logits = decoded(text=GOAT).logits[1]  # the summary says something else than “Ben” first
    other = int(np.sum(logits > logits[forced.tokens[1].id])) + 1
    move(app, 1)
    assert any(f"rank {other:,} after the summary's words" in each.value.replace("\\", "") for each in app.markdown)
    press(app, "Make it a branch")
    assert not app.error and shown(app) == "Reference" and words(app) == ["Ben", ".", "[EOS]"]
    assert tree(app).items[1].ids == tuple(token.id for token in forced.tokens)
    choose(app, "view", "branches")
    assert any("ROUGE-1/2/L 100.0 / " in each.value for each in app.caption)
    choose(app, "view", "steps")
    choose(app, "branch_choice", "")
    type_here(app, "Ben and Ben")
    assert tree(app).items[2].path[0].ids[0] == 6 and words(app)[0] == "Ben"  # the second speaker's tag
