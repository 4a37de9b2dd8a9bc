"""The report as a page: what it holds, what a user's text cannot do to it, and what is left out of a long one."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from core import words
from core.explain.shared import cross
from core.explain.shared.rollup import groups, sum_columns
from core.notebook import ShownSummary
from core.report.page import CONTENTS, _asset, to_html
from core.report.reading import UNIT
from core.report.scores import bertscore
from core.scoring.encoders import EMBEDDED
from core.scoring.rouge import rouge
from core.service import Summarizer
from tests.report.conftest import EXAMPLE, of
from tests.words.pseudo import Pseudo, wide

ALLOWED = frozenset(
    "a b bdi body button caption code dd details div dl dt figcaption figure h1 h2 h3 head header html image label li "
    "line main meta nav ol option p pre rect script section select small span style summary svg table tbody td text th "
    "thead title tr ul".split()
)
USUAL = [each for each in CONTENTS if each != "explained"]
HOSTILE = "\n".join(
    (
        "Eve: <script>alert(1)</script><img src=x onerror=alert(2)> </script></style></title><svg/onload=alert(3)>",
        "\u05d3\u05e0\u05d4: \u05e9\u05dc\u05d5\u05dd \u202eevil\u202c <b>x</b> &lt;i&gt; &amp; \x07\x1b[31m",
        '<a href="http://evil.example">: "\' onmouseover="alert(4) ]]> --> <!-- ${x} {{7*7}} 👩‍👩‍👧‍👦',
        "Eve: javascript:alert(5) \u2028 \ufeff \\u003c/script\\u003e",
    )
)


class Read(HTMLParser):
    """The elements of a page with their attributes, its texts, and the content of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        (self.scripts if self.elements and self.elements[-1][0] == "script" else self.texts).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def data(self):
        return json.loads(self.scripts[0])

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


def test_it_speaks_the_language_of_who_asks(make, monkeypatch):
    monkeypatch.setitem(words._catalogues, "tr", Pseudo())
    english = Read(to_html(make(references=EXAMPLE.references)))
    with words.speaking("tr"):
        page = Read(to_html(make(references=EXAMPLE.references)))
    assert [each["lang"] for each in (*english.all("html"), *page.all("html"))] == ["en", "tr"]
    assert all(wide(CONTENTS[each]) in page.text and CONTENTS[each] in english.text for each in USUAL)
    assert page.data["words"]["Reads most, {head}"] == wide("Reads most, {head}") and not english.data["words"]
    assert "Summary and dialogue" not in page.text


def test_it_says_everything_about_the_run(make, tiny):
    report = make(references=EXAMPLE.references)
    page = Read(to_html(report))
    summary = report.summary
    for turn in summary.dialogue.turns:
        assert " ".join(turn.text.split()) in page.text
    assert [each["id"] for each in page.all("section")] == USUAL
    anchors = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    assert {each["href"][1:] for each in page.all("a")} <= anchors
    assert len([each for each in page.all("span") if "data-token" in each]) == len(summary.steps)
    for step in summary.steps:
        assert f"{-step.log_probability:.2f}, {step.entropy:.2f}\xa0nats" in to_html(report)
    scores = rouge(summary.text, EXAMPLE.references, "max")
    for said in (
        *EXAMPLE.references, f"{scores.rouge1:.1f}", "Models are often wrong about who did what", "not that something",
        str(tiny.checkpoint.card["sha256"]["weights.safetensors"]), "Licence of the weights: none",
        "2026-01-02 03:04 UTC", report.command, "no_repeat_ngram", *(str(hint.evidence) for hint in report.hints),
    ):  # fmt: skip
        assert " ".join(said.split()) in page.text, said
    assert "BERTScore with" not in page.text


def test_explanations_stand_there_with_their_numbers_where_somebody_asked_for_them(make, tiny):
    drawn = ShownSummary(make().summary, "", tiny).votes().picture()
    report = make(explained=[drawn])
    page = Read(to_html(report))
    assert [each["id"] for each in page.all("section")] == list(CONTENTS)
    assert " ".join(drawn.caption.split()) in page.text and all(name in page.text for name in drawn.table["Who votes"])
    assert "None" not in page.text and "--explain votes" in report.command and "--explain" not in make().command


def test_bertscore_stands_there_with_its_fingerprint_where_it_was_computed(make):
    summary = make().summary
    scored = bertscore(summary.text, EXAMPLE.references, EMBEDDED)
    page = Read(to_html(make(references=EXAMPLE.references, bertscore=scored)))
    assert all(f"{score.f1:.4f}".replace("-", "−") in page.text for score in scored.scores)
    assert scored.fingerprint["weights_sha256"] in page.text and "--metric bertscore" in page.text


def test_the_weights_that_it_carries_are_those_of_the_run(make):
    report = make(heads=["1.2", "copy"])
    found = Read(to_html(report)).data
    trace = report.summary.attention
    names = ["layer 1, head 2", "copy distribution", "layer 2, mean of the heads", "layer 1, mean of the heads"]
    assert [name for name, _ in found["choices"]] == names
    for choice, (_, packed) in zip(("1.2", "copy", "2.mean", "1.mean"), found["choices"], strict=True):
        values = np.frombuffer(base64.b64decode(packed), "<u2").reshape(len(trace.target), len(trace.source)) / UNIT
        assert values == pytest.approx(cross.weights(trace, choice), abs=1 / UNIT)  # they are kept as such parts
    for part in groups(trace.source, "turn"):
        assert found["turns"].count(-1 if part.turn is None else part.turn) == len(part.members)


def test_each_token_of_the_dialogue_is_marked_where_it_stands(make):
    report = make()
    text = to_html(report)
    found = Read(text).data
    marked = dict(re.findall(r'<span data-spot="(\d+)">([^<]*)</span>', text))
    for token, spot in zip(report.summary.source, found["spots"], strict=True):
        assert (spot >= 0) == (token.end > token.start)
        if spot >= 0:
            assert marked[str(spot)] == report.summary.dialogue.text[token.start : token.end].replace("'", "&#x27;")


def test_a_users_text_stays_text(make):
    report = make(HOSTILE, references=[HOSTILE])
    text = to_html(report)
    page = Read(text)
    assert {tag for tag, _ in page.elements} <= ALLOWED
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert len(page.all("script")) == 2 and page.data["dialogue"] == report.summary.dialogue.text
    for turn in report.summary.dialogue.turns:
        said = re.sub("[\x00-\x08\x0e-\x1f\x7f-\x9f]", "\ufffd", turn.text)
        assert " ".join(said.split()) in page.text
    assert text.count("<script") == text.count("</script") == 2
    text.encode("utf-8")


def test_nothing_is_asked_for_and_the_policy_forbids_it(make):
    text = to_html(make(HOSTILE))
    page = Read(text)
    policy = next(each["content"] for each in page.all("meta") if each.get("http-equiv") == "Content-Security-Policy")
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    asked = [attributes.get("src") or attributes.get("href") for _, attributes in page.elements]
    assert all(each.startswith(("#", "data:image/png;base64,")) for each in asked if each)
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style and "@import" not in style


def test_a_long_dialogue_is_bounded_and_what_is_left_out_is_said(make, set_limits):
    whole = make(heads=["2.1", "copy"])
    rows, columns = len(whole.summary.steps), len(whole.summary.source)
    turns = len(groups(whole.summary.source, "turn"))
    set_limits(report_weights=2 * rows * columns, report_cells=rows * turns)
    page = Read(to_html(whole))
    assert [name for name, _ in page.data["choices"]] == ["layer 2, head 1", "copy distribution"]
    assert "Left out for lack of room: layer 2, mean of the heads; layer 1, mean of the heads." in page.text
    assert len(page.all("details")) == 1
    assert f"Its table by turn is left out for lack of room: {rows * turns:,} cells." in page.text
    set_limits(report_weights=2 * rows * turns)
    page = Read(to_html(whole))
    values = np.frombuffer(base64.b64decode(page.data["choices"][0][1]), "<u2").reshape(rows, turns) / UNIT
    trace = whole.summary.attention
    expected = sum_columns(cross.weights(trace, "2.1"), groups(trace.source, "turn"))
    assert values == pytest.approx(expected, abs=1 / UNIT)  # they are kept as such parts
    assert "only its turns" in page.text and set(page.data["spots"]) == {-1}


def test_turns_that_the_model_did_not_read_are_there_and_said(make):
    long = "\n".join(f"#Person{1 + n % 2}#: this is turn number {n} of a long talk." for n in range(40))
    report = make(long)
    page = Read(to_html(report))
    left = len(report.summary.omitted)
    assert left > 5 and f"it left out {left} of 40 turns" in page.text
    assert to_html(report).count('class="turn unread"') == left and "turn number 20 of a long talk" in page.text


def test_a_model_without_attention_has_a_report_too(recurrent_checkpoints):
    page = Read(to_html(of(Summarizer.load(recurrent_checkpoints / "plain"))))
    assert page.data["choices"] == [] and "This model has no attention" in page.text and not page.all("svg")


def test_a_dialogue_of_usual_length_makes_a_small_file(make):
    assert len(to_html(make(references=EXAMPLE.references)).encode()) < 500_000


def test_the_script_writes_texts_as_texts():
    unsafe = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|eval\(|new Function|document\.write")
    assert not unsafe.search(_asset("page.js"))
