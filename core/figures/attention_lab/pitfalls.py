"""The known pitfalls of the sources in words: what the source says, and a sentence computed from the numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.explain.attention_lab.pitfalls import Pitfall
from core.figures.shared.wording import count, number, percent
from core.files import table
from core.words import say


@dataclass(frozen=True, slots=True)
class Lesson:
    """One pitfall; its texts are marked with `later`.

    Args:
        title: on the page.
        claim: what the source does.
        wrong: heading of its numbers.
        right: heading of the right ones.
    """

    title: str
    claim: str
    wrong: str
    right: str


_TABLE = table(__file__)
LESSONS = {name: Lesson(**each) for name, each in _TABLE["lessons"].items()}
MASKED: Mapping[str, Mapping[str, str]] = _TABLE["masked"]
"""What the pitfalls about a mask show: `none` where no key is hidden, and `some` where some are."""


def finding(name: str, pitfall: Pitfall) -> str:
    """Say in a sentence what the numbers of a pitfall show."""
    numbers = pitfall.numbers
    if name in MASKED:
        return _of_masks(name, numbers)
    if name == "query_mask":
        shares = {"share": percent(numbers["wrong"]), "right_share": percent(numbers["right"])}
        if numbers["same"] < 1e-5:
            return say(
                "As fourth argument the mask leaves {share} of the attention on keys that it hides, exactly what no "
                "mask gives; by its name it leaves {right_share}.",
                **shares,
            )
        return say(
            "As fourth argument the mask leaves {share} of the attention on keys that it hides, not what no mask "
            "gives; by its name it leaves {right_share}.",
            **shares,
        )
    return _of_axes(numbers, pitfall.labels) if name == "swapped" else _of_own(name, numbers)


def _of_own(name: str, numbers: Mapping[str, float]) -> str:
    """Say what a pitfall with numbers of its own shows."""
    if name == "softmax":
        return say(
            "The fourth row adds up to {fourth} and the fifth to {fifth}; a row of weights adds up to {right}.",
            fourth=number(numbers["fourth"]),
            fifth=number(numbers["fifth"]),
            right=number(numbers["right"]),
        )
    if name == "norm":
        return say(
            "The outputs differ by up to {difference}. Adding 0.1 to the third γ moves the right output by up to "
            "{moved} and the other one by nothing: that layer would never learn.",
            difference=number(numbers["difference"]),
            moved=number(numbers["moved"]),
        )
    if name == "words":
        forms, ids = count(int(numbers["forms"]), "form"), count(int(numbers["ids"]), "id")
        return say("{forms} of one word, {ids}.", forms=forms, ids=ids)
    return say(
        "Down column 1, dimension 1 is {column} at position 2; along row 2, position 1 is {row} in dimension 3.",
        column=number(numbers["column"]),
        row=number(numbers["row"]),
    )


def _of_axes(numbers: Mapping[str, float], labels: Sequence[Mapping[str, Sequence[str]]]) -> str:
    """What tells the two attentions of a decoder apart."""
    place = int(numbers["most"])
    return say(
        "Above the diagonal the first has {own} of its attention and the second {cross}: only the first can be "
        "self-attention. “{row}” of the second looks most at “{right}”; the wrong axes say “{wrong}”.",
        row=labels[-1]["rows"][-1],
        own=percent(numbers["own"]), cross=percent(numbers["cross"]), right=labels[-1]["columns"][place],
        wrong=labels[1]["columns"][place],
    )  # fmt: skip


def _of_masks(name: str, numbers: Mapping[str, float]) -> str:
    """How much attention goes where a mask should hide the keys."""
    if not numbers["queries"]:
        return say("With these matrices no query may look anywhere, and there is nothing to compare.")
    if numbers["wrong"] == 0:
        return say(MASKED[name]["none"])
    return say(
        MASKED[name]["some"],
        queries=count(int(numbers["queries"]), "query"),
        share=percent(numbers["wrong"]),
        right_share=percent(numbers["right"]),
    )
