"""The Decoding page as a whole: its links, what it follows, and where the model looks."""

import pytest

from core.config import END
from core.service import Summarizer
from tests.pages.decoding import PAGE, arrive, fork, move, press, shown, table, traces, tree, type_here, words
from tests.pages.driver import another, click, data, decoded, go, noted

THE, YOU = 273, 314  # ids of “ the” and “ you”


def headings(app) -> list[str]:
    return [each.value for each in app.header]


def test_a_link_that_sets_everything_reopens_exactly_what_was_seen(app):
    link = {
        "step": "4", "branch": "2.273.314~7.295", "with": "3.314", "heads": "1.2", "turn": "3",
        "look_temperature": "0.5", "look_top_k": "5", "look_top_p": "0.9", "rerank": "0.5", "formula": "gnmt",
        "max_tokens": "12", "words": "free",
    }  # fmt: skip
    arrive(app, **link)
    assert not app.error and not app.warning and app.query_params == link
    root = decoded(max_tokens=12, whole_words=False)
    first = decoded((root.tokens[0].id, THE, YOU), max_tokens=12, whole_words=False)
    second = decoded((*(token.id for token in first.tokens[:6]), 295), max_tokens=12, whole_words=False)
    rival = decoded((*(token.id for token in root.tokens[:2]), YOU), max_tokens=12, whole_words=False)
    assert [each.text for each in tree(app).items] == [root.text, first.text, second.text, rival.text]
    assert words(app) == [token.text for token in second.tokens]
    assert data(app, "stepper")["step"] == 3 and data(app, "stepper")["forced"] == 7
    assert app.selectbox(key="heads_choice").value == "1.2" and "Turn 3, token by token" in headings(app)
    looks = [table(app)["temperature"], app.slider(key="look_top_k").value, app.slider(key="look_top_p").value]
    assert looks == ["0.5", 5, 0.9]
    weights = second.attention.cross[0, 1, 3]
    members = [place for place, token in enumerate(second.source) if token.turn == 2 and token.id != END]
    percents = [100 * float(weights[place]) for place in members]
    assert traces(app, "in_turn")[0]["x"] == pytest.approx(percents, abs=1e-3)
    app.segmented_control(key="view").set_value("branches").run()
    said = [each.value for each in app.markdown]
    assert "From **Branch 3** (struck through) to **Branch 2** (underlined)" in said
    assert "**Cross-attention by turn**, layer 1, head 2, mean over the tokens of each branch" in said
    app.segmented_control(key="view").set_value("beam").run()
    assert app.slider(key="rerank").value == 0.5 and app.segmented_control(key="formula").value == "gnmt"


def test_the_address_after_some_steps_is_a_link_to_them(app):
    arrive(app, strategy="greedy")
    fork(move(app, 2), THE)
    type_here(move(app, 5), "you")
    click(app, "looks_at", 1)
    app.slider(key="look_temperature").set_value(1.7).run()
    assert app.query_params == {
        "strategy": "greedy", "step": "6", "branch": "3.273~6.314", "turn": "2", "look_temperature": "1.7"
    }  # fmt: skip
    again = arrive(another(app), **app.query_params)
    assert again.query_params == app.query_params
    for component in ("probability_table", "stepper"):
        one, other = ({**data(each, component), "version": 0, "heard": 0} for each in (app, again))
        assert one == other
    assert [each.ids for each in tree(again).items] == [each.ids for each in tree(app).items]


def test_what_a_link_asks_in_vain_is_said_and_the_rest_is_shown(app):
    link = {"step": 99, "branch": "2.273~99.5", "with": "<script>", "heads": "9.9", "view": "all", "turn": 77}
    arrive(app, **link)
    assert not app.error
    for said in (
        "asks for step 99; this summary has 16. Its last one is shown",
        "“Branch 1” at a step that it does not have. Received: step 99; allowed: 1 to 16",
        "a branch that cannot be. Received: <script>",
        "asks for cross-attention 9.9, which does not exist here",
        "view=all",
    ):
        assert said in noted(app)
    assert shown(app) == "Original" and words(app) == [token.text for token in decoded().tokens]
    assert app.query_params == {"step": "16", "turn": "77"}
    assert any("The turn with the most attention" in each.value for each in app.caption)  # there is no turn 77
    app.button(key="notes_read").click().run()
    assert not noted(app)


def test_another_dialogue_starts_at_its_first_step(app):
    arrive(app)
    fork(move(app, 3), THE)
    click(app, "looks_at", 1)
    app.selectbox(key="example").set_value("cat-sitter").run()
    assert not app.exception and not app.error and not noted(app)
    assert app.query_params == {"example": "cat-sitter"} and data(app, "stepper")["step"] == 0
    app.selectbox(key="example").set_value("lost-suitcase").run()
    assert app.query_params == {} and shown(app) == "Original"
    assert [each.name for each in tree(app).items] == ["Original", "Branch 1"]
    app.segmented_control(key="input").set_value("paste").run()
    assert "No dialogue is chosen yet" in app.info[0].value


def test_branches_survive_another_page_and_other_settings(app):
    arrive(app)
    fork(move(app, 3), THE)
    before = words(app)
    go(app, "pages/summarize.py")
    assert "branch" not in app.query_params
    go(app, PAGE)
    assert (words(app), app.query_params) == (before, {"step": "4", "branch": "4.273"})
    app.slider(key="max_tokens").set_value(9).run()
    assert len(words(app)) == 9 and app.query_params == {"max_tokens": "9"}
    app.slider(key="max_tokens").set_value(16).run()
    assert [each.name for each in tree(app).items] == ["Original", "Branch 1"]
    assert not noted(app) and not app.error


def test_words_are_kept_whole_or_free(app, monkeypatch):
    asked = []
    summarize = Summarizer.summarize

    def spied(self, dialogue, settings=None, **options):
        asked.append(settings.whole_words)
        return summarize(self, dialogue, settings, **options)

    monkeypatch.setattr(Summarizer, "summarize", spied)
    arrive(app, max_tokens=11)
    app.segmented_control(key="words").set_value("free").run()
    assert asked == [True, False] and app.query_params == {"max_tokens": "11", "words": "free"}
    assert words(app) == [token.text for token in decoded(max_tokens=11, whole_words=False).tokens]
    press(app, "Reset everything")
    assert app.query_params == {} and app.segmented_control(key="words").value == "whole"


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
    assert set(best) <= set(percents) and f"Turn {best[0] + 1}, token by token" in headings(app)
    click(app, "looks_at", 2)
    assert app.query_params["turn"] == "3"
    members = [place for place, token in enumerate(summary.source) if token.turn == 2 and token.id != END]
    app.selectbox(key="heads_choice").set_value("copy").run()
    percents = [100 * float(summary.attention.copy[2][place]) for place in members]
    assert traces(app, "in_turn")[0]["x"] == pytest.approx(percents, abs=1e-3)
    press(app, "Follow the most attention")
    assert "turn" not in app.query_params and app.query_params["heads"] == "copy"
