"""ROUGE worked out by hand on a few words."""

import pytest

from core.errors import SettingsError
from core.scoring.rouge import (
    Rouge,
    fingerprint,
    mean_rouge,
    rouge,
    scores_zero_though_equal,
    tokenizer_name,
    tokens_of,
)
from tests.refusals import refused


def values(score: Rouge) -> list[float]:
    return [round(value, 2) for value in (score.rouge1, score.rouge2, score.rougeL)]


def test_f_measures_by_hand():
    for candidate, reference, expected in [
        # 2 of 3 words shared either way; of 2 word pairs each, none; the longest common sequence is "the sat", 2 words
        ("the cat sat", "the dog sat", [66.67, 0, 66.67]),
        # precision 2/2, recall 2/4, F = 2/3; pairs: 1 of 1 and 1 of 3, F = 1/2
        ("the cat", "the cat sat down", [66.67, 50, 66.67]),
        # the order matters for L alone: 3 shared words, no pair, 1 in sequence
        ("sat cat the", "the cat sat", [100, 0, 33.33]),
        ("the cat sat", "the cat sat", [100, 100, 100]),
        ("The cats, SLEEPING!", "the cat sleeps", [100, 100, 100]),  # stemmed; case and marks do not count
        ("", "the cat sat", [0, 0, 0]), ("   ", "the cat sat", [0, 0, 0]), ("!!!", "the cat sat", [0, 0, 0]),
    ]:  # fmt: skip
        assert values(rouge(candidate, [reference])) == expected, candidate


def test_modes_join_several_references():
    for mode, expected in (((), 100 / 3), (("max",), 100), (("mean",), 200 / 3)):  # by default the first
        found = rouge("the cat sat", ["the dog ran", "the cat sat"], *mode)
        assert found.rouge1 == pytest.approx(expected)
    # Max takes each measure by itself.
    references = ["cat the sat", "the cat ran off"]
    first, second = (rouge("the cat sat", [each]) for each in references)
    best = rouge("the cat sat", references, "max")
    assert first.rouge1 > second.rouge1 and second.rouge2 > first.rouge2
    assert (best.rouge1, best.rouge2) == (first.rouge1, second.rouge2)
    refused(SettingsError, "at least one reference", rouge, "a", [])
    refused(SettingsError, "mode='best'", rouge, "a", ["a"], "best")
    assert mean_rouge([Rouge(10, 20, 30), Rouge(30, 20, 10)]) == Rouge(20, 20, 20)
    assert mean_rouge([]) == Rouge(0, 0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "สมชายส่งเอกสารแล้ว", "وصلت الأوراق اليوم", "Ayşe toplantıyı salıya erteledi", "Lan sẽ gửi tài liệu vào thứ Sáu",
        "会议改到星期二", "कल बैठक है", "Встреча во вторник", "Η συνάντηση", "회의는 화요일", "הפגישה ביום שלישי",
    ],
)  # fmt: skip
def test_equal_texts_of_any_script_score_100(text):
    assert values(rouge(text, [text])) == [100, 100, 100]
    assert tokenizer_name("a", [text]) == "letters of all scripts"


def test_english_keeps_the_tokenizer_of_the_library():
    # Marks beyond ASCII are no letters: the words of a–z are the same with either tokenizer.
    for text in ("The cats, SLEEPING!", "It’s “best” – really… 5 €", ""):
        assert tokenizer_name(text, [text]) == "a-z 0-9"
    assert tokens_of("The cats, SLEEPING!") == ["the", "cat", "sleep"]


def test_words_are_whole_and_case_joiners_and_points_do_not_count():
    # One word of three shared: the pieces "ay", "e" and "toplant" of the library's own tokenizer would match more.
    assert values(rouge("Ayşe toplantıda uyudu", ["Ayşe toplantıyı erteledi"])) == [33.33, 0, 33.33]
    assert values(rouge("Işık söndü", ["Kış geldi"])) == [0, 0, 0]
    assert tokens_of("IŞIK ışık İSTANBUL istanbul") == ["işik", "işik", "istanbul", "istanbul"]
    assert tokens_of("gửi gu\u031b\u0309i") == ["gửi", "gửi"]  # composed and decomposed
    assert tokens_of("می\u200cروم مُحَمَّد") == ["میروم", "محمد"]
    assert tokens_of("東京 ส่ง") == ["東", "京", "ส่", "ง"]


def test_rouge_lsum_takes_lines_for_sentences_and_is_there_on_request():
    candidate, reference = "Bob ran home.\nAnn sang.", "Ann sang.\nBob ran home."
    found = rouge(candidate, [reference], lsum=True)
    # The same two sentences the other way round: all five words; in one sequence no more than the three of one.
    assert (found.rougeLsum, round(found.rougeL, 2)) == (pytest.approx(100), 60)
    plain = rouge(candidate, [reference])
    assert plain.rougeLsum is None and "rougeLsum" not in plain.to_dict() and found.to_dict()["rougeLsum"] > 99
    assert repr(found) == repr(plain)  # what digests of older files are made of
    assert mean_rouge([found, found]).rougeLsum == pytest.approx(100) and mean_rouge([found, plain]).rougeLsum is None


def test_an_equal_text_that_scores_0_is_found_and_the_fingerprint_says_which_tokenizer():
    for text, zero in (("Yes", True), ("!!!", True), ("Yes yes", False), ("", False), ("🎂", True)):
        assert scores_zero_though_equal(rouge(text, [text]), text, [text]) == zero, text
    assert not scores_zero_though_equal(rouge("No", ["Yes"]), "No", ["Yes"])
    found = fingerprint({"a-z 0-9": 3, "letters of all scripts": 0})
    assert found["tokenizers"] == {"a-z 0-9": 3} and found["library"] == "rouge-score 0.1.2"
