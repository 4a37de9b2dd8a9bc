"""What a report is made of."""

import shlex
from dataclasses import replace

from core.config import DecodeSettings
from core.errors import SettingsError
from core.explain.attention.catalogue import measure
from core.faults import measure as measured_faults
from core.faults.run import run_faults
from core.report.contents import collect
from core.report.sections import making
from core.service import Summarizer
from tests.refusals import refusals
from tests.report.conftest import EXAMPLE, of


def test_without_a_choice_it_shows_the_notable_heads_and_the_copy_distribution(make, tiny, set_limits):
    catalogue = measure(tiny, [EXAMPLE.dialogue], "one.jsonl", "by hand")
    here, usual = make(), make(catalogue=catalogue)
    for report, where in ((here, "In this run: "), (usual, "Over 1 dialogue of one.jsonl: ")):
        assert report.heads[-1] == "copy" and 2 <= len(report.heads) <= 5
        assert set(report.about) == set(report.heads[:-1])
        assert all(said.startswith(where) and " An average head: " in said for said in report.about.values())
    set_limits(report_heads=2)
    assert len(make().heads) == 2


def test_a_recurrent_model_shows_its_only_attention_and_one_without_shows_none(recurrent_checkpoints):
    looking, plain = (of(Summarizer.load(recurrent_checkpoints / name)) for name in ("looking", "plain"))
    assert (looking.heads, plain.heads, plain.about) == (("only",), (), {})


def test_its_hints_are_those_of_the_detectors_that_are_on(make, tiny, monkeypatch):
    report = make(references=EXAMPLE.references)
    found = run_faults(report.summary, tiny.tokenizer, EXAMPLE.references)
    shipped = measured_faults.shipped()
    assert report.hints == tuple(hint for hint in found if hint.kind not in shipped.off)
    off = {hint.kind for hint in found} - shipped.off
    score = next(each for each in shipped.scores if each.kind in off)
    at_chance = replace(score, count=40, flagged=20, right=0, positives=20)
    monkeypatch.setattr(measured_faults, "shipped", lambda: replace(shipped, scores=(at_chance,)))
    assert score.kind in off and score.kind not in {hint.kind for hint in make(references=EXAMPLE.references).hints}


def test_the_command_names_what_differs_from_the_card_and_quotes_texts(tiny):
    checkpoint = tiny.checkpoint
    settings = tiny.settings.replace(strategy="greedy", max_tokens=9, early_stopping=True, whole_words=False)
    summary = tiny.summarize(EXAMPLE.dialogue, settings)
    reference = 'It\'s $HOME; rm -rf "x"'
    report = collect(
        summary, checkpoint.name, checkpoint.card, checkpoint.tokenizer, heads=["2.1", "copy"], references=[reference]
    )
    words = shlex.split(report.command)
    assert words[:6] == ["python", "-m", "core", "report", "dialogue.txt", "--checkpoint"]
    options = ["--strategy", "greedy", "--max-tokens", "9", "--early-stopping", "--any-words"]
    options += ["--head", "2.1", "--head", "copy", "--reference", reference, "--output", "report.html"]
    assert words[7:] == options
    usual = tiny.summarize(EXAMPLE.dialogue)
    same = collect(usual, checkpoint.name, {**checkpoint.card, "decoding": {}}, checkpoint.tokenizer, heads=["2.1"])
    assert usual.settings != DecodeSettings() and "--max-tokens 16" in same.command


def test_the_command_of_a_given_summary_reads_it_from_a_file(tiny):
    checkpoint = tiny.checkpoint
    given, own = tiny.force(EXAMPLE.dialogue, "Ann asks."), tiny.summarize(EXAMPLE.dialogue)
    for summary, options in ((given, ["--force", "summary.txt"]), (own, [])):
        report = collect(summary, checkpoint.name, checkpoint.card, checkpoint.tokenizer, heads=["2.1"])
        words = shlex.split(report.command)
        assert words[7 : words.index("--head")] == options
        assert ("the summary in summary.txt, this" in str(making(report))) == bool(options)


def test_too_many_or_unknown_heads_and_references_are_refused(snapshot, make, set_limits):
    set_limits(report_heads=2, report_references=1, summary_characters=5)
    cases = [{"heads": ["2.1", "9.1"]}, {"heads": ["1.1", "2.1", "copy"]}]
    cases += [{"heads": ["1.1"], "references": references} for references in (["a", "b"], ["abcdef"])]
    assert refusals(SettingsError, lambda asked: make(**asked), cases) == snapshot
