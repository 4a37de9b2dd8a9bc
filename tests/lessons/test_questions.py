"""The questions: their answers on runs that are worked out by hand, and on the model that ships."""

import re
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from core.config import DecodeSettings
from core.errors import LessonError
from core.explain.attention.head_scores import scores
from core.lessons import attention_questions as attention
from core.lessons import summary_questions as summaries
from core.lessons import text_questions as texts
from core.lessons.asking import Answer, Case, pick
from core.lessons.course import load
from core.lessons.questions import QUESTIONS, ask
from core.text.dialogue import parse_dialogue
from core.text.examples import example_by_id
from core.trace import Alternative, AttentionTrace, DecodingStep, Summary, Token
from tests.refusals import refused

EOS = 2
DIALOGUE = parse_dialogue("Ann: Hi Ben!\nBen: Hello.")
SOURCE = (
    Token("Hi", 10, 5, 7, 0, "Ann", 0), Token("Be", 11, 8, 10, 0, "Ann", 1), Token("n", 12, 10, 11, 0, "Ann", 1),
    Token("!", 13, 11, 12, 0, "Ann", 2), Token("[TURN]", 4, 12, 12, 0, "Ann", 3),
    Token("Hello", 14, 18, 23, 1, "Ben", 4), Token("[EOS]", EOS, 23, 23, 1, None, 5),
)  # fmt: skip
PROBABLE = ((0.5, 1, 1.0), (0.2, 2, 3.0), (0.9, 1, 0.5))
"""Of each step its probability, its rank and its entropy."""


def run(**changes: object) -> Summary:
    """A summary of three tokens over seven of the dialogue; head 1 of the encoder looks at the token before."""
    target = tuple(
        Token(text, id, 0, len(text), None, None, n) for n, (text, id) in enumerate((("a", 7), ("b", 8), ("c", 9)))
    )
    steps = tuple(
        DecodingStep(token, float(np.log(share)), entropy, rank, (Alternative(token.id, token.text, share),))
        for token, (share, rank, entropy) in zip(target, PROBABLE, strict=True)
    )
    before = np.zeros((7, 7), dtype=np.float32)
    before[np.arange(7), [0, 0, 1, 2, 3, 4, 5]] = 1
    itself = np.eye(7, dtype=np.float32)
    causal = np.tril(np.ones((3, 3), dtype=np.float32)) / np.arange(1, 4, dtype=np.float32)[:, None]
    cross = np.tile(np.array([0.1, 0.1, 0.1, 0.1, 0, 0.6, 0], dtype=np.float32), (3, 1))
    cross[0] = [0.6, 0.1, 0.1, 0.1, 0, 0.1, 0]
    trace = AttentionTrace(SOURCE, target, np.stack([before, itself])[None], causal[None, None], cross[None, None])
    values = {
        "text": "a b c", "dialogue": DIALOGUE, "steps": steps, "attention": trace,
        "logits": np.zeros((3, 20), np.float32), "encoder_hidden": np.zeros((2, 7, 4), np.float32),
        "decoder_hidden": np.zeros((2, 3, 4), np.float32), "omitted": (), "shortened": (), "hypotheses": (),
        "beam": None, "finished": True, "settings": DecodeSettings(strategy="beam"), "checkpoint": "x@0",
        "seconds": 0.0,
    }  # fmt: skip
    return Summary(**{**values, **changes})


def case(**link: str) -> Case:
    return Case(SimpleNamespace(config=None), run(), ("a b",), link)


def percents(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"[\d.]+(?=\W*%)", text)]


def test_tokens_are_counted_with_the_special_ones():
    found = texts.tokens(case())
    assert found.text == "The dialogue has 3 words. How many tokens does it become?"
    assert found.solve() == Answer(
        7, "2 turns of 3 words become 7 tokens: 5 for what stands in the dialogue, and 2 special tokens where a turn "
        "or the text ends.", 1,
    )  # fmt: skip


def test_cut_words_are_named():
    assert texts.cut_words(case()).solve() == Answer(1, "1 of 4 words, for instance “Ben” = Be + n.", 1)


def test_open_cells_are_the_triangle_with_its_diagonal():
    assert texts.open_cells(case()).solve().right == 6


def test_a_head_of_the_link_looks_where_its_mean_weights_are():
    found = attention.looks_where(case(kind="encoder", layer="1", head="1"))
    assert found.options[found.solve().right] == "At the token before" and "Head 1 of layer 1" in found.text
    found = attention.looks_where(case(kind="encoder", layer="1", head="2"))
    assert found.options[found.solve().right] == "At itself" and "100" in found.solve().because


def test_the_places_where_a_head_looks_are_shares_of_one_weight():
    """The first of 7 tokens has none before it and looks at itself; "!" and [TURN] count as neighbours alone."""
    because = attention.looks_where(case(kind="encoder", layer="1", head="1")).solve().because
    assert because.startswith("In the mean over 7 tokens its weights are: 86")
    shares = percents(because)
    assert len(shares) == 4 and sum(shares) == pytest.approx(100, abs=1)  # each is rounded to whole percent


def test_heads_are_counted_that_look_at_the_token_before():
    found = attention.heads_before(case()).solve()
    assert found.right == 1 and "1 of 2 heads: layer 1, head 1" in found.because


def test_the_turn_is_that_of_the_step_or_of_the_least_sure_one():
    found = attention.most_read_turn(case())
    assert "“b” (step 2)" in found.text and found.options == ("Turn 1", "Turn 2")
    assert found.solve().right == 1 and "60" in found.solve().because and "“Hello.”" in found.solve().because
    first = attention.most_read_turn(Case(case().summarizer, run(), (), {}, {"step": 1}))
    assert "“a” (step 1)" in first.text and first.solve().right == 0
    beyond = attention.most_read_turn(Case(case().summarizer, run(), (), {}, {"step": 99}))
    assert "(step 2)" in beyond.text


def test_tokens_that_were_not_first_are_named():
    found = summaries.not_first(case())
    assert found.most == 3 and found.solve().right == 1
    assert "1 of 3 tokens: “b” was number 2 (20\xa0%). Beam search keeps" in found.solve().because


def test_the_least_sure_token_has_the_largest_entropy():
    found = summaries.least_sure(case())
    assert found.options[found.solve().right] == "“b” (step 2)"


def test_a_run_that_lacks_what_is_asked_about_is_refused():
    bare = run(attention=AttentionTrace(SOURCE, run().tokens))
    lacking = SimpleNamespace(config=SimpleNamespace(has=SimpleNamespace(positions=None, blocks=None)))
    for name in (
        "looks-where", "heads-before", "most-read-turn", "most-needed-turn", "longer-vector", "own-words",
        "without-positions", "without-mask",
    ):  # fmt: skip
        with pytest.raises(LessonError):
            ask(name, Case(lacking, bare))
    refused(LessonError, "no head 9 in layer 1", attention.looks_where, case(kind="encoder", layer="1", head="9"))
    refused(LessonError, "no reference summary", ask, "one-fact", Case(lacking, bare))


def test_a_question_has_two_to_four_options_and_a_guess_may_be_near():
    for count in (0, 1, 5):
        with pytest.raises(LessonError):
            pick("?", ["x"] * count, lambda: Answer(0, ""))
    assert [Answer(5, "", 1).accepts(value) for value in (3, 4, 5, 6, 7)] == [False, True, True, True, False]


SHIPPED = {
    "tokens": 102, "cut-words": 4, "longer-vector": "The embedding", "open-cells": 136, "without-mask": "It rises",
    "looks-where": "At the token before", "heads-before": 2, "most-read-turn": "Turn 7",
    "most-needed": "Cross-attention", "most-needed-turn": "Turn 2", "own-words": 30, "not-first": 1,
    "least-sure": "“lost” (step 2)", "read-right": 5,
}  # fmt: skip
"""What docs/teaching.md says of the dialogue that the app opens with; `most-needed-turn` of that of its stop."""
SLOW = {"without-positions": 84, "one-fact": "By 0.01 to 0.1"}


@pytest.fixture(scope="module")
def summarized(shipped):
    @cache
    def run_of(example: str):
        found = example_by_id(example)
        return shipped, shipped.summarize(found.dialogue), found.references

    return run_of


def answer(summarized, name: str) -> int | str:
    asking = [stop for stop in load().stops.values() if stop.ask and stop.ask.name == name]
    link, numbers = (asking[0].place.link, asking[0].ask.numbers) if asking else ({}, {})
    found = ask(name, Case(*summarized(link.get("example", "lost-wallet")), link, numbers))
    right = found.solve().right
    return found.options[right] if found.options else right


@pytest.mark.parametrize("name", SHIPPED)
def test_what_the_model_that_ships_answers(summarized, name):
    assert answer(summarized, name) == SHIPPED[name]


@pytest.mark.parametrize(("kind", "places"), [("encoder", 4), ("decoder", 3)])
def test_the_places_of_no_head_of_the_model_that_ships_hold_more_than_its_weight(summarized, kind, places):
    summarizer, summary, _ = summarized("lost-wallet")
    sums = []
    for head in (each for each in scores(summary.attention) if each.kind == kind):
        link = {"kind": kind, "layer": str(head.layer + 1), "head": str(head.head + 1)}
        shares = percents(attention.looks_where(Case(summarizer, summary, (), link)).solve().because)
        assert len(shares) == places
        sums.append(sum(shares))
    assert sums and max(sums) <= 100 + places / 2  # each is rounded, by half a percent at most


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_what_it_answers_when_it_runs_again(summarized, name):
    assert answer(summarized, name) == SLOW[name]


def test_every_question_is_tested():
    assert QUESTIONS.keys() == SHIPPED.keys() | SLOW.keys()
