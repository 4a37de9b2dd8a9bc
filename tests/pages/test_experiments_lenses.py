"""Lenses on the Experiments page: what the model would write, and which word it would choose, from earlier layers."""

import numpy as np
import pytest

from core.experiments import lenses
from core.experiments.interventions import Untouched
from core.experiments.lenses import LayerSummary
from core.figures.wording import number, signed
from core.trace import Token
from pages.parts.experiments import runs
from tests.pages.conftest import paste
from tests.pages.driver import FIRST, captions, chart, choose, decoded, element, notes, table, tiny
from tests.pages.experiments import MARKUP, NAMED, arrive, base, difference, infos, packed, texts

LAYERS = ("Embedding", "Layer 1", "Layer 2 = output")


def decoder_lens(run: Untouched) -> list[LayerSummary]:
    return lenses.decoder_lens(tiny(), run)


def has_layers(app, run: Untouched) -> None:
    """Check the summary of every encoder layer, its score, and where each word appears first."""
    found = decoder_lens(run)
    means = [float(each.log_probabilities.mean()) for each in found]
    assert len(found) == 3 and found[-1].text == run.text
    for layer, (each, mean) in enumerate(zip(found, means, strict=True)):
        assert each.text in texts(app)
        change = "" if layer == 2 else f" (effect of reading early: {signed(means[-1] - mean)})"
        assert f"The untouched summary, forced: {number(mean)} nats a token{change}." in captions(app)
        if layer < 2:
            assert difference(app, f"lens_diff_{layer}") == (packed(each.text), packed(run.text))
    first, inside = lenses.first_layers([each.text for each in found])
    drawn = table(app, "First")
    names = {0: "embeddings", 1: "layer 1", 2: "layer 2", None: "never"}
    assert list(drawn["Word"]) == lenses.words(run.text)
    assert list(drawn["First"]) == [names[layer] for layer in first]
    assert f"From the embeddings alone {int(inside[0].sum())} of {len(first)} word" in captions(app)


def test_the_summary_from_every_encoder_layer(app):
    run = base()
    arrive(app, experiment="lenses")
    has_layers(app, run)
    assert app.query_params == {"experiment": "lenses"}
    assert "Layer 2, the last: the untouched run" in " ".join(each.value for each in app.markdown)


def test_where_a_word_appears_first_by_hand(app, monkeypatch):
    """Once "keys" comes with layer 1, goes, and is there at the end."""
    written = ("Anna lost", "Anna found keys", "Anna lost keys keys")
    made = [LayerSummary(text, np.full(16, value)) for text, value in zip(written, (-3.0, -2.5, -2.0), strict=True)]
    monkeypatch.setattr(runs.lenses, "decoder_lens", lambda *_: made)
    paste(arrive(app, experiment="lenses"), "Anna: A dialogue that nothing else asks for, one.")
    drawn = table(app, "First")
    assert list(drawn["First"]) == ["embeddings", "embeddings", "layer 1", "layer 2"]
    assert "From the embeddings alone 2 of 4 words are there; 1 appears first at layer 2, the last." in captions(app)
    assert "forced: −3.00 nats a token (effect of reading early: +1.00)." in captions(app)
    ticks = chart(app, "decoder_lens_picture")["layout"]["xaxis"]["ticktext"]
    assert [tick.split("<br>")[-1] for tick in ticks] == ["−3.00", "−2.50", "−2.00"]


def test_a_summary_without_words_has_none_to_look_for(app, monkeypatch):
    made = [LayerSummary(text, np.full(16, -1.0)) for text in ("Anna", "", "..")]
    monkeypatch.setattr(runs.lenses, "decoder_lens", lambda *_: made)
    paste(arrive(app, experiment="lenses"), "Anna: A dialogue that nothing else asks for, two.")
    assert "The last layer's summary has no words to look for." in infos(app)
    assert "(an empty summary)" in texts(app) and element(app, "plotly_chart", "logit_lens_picture")


@pytest.mark.parametrize("color", ["probability", "rank"])
def test_the_decoder_read_after_every_layer(app, color):
    run = base()
    found = lenses.logit_lens(tiny(), run)
    arrive(app, experiment="lenses", lens_color=color)
    expected = found.probability if color == "probability" else 1 - np.minimum(np.log10(found.rank), 4) / 4
    assert chart(app, "logit_lens_picture")["data"][0]["z"] == pytest.approx(expected.T, abs=1e-5)
    drawn, speakers = table(app, "Layer 1, rank"), run.condition.encoded.speakers
    for layer, name in enumerate(LAYERS):
        assert list(drawn[f"{name}, rank"]) == list(found.rank[layer])
        assert list(drawn[f"{name}, probability"]) == pytest.approx(list(found.probability[layer]), abs=1e-6)
        best = [tiny().tokenizer.id_text(int(token), speakers).strip() for token in found.top[layer, :, 0]]
        assert [text.strip() for text in drawn[name]] == best
    steps = decoded().steps
    assert list(drawn[f"{LAYERS[-1]}, rank"]) == [step.rank for step in steps]  # the last layer is the model itself
    assert list(drawn[f"{LAYERS[-1]}, probability"]) == pytest.approx([step.probability for step in steps], abs=1e-4)
    first = [int((row == 1).sum()) for row in found.rank]
    assert f"at the output {first[-1]}." in captions(app) or f"rank {first[-1]} of 16" in captions(app)
    assert app.query_params == {"experiment": "lenses"} | ({"lens_color": "rank"} if color == "rank" else {})


def test_colours_are_chosen_and_only_they_change(app):
    arrive(app, experiment="lenses")
    before, sentence = chart(app, "logit_lens_picture")["data"][0]["z"], captions(app)
    choose(app, "lens_color", "rank")
    assert not np.allclose(chart(app, "logit_lens_picture")["data"][0]["z"], before) and captions(app) == sentence
    assert app.query_params["lens_color"] == "rank"


def test_what_is_under_the_pointer_names_five_tokens_and_the_written_one(app):
    found = lenses.logit_lens(tiny(), base())
    arrive(app, experiment="lenses")
    cell = chart(app, "logit_lens_picture")["data"][0]["hovertext"][4][1]
    lines = cell.replace("\xa0", " ").split("<br>")
    written: Token = decoded().tokens[4]
    assert lines[0].startswith(f"finally written: “{written.text.strip()}”, ")
    assert lines[0].endswith(f"rank {found.rank[1, 4]:,}") and len(lines) == 6
    assert [line[:2] for line in lines[1:]] == ["1.", "2.", "3.", "4.", "5."]


def test_captions_follow_the_dialogue(app):
    arrive(app, experiment="lenses")
    before = captions(app)
    paste(app, NAMED)
    has_layers(app, base(NAMED))
    assert captions(app) != before and app.session_state["subject_of_turns"][1] != FIRST


def test_texts_stay_texts(app):
    paste(arrive(app, experiment="lenses"), MARKUP)
    has_layers(app, base(MARKUP))
    for each in (*app.markdown, *app.caption):
        assert "<" not in each.value.replace("\\<", "") and "$y" not in each.value.replace("\\$", "")
    for key in ("decoder_lens_picture", "logit_lens_picture"):
        assert "<script" not in str(chart(app, key)) and "<i>" not in str(chart(app, key))


def test_a_sampled_summary_of_one_turn(app):
    settings = {"strategy": "sample", "seed": 3}
    text = "Anna: I lost my keys at the station."
    paste(arrive(app, experiment="lenses", **settings), text)
    has_layers(app, base(text, **settings))


def test_a_colour_that_a_link_asks_in_vain(app):
    arrive(app, experiment="lenses", lens_color="red")
    assert "lens_color=red" in notes(app).replace("\\", "") and app.query_params == {"experiment": "lenses"}
