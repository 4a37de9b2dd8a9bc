"""The step-by-step view: the next token, what the sliders do, and forks."""

import numpy as np
import pytest

from core.config import END
from core.trace import Summary
from pages.shared.frame import address, model
from tests.pages.conftest import paste
from tests.pages.decoding import arrive, count_calls, fork, move, press, shown, table, traces, tree, type_here, words
from tests.pages.driver import choose, click, data, decoded, tiny

THE = 273  # id of “ the”
GOAT = "Anna: A goat ate my hat.\nBen: Which hat?"


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


def test_the_numbers_are_those_of_the_model_and_the_sliders_move_them_without_it(app, monkeypatch):
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
    assert [row["id"] for row in rows if row["chosen"]] == [written]
    assert not [row for row in rows if row["reference"]]  # longer than this model can write
    assert any("longer than this model can write" in each.value for each in app.caption)
    calls = count_calls(monkeypatch)
    before, settings = column(app, "before"), [1.0, 0, 1.0]
    for place, (key, value) in enumerate((("look_temperature", 0.5), ("look_top_k", 30), ("look_top_p", 0.1))):
        app.slider(key=key).set_value(value).run()
        settings[place] = value
        shares = cut(summary, step, *settings)
        assert column(app, "before") == before
        assert column(app, "after") == pytest.approx({token: shares[token] for token in before}, abs=1e-5)
        assert sum(column(app, "after").values()) + table(app)["others"]["after"][0] == pytest.approx(1, abs=1e-4)
    assert sum(before.values()) + others["before"][0] == pytest.approx(1, abs=1e-4) and not calls
    link = {"step": "6", "look_temperature": "0.5", "look_top_k": "30", "look_top_p": "0.1"}
    assert app.query_params == link


def test_looking_moving_and_the_number_of_rows_ask_nobody(app, monkeypatch):
    arrive(app)
    calls = count_calls(monkeypatch)
    for step in (1, 7, 3):
        move(app, step)
        assert data(app, "stepper")["step"] == step and app.query_params["step"] == str(step + 1)
    choose(app, "rows", 80)
    assert 80 <= len(table(app)["rows"]) <= 81
    click(app, "surprise", 9)
    choose(app, "heads_choice", "1.1")
    assert app.query_params == {"step": "10", "heads": "1.1"} and not calls


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
    expected = decoded((*(token.id for token in root.tokens[:3]), THE))
    assert words(app) == [token.text for token in expected.tokens]
    assert data(app, "stepper")["step"] == 3 and data(app, "stepper")["forced"] == 4
    branch = tree(app).items[1]
    assert (branch.ids, branch.text) == (tuple(token.id for token in expected.tokens), expected.text)
    assert branch.log_probabilities == pytest.approx([step.log_probability for step in expected.steps], abs=1e-4)
    assert shown(app) == "Branch 1" and app.query_params == {"step": "4", "branch": "4.273"}
    choose(app, "branch_choice", "")
    assert words(app) == [token.text for token in root.tokens] and app.query_params == {"step": "4"}
    calls.clear()
    fork(app, THE)  # it is there already
    assert len(tree(app).items) == 2 and shown(app) == "Branch 1" and not calls
    choose(app, "branch_choice", "")
    fork(app, root.tokens[3].id)
    assert "already says this at step 4" in app.error[0].value and len(tree(app).items) == 2
    move(app, 4)
    assert not app.error


def test_a_shorter_branch_is_shown_at_its_own_last_step(app):
    fork(move(arrive(app), 3), END)
    assert words(app)[-1] == "[EOS]" and len(words(app)) == 4
    choose(app, "branch_choice", "")
    move(app, 12)
    choose(app, "branch_choice", "4.2")
    assert data(app, "stepper")["step"] == 3 and not app.warning


def test_typed_text_becomes_a_branch_of_one_or_several_tokens(app):
    move(arrive(app), 2)
    for text in (" you ", "you and you", "+ing", "zebra *stripes*"):
        choose(app, "branch_choice", "") if len(tree_or_none(app)) > 1 else None
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


def tree_or_none(app) -> tuple:
    return tree(app).items if "trees" in app.session_state else ()


def test_text_that_cannot_be_written_is_said_and_nothing_is_lost(app):
    arrive(app, max_tokens=6)
    fork(move(app, 3), THE)
    app.slider(key="look_top_k").set_value(7).run()
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
    arrive(app, strategy="sample", temperature=0.7, top_k=20, top_p=0.9, step=3)
    assert app.slider(key="look_top_k").value == 0
    press(app, "Use the settings of the sidebar")
    looks = {key: app.slider(key=f"look_{key}").value for key in ("temperature", "top_k", "top_p")}
    assert looks == {"temperature": 0.7, "top_k": 20, "top_p": 0.9}
    summary = decoded(strategy="sample", temperature=0.7, top_k=20, top_p=0.9)
    expected = cut(summary, 2, 0.7, 20, 0.9)
    assert column(app, "after") == pytest.approx({token: expected[token] for token in column(app, "after")}, abs=1e-5)
    assert column(app, "after")[summary.tokens[2].id] > 0


def test_a_pasted_dialogue_has_its_speakers_and_its_reference(app):
    paste(arrive(app), GOAT, "Ben.")
    assert words(app) == [token.text for token in decoded(text=GOAT).tokens]
    forced = tiny().force(GOAT, "Ben.")
    assert "Ben." in [each.value for each in app.text]
    rank = forced.steps[0].rank
    assert any(f"rank {rank}" in each.value and "shares so far" in each.value for each in app.markdown)
    assert [row["id"] for row in table(app)["rows"] if row["reference"]] == [forced.tokens[0].id]
    ranks = dict(pair for each in traces(app, "reference_ranks") for pair in zip(each["x"], each["y"], strict=True))
    assert ranks == {place + 1: step.rank for place, step in enumerate(forced.steps)}
    press(app, "Make it a branch")
    assert not app.error and shown(app) == "Reference" and words(app) == ["Ben", ".", "[EOS]"]
    assert tree(app).items[1].ids == tuple(token.id for token in forced.tokens)
    choose(app, "view", "branches")
    assert any("ROUGE-1/2/L 100.0 / " in each.value for each in app.caption)
    choose(app, "view", "steps")
    choose(app, "branch_choice", "")
    type_here(app, "Ben and Ben")
    assert tree(app).items[2].path[0].ids[0] == 6 and words(app)[0] == "Ben"  # the second speaker's tag
