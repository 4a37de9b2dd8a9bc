"""The Decoding page as a whole: its views, its links, and what it follows."""

import pytest

from core.explain.branches import Fork
from core.service import Summarizer
from pages.shared import links
from tests.pages.conftest import paste
from tests.pages.decoding import PAGE, arrive, fork, move, press, shown, table, traces, tree, type_here, words
from tests.pages.driver import another, click, data, decoded, element, go, notes

THE, YOU = 273, 314  # ids of “ the” and “ you”
VIEWS = {"steps": "surprise", "branches": "branch_tree", "beam": "beam_picture", "bench": "bench"}


@pytest.mark.parametrize("strategy", ["greedy", "beam", "sample"])
def test_every_view_can_be_looked_at(app, strategy):
    arrive(app, strategy=strategy)
    for view, chart in VIEWS.items():
        app.segmented_control(key="view").set_value(view).run()
        assert not app.exception and not app.error and not app.warning
        assert element(app, "plotly_chart", chart).proto.alt
        assert app.query_params.get("view", "steps") == view
        assert app.query_params.get("strategy", "beam") == strategy


@pytest.mark.parametrize("strategy", ["greedy", "sample"])
def test_the_beam_tree_of_another_strategy_is_searched_for_it(app, strategy):
    arrive(app, strategy=strategy, view="beam")
    assert f"not written by beam search ({strategy} is chosen" in app.info[0].value
    expected = decoded(strategy="beam")
    found = next(each.value for each in app.dataframe if each.key == "endings")
    assert list(found["Summary"])[0] == expected.text


def test_what_is_shown_is_what_the_model_writes(app):
    arrive(app)
    assert words(app) == [token.text for token in decoded().tokens]
    assert data(app, "stepper")["step"] == 0
    assert app.query_params == {}


def test_a_link_reopens_exactly_what_was_seen(app):
    link = {
        "step": "4", "branch": "2.273.314~7.295", "heads": "1.2", "turn": "3", "look_temperature": "0.5",
        "look_top_k": "5", "look_top_p": "0.9", "max_tokens": "12", "words": "free",
    }  # fmt: skip
    arrive(app, **link)
    assert not app.error and not app.warning
    assert app.query_params == link
    root = decoded(max_tokens=12, whole_words=False)
    first = decoded((root.tokens[0].id, THE, YOU), max_tokens=12, whole_words=False)
    second = decoded((*(token.id for token in first.tokens[:6]), 295), max_tokens=12, whole_words=False)
    assert words(app) == [token.text for token in second.tokens]
    assert data(app, "stepper")["step"] == 3 and data(app, "stepper")["forced"] == 7
    assert [each.text for each in tree(app).items] == [root.text, first.text, second.text]
    assert app.selectbox(key="heads").value == "1.2"
    assert any("Turn 3, token by token" in each.value for each in app.subheader)
    assert (table(app)["temperature"], app.slider(key="look_top_k").value) == ("0.5", 5)
    assert app.slider(key="look_top_p").value == 0.9
    weights = second.attention.cross[0, 1, 3]
    members = [place for place, token in enumerate(second.source) if token.turn == 2 and token.id != 2]
    percents = [100 * float(weights[place]) for place in members]
    assert traces(app, "in_turn")[0]["x"] == pytest.approx(percents, abs=1e-3)


def test_a_link_to_a_comparison_and_to_a_list_of_endings(app):
    link = {"view": "branches", "branch": "2.273", "with": "3.314"}
    arrive(app, **link)
    assert app.query_params == link
    assert [each.path for each in tree(app).items] == [(), (Fork(1, (THE,)),), (Fork(2, (YOU,)),)]
    assert "From **Branch 2** (struck through) to **Branch 1** (underlined)" in [each.value for each in app.markdown]
    link = {"view": "beam", "rerank": "0.5", "formula": "gnmt"}
    second = arrive(another(app), **link)
    assert second.query_params == link
    assert second.slider(key="rerank").value == 0.5 and second.segmented_control(key="formula").value == "gnmt"


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
        one, other = data(app, component), data(again, component)
        one.pop("version", None), other.pop("version", None)
        assert one == other
    assert [each.ids for each in tree(again).items] == [each.ids for each in tree(app).items]


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"step": "99"}, "asks for step 99; this summary has 16\\. Its last one is shown"),
        ({"branch": "99.5"}, "at a step that it does not have\\. Received: step 99; allowed: 1 to 16"),
        ({"branch": "1.{first}"}, "“Original” already says this at step 1"),
        ({"branch": "2.273~99.5"}, "“Branch 1” at a step that it does not have"),
        ({"branch": "1.600"}, "a branch that cannot be\\. Received: 1\\.600"),
        ({"branch": "../../etc"}, "a branch that cannot be"),
        ({"with": "<script>"}, "a branch that cannot be"),
        ({"branch": "1." + ".".join(["27"] * 16)}, "the forced prefix must be shorter"),
        ({"branch": "1.2.27"}, "nothing can be written after the end"),
        ({"branch": "1." + "9" * 700}, "allowed: 600 characters"),
        ({"heads": "9.9"}, "no cross\\-attention 9\\.9\\. Layer 2, mean of the heads is shown"),
        ({"view": "all"}, "view\\=all"),
        ({"step": "0"}, "step\\=0"),
        ({"turn": "-1"}, "turn\\=\\-1"),
    ],
)
def test_what_a_link_asks_in_vain_is_said_and_the_rest_is_shown(app, link, said):
    first = decoded().tokens[0].id
    arrive(app, **{name: value.replace("{first}", str(first)) for name, value in link.items()})
    assert not app.error
    assert said.replace("\\", "") in notes(app).replace("\\", "")
    assert shown_or_root(app) == "Original"
    assert app.query_params == ({"step": "16"} if link == {"step": "99"} else {})
    assert words(app) == [token.text for token in decoded().tokens]
    app.button(key="notes_read").click().run()
    assert not notes(app)


def shown_or_root(app) -> str:
    return shown(app) if "trees" in app.session_state else "Original"


def test_a_turn_that_is_not_there_follows_the_attention(app):
    arrive(app, turn=77, heads="2.mean")  # the mean of the last layer is what is shown without a link
    assert not app.error and not notes(app)
    assert app.selectbox(key="heads").value == ""
    summary = decoded()
    weights = summary.attention.cross[1, :, 0].mean(axis=0)
    turns = sorted({token.turn for token in summary.source})
    shares = [sum(weights[i] for i, token in enumerate(summary.source) if token.turn == turn and token.id != 2)
              for turn in turns]  # fmt: skip
    best = turns[max(range(len(turns)), key=lambda place: shares[place])]
    assert any(f"Turn {best + 1}, token by token" in each.value for each in app.subheader)


def test_another_dialogue_starts_at_its_first_step(app):
    arrive(app)
    fork(move(app, 3), THE)
    click(app, "looks_at", 1)
    app.selectbox(key="example").set_value("cat-sitter").run()
    assert not app.exception and not app.error and not notes(app)
    assert app.query_params == {"example": "cat-sitter"}
    assert data(app, "stepper")["step"] == 0
    app.selectbox(key="example").set_value("lost-suitcase").run()
    assert app.query_params == {} and shown(app) == "Original"
    assert [each.name for each in tree(app).items] == ["Original", "Branch 1"]


def test_a_pasted_dialogue_can_be_chosen_here(app):
    arrive(app)
    paste(app, "Anna: A goat ate my hat.\nBen: Which hat?")
    assert not app.exception and not app.error
    expected = decoded(text="Anna: A goat ate my hat.\nBen: Which hat?")
    assert words(app) == [token.text for token in expected.tokens]
    packed = app.query_params["t"]
    assert links.unpack(packed).startswith("Anna: A goat")


def test_without_a_dialogue_the_page_says_what_to_do(app):
    arrive(app, input="paste")
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
    assert not notes(app) and not app.error


def test_words_are_kept_whole_or_free(app, monkeypatch):
    asked = []
    summarize = Summarizer.summarize

    def spied(self, dialogue, settings=None, **options):
        asked.append(settings.whole_words)
        return summarize(self, dialogue, settings, **options)

    monkeypatch.setattr(Summarizer, "summarize", spied)
    arrive(app, max_tokens=11)
    app.segmented_control(key="words").set_value("free").run()
    assert asked == [True, False]
    assert app.query_params == {"max_tokens": "11", "words": "free"}
    assert words(app) == [token.text for token in decoded(max_tokens=11, whole_words=False).tokens]
    press(app, "Reset everything")
    assert app.query_params == {} and app.segmented_control(key="words").value == "whole"
