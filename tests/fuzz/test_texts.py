"""Hostile texts are parsed, cut into tokens, summarized and read out of links; settings are read from any values."""

import base64
import zlib
from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.config import DecodeSettings, ModelConfig
from core.errors import DialogueError
from core.explain.attention_lab import matrix_text
from core.explain.decoding import branches
from core.explain.masks import masks
from core.explain.training import histories
from core.faults.detectors import find_faults
from core.faults.run import forced_faults
from core.limits import limits
from core.text import arrangement, diff, links
from core.text.dialogue import Dialogue, parse_dialogue, replace_turn
from core.text.written import write
from pages.shared.place import declarations
from pages.shared.session import fields
from pages.shared.session.fields import Choice, Field, Number
from tests.fuzz.conftest import House
from tests.fuzz.hostile import DIALOGUE, clean, dialogues, encoded, mangled, numbers, pieces, values, varied
from tests.fuzz.tried import cases, refusal_of, tried
from tests.layering import ROOT

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
SETTINGS = DecodeSettings(strategy="greedy", max_tokens=8)
PIECES = st.tuples(pieces, pieces, pieces)


def hints(model: Any, text: str, summary: str, reference: str) -> Any:
    dialogue = model.encode(text)
    return forced_faults(model, dialogue, summary, model.force(dialogue, summary), (reference,))


def fits(dialogue: Dialogue) -> None:
    """Check that the spans of a dialogue fit its text."""
    for number, turn in enumerate(dialogue.turns):
        assert turn.index == number and dialogue.text[turn.start : turn.end] == turn.text and turn.text.strip()
        assert turn.label is None or dialogue.text[slice(*turn.label)] == turn.speaker


@cases(1200)
@given(dialogues, PIECES, st.sampled_from(("names", "tags", "text")))
def test_a_text_is_split_into_turns_changed_and_searched_for_hints(text: str, said: Any, style: Any) -> None:
    with tried():
        dialogue = parse_dialogue(text)
        fits(dialogue)
        if dialogue.turns and len(dialogue.turns) < 100:
            fits(replace_turn(dialogue, len(said[0]) % len(dialogue.turns), said[0]))
            summary = f"{said[1]} Anna has 5 dollars. {said[2]}"
            for fault in find_faults(dialogue, summary, references=(said[0],)):
                assert 0 <= fault.start <= fault.end <= len(summary)
            diff.word_diff(summary, said[0])
            write(dialogue, style, said[0])
        for place in (-1, 10**6):
            assert refusal_of(lambda place=place: replace_turn(dialogue, place, "x"))


@cases(800)
@given(st.data(), st.sampled_from(("bpe", "words", "imported", "unigram", "wordpiece")), dialogues)
def test_every_tokenizer_encodes_any_text_and_decodes_any_ids(house: House, data: Any, kind: str, text: str) -> None:
    tokenizer, found = house.tokenizers[kind], {}
    size, truncation = st.sampled_from((12, 20, 512)), st.sampled_from(("start", "middle", "end", "error"))
    with tried():
        dialogue = parse_dialogue(text)
        encoded = tokenizer.encode_dialogue(dialogue, data.draw(size), data.draw(truncation))
        found = dict(encoded.speakers)
        for token in encoded.tokens:
            assert 0 <= token.id < tokenizer.size and 0 <= token.start <= token.end <= len(dialogue.text)
    for call in (tokenizer.encode_summary, tokenizer.encode_continuation):
        said = data.draw(pieces)
        refusal_of(lambda call=call, said=said: [tokenizer.id_text(each, found) for each in call(said, found)])
    written, spans = tokenizer.decode(data.draw(st.lists(st.integers(0, tokenizer.size - 1), max_size=60)), found)
    assert all(0 <= each.start <= each.end <= len(written) for each in spans)
    written.encode()


@cases(400)
@given(st.data(), dialogues, PIECES)
def test_a_real_model_summarizes_any_text_and_hints_are_found(house: House, data: Any, text: str, said: Any) -> None:
    settings = SETTINGS.replace(
        strategy=data.draw(st.sampled_from(("greedy", "sample", "beam"))),
        truncation=data.draw(st.sampled_from(("start", "middle", "end", "error"))),
        whole_words=data.draw(st.booleans()),
    )
    with tried():
        try:
            summary = house.tiny.summarize(text, settings)
        except DialogueError:  # the only refusal that is due here
            return
        summary.text.encode()
        for written in (summary.text, said[0], "Anna asks Ben for 5 dollars."):
            refusal_of(lambda written=written: hints(house.tiny, text, written, said[1]))


@cases(1000)
@given(st.data(), st.text("0123456789.~_-ex+,:#", max_size=80) | pieces, values)
def test_settings_shapes_and_small_languages_of_links_are_read(house: House, data: Any, text: str, value: Any) -> None:
    for whole, read in ((SETTINGS, DecodeSettings.from_dict), (house.tiny.config, ModelConfig.from_dict)):
        found = data.draw(varied(whole.to_dict()))
        if isinstance(found, dict):
            refusal_of(lambda read=read, found=found: read(found))
    refusal_of(lambda: branches.read_path(text, 600))
    refusal_of(lambda: matrix_text.read(text, ("Q", "K"), 8))
    refusal_of(lambda: arrangement.read(text, parse_dialogue(DIALOGUE)))
    refusal_of(lambda: masks.read_rows(text))
    rows = [{"epoch": float(place), "validation_loss": 2.5 - place} for place in range(3)]
    histories.reading(histories.history("x", rows, value))


deflated = st.one_of(
    encoded(dialogues.map(lambda text: text[:2000])).map(zlib.compress),
    mangled(zlib.compress(DIALOGUE.encode())),
    st.sampled_from([zlib.compress(byte * size, 9) for byte in (b"\0", b"a") for size in (10**6, 10**7)]),
)
linked = deflated.map(lambda data: base64.urlsafe_b64encode(data).decode())
packed = st.one_of(
    dialogues.map(lambda text: links.pack(text) or "eA"),
    linked.map(lambda text: text.rstrip("=")) | linked.map(lambda text: text[:4095]),
    mangled(links.pack(DIALOGUE).encode()).map(lambda data: data.decode("latin-1")),
    pieces,
)
"""Texts of dialogues as links carry them: whole, damaged, or bombs."""


@cases(800)
@given(packed)
def test_a_packed_text_is_read_or_refused(text: str) -> None:
    with tried(megabytes=64):
        found = links.unpack(text)
        assert len(found) <= limits().dialogue_characters
        found.encode()


@cache
def every() -> tuple[Field[Any], ...]:
    """Return the fields of all pages."""
    return tuple(
        {each.name: each for page in PAGES for each in (*declarations.SHARED, *declarations.own_fields(page))}.values()
    )


def asked(field: Field[Any]) -> st.SearchStrategy[str]:
    """What a link may ask for: often something that the field knows, or nearly."""
    odd = st.sampled_from(("a" * 20_000, "null", "1e400", "9" * 5000))
    found = clean | st.text("0123456789.~_-,x:|#", max_size=40) | odd
    if isinstance(field, Choice):
        return found | st.builds(str.__add__, st.sampled_from(field.options), st.sampled_from(("", " ", "x", "\0")))
    if isinstance(field, Number):
        near = st.sampled_from((field.low, field.high, field.low - 1, field.high + 1)) | numbers
        forms = st.sampled_from(("{}", "+{}", " {} ", "{}_0", "0x{}"))
        return found | st.builds(str.format, forms, near) | st.just("١٢")
    return found


@cases(300)
@given(st.data())
def test_every_field_of_every_page_reads_a_link(house: House, data: Any) -> None:
    """What is taken can be written into a link again, what is not is noted briefly."""
    link = {field.name: data.draw(asked(field)) for field in every()}
    with tried():
        found, notes = fields.read(link, every())
    assert len(found) + len(notes) == len(link)
    assert all(len(note) < 1000 for note in notes)
    for field in every():
        if field.name in found:
            assert field.parse(field.write(found[field.name])) is not None, (field, found[field.name])
