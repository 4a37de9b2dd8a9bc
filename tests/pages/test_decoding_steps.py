"""The step-by-step view: the next token, what the sliders do, forks, the reference, and where the model looks."""

import numpy as np
import pytest

from core.config import END
from core.explain.attribution.votes import votes
from core.explain.decoding.distribution import next_token_distribution
from core.explain.shared.rollup import groups
from core.text import links
from pages.parts.decoding.probability_table import table_data
from pages.shared.model import models
from pages.shared.place import address
from tests.closeness import near, printed, same_network
from tests.pages.conftest import paste
from tests.pages.decoding import THE, arrive, count_calls, fork, move, press, shown, table, tree, type_here, words
from tests.pages.driver import captions, chart, choose, click, data, decoded, tiny
from tests.pages.driver import table as frame

GOAT = "Anna: A goat ate my hat.\nBen: Which hat?"


def expected(summary, step: int, temperature: float, top_k: int, top_p: float, rows: int = 10) -> dict:
    """The table of a step, made without the page; the reference of the first dialogue is too long to be written."""
    written, speakers = summary.tokens[step].id, tiny().encode(summary.dialogue).speakers
    found = next_token_distribution(
        summary.logits[step], temperature=temperature, top_k=top_k, top_p=top_p, banned=tiny().banned(summary, step),
        rows=rows, always=(written,), text=lambda token: tiny().tokenizer.id_text(token, speakers),
    )  # fmt: skip
    return table_data(found, written, None, (temperature, top_k, top_p))


def test_looking_asks_nobody(app, monkeypatch):
    summary = decoded()
    arrive(app, step=6)
    calls = count_calls(monkeypatch)
    assert table(app)["rows"] == expected(summary, 5, 1.0, 0, 1.0)["rows"] and not table(app)["rows"][0]["reference"]
    assert any("longer than this model can write" in each.value for each in app.caption)
    settings = {"look_temperature": 0.5, "look_top_k": 30, "look_top_p": 0.1}
    for key, value in settings.items():
        app.slider(key=key).set_value(value).run()
    choose(app, "rows", 80)
    assert table(app) == expected(summary, 5, *settings.values(), rows=80)
    move(app, 3)
    assert data(app, "stepper")["step"] == 3 and app.query_params["step"] == "4"
    click(app, "surprise", 9)
    choose(app, "heads_choice", "1.1")
    link = {"step": "10", "look_temperature": "0.5", "look_top_k": "30", "look_top_p": "0.1", "heads": "1.1"}
    assert app.query_params == link and not calls


def test_the_turns_hold_all_attention_and_the_one_with_most_is_open(app):
    arrive(app, step=3)
    summary = decoded()
    weights = summary.attention.cross[1, :, 2].mean(axis=0)
    by_turn = dict.fromkeys((token.turn for token in summary.source), 0.0)
    for token, weight in zip(summary.source, weights, strict=True):
        by_turn[token.turn] += 100 * float(weight) * (token.id != END)
    bars = [each for each in chart(app, "looks_at")["data"] if each["name"] == "turn"]
    percents = {turn: share for bar in bars for turn, share in zip(bar["customdata"], bar["x"], strict=True)}
    printed(list(percents.values()), [by_turn[turn] for turn in percents], 3)
    best = sorted(by_turn, key=lambda turn: -by_turn[turn])[:3]
    assert set(best) <= set(percents)
    assert f"**Turn {best[0] + 1}**" in [each.value for each in app.markdown]


def test_a_click_opens_a_turn_until_the_most_attention_is_followed_again(app):
    click(arrive(app, step=3, heads="copy"), "looks_at", 2)
    assert app.query_params["turn"] == "3"
    members = [place for place, token in enumerate(decoded().source) if token.turn == 2 and token.id != END]
    printed(chart(app, "in_turn")["data"][0]["x"], 100 * decoded().attention.copy[2][members], 3)
    press(app, "Follow the most attention")
    assert "turn" not in app.query_params and app.query_params["heads"] == "copy"


def test_playing_leaves_the_address_alone_until_it_stops(app):
    arrive(app, step=2)
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
    models._summary.clear()  # the test of another file may have written this fork
    arrive(app, step=4)
    calls = count_calls(monkeypatch)
    fork(app, THE)
    assert calls["beam_rows"] == calls["replay"] == 1
    found = decoded((*(token.id for token in decoded().tokens[:3]), THE))
    assert words(app) == [token.text for token in found.tokens]
    assert data(app, "stepper")["step"] == 3 and data(app, "stepper")["forced"] == 4
    branch = tree(app).items[1]
    assert (branch.ids, branch.text) == (tuple(token.id for token in found.tokens), found.text)
    same_network(branch.log_probabilities, [step.log_probability for step in found.steps], tiny().config)
    assert shown(app) == "Branch 1" and app.query_params == {"step": "4", "branch": "4.273"}


def test_a_fork_that_is_there_already_is_shown_and_the_written_token_is_none(app, monkeypatch):
    choose(arrive(app, step=4, branch="4.273"), "branch_choice", "")
    calls = count_calls(monkeypatch)
    fork(app, THE)
    assert len(tree(app).items) == 2 and shown(app) == "Branch 1" and not calls
    choose(app, "branch_choice", "")
    fork(app, decoded().tokens[3].id)
    assert "already says this at step 4" in app.error[0].value and len(tree(app).items) == 2


def test_a_shorter_branch_is_shown_at_its_own_last_step(app):
    fork(move(arrive(app), 3), END)
    assert not app.error and words(app)[-1] == "[EOS]" and len(words(app)) == 4
    move(choose(app, "branch_choice", ""), 12)
    choose(app, "branch_choice", "4.2")
    assert data(app, "stepper")["step"] == 3 and not app.warning


@pytest.mark.parametrize("text", [" you ", "+ing", "zebra *stripes*"])
def test_typed_text_becomes_a_branch_of_one_or_several_tokens(app, text):
    type_here(arrive(app, step=3), text)
    ids = tiny().tokenizer.encode_continuation(text, {})
    assert not app.error and app.text_input(key="typed").value == ""
    branch = tree(app).items[-1]
    assert branch.ids[2 : 2 + len(ids)] == tuple(ids) and branch.ids[:2] == tree(app).items[0].ids[:2]
    assert app.query_params["branch"] == ".".join(map(str, (3, *ids)))
    said = [each.value for each in app.info if "not one token" in each.value]
    assert len(said) == (len(ids) > 1)
    if "*" in text:
        assert rf"“zebra \*stripes\*” is not one token of this model\. It was written as {len(ids)}\:" in said[0]
        assert said[0].count(r"\|") == len(ids) - 1
        assert not move(app, 5).info


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("  ", "There are no words to go on with"),
        ("+", "There are no words to go on with"),
        ("zebra stripes", "The forced prefix must be shorter than max"),
    ],
)
def test_text_that_cannot_be_written_is_said_and_nothing_is_lost(app, text, said):
    arrive(app, max_tokens=6, step=4, branch="4.273")
    before, link = words(app), dict(app.query_params)
    type_here(app, text)
    assert said in app.error[0].value and app.text_input(key="typed").value == text
    assert (words(app), app.query_params, len(tree(app).items)) == (before, link, 2)


def test_a_byte_is_explained_where_it_is_listed(app):
    type_here(arrive(app, step=3), "+é")
    assert "<0xC3>" in [row["text"] for row in table(app)["rows"]]
    assert "” is one byte: several bytes in a row make up a letter that has no token." in captions(app)


def test_a_sampled_token_can_be_looked_at_as_it_was_drawn(app):
    settings = {"temperature": 0.7, "top_k": 20, "top_p": 0.9}
    arrive(app, strategy="sample", step=3, **settings)
    assert app.slider(key="look_top_k").value == 0
    press(app, "Use the settings of the sidebar")
    summary = decoded(strategy="sample", **settings)
    assert table(app) == expected(summary, 2, *settings.values())
    assert next(row for row in table(app)["rows"] if row["id"] == summary.tokens[2].id)["after"][0] > 0


def test_a_reference_has_its_ranks_and_becomes_a_branch(app):
    paste(arrive(app), GOAT, "Ben.")
    assert words(app) == [token.text for token in decoded(text=GOAT).tokens]
    forced = tiny().force(GOAT, "Ben.")
    assert "Ben." in [each.value for each in app.text]
    said = f"rank {forced.steps[0].rank}"
    assert any(said in each.value and "shares so far" in each.value for each in app.markdown)
    assert [row["id"] for row in table(app)["rows"] if row["reference"]] == [forced.tokens[0].id]
    drawn = chart(app, "reference_ranks")["data"]
    ranks = dict(pair for each in drawn for pair in zip(each["x"], each["y"], strict=True))
    assert ranks == {place: step.rank for place, step in enumerate(forced.steps, 1)}
    logits = decoded(text=GOAT).logits[1]  # the summary says something else than “Ben” first
    other = int(np.sum(logits > logits[forced.tokens[1].id])) + 1
    move(app, 1)
    assert any(f"rank {other:,} after the summary's words" in each.value.replace("\\", "") for each in app.markdown)
    press(app, "Make it a branch")
    assert not app.error and shown(app) == "Reference" and words(app) == ["Ben", ".", "[EOS]"]
    assert tree(app).items[1].ids == tuple(token.id for token in forced.tokens)
    choose(app, "view", "branches")
    assert any("ROUGE-1/2/L 100.0 / " in each.value for each in app.caption)


def test_a_typed_name_of_a_speaker_is_its_tag(app):
    type_here(arrive(app, input="paste", t=links.pack(GOAT)), "Ben and Ben")
    assert tree(app).items[1].path[0].ids[0] == 6 and words(app)[0] == "Ben"  # the second speaker's tag


@pytest.mark.parametrize("by", ["layer", "head", "turn"])
def test_the_votes_of_a_step_add_up_to_the_difference_of_the_logits(app, by):
    summary, step = decoded(), 2
    foil = [each.id for each in summary.steps[step].alternatives if each.id != summary.tokens[step].id][1]
    arrive(app, step=step + 1, against=foil)
    choose(app, "voters", by)
    found = votes(tiny(), summary, step, foil, groups(summary.source, "turn"))
    drawn = [value for value in frame(app, "Who votes")["Vote (logits)"] if value == value]
    printed(drawn[-1], sum(drawn[:-1]), 3)
    printed(drawn[-1], float(found.values.sum()), 3)
    near(found.values.sum(), votes(tiny(), summary, step, foil).values.sum(), depth=4)
    assert found.check.name in captions(app)
