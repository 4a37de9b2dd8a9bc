"""Data sets in the form in which their authors hand them out: three invented rows each."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.text.corpus import Corpus, load_corpus

SAMSUM = [
    {"id": "00138121", "summary": "Nele brings cake.", "dialogue": "Nele: I bring cake 🎂\r\nOtto: <file_gif>"},
    {"id": "13828807", "summary": "Nobody speaks.", "dialogue": ""},
    {"id": "NA", "summary": "NA", "dialogue": 'Ida: "wow", she said: "wow"'},
]
DIALOGSUM = [
    {
        "fname": f"test_{n}",
        "dialogue": f"#Person1#: Is it {n}?\n#Person2#: Yes.",
        **{f"summary{k}": f"It is {n}, says {k}." for k in (1, 2, 3)},
        **{f"topic{k}": ("number", "count", "number")[k - 1] for k in (1, 2, 3)},
    }
    for n in range(3)
]
QMSUM = [
    {
        "topic_list": [{"topic": "Budget", "relevant_text_span": [["0", "1"]]}, {"topic": "Name"}],
        "general_query_list": [
            {"query": "Summarize the whole meeting.", "answer": f"They chose a name, {n}."},
            {"query": "Why did they meet?", "answer": "To choose."},
        ],
        "specific_query_list": [{"query": "Who spoke?", "answer": "Two.", "relevant_text_span": [["0", "1"]]}],
        "meeting_transcripts": [
            {"speaker": "Project: Manager", "content": f"Hello {n} .  Shall we ?"},
            {"speaker": "Marketing", "content": "{vocalsound} Yes ."},
        ],
    }
    for n in range(3)
]
TODSUM = [
    {
        "dialog_id": f"PMUL{n}.json",
        "text": [f"I need {n} rooms.", "Which area?\nNorth?", "North, please."],
        "dst": {"hotel": {"book": {"people": str(n)}, "semi": {"area": "north"}}},
        "dst_str": {"hotel": ["inform ( area = north )"]},
        "summary": [f"the user wants {n} rooms.", "the hotel is in the north."],
    }
    for n in range(3)
]
ACI = """dataset,encounter_id,dialogue,note
virtassist,D2N001,"[doctor] hi , ada . how are you ?
[patient] good .","CHIEF COMPLAINT

Annual exam."
virtscribe,D2N002,[doctor] next .,PLAN
aci,D2N003,[patient] bye .,HPI
"""
HUB = "id,dialogue,summary,topic\n" + "".join(
    f'test_{n}_{k},"#Person1#: Is it {n}?\n#Person2#: Yes.",Answer {k}.,{topic}\n'
    for n in range(2)
    for k, topic in enumerate(("number", "count", "number"), 1)
)


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str, Any], Corpus]:
    def read(name: str, content: Any, summaries: bool = True) -> Corpus:
        if not isinstance(content, str):
            dumped = [json.dumps(row, ensure_ascii=False) for row in content]
            content = "\n".join(dumped) if ".jsonl" in name else f"[\n{', '.join(dumped)}]"
        (tmp_path / name).write_text(content, encoding="utf-8", newline="")
        return load_corpus(tmp_path / name, require_summaries=summaries)

    return read


def columns(corpus: Corpus, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(corpus.dataset[name][:] for name in names), strict=True))


@pytest.mark.parametrize("name", ["train.json", "train.jsonl"])
def test_samsum(read, name: str) -> None:
    found = read(name, SAMSUM)
    assert columns(found, "id", "references") == [("00138121", ["Nele brings cake."]), ("NA", ["NA"])]
    assert found.dataset["dialogue"][0] == SAMSUM[0]["dialogue"]  # its own line ends
    unit = "line" if name.endswith("l") else "row"
    assert [(each.place, each.reason) for each in found.skipped] == [(f"{unit} 2", "dialogue is empty")]


def test_dialogsum_with_three_references_and_topics(read) -> None:
    found = read("dialogsum.test.jsonl", DIALOGSUM)
    assert columns(found, "id", "topic")[2] == ("test_2", "number; count")
    assert found.dataset["references"][0] == ["It is 0, says 1.", "It is 0, says 2.", "It is 0, says 3."]


def test_the_hidden_test_of_dialogsum_has_no_summaries(read) -> None:
    rows = [{name: row[name] for name in ("fname", "dialogue")} for row in DIALOGSUM]
    found = read("dialogsum.hiddentest.dialogue.jsonl", rows, summaries=False)
    assert columns(found, "id", "references") == [(f"test_{n}", []) for n in range(3)] and not found.skipped


def test_dialogsum_of_the_hub_has_a_dialogue_in_several_rows(read) -> None:
    found = read("test.csv", HUB)
    assert columns(found, "id", "topic") == [("test_0_1", "number; count"), ("test_1_1", "number; count")]
    assert found.dataset["references"][1] == ["Answer 1.", "Answer 2.", "Answer 3."]
    assert (found.joined, found.sources[4]) == (4, ("test_1_2", 1)) and "6 rows taken, 4 of them joined" in found.told
    apart = found.apart()
    assert [each[0] for each in apart.dataset["references"]] == ["Answer 1.", "Answer 2.", "Answer 3."] * 2


@pytest.mark.parametrize("name", ["val.jsonl", "all.json"])
def test_qmsum_has_the_answer_about_the_whole_meeting_as_its_summary(read, name: str) -> None:
    found = read(name, QMSUM)
    assert found.dataset[1]["references"] == ["They chose a name, 1."] and found.dataset[1]["topic"] == "Budget; Name"
    assert found.dataset[1]["dialogue"] == "Project Manager: Hello 1 . Shall we ?\nMarketing: {vocalsound} Yes ."
    assert any(note.startswith("6 answers to questions about a part") for note in found.notes)


def test_one_meeting_of_qmsum_is_a_file(read) -> None:
    found = read("Bed001.json", json.dumps(QMSUM[0], indent=1))
    assert found.dataset["references"][:] == [["They chose a name, 0."]]


def test_todsum_has_no_speakers_and_its_summary_in_sentences(read) -> None:
    found = read("valid.json", TODSUM)
    dialogue = "User: I need 2 rooms.\nSystem: Which area? North?\nUser: North, please."
    assert columns(found, "id", "dialogue", "references")[2] == (
        "PMUL2.json", dialogue, ["the user wants 2 rooms. the hotel is in the north."]
    )  # fmt: skip


def test_aci_bench_as_csv_and_as_json(read) -> None:
    found = read("train.csv", ACI)
    assert columns(found, "id", "references")[0] == ("D2N001", ["CHIEF COMPLAINT\n\nAnnual exam."])
    assert found.dataset["dialogue"][0] == "doctor: hi , ada . how are you ?\npatient: good ."
    assert "1 dialogue read as: Transcript with roles in brackets" in found.notes
    rows = [{"src": f"[doctor] hi {n}", "tgt": f"note {n}", "file": f"{n}-aci"} for n in range(3)]
    found = read("train_full.json", json.dumps({"data": rows}))
    assert columns(found, "id", "references") == [(f"{n}-aci", [f"note {n}"]) for n in range(3)]


def test_convosumm_has_a_dialogue_and_a_summary_a_line(read, tmp_path: Path) -> None:
    (tmp_path / "train.target").write_text("They agree.\nThey part.\nNA\n")
    found = read("train.source", "One says yes. </s> Two says yes.\nOne leaves.\r\nThree\n")
    assert found.dataset["references"][:] == [["They agree."], ["They part."], ["NA"]]
    assert found.dataset["dialogue"][1] == "One leaves." and "'train.target'" in found.notes[0]


def test_mediasum_has_speakers_and_words_in_two_lists(read) -> None:
    rows = [{"id": f"NPR-{n}", "summary": "Hi.", "utt": [f"Hi {n}.", "Yes."], "speaker": ["A", "B"]} for n in range(3)]
    assert read("news.json", rows).dataset["dialogue"][2] == "A: Hi 2.\nB: Yes."
