"""Words and lenses on the Experiments page: gradient × input, three methods that rank turns, layers read early."""

import numpy as np
import pytest

from core.experiments import gradients, lenses, turn_effects, word_effects
from core.experiments.attribution.gradient import DIFFERENCE, SMALL
from core.experiments.attribution.registry import attribute
from core.experiments.effects import Untouched
from core.experiments.gradients import TokenEffects
from core.experiments.lenses import LayerSummary
from core.explain.attribution.attribution import Check
from core.explain.shared.rollup import groups
from core.figures.experiments import agreement
from core.figures.experiments import lenses as lens_figures
from core.figures.experiments.attribution import verdict
from core.figures.experiments.effect_scale import signed_figures
from core.figures.experiments.turn_effects import turn_rewrites
from core.figures.shared.wording import number, plain, signed, token_text
from pages.parts.experiments import runs, words
from tests.closeness import printed
from tests.pages import driver, experiments
from tests.pages.conftest import paste
from tests.pages.driver import FIRST, captions, chart, choose, data, decoded, draws, tiny
from tests.pages.experiments import LONG, TAGGED, arrive, arrive_with, base, difference, infos, packed, pick, same


def effects_of(run: Untouched, step: int, foil: int | None = None) -> TokenEffects:
    return gradients.gradient_times_input(tiny(), run, step, foil)


def turns(run: Untouched, found: TokenEffects) -> tuple[list, list[float]]:
    """The turns that were read, and the sum of their tokens' effects."""
    encoded, sums = run.condition.encoded, {}
    for group in groups(encoded.tokens, "turn"):
        if group.turn is not None:
            sums[group.turn] = float(found.source[list(group.members)].sum())
    read = [encoded.dialogue.turns[turn] for turn in sums]
    return [(str(turn.index + 1), turn.speaker or "", turn.text) for turn in read], list(sums.values())


def weakest(text: str = FIRST) -> int:
    steps = decoded(text=text).steps
    return min(range(len(steps)), key=lambda place: steps[place].log_probability)


def matches(app, run: Untouched, found: TokenEffects, text: str = FIRST, **settings) -> None:
    """Check the map, the chart by turn and the sentence against the gradient."""
    words = [word for each in word_effects.by_word(run.condition.encoded, found).values() for word in each]
    drawn = data(app, "word_map")
    limit = max(map(abs, [*(word.value for word in words), *found.prefix]))
    shares = [word["share"] for turn in drawn["turns"] for word in turn["words"] if word["share"] is not None]
    np.testing.assert_allclose(shares, [word.value / limit for word in words], atol=2e-4)  # of a scale of 4 digits
    prefix = [drawn["start"], *drawn["target"][: found.step]]
    np.testing.assert_allclose([token["share"] for token in prefix], found.prefix / limit, atol=2e-4)  # the same
    assert drawn["chosen"] == found.step and drawn["target"][found.step]["share"] is None
    sums = [signed_figures(float(values.sum())) for values in (found.source, found.prefix)]
    best = max(words, key=lambda word: abs(word.value))
    side = "for" if best.value > 0 else "against"
    for sentence in (
        f" is {signed_figures(found.value)} nats in ",
        f"counts most in the dialogue, {side} it: {signed_figures(best.value)}.",
        f"The dialogue sums to {sums[0]}, the summary before it to {sums[1]}.",
    ):
        assert sentence in captions(app)


def test_the_least_sure_token_is_explained_first(app):
    run, step = base(), weakest()
    found = effects_of(run, step)
    arrive(app, experiment="words")
    matches(app, run, found)
    # What really scaling the strongest word does is said.
    words = word_effects.by_word(run.condition.encoded, found)
    turn, best = max(((turn, word) for turn in words for word in words[turn]), key=lambda pair: abs(pair[1].value))
    measured = gradients.finite_difference(tiny(), run, step, best.places)
    assert f"“{best.text}” in turn {turn + 1} counts most" in captions(app)
    name = f"the effect of “{best.text}” is the slope when its embedding is really scaled by ±0.2 %"
    assert verdict(Check(name, abs(measured - best.value) / max(abs(best.value), SMALL), DIFFERENCE)) in captions(app)
    # Turns that were not read have no effect.
    for place, drawn in enumerate(data(app, "word_map")["turns"], 1):
        unread = 4 <= place <= 8
        assert drawn["number"] == place and {word["share"] is None for word in drawn["words"]} == {unread}
        assert not unread or all("not read by the model" in word["tip"] for word in drawn["words"])


def test_a_click_explains_another_token(app):
    for chosen in (0, 15):
        pick(app if chosen else arrive(app, experiment="words"), chosen)
        assert app.query_params["word"] == str(chosen + 1)
        matches(app, base(), effects_of(base(), chosen))


def test_against_another_token_only_what_decides_between_them_counts(app):
    run, chosen = base(), decoded().steps[4]
    foil = [each for each in chosen.alternatives if each.id != chosen.token.id][2]
    arrive(app, experiment="words", word=5)
    choose(app, "instead", foil.id)
    found = effects_of(run, 4, foil.id)
    matches(app, run, found)
    assert app.query_params == {"experiment": "words", "word": "5", "instead": str(foil.id)}
    assert "minus log p of the other token is " in captions(app)
    same(found.value, chosen.log_probability - np.log(foil.probability))
    pick(app, 0)
    assert app.query_params == {"experiment": "words", "word": "1"}


@pytest.mark.parametrize("against", [False, True])
def test_integrated_gradients_stand_beside_for_the_same_token_and_foil(app, against):
    chosen = decoded().steps[4]
    foil = next(each.id for each in chosen.alternatives if each.id != chosen.token.id) if against else None
    app.session_state[words.BOX] = True
    arrive(app, experiment="words", word=5, **({"instead": foil} if foil else {}))
    along, found = attribute("integrated", tiny(), decoded(), 4, foil, by="word"), effects_of(base(), 4, foil)
    drawn, count = driver.table(app, "Integrated gradients"), len(along.columns)
    printed(list(drawn["Integrated gradients"]), [*along.values[0], *along.prefix[0][:5]], 3)
    sums = [float(found.source[list(word.members)].sum()) for word in along.columns]
    printed(list(drawn["Gradient × input"]), [*sums, *found.prefix], 3)
    assert list(drawn["Turn"][count:]) == ["summary so far"] * 5 and list(drawn["Text"][count:])[0] == "[SOS]"
    sentence = driver.element(app, "plotly_chart", "words_beside").proto.alt
    assert f"Integrated gradients: {verdict(along.check)}" in sentence
    assert "Gradient × input: ✓ Check passed: the effect of “" in sentence


def test_another_dialogue_starts_at_its_least_sure_token(app):
    paste(arrive(app, experiment="words", word=5), TAGGED)
    assert not driver.notes(app) and set(app.query_params) == {"experiment", "input", "t"}
    matches(app, base(TAGGED), effects_of(base(TAGGED), weakest(TAGGED)), TAGGED)


def test_three_methods_on_the_same_turns(app):
    run, summary, step = base(), decoded(), 4
    read = turn_effects.turns_read(run.condition.encoded)
    mean = summary.attention.cross[-1, :, step].mean(axis=0)
    without = turn_effects.leave_out(tiny(), run, read, rewrite=False)
    labels, values = turns(run, effects_of(run, step))
    methods = {
        "Cross-attention looks at": [
            sum(mean[place] for place, token in enumerate(summary.source) if token.turn == turn) for turn in read
        ],
        "Gradient × input": values,
        "Effect of leaving it out": [float(each.before[step] - each.after[step]) for each in without],
    }
    arrive(app, experiment="words", word=step + 1)
    draws(app, "agreement_picture", agreement.agreement(labels, methods, token_text(summary.tokens[step])))
    assert "none of them is the reason" in captions(app)


@pytest.mark.parametrize("text", [f"Anna: {LONG}", LONG])
def test_one_turn_leaves_nothing_to_rank(app, text):
    arrive_with(app, text, experiment="words")
    assert "There is one turn: nothing to rank (n/a)." in infos(app)
    matches(app, base(text), effects_of(base(text), weakest(text)), text)


def has_layers(app, run: Untouched) -> None:
    """Check the summary of every encoder layer, its score, and where each word appears first."""
    found = lenses.decoder_lens(tiny(), run)
    means = [float(each.log_probabilities.mean()) for each in found]
    assert len(found) == 3 and found[-1].text == run.text
    for layer, (each, mean) in enumerate(zip(found, means, strict=True)):
        assert each.text in [shown.value for shown in app.text]
        change = "" if layer == 2 else f" (effect of reading early: {signed(means[-1] - mean)})"
        assert f"The untouched summary, forced: {number(mean)} nats a token{change}." in captions(app)
        if layer < 2:
            assert difference(app, f"lens_diff_{layer}") == (packed(each.text), packed(run.text))
    first = lenses.first_layers([each.text for each in found])
    draws(app, "decoder_lens_picture", lens_figures.decoder_lens(lenses.words(run.text), *first, means))


def test_every_encoder_layer_is_read_as_if_it_were_the_last(app):
    has_layers(arrive(app, experiment="lenses"), base())
    assert "Layer 2, the last: the untouched run" in driver.said(app)


@pytest.mark.parametrize("color", ["probability", "rank"])
def test_every_decoder_layer_is_read_as_if_it_were_the_last(app, color):
    steps, speakers = decoded().steps, base().condition.encoded.speakers
    arrive(app, experiment="lenses", lens_color=color)
    found = lenses.logit_lens(tiny(), base())
    top = [[[plain(tiny().tokenizer.id_text(int(token), speakers)) for token in best] for best in layer]
           for layer in found.top]  # fmt: skip
    written = [plain(step.token.text) for step in steps]
    hover = lens_figures.lens_hover(written, top, found.top_probability, found.probability, found.rank)
    first = [[best[0] for best in layer] for layer in top]
    picture = lens_figures.logit_lens(decoded().tokens, first, found.probability, found.rank, hover, color)
    draws(app, "logit_lens_picture", picture)
    heat, wanted = chart(app, "logit_lens_picture")["data"][0], picture.figure.data[0]
    printed(heat["z"], wanted.z, 5)  # colours
    assert heat["hovertext"][4][1] == wanted.hovertext[4][1]


def test_a_summary_without_words_has_none_to_look_for(app, monkeypatch):
    made = [LayerSummary(text, np.full(16, -1.0)) for text in ("Anna", "", "..")]
    monkeypatch.setattr(runs.lenses, "decoder_lens", lambda *_: made)
    arrive_with(app, "Anna: A dialogue that nothing else asks for.", experiment="lenses")
    assert "The last layer's summary has no words to look for." in infos(app)
    assert "(an empty summary)" in [each.value for each in app.text]
    assert driver.element(app, "plotly_chart", "logit_lens_picture")


def test_a_sampled_summary_is_written_again_with_the_same_draws(app):
    settings = {"strategy": "sample", "seed": 3, "temperature": 0.9}
    run = base(TAGGED, **settings)
    arrive_with(app, TAGGED, **settings)
    found = experiments.left_out(run)
    changed, texts = [each.changed for each in found], [each.text for each in found]
    labels, _ = turns(run, effects_of(run, 5))
    draws(app, "turn_rewrites", turn_rewrites(labels, changed, texts, "the turn deleted, sample decoding"))
    assert "sample decoding" in str(chart(app, "turn_rewrites")["layout"]["xaxis"]["title"])
    has_layers(choose(app, "experiment", "lenses"), run)
