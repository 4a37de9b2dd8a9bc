"""Every format: its samples are recognised, and their turns are those that a reader would want."""

import pytest

from core.text.dialogue import parse_dialogue
from core.text.formats.registry import READERS
from core.text.upload import read_file, read_text
from tests.text.formats.samples import FOLDER, SAMPLES, Sample

CHOSEN_ONLY = {"cues", "plain"}


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_a_sample_is_recognised_and_has_its_turns_and_its_counts(sample: Sample) -> None:
    found = read_file(sample.file, sample.data)
    assert found.format == sample.format and bool(found.notes) == (not found.speakers)
    assert list(found.turns) == sample.turns
    assert dict(found.left_out) == sample.left_out and found.joined == sample.joined


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_the_text_of_a_sample_is_parsed_into_the_same_turns(sample: Sample) -> None:
    found = read_file(sample.file, sample.data)
    assert [(turn.speaker, turn.text) for turn in parse_dialogue(found.text).turns] == sample.turns
    assert read_text(found.text).text == found.text  # a link brings it back as it is


PASTED = [each for each in SAMPLES if not each.file.endswith((".docx", "two.csv"))]


@pytest.mark.parametrize("sample", PASTED, ids=str)
def test_a_sample_is_recognised_when_it_is_pasted(sample: Sample) -> None:
    found = read_text(sample.data.decode("utf-8-sig"))
    assert (found.format, list(found.turns)) == (sample.format, sample.turns)


def test_every_format_has_a_sample_and_every_sample_is_tested() -> None:
    assert {each.format for each in SAMPLES} == {reader.name for reader in READERS} - CHOSEN_ONLY
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*")}
    assert files == {str(each) for each in SAMPLES}
