"""Labels and verdicts were made by a language model that read the summaries: nothing may say that people made them."""

import json
import re

from babel.messages.pofile import read_po

from tests.layering import ROOT

DOCUMENTS = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/*.ipynb")))
FILES = [
    *DOCUMENTS,
    *(path for room in ("core", "pages") for end in ("py", "md", "js") for path in ROOT.glob(f"{room}/**/*.{end}")),
    *ROOT.glob("checkpoints/**/*.json"),
]
PERSON = r"(?:person|human|reader|annotator)"
FORBIDDEN = re.compile(
    rf"hand-?\s?label|(?:labelled|annotated|judged) by (?:hand|people|humans|an? {PERSON}|{PERSON}s)"
    rf"|\ban? {PERSON} (?:has |had )?(?:read|found|judged|labelled)\b|did an? {PERSON} find|says an? {PERSON}\b"
    r"|\bpeople (?:have |had )?(?:found|judged|labelled)\b|labelled by reading",
    re.IGNORECASE,
)
SPOKEN = {"tr": ("elle etiket", "okuyan birinin", "Bir insan {count}"), "vi": ("gắn nhãn bằng tay", "một người đã đọc")}
"""How the catalogues once said it."""


def flat(text: str) -> str:
    """A text with its broken lines and literals in one."""
    return re.sub(r"\s+", " ", re.sub(r'"\s*\n\s*[rf]?"', "", text))


def test_the_phrases_are_found_where_they_stand():
    said = ["A person read the summaries of all", "100 hand-labelled", "of which\na reader found 6", "judged by people"]
    assert all(FORBIDDEN.search(flat(each)) for each in [*said, 'in which a person "\n    "found such an error'])
    kept = ["worked out by hand", "a second human", "labelled by a language model, not by people", "as people read it"]
    assert not any(FORBIDDEN.search(each) for each in kept)


def test_nothing_says_that_a_person_made_the_labels():
    found = {
        str(path.relative_to(ROOT)): said.group()
        for path in FILES
        if "imported" not in path.parts and (said := FORBIDDEN.search(flat(path.read_text("utf-8"))))
    }
    assert not found


def test_no_message_says_so_in_any_language():
    for code, phrases in SPOKEN.items():
        with (ROOT / f"core/words/{code}.po").open("rb") as file:
            messages = [each for each in read_po(file) if each.id]
        texts = {str(each.id): str(each.string) for each in messages}
        assert not [each for each in texts if FORBIDDEN.search(each)]
        assert not [each for each in texts.values() if any(phrase in each for phrase in phrases)], code
        # Where English names the language model, so does the translation.
        name = {"tr": "dil model", "vi": "mô hình ngôn ngữ"}[code]
        told = [text for id, text in texts.items() if "language model" in id and re.search(r"labelled|read the", id)]
        assert told and all(name in each for each in told), code


def test_files_and_documents_name_who_labelled():
    verdicts = json.loads((ROOT / "checkpoints/dialoscope/judged.json").read_text("utf-8"))
    assert verdicts["by"] == "a language model"
    for name in ("README.md", "docs/results.md", "docs/evaluation.md", "core/faults/labels.py"):
        assert "read and labelled by a language model" in flat((ROOT / name).read_text("utf-8")), name


def test_counts_of_other_readers_are_named_as_such():
    """The 97 and 54 of 100 are of other readers and an earlier version than the 83 and 36."""
    for path in DOCUMENTS:
        for block in path.read_text("utf-8").split("\n\n"):
            if all(re.search(rf"(?<![.\d])(?:{each})(?!\.?\d)", block) for each in ("97", "83|54")):
                assert "other readers, an earlier version" in block, (path.name, block[:80])
