"""The Summarize page and the frame, without a browser."""

import gc
import json
import re
import shutil
import threading
import weakref
from types import SimpleNamespace

import pytest
import streamlit as st

from core import checkpoints
from core.errors import DialogueError
from core.faults.measure import Measured
from core.faults.sureness import Sureness
from core.text import links
from core.text.dialogue import parse_dialogue, replace_turn
from core.text.examples import example_by_id, load_examples
from pages.parts.summarize import own_words
from pages.shared.model import loading, models
from pages.shared.session import selection
from tests.damage import damages
from tests.pages.conftest import paste, summary, turns
from tests.pages.driver import captions, choose, data, element, go, notes, open_link, press, press_label, table, upload
from tests.pages.errors import saved

FIRST, SECOND, THIRD = load_examples()[:3]
FIRST_TURN = parse_dialogue(FIRST.dialogue).turns[0].text
GOAT = "Anna: A goat ate my hat.\nBen: Which hat?"
SPOKEN = ["A goat ate my hat.", "Which hat?"]
WORDLESS = "!!! ??? ..."
EVERY = {"max_tokens", "no_repeat"}


def edit(app, index: int, text: str) -> None:
    """Put an edit into the session as the component's callback does; its script does not run here."""
    before = app.session_state["edits"] if "edits" in app.session_state else None
    texts = before.texts if before else ()
    changed = replace_turn(parse_dialogue(texts[-1] if texts else FIRST.dialogue), index, text).text
    app.session_state["edits"] = selection.Edits(FIRST.id, (*texts, changed))
    app.run()


def read(app) -> list[str]:
    """Whether each turn is read."""
    return [turn["state"] for turn in data(app, "conversation")["turns"]]


def test_a_first_visit_shows_an_example_its_summary_and_its_numbers(app):
    app.run()
    assert not app.exception and not app.error and app.query_params == {}
    assert turns(app)[0] == FIRST_TURN and summary(app).strip()
    assert [metric.label for metric in app.metric] == ["Tokens", "Seconds", "Log-prob. per token", "Ending"]
    tokens = data(app, "token_strip")["tokens"]
    assert int(app.metric[0].value) == len(tokens)
    said = next(caption.value for caption in app.caption if "Written by" in caption.value)
    assert "**tiny**" in said and "often wrong about who did what" in said and "weights: none" in said
    for token in tokens:
        total = sum(share for _, share, _ in token["alternatives"]) + token["rest"]
        assert total == pytest.approx(1, abs=1e-3)  # three digits are sent
        assert len(token["alternatives"]) == 10 and 0 < token["probability"] <= 1 and 0 <= token["copied"] <= 1
    assert list(table(app, "Entropy (nats)")["Rank"]) == [token["rank"] for token in tokens]
    weakest = tokens[data(app, "token_strip")["weakest"]]
    assert weakest["probability"] == min(token["probability"] for token in tokens)
    assert [text.value for text in app.text] == list(FIRST.references)
    scores = table(app, "ROUGE-1")
    assert list(scores["Reference"]) == ["1", "2", "Best"]
    assert scores["ROUGE-L"].iloc[2] == max(scores["ROUGE-L"].iloc[:2])
    beam = table(app, "Score")
    assert len(beam) > 1 and list(beam["Score"]) == sorted(beam["Score"], reverse=True)
    assert beam["Summary"][0] == summary(app)
    assert app.selectbox(key="example").options == [example.title for example in load_examples()]
    assert any(caption.value == example_by_id(FIRST.id).notes for caption in app.caption)


def test_settings_change_the_result_and_only_those_of_the_strategy_are_shown(app):
    app.run()
    assert app.slider(key="max_tokens").value == checkpoints.read_card("tiny")["decoding"]["max_tokens"] == 16
    assert {slider.key for slider in app.slider} == EVERY | {"beam", "penalty"}
    before = summary(app)
    app.slider(key="max_tokens").set_value(6).run()
    assert len(data(app, "token_strip")["tokens"]) == 6 and app.metric[3].value == "Cut"
    assert summary(app) != before and app.query_params == {"max_tokens": "6"}
    choose(app, "strategy", "sample")
    assert {slider.key for slider in app.slider} == EVERY | {"temperature", "top_k", "top_p"}
    first = summary(app)
    app.number_input(key="seed").set_value(7).run()
    assert summary(app) != first
    app.number_input(key="seed").set_value(0).run()
    assert summary(app) == first


def test_an_edited_turn_shows_the_difference_and_the_way_back(app):
    app.run()
    original, before = turns(app), summary(app)
    edit(app, 1, "My cat.")
    assert turns(app)[1] == "My cat." and "My cat." in links.unpack(app.query_params["t"])
    assert [turn["edited"] for turn in data(app, "conversation")["turns"]].index(True) == 1
    parts = data(app, "word_diff")["changes"]
    assert "".join(text for kind, text in parts if kind != "removed").split() == summary(app).split()
    assert "".join(text for kind, text in parts if kind != "added").split() == before.split()
    edit(app, 0, "What is missing?")
    press_label(app, "Undo last edit")
    assert turns(app)[:2] == [original[0], "My cat."]
    press_label(app, "Restore the original")
    assert turns(app) == original and "t" not in app.query_params
    with pytest.raises(LookupError):
        data(app, "word_diff")


def test_verdict_sureness_references_and_scores_are_of_what_is_shown(app, both, monkeypatch):
    weights = checkpoints.read_card("tiny")["sha256"]["weights.safetensors"]
    wrong = {"verdict": "wrong", "why": "It was *Ben*.", "summary": summary(app.run())}
    verdicts = {FIRST.id: wrong, SECOND.id: wrong | {"verdict": "right"}}
    path = both / "tiny" / checkpoints.JUDGED
    path.write_text(json.dumps({"weights": weights, "verdicts": verdicts}))
    like = Measured((), 30, {}, weights, "validation", (Sureness(-9, 0, 30, 20),))
    monkeypatch.setattr("core.faults.measure.shipped", lambda: like)

    def shown() -> tuple[list[str], str, bool]:
        """How the notes below the summary begin, the dialogue in the list, whether there are scores."""
        references = element(app, "expander", "references")
        assert references.label.endswith("of the text before your change") is (not references.dataframe)
        notes = [re.split(r"[:;]", note)[0] for note in data(app, "token_strip")["notes"]]
        return notes, app.selectbox(key="example").options[0], bool(references.dataframe)

    verdict = "✗ Wrong, says a language model that read this summary"
    sure = "This model is small and often wrong. It wrote 30 other summaries as surely as this one"
    app.run()
    assert shown() == ([verdict, sure], f"✗ {FIRST.title}", True)
    assert app.selectbox(key="example").options[1:3] == [f"✓ {SECOND.title}", THIRD.title]
    edit(app, 1, "My cat.")
    assert shown() == ([sure], f"{FIRST.title} (edited)", False)
    press_label(app, "Restore the original")
    assert shown() == ([verdict, sure], f"✗ {FIRST.title}", True)
    before, scores = summary(app), table(app, "ROUGE-1")
    app.slider(key="max_tokens").set_value(6).run()
    assert summary(app) != before and shown() == (["This model is small and often wrong"], FIRST.title, True)
    assert not scores.equals(table(app, "ROUGE-1"))
    app.slider(key="max_tokens").set_value(16).run()
    assert shown()[1] == f"✗ {FIRST.title}"
    path.write_text(json.dumps({"weights": "0" * 64, "verdicts": verdicts}))
    app.run()
    assert shown() == ([sure], FIRST.title, True), "other weights write another summary"


def test_a_pasted_dialogue_is_summarized_or_refused_and_reset(app):
    app.run()
    before = summary(app)
    paste(app, WORDLESS)
    assert turns(app) == [WORDLESS] and data(app, "token_strip")["tokens"] and not app.error
    paste(app, GOAT, "A goat ate Anna's hat.")
    assert "paste another" in app.expander[0].label  # the summary takes the place of the box
    assert turns(app) == SPOKEN and summary(app).strip() and app.query_params["input"] == "paste"
    assert [text.value for text in app.text] == ["A goat ate Anna's hat."]
    for text, said in (("x" * 1_000_000, "200,000"), (" \n\t\n", "nothing to summarize"), ("", "nothing to summarize")):
        paste(app, text)
        assert said in app.error[0].value and turns(app) == SPOKEN and not app.exception
        assert "paste another" not in app.expander[0].label  # what was refused stays open
    choose(app, "strategy", "greedy", may_refuse=True)
    press(press(app, "reset", may_refuse=True), "reset_now")
    assert turns(app)[0] == FIRST_TURN and summary(app) == before and app.query_params == {}
    choose(app, "input", "paste")
    assert app.text_area(key="paste_box").value == ""


def test_a_link_opens_what_was_pasted(app):
    open_link("pages/summarize.py", app, input="paste", t=links.pack(GOAT))
    assert turns(app) == SPOKEN and app.text_area(key="paste_box").value == GOAT


def test_a_file_is_opened_or_refused(app):
    choose(app.run(), "input", "upload")
    upload(app, "[a](http://b).txt", b"\0\0\0")
    assert r"\[a\]\(http" in app.error[0].value
    spoken = [{"speaker": name, "text": text} for name, text in zip(("Anna", "Ben"), SPOKEN, strict=True)]
    upload(app, "talk.json", json.dumps(spoken).encode())
    assert not app.error and turns(app) == SPOKEN and summary(app).strip()


def test_a_long_dialogue_says_what_was_left_out(app):
    lines = [f"#Person{number % 2 + 1}#: This is turn number {number + 1} of a very long talk." for number in range(65)]
    paste(app.run(), "\n".join(lines))
    states = read(app)
    left_out = states.count("omitted")
    assert len(states) == 65 and left_out > 0 and states[0] == "" and states[-1] == ""  # the middle
    ((warned,), (strip,)) = places(app, f"left out {left_out} of 65 turns")
    assert warned < strip
    choose(app, "truncation", "start")
    assert read(app)[0] == "omitted" and read(app)[-1] == ""
    choose(app, "truncation", "error", may_refuse=True)
    assert "too long" in app.error[0].value and len(turns(app)) == 65
    choose(app, "truncation", "middle")
    paste(app, "".join(f"Anna: {number * 7919 % 100003} goats ate {number} hats.\n" for number in range(1500)))
    assert not app.error and any("left out" in each.value for each in app.warning) and "t" not in app.query_params
    assert any("too long for a link" in caption.value for caption in app.caption)


UNLIKE = {
    "language": ("Anna: Kommst du heute Abend zu uns?\nBen: Nein, ich muss leider arbeiten.", "looks like German"),
    "chat": (
        "Anna: hey\nBen: hi all\nCara: party tonight",
        "trained on: 3 people speak, not two; turns are short, 1.7",
    ),
    "e-mail": ("Hi Tom,\nI have to leave early today. Can you close the shop?", "write “Name: ” before what each"),
}


def places(app, said: str) -> tuple[list[int], list[int]]:
    """Where on the page warnings stand that say something, and where the summary's tokens."""
    page = list(enumerate(app.main))
    strips = [n for n, each in page if each.type == "bidi_component" and each.key == own_words.STRIP]
    return [n for n, each in page if each.type == "warning" and said in each.value], strips


@pytest.mark.parametrize(("text", "said"), UNLIKE.values(), ids=UNLIKE)
def test_a_text_unlike_the_training_data_is_warned_of_before_its_summary(app, monkeypatch, text, said):
    assert not places(app.run(), said)[0]  # a bundled dialogue is like the training data
    ((warned,), (strip,)) = places(paste(app, text), said)
    assert warned < strip
    waiting = SimpleNamespace(summarizer=None, error=None, done=threading.Event(), stage=0, seconds=0.0)
    monkeypatch.setattr(loading, "current_job", lambda: waiting)
    ((_,), strips) = places(app.run(), said)
    assert not strips  # it is said before the model is there


def test_a_damaged_dialogue_of_a_link_is_said_until_the_note_is_read(app):
    open_link("pages/summarize.py", app, t="@@@", max_tokens=7)
    assert turns(app)[0] == FIRST_TURN and "damaged" in notes(app)
    assert app.slider(key="max_tokens").value == 7  # the rest is as it says
    press(app, "notes_read")
    assert not notes(app)


def test_an_error_becomes_a_message(app, monkeypatch):
    def refused():
        raise DialogueError("the dialogue is *bad*")

    def broken():
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(loading, "current_summary", refused)
    app.run()
    assert app.error[0].value == r"The dialogue is \*bad\*" and turns(app)
    monkeypatch.setattr(loading, "current_summary", broken)
    app.run()
    assert not app.exception and turns(app)
    assert "`ZeroDivisionError`" in app.error[0].value and "secret" not in app.error[0].value


def test_without_a_checkpoint_the_app_says_so(app, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    app.run()
    assert not app.exception and "checkpoint is installed" in app.error[0].value


def test_a_damaged_checkpoint_can_be_tried_again(app, folder, tmp_path, monkeypatch):
    shutil.copytree(folder / "tiny", tmp_path / "broken")
    damages.flip(tmp_path / "broken" / "weights.safetensors")
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    failed = models.job("broken")
    assert failed.done.wait(60)
    app.run()
    assert "damaged" in app.error[0].value and turns(app)
    press_label(app, "Try again", may_refuse=True)
    assert models.job("broken") is not failed


def test_an_open_page_keeps_no_trace_for_its_files(app, monkeypatch):
    makers = {}
    monkeypatch.setattr(st, "download_button", lambda label, make, *_, **__: makers.setdefault(label, make))
    app.run()
    summarizer = models.job("tiny").summarizer
    shown = models.summary(summarizer, FIRST.dialogue, summarizer.settings)
    text, trace = shown.text, weakref.ref(shown)
    del shown
    models._summary.clear()
    gc.collect()
    assert trace() is None
    assert makers["Text"]() == text + "\n"


def test_a_report_has_the_run_that_the_page_shows_and_the_head_that_is_open_on_attention(app):
    open_link("pages/attention.py", app, head=2, layer=1)
    go(app, "pages/summarize.py")
    text = saved(app, "save_report")
    assert "--head 1.2 " in text and FIRST.references[0].split("'")[0] in text and "BERTScore with" not in text
    assert re.sub("<[^>]*>", "", text).count(summary(app).split()[0]) and "Written by" in text


def test_an_imported_model_has_a_report_that_says_what_it_forced(app, imported):
    text = saved(app, "save_report")
    assert "The end token was put there at the greatest length" in text and text.count("<figure>") == 4
    assert imported.checkpoint.card["sha256"]["weights.safetensors"] in text
    assert all(turn.split()[0] in text for turn in turns(app))


CHAT = "12.03.25, 21:13 - Anna added Ben\n12.03.25, 21:14 - Anna: Which hat?\n12.03.25, 21:15 - Ben: My goat ate it."


def test_a_pasted_export_says_what_it_was_read_as_and_can_be_read_in_another_way(app):
    paste(app.run(), CHAT)
    assert turns(app) == ["Which hat?", "My goat ate it."]
    assert "WhatsApp chat, 2 speakers, 2 turns; left out: 1 notice" in captions(app)
    assert links.unpack(app.query_params["t"]) == "Anna: Which hat?\nBen: My goat ate it."
    choose(app, "reading", "plain")
    assert turns(app) == CHAT.splitlines() and "Plain text, no named speakers, 3 turns" in captions(app)
    choose(app, "reading", "whatsapp")
    assert turns(app) == ["Which hat?", "My goat ate it."] and app.text_area(key="paste_box").value == CHAT


def test_an_uploaded_transcript_says_what_was_joined(app):
    choose(app.run(), "input", "upload")
    cue = "00:00:0{0}.000 --> 00:00:0{0}.900\n<v {1}>{2}\n\n"
    cues = ((1, "Anna", "Which"), (2, "Anna", "hat?"), (3, "Ben", "My goat ate it."))
    upload(app, "talk.vtt", ("WEBVTT\n\n" + "".join(cue.format(*each) for each in cues)).encode())
    assert turns(app) == ["Which hat?", "My goat ate it."]
    assert "WebVTT transcript, 2 speakers, 3 cues joined into 2 turns." in captions(app)
    choose(app, "reading", "cues")
    assert turns(app) == ["Which", "hat?", "My goat ate it."]
    choose(app, "input", "paste")
    assert "paste another" not in app.expander[0].label  # nothing was pasted yet


def test_another_encoding_can_be_chosen_where_it_was_guessed(app):
    choose(app.run(), "input", "upload")
    upload(app, "talk.txt", "Jiří: Přijdeš večer?\nŽofie: Ano, v pět.".encode("cp1250"))
    assert turns(app)[0] == "Přijdeš večer?" and "Windows-1250, which is a guess" in captions(app)
    choose(app, "encoding", "cp1252")
    assert turns(app)[0] == "Pøijdeš veèer?" and "guess" not in captions(app)
    choose(app, "encoding", "utf-16", may_refuse=True)
    assert "is not UTF\\-16 at byte" in app.error[0].value and turns(app)[0] == "Pøijdeš veèer?"
    choose(app, "encoding", "cp1250")
    assert turns(app)[0] == "Přijdeš večer?" and app.session_state["own_dialogue"].file == "talk.txt"


def test_a_typed_dialogue_offers_no_reading(app):
    paste(app.run(), GOAT)
    assert not [box for box in app.selectbox if box.key == "reading"]
