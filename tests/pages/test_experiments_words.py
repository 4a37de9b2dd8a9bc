"""Words on the Experiments page: gradient times input of a chosen token, and three methods that rank the turns."""

import re
from itertools import combinations

import numpy as np
import pytest

from core.experiments import gradients, turn_effects
from core.experiments.gradients import TokenEffects
from core.experiments.interventions import Untouched
from core.explain.rollup import Group, groups
from core.figures.wording import number, signed
from tests.pages.conftest import paste
from tests.pages.driver import FIRST, captions, chart, choose, data, decoded, notes, table, tiny
from tests.pages.experiments import MARKUP, NAMED, TAGGED, arrive, bars, base, infos, pick


def effects(run: Untouched, step: int, foil: int | None = None) -> TokenEffects:
    return gradients.gradient_times_input(tiny(), run, step, foil)


def grouped(run: Untouched, found: TokenEffects, unit: str) -> list[tuple[Group, float]]:
    """Signed sums by word or turn of the dialogue."""
    parts = groups(run.condition.encoded.tokens, unit)
    return [(each, float(found.source[list(each.members)].sum())) for each in parts]


def weakest(text: str = FIRST) -> int:
    steps = decoded(text=text).steps
    return min(range(len(steps)), key=lambda place: steps[place].log_probability)


def drawn_words(app) -> list[dict]:
    """Every word of the dialogue that was read."""
    return [word for turn in data(app, "word_map")["turns"] for word in turn["words"] if word["share"] is not None]


def matches(app, run: Untouched, found: TokenEffects) -> None:
    """Check the map, the chart by turn and the sentence against the gradient."""
    words = [value for _, value in grouped(run, found, "word")]
    limit = max(map(abs, [*words, *found.prefix]))
    assert [word["share"] for word in drawn_words(app)] == pytest.approx([value / limit for value in words], abs=2e-4)
    drawn = data(app, "word_map")
    prefix = [drawn["start"], *drawn["target"][: found.step]]
    assert [token["share"] for token in prefix] == pytest.approx([float(x) / limit for x in found.prefix], abs=2e-4)
    assert drawn["chosen"] == found.step and drawn["target"][found.step]["share"] is None
    turns = [value for group, value in grouped(run, found, "turn") if group.turn is not None]
    assert bars(app, "turn_gradients") == pytest.approx([*turns, float(found.prefix.sum())], abs=1e-4)
    best = max(words, key=abs)
    assert f" is {signed(found.value)} nats in " in captions(app)
    assert f"counts most in the dialogue, {'for' if best > 0 else 'against'} it: {signed(best)} (check" in captions(app)
    sums = signed(float(found.source.sum())), signed(float(found.prefix.sum()))
    assert f"The dialogue sums to {sums[0]}, the summary before it to {sums[1]}." in captions(app)


def test_the_least_sure_token_is_explained_first(app):
    run = base()
    arrive(app, experiment="words")
    matches(app, run, effects(run, weakest()))
    assert app.query_params == {"experiment": "words"}
    assert "in the model tiny@" in captions(app)


@pytest.mark.parametrize("step", [0, 3, 15])
def test_a_click_explains_another_token(app, step):
    run = base()
    before = captions(arrive(app, experiment="words", word=2))
    pick(app, step)
    assert app.query_params["word"] == str(step + 1)
    matches(app, run, effects(run, step))
    assert captions(app) != before


def test_what_really_scaling_a_word_does_is_said(app):
    run = base()
    step = weakest()
    words = grouped(run, effects(run, step), "word")
    best, value = max(words, key=lambda pair: abs(pair[1]))
    measured = gradients.finite_difference(tiny(), run, step, best.members)
    arrive(app, experiment="words")
    assert f"“{best.label}” in turn {best.turn + 1} counts most" in captions(app)
    assert f"really scaling its embedding by ±{gradients.STEP:.1%} gives a slope of {signed(measured)}" in captions(app)
    assert measured == pytest.approx(value, abs=0.02)


def test_against_another_token_only_what_decides_between_them_counts(app):
    run = base()
    step = weakest()
    chosen = decoded().steps[step]
    foil = next(each.id for each in chosen.alternatives if each.id != chosen.token.id)
    arrive(app, experiment="words")
    choose(app, "instead", foil)
    assert app.query_params == {"experiment": "words", "instead": str(foil)}
    found = effects(run, step, foil)
    matches(app, run, found)
    assert "minus log p of the other token is " in captions(app)
    assert found.value == pytest.approx(
        chosen.log_probability - np.log(next(each.probability for each in chosen.alternatives if each.id == foil)),
        abs=1e-3,
    )
    pick(app, 0 if step else 1)
    assert "instead" not in app.query_params


def test_a_link_reopens_token_and_contrast(app):
    run = base()
    options = [each.id for each in decoded().steps[4].alternatives if each.id != decoded().steps[4].token.id]
    link = {"experiment": "words", "word": "5", "instead": str(options[2])}
    arrive(app, **link)
    assert app.query_params == link and not app.warning
    matches(app, run, effects(run, 4, options[2]))


def test_three_methods_on_the_same_turns(app):
    run = base()
    summary, step = decoded(), 4
    read = turn_effects.turns_read(run.condition.encoded)
    mean = summary.attention.cross[-1, :, step].mean(axis=0)
    looks = [sum(mean[place] for place, token in enumerate(summary.source) if token.turn == turn) for turn in read]
    values = [value for group, value in grouped(run, effects(run, step), "turn") if group.turn is not None]
    left_out = turn_effects.leave_out(tiny(), run, read, rewrite=False)
    drops = [float(each.before[step] - each.after[step]) for each in left_out]
    arrive(app, experiment="words", word=step + 1)
    drawn = table(app, "Effect of leaving it out")
    assert list(drawn["Cross-attention looks at"]) == pytest.approx(looks, abs=1e-4)
    assert list(drawn["Gradient × input"]) == pytest.approx(values, abs=1e-4)
    assert list(drawn["Effect of leaving it out"]) == pytest.approx(drops, abs=1e-4)
    names = ("attention", "gradient", "leaving out")
    for (one, first), (other, second) in combinations(zip(names, (looks, values, drops), strict=True), 2):
        places = [np.argsort(np.argsort([-value for value in each])) for each in (first, second)]
        rho = 1 - 6 * float(((places[0] - places[1]) ** 2).sum()) / (5 * (25 - 1))  # without ties
        assert re.search(rf"{one} and {other} [a-z ]+ \(ρ = {re.escape(number(rho))}\)", captions(app))
    assert "none of them is the reason" in captions(app)


def test_turns_that_were_not_read_have_no_effect(app):
    arrive(app, experiment="words")
    drawn = data(app, "word_map")["turns"]
    assert [turn["number"] for turn in drawn] == list(range(1, 11))
    for turn in drawn:
        unread = 4 <= turn["number"] <= 8
        assert {word["share"] is None for word in turn["words"]} == {unread}
        assert not unread or all("not read by the model" in word["tip"] for word in turn["words"])
    assert len(chart(app, "turn_gradients")["data"][0]["y"]) == 6  # five turns and the summary itself


def test_the_words_stand_as_in_the_dialogue(app):
    paste(arrive(app, experiment="words"), MARKUP)
    drawn = data(app, "word_map")["turns"]
    lines = ["".join(word["gap"] + word["text"] for word in turn["words"] if not word["special"]) for turn in drawn]
    assert [line.strip() for line in lines] == MARKUP.splitlines()
    marks = [word["text"] for turn in drawn for word in turn["words"] if word["special"]]
    assert marks == ["end of turn", "end of turn", "end of dialogue"]
    for each in (*app.markdown, *app.caption, *app.selectbox):
        text = each.label if each.type == "selectbox" else each.value
        assert "<" not in text.replace("\\<", "") and "$y" not in text.replace("\\$", "")
    for key in ("turn_gradients", "agreement_picture"):
        assert "<b>bold" not in str(chart(app, key)) and "<script" not in str(chart(app, key))
    run = base(MARKUP)
    matches(app, run, effects(run, weakest(MARKUP)))


def test_one_turn_has_nothing_to_rank(app):
    text = "Anna: I lost my keys at the station."
    paste(arrive(app, experiment="words"), text)
    assert "There is one turn: nothing to rank (n/a)." in infos(app)
    run = base(text)
    matches(app, run, effects(run, weakest(text)))


def test_two_turns_are_not_correlated(app):
    paste(arrive(app, experiment="words"), "\n".join(NAMED.splitlines()[:2]))
    assert "no rank correlation can be computed: there are fewer than 3 turns" in captions(app)


def test_a_text_without_speakers(app):
    paste(arrive(app, experiment="words"), "The keys were lost. Nobody found them.")
    text = app.session_state["subject_of_turns"][1]
    run = base(text)
    matches(app, run, effects(run, weakest(text)))


def test_another_dialogue_starts_at_its_least_sure_token(app):
    arrive(app, experiment="words", word=2, off="cross1.1")
    foil = next(each.id for each in decoded().steps[1].alternatives if each.id != decoded().steps[1].token.id)
    choose(app, "instead", foil)
    before = captions(app)
    paste(app, TAGGED)
    assert not notes(app) and set(app.query_params) == {"experiment", "off", "input", "t"}
    run = base(TAGGED)
    matches(app, run, effects(run, weakest(TAGGED)))
    assert captions(app) != before


def test_a_sampled_summary(app):
    settings = {"strategy": "sample", "seed": 3}
    run = base(TAGGED, **settings)
    paste(arrive(app, experiment="words", word=4, **settings), TAGGED)
    pick(app, 5)
    matches(app, run, effects(run, 5))


@pytest.mark.parametrize(
    ("link", "said", "kept"),
    [
        ({"word": 9999}, "asks for word 9999, which does not exist here (possible: 0 to 16)", {}),
        ({"word": 99999}, "word=99999, which is not possible here", {}),
        ({"word": "x"}, "word=x", {}),
        ({"word": 3, "instead": 123456}, "asks for token id 123456, which does not exist here", {"word": "3"}),
        ({"word": 3, "instead": "-1"}, "instead=-1", {"word": "3"}),
        ({"word": 3, "control": "xyz"}, "control=xyz", {"word": "3"}),
    ],
)
def test_what_a_link_asks_in_vain_is_said_and_the_rest_is_shown(app, link, said, kept):
    arrive(app, experiment="words", **link)
    assert said in notes(app).replace("\\", "")
    assert app.query_params == {"experiment": "words", **kept}
    run = base()
    matches(app, run, effects(run, int(kept["word"]) - 1 if kept else weakest()))
