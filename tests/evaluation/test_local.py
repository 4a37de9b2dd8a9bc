"""Batches: what is worked on together, and that nobody's summary depends on it."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from core.config import DecodeSettings
from core.decoding.shapes import BATCH
from core.errors import CorpusError
from core.evaluation.judge import Judge, Measures
from core.evaluation.local import given_rows, in_order, summarize_corpus
from core.evaluation.plan import plan_by_length, plan_in_order
from core.service import Summarizer
from core.text.corpus import Corpus
from tests.closeness import same_network
from tests.refusals import refused

pytestmark = pytest.mark.numeric
SETTINGS = (
    DecodeSettings(max_tokens=16),
    DecodeSettings(strategy="greedy", max_tokens=12, no_repeat_ngram=0),
    DecodeSettings(beam_size=3, max_tokens=10, length_penalty=0.3),
    DecodeSettings(strategy="sample", max_tokens=16, seed=4, top_p=0.9),
)


def test_a_plan_groups_by_bucket_and_length(corpus: Corpus, tiny: Summarizer) -> None:
    plan = plan_by_length(corpus, tiny.checkpoint, "middle")
    assert sorted(place for batch in plan.batches for place in batch) == list(range(11))
    lengths = [[len(tiny.encode(corpus.dataset[place]["dialogue"]).ids) for place in b] for b in plan.batches]
    assert lengths == [sorted(each) for each in lengths]
    assert lengths[0][-1] <= 128 < lengths[1][0]  # the buckets of the small model: 128 and 192
    assert plan.batches == plan_by_length(corpus, tiny.checkpoint, "middle").batches
    assert plan_in_order(corpus).batches == (tuple(range(BATCH)), (8, 9, 10)) and plan.rows == 11


def test_what_the_model_cannot_read_is_skipped_with_its_line(corpus: Corpus, tiny: Summarizer) -> None:
    plan = plan_by_length(corpus, tiny.checkpoint, "error")
    assert plan.skipped and all("too long" in row.reason for row in plan.skipped)
    kept = {corpus.dataset[place]["line"] for batch in plan.batches for place in batch}
    assert {row.line for row in plan.skipped} | kept == set(range(1, 14)) - {3, 6}
    settings = SETTINGS[0].replace(truncation="error")
    batches = list(summarize_corpus(corpus, tiny, settings))
    assert batches[0].skipped == plan.skipped and not any(batch.skipped for batch in batches[1:])
    longest = Corpus(corpus.dataset.select([plan.skipped[0].line - 1]), (), "x")
    refused(CorpusError, "no row could be summarized", plan_by_length, longest, tiny.checkpoint, "error")


@pytest.mark.parametrize("settings", SETTINGS, ids=["beam 4", "greedy", "beam 3", "sample"])
def test_a_batch_writes_what_one_dialogue_gets_alone(
    corpus: Corpus, tiny: Summarizer, settings: DecodeSettings
) -> None:
    rows = in_order(list(summarize_corpus(corpus, tiny, settings, Measures(()))))
    same = partial(same_network, config=tiny.config)
    assert [row.id for row in rows] == list(corpus.dataset["id"])
    for row in rows:
        alone = tiny.summarize(row.dialogue, settings)
        assert row.summary == alone.text and row.rouge is None
        places, expected = ([(each.text, each.start, each.end) for each in of.tokens] for of in (row, alone))
        assert places == expected
        same(row.log_probability, alone.log_probability)
        same(np.log([each.probability for each in row.tokens]), [step.log_probability for step in alone.steps])
        same([each.entropy for each in row.tokens], entropies := [step.entropy for step in alone.steps])
        same(row.entropy, np.mean(entropies))
        copy, turns = alone.attention.copy, [token.turn for token in alone.source]
        shares = [copy[:, [turn == number for turn in turns]].sum() for number in range(len(row.attention))]
        same(row.attention, np.array(shares) / sum(shares))
        assert row.truncated == bool(alone.omitted or alone.shortened)


def test_the_same_rows_twice_and_in_another_batch(corpus: Corpus, tiny: Summarizer) -> None:
    rows = in_order(list(summarize_corpus(corpus, tiny, SETTINGS[3])))
    assert rows == in_order(list(summarize_corpus(corpus, tiny, SETTINGS[3])))
    few = Corpus(corpus.dataset.select([10, 3]), (), "x")
    for row in in_order(list(summarize_corpus(few, tiny, SETTINGS[3]))):
        other = next(each for each in rows if each.id == row.id)
        assert (row.summary, row.rouge) == (other.summary, other.rouge)
        same_network(row.log_probability, other.log_probability, tiny.config)


def test_a_judge_scores_and_hints(corpus: Corpus, tiny: Summarizer) -> None:
    dialogue = "#Person1#: I lost my suitcase in Madrid.\n#Person2#: Did you call the airline?"
    item = {"id": "x", "dialogue": dialogue, "references": ["They talk.", "#Person1# lost a suitcase."], "topic": ""}
    items = [item | {"prediction": text} for text in ("#Person1# lost a suitcase.", "", "Peter met 30 bears.")]
    first, empty, invented = given_rows(Judge(Measures(("rouge", "bertscore"))))(items)
    assert first.rouge.rouge1 == 0 and 0 < first.bertscore.f1 < 1
    assert empty.rouge.rouge1 == empty.bertscore.f1 == 0
    assert {"novel_name", "novel_number"} & {fault.kind for fault in invented.faults}
    best = given_rows(Judge(Measures(("rouge", "bertscore"), mode="max")))(items[:1])[0]
    assert best.rouge.rouge1 == pytest.approx(100) and best.bertscore.f1 == pytest.approx(1)
    bare = given_rows(Judge(Measures(())))([items[0] | {"references": []}])[0]
    assert bare.rouge is None and bare.bertscore is None and bare.tokens == () and bare.attention == ()
    swapped = given_rows(Judge(Measures((), swaps=True), tiny))(items[:1])[0]
    assert replace(swapped, faults=()) == replace(bare, references=swapped.references, faults=())
