"""Every method on random networks of every family: its check holds, and it says what it cannot do."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from core.config import PAD, RecurrentConfig
from core.errors import SettingsError
from core.experiments.attribution import gradient
from core.experiments.attribution.patching import patch
from core.experiments.attribution.question import Question, foil_of
from core.experiments.attribution.registry import ANSWERS, attribute
from core.experiments.gradients import gradient_times_input
from core.explain.attribution import layers, value_zeroing
from core.explain.attribution.methods import METHODS
from core.explain.attribution.votes import votes
from core.service import Summarizer
from core.text.tokenizer import Tokenizer
from tests.closeness import near, same_network
from tests.models import SETTINGS, bundled, operator_by_operator, script, untrained
from tests.refusals import refused

pytestmark = pytest.mark.numeric

STEP, FOIL = 2, 40
SMOOTHER = 0.4
"""Scale of the weights of a network whose path would else take a hundred halvings."""
QUICK = [name for name in METHODS if name != "integrated"]


@pytest.mark.parametrize("method", QUICK)
def test_the_check_of_every_method_holds(made, method: str) -> None:
    summarizer, run = made
    found = attribute(method, summarizer, run, by="turn")
    assert found.check.holds, found.check
    assert found.rows == tuple(token.text for token in run.tokens) and np.isfinite(found.values).all()
    assert len(found.columns) in (1, 4, 5) and found.values.any()


@pytest.mark.parametrize("method", [name for name in QUICK if METHODS[name].foil])
def test_the_check_holds_with_a_foil(made, method: str) -> None:
    summarizer, run = made
    found = attribute(method, summarizer, run, STEP, FOIL, by="turn")
    assert found.check.holds and len(found.rows) == 1 and "−" in found.target


@pytest.mark.parametrize(
    "arguments",
    [
        ("post", False, "bpe", "bart"), ("post", False, "bpe", "marian"),
        *(pytest.param(each, marks=pytest.mark.slow)
          for each in [("pre", True, "bpe"), ("post", False, "word"), ("post", False, "bpe", "t5", SMOOTHER)]),
    ],
)  # fmt: skip
def test_integrated_gradients_are_complete(built, arguments, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient, "HALVINGS", 200)  # random weights make a rough path
    summarizer, base = built(*arguments)
    found = attribute("integrated", summarizer, summarizer.summarize(base.condition.encoded), STEP)
    assert found.check.holds and found.prefix is not None


def test_too_few_points_are_told(copier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient, "COMPLETE", 1e-9)  # what no sum of float32 reaches
    monkeypatch.setattr(gradient, "HALVINGS", 1)
    assert not attribute("integrated", *copier, STEP).check.holds


def test_a_token_against_itself_is_nothing(copier) -> None:
    question = Question(*copier, STEP)
    object.__setattr__(question, "foil", question.ids[STEP])  # what a question refuses
    assert not question.scores([question.source]).any()
    for method in (name for name in METHODS if METHODS[name].foil):
        assert not ANSWERS[method](question).values.any(), method


def test_gradients_are_those_of_one_token_alone(copier, built) -> None:
    summarizer, run = copier
    alone = gradient_times_input(summarizer, built("pre", True, "bpe")[1], STEP, FOIL)
    found = attribute("gradient", summarizer, run, STEP, FOIL)
    size = max(1, float(np.abs(alone.source).max()))
    same_network(found.values[0] / size, alone.source / size, summarizer.config)
    same_network(found.prefix[0, : STEP + 1] / size, alone.prefix / size, summarizer.config)
    assert not found.prefix[0, STEP + 1 :].any()


def test_a_hidden_turn_is_a_masked_one(copier) -> None:
    summarizer, run = copier
    masked = replace(summarizer.encode(script()), masked=frozenset({1}))
    question = Question(summarizer, run, unit="turn")
    expected = question.scores([question.source])[0] - question.scores([masked.ids])[0]
    assert PAD in masked.ids
    near(attribute("occlusion", summarizer, run, by="turn").values[:, 1], expected, depth=2)


def test_value_zeroing_is_that_of_the_attention_itself(made) -> None:
    summarizer, run = made
    model, key = summarizer.model, 3
    last = len(model.decoder.blocks) - 1
    sublayer = layers.sublayer(summarizer, run, "cross", last)
    keys, values = map(np.array, sublayer.attention.project(layers.begin(summarizer, run)[None]))
    values[:, :, key] = 0
    output, _ = sublayer.attention.attend(sublayer.residual.before(sublayer.x[None]), keys, values)
    state = layers.feed_forward(sublayer.block, np.asarray(sublayer.residual.after(sublayer.x[None], output)))[0]
    expected = value_zeroing.distance(state, run.decoder_hidden[last + 1])
    near(attribute("value-zeroing", summarizer, run).values[:, key], expected, terms=12, depth=4)


@operator_by_operator()
def test_a_recurrent_model_says_what_it_lacks(tmp_path) -> None:
    tokenizer = Tokenizer.train_words(bundled(10), 2)
    size = {"source_vocabulary": tokenizer.size, "target_vocabulary": tokenizer.size}
    config = RecurrentConfig(**size, max_source_length=100, max_target_length=16, embedding_dim=8, units=8)
    summarizer = Summarizer.load(untrained(tmp_path / "lstm", config, tokenizer))
    run = summarizer.summarize(script(), SETTINGS)
    asked = [partial(attribute, method) for method in ("norms", "contributions", "value-zeroing")]
    for ask in (*asked, votes, partial(patch, twin=SimpleNamespace())):
        refused(SettingsError, "must be a Transformer. Received: a recurrent", ask, summarizer, run)
    for method in ("gradient", "integrated", "occlusion", "shapley", "reliance", "random"):
        assert attribute(method, summarizer, run, by="turn").check.holds, method


def test_what_cannot_be_asked_is_refused(copier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    summarizer, run = copier
    for arguments, options, why in [
        (("magic",), {}, "method must be one of"), (("norms", 0, FOIL), {}, "has no foil"),
        (("gradient", None, FOIL), {}, "Name the token"), (("gradient", 99), {}, "step must be from 0"),
        (("gradient", 0, run.tokens[0].id), {}, "a foil is another token"),
        (("shapley",), {"by": "token"}, "The list of turns that share is too long"),
    ]:  # fmt: skip
        method, *rest = arguments
        refused(SettingsError, why, attribute, method, summarizer, run, *rest, **options)


def test_one_turn_and_one_token(copier) -> None:
    summarizer, _ = copier
    short = summarizer.summarize("#Person1#: Hello, how are you today?", SETTINGS.replace(max_tokens=1))
    assert len(short.tokens) == 1
    for method in METHODS:
        if method in ("occlusion", "shapley"):
            refused(SettingsError, "only one part.* Received: 1.", attribute, method, summarizer, short, by="turn")
        else:
            assert attribute(method, summarizer, short, 0).rows == (short.tokens[0].text,)


def test_a_run_of_another_checkpoint_is_refused(copier, built) -> None:
    refused(SettingsError, "must be of the checkpoint", attribute, "random", built("post", False, "word")[0], copier[1])


def test_the_first_token_that_differs_is_the_foil(copier) -> None:
    summarizer, run = copier
    step, foil = foil_of(summarizer, run, "cake")
    assert step == 0 and foil != run.tokens[0].id
    assert foil_of(summarizer, run, "cake", 3)[0] == 3
    forced = summarizer.force(script(), "They bring cake.")
    for text in ("They bring cake.", " "):
        refused(SettingsError, "the contrast must differ", foil_of, summarizer, forced, text)
