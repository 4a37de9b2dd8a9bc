"""The step-by-step view: the next token, what the sliders do, forks, and where the model looks."""

import numpy as np
import pytest

from core.config import END
from core.trace import Summary
from pages.shared import model
from tests.pages.conftest import paste
from tests.pages.decoding import arrive, count_calls, fork, move, press, shown, table, traces, tree, type_here, words
from tests.pages.driver import click, data, decoded, element, tiny

THE = 273  # id of “ the”


def softmax(logits: np.ndarray) -> np.ndarray:
    """Worked out anew, in double precision."""
    weights = np.exp(logits.astype(np.float64) - logits.max())
    return weights / weights.sum()


def cut(summary: Summary, step: int, temperature: float, top_k: int, top_p: float) -> np.ndarray:
    """What sampling draws from, one rule after the other."""
    shares = softmax(np.where(tiny().banned(summary, step), -np.inf, summary.logits[step] / temperature))
    order = np.argsort(-shares)
    if top_k:
        shares[order[top_k:]] = 0
        shares /= shares.sum()
    before = np.cumsum(shares[order]) - shares[order]
    shares[order[before >= top_p]] = 0
    return shares / shares.sum()


def column(app, name: str) -> dict[int, float]:
    """Shares of the table by id."""
    return {row["id"]: row[name][0] for row in table(app)["rows"]}


def test_the_numbers_are_those_of_the_model(app):
    step = 5
    move(arrive(app), step)
    summary = decoded()
    expected = softmax(summary.logits[step])
    rows, others = table(app)["rows"], table(app)["others"]
    best = np.argsort(-expected, kind="stable")[:12].tolist()
    written = summary.tokens[step].id
    assert [row["id"] for row in rows] == best + [written] * (written not in best)
    assert [row["before"][0] for row in rows] == pytest.approx([expected[row["id"]] for row in rows], abs=1e-5)
    assert [row["rank"] for row in rows][:12] == [str(place + 1) for place in range(12)]
    logits = [f"{summary.logits[step][row['id']]:.2f}".replace("-", "−") for row in rows]
    assert [row["logit"] for row in rows] == logits
    assert sum(column(app, "before").values()) + others["before"][0] == pytest.approx(1, abs=1e-4)
    assert sum(column(app, "after").values()) + others["after"][0] == pytest.approx(1, abs=1e-4)
    assert [row["id"] for row in rows if row["chosen"]] == [written]


@pytest.mark.parametrize(
    ("key", "value", "settings"),
    [
        ("look_temperature", 0.5, (0.5, 0, 1.0)),
        ("look_top_k", 3, (1.0, 3, 1.0)),
        ("look_top_p", 0.1, (1.0, 0, 0.1)),
    ],
)
def test_a_slider_changes_what_is_after_the_cut_and_asks_nobody(app, monkeypatch, key, value, settings):
    move(arrive(app), 4)
    summary = decoded()
    calls = count_calls(monkeypatch)
    before, after = column(app, "before"), column(app, "after")
    app.slider(key=key).set_value(value).run()
    assert not calls
    assert column(app, "before") == before
    assert column(app, "after") != after
    expected = cut(summary, 4, *settings)
    assert column(app, "after") == pytest.approx({token: expected[token] for token in before}, abs=1e-5)
    assert app.query_params == {"step": "5", key: f"{value:g}"}
    others = table(app)["others"]["after"][0]
    assert sum(column(app, "after").values()) + others == pytest.approx(1, abs=1e-4)


def test_looking_moving_and_the_number_of_rows_ask_nobody(app, monkeypatch):
    arrive(app)
    calls = count_calls(monkeypatch)
    for step in (1, 7, 3):
        move(app, step)
        assert data(app, "stepper")["step"] == step and app.query_params["step"] == str(step + 1)
    app.segmented_control(key="rows").set_value(80).run()
    assert 80 <= len(table(app)["rows"]) <= 81
    click(app, "surprise", 9)
    app.selectbox(key="heads").set_value("1.1").run()
    assert app.query_params == {"step": "10", "heads": "1.1"}
    assert not calls


def test_playing_leaves_the_address_alone_until_it_stops(app):
    move(arrive(app), 1)
    version = data(app, "stepper")["version"]
    move(app, 2, playing=True)
    assert data(app, "stepper")["version"] == version  # the stepper keeps its own position
    click(app, "surprise", 0)
    assert data(app, "stepper")["version"] > version and app.session_state["playing"] is False


def test_a_fork_writes_the_token_and_lets_the_model_go_on(app, monkeypatch):
    model._summary.clear()  # the test of another file may have written this fork
    move(arrive(app), 3)
    calls = count_calls(monkeypatch)
    fork(app, THE)
    assert calls["beam"] == calls["replay"] == 1
    root = decoded()
    expected = decoded((*(token.id for token in root.tokens[:3]), THE))
    assert words(app) == [token.text for token in expected.tokens]
    assert data(app, "stepper")["step"] == 3 and data(app, "stepper")["forced"] == 4
    branch = tree(app).items[1]
    assert (branch.ids, branch.text) == (tuple(token.id for token in expected.tokens), expected.text)
    assert branch.log_probabilities == pytest.approx([step.log_probability for step in expected.steps], abs=1e-4)
    assert shown(app) == "Branch 1" and app.query_params == {"step": "4", "branch": "4.273"}
    app.selectbox(key="choose_branch").set_value("").run()
    assert words(app) == [token.text for token in root.tokens] and app.query_params == {"step": "4"}


def test_the_same_fork_again_shows_the_branch_that_is_there(app, monkeypatch):
    fork(move(arrive(app), 3), THE)
    app.selectbox(key="choose_branch").set_value("").run()
    calls = count_calls(monkeypatch)
    fork(app, THE)
    assert len(tree(app).items) == 2 and shown(app) == "Branch 1" and not calls


def test_the_token_that_stands_there_is_no_fork(app):
    move(arrive(app), 3)
    before = words(app)
    fork(app, decoded().tokens[3].id)
    assert "already says this at step 4" in app.error[0].value
    assert words(app) == before and "branch" not in app.query_params
    move(app, 4)
    assert not app.error


def test_a_shorter_branch_is_shown_at_its_own_last_step(app):
    fork(move(arrive(app), 3), END)
    assert words(app)[-1] == "[EOS]" and len(words(app)) == 4
    app.selectbox(key="choose_branch").set_value("").run()
    move(app, 12)
    app.selectbox(key="choose_branch").set_value("4.2").run()
    assert data(app, "stepper")["step"] == 3
    assert not app.warning and not app.error


@pytest.mark.parametrize("text", [" you ", "you and you", "+ing"])
def test_typed_text_becomes_a_branch(app, text):
    move(arrive(app), 2)
    ids = tiny().tokenizer.encode_continuation(text, {})
    type_here(app, text)
    assert not app.error
    branch = tree(app).items[1]
    assert branch.ids[2 : 2 + len(ids)] == tuple(ids)
    assert branch.ids[:2] == tree(app).items[0].ids[:2]
    assert app.query_params["branch"] == ".".join(map(str, (3, *ids)))
    said = [each.value for each in app.info if "not one token" in each.value]
    assert len(said) == (len(ids) > 1)
    assert app.text_input(key="typed").value == ""


def test_text_of_several_tokens_is_said_until_one_moves_on(app):
    type_here(move(arrive(app), 2), "zebra *stripes*")
    count = len(tree(app).items[1].path[0].ids)
    said = app.info[0].value
    assert rf"“zebra \*stripes\*” is not one token of this model\. It was written as {count}\:" in said
    assert said.count(r"\|") == count - 1
    move(app, 5)
    assert not app.info


def test_a_speakers_name_is_written_as_the_speaker(app):
    arrive(app)
    paste(app, "Anna: A goat ate my hat.\nBen: Which hat?")
    type_here(app, "Ben")
    assert tree(app).items[1].path[0].ids == (6,)  # the second speaker's tag
    assert words(app)[0] == "Ben" and not app.info


@pytest.mark.parametrize("text", ["  ", "+"])
def test_nothing_typed_is_said_and_nothing_is_lost(app, text):
    fork(move(arrive(app), 3), THE)
    app.slider(key="look_top_k").set_value(7).run()
    before, link = words(app), app.query_params
    type_here(app, text)
    assert "There are no words to go on with" in app.error[0].value
    assert (words(app), app.query_params, len(tree(app).items)) == (before, link, 2)
    type_here(app, "you")
    assert not app.error and len(tree(app).items) == 3


def test_a_beginning_as_long_as_the_summary_may_be_is_refused(app):
    type_here(move(arrive(app, max_tokens=6), 4), "zebra stripes")
    assert "The forced prefix must be shorter than max" in app.error[0].value
    assert len(words(app)) == 6 and app.text_input(key="typed").value == "zebra stripes"


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
    assert set(best) <= set(percents)
    assert any(f"Turn {best[0] + 1}, token by token" in each.value for each in app.subheader)
    click(app, "looks_at", 2)
    assert app.query_params["turn"] == "3"
    members = [place for place, token in enumerate(summary.source) if token.turn == 2 and token.id != END]
    percents = [100 * float(weights[place]) for place in members]
    assert traces(app, "in_turn")[0]["x"] == pytest.approx(percents, abs=1e-3)
    app.selectbox(key="heads").set_value("copy").run()
    percents = [100 * float(summary.attention.copy[2][place]) for place in members]
    assert traces(app, "in_turn")[0]["x"] == pytest.approx(percents, abs=1e-3)
    press(app, "Follow the most attention")
    assert "turn" not in app.query_params


def test_a_sampled_token_can_be_looked_at_as_it_was_drawn(app):
    arrive(app, strategy="sample", temperature=0.7, top_k=20, top_p=0.9, step=3)
    assert app.slider(key="look_top_k").value == 0
    press(app, "Look as it was drawn")
    looks = {key: app.slider(key=f"look_{key}").value for key in ("temperature", "top_k", "top_p")}
    assert looks == {"temperature": 0.7, "top_k": 20, "top_p": 0.9}
    summary = decoded(strategy="sample", temperature=0.7, top_k=20, top_p=0.9)
    expected = cut(summary, 2, 0.7, 20, 0.9)
    assert column(app, "after") == pytest.approx({token: expected[token] for token in column(app, "after")}, abs=1e-5)
    assert column(app, "after")[summary.tokens[2].id] > 0


def test_the_reference_is_ranked_and_becomes_a_branch(app):
    arrive(app)
    paste(app, "Anna: A goat ate my hat.\nBen: Which hat?", "Ben.")
    text = "Anna: A goat ate my hat.\nBen: Which hat?"
    forced = tiny().force(text, "Ben.")
    assert "Ben." in [each.value for each in app.text]
    rank = forced.steps[0].rank
    assert any(f"rank {rank}" in each.value and "shares so far" in each.value for each in app.markdown)
    assert [row["id"] for row in table(app)["rows"] if row["reference"]] == [forced.tokens[0].id]
    ranks = dict(pair for each in traces(app, "reference_ranks") for pair in zip(each["x"], each["y"], strict=True))
    assert ranks == {place + 1: step.rank for place, step in enumerate(forced.steps)}
    press(app, "Make it a branch")
    assert not app.error and shown(app) == "Reference"
    assert tree(app).items[1].ids == tuple(token.id for token in forced.tokens)
    assert words(app) == ["Ben", ".", "[EOS]"]


def test_a_reference_that_the_model_cannot_write_is_left_out(app):
    arrive(app)  # the references of the examples are longer than this model's summaries
    assert any("longer than this model can write" in each.value for each in app.caption)
    assert not [row for row in table(app)["rows"] if row["reference"]]
    with pytest.raises(LookupError):
        element(app, "plotly_chart", "reference_ranks")
