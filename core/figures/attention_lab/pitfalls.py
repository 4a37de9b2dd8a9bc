"""The known pitfalls of the sources in words: what the source says, and a sentence computed from the numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.explain.attention_lab.pitfalls import Pitfall
from core.figures.shared.wording import count, number, percent
from core.words import later, say


@dataclass(frozen=True, slots=True)
class Lesson:
    """One pitfall.

    Args:
        title: on the page.
        claim: what the source does.
        wrong: heading of its numbers.
        right: heading of the right ones.
    """

    title: str
    claim: str
    wrong: str = later("As it is written there")
    right: str = later("As it should be")


LESSONS: Mapping[str, Lesson] = {
    "convention": Lesson(
        later("A mask in the other convention"),
        later(
            "Some teaching material writes 1 for “attend”, some writes 1 for “blocked”. Both are fine. A mask that is "
            "made for one and read as the other hides the wrong keys, and no error message says so."
        ),
        later("The same mask, read the other way"),
        later("Read as it was meant"),
    ),
    "query_mask": Lesson(
        later("Keras and the fourth argument"),
        later(
            "Two student projects call Keras' attention as attention(x, x, x, mask). In Keras 3 the fourth argument is "
            "query_mask; the one that masks keys is attention_mask and has to be named. Both were run just now."
        ),
        later("mask as fourth argument"),
        "attention_mask=mask",
    ),
    "unapplied": Lesson(
        later("A masked attention without its mask"),
        later("The code of a tutorial on masked attention makes a mask, and computes the softmax without it."),
        later("Mask made, not used"),
        later("Mask used"),
    ),
    "look_ahead": Lesson(
        later("i ≤ j, or j ≤ i"),
        later(
            "A tutorial writes the condition of the look-ahead mask as i ≤ j, with i the query and j the key; its code "
            "makes a lower triangle, which is j ≤ i. The code is right."
        ),
        later("i ≤ j, as it is written"),
        later("j ≤ i, as it is coded"),
    ),
    "cross": Lesson(
        later("Cross-attention and padding"),
        later(
            "A student report says that cross-attention has no mask, but its code passes the padding mask. The code is "
            "right: here the last keys are padding."
        ),
        later("No mask, as it is written"),
        later("Padding mask, as it is coded"),
    ),
    "softmax": Lesson(
        later("Rows that are no softmax"),
        later(
            "On slides of a lecture two rows of a masked softmax are still scores. They do not add up to 1, as "
            "weights do."
        ),
        later("Two rows left as scores"),
        later("Softmax of every row"),
    ),
    "norm": Lesson(
        later("The second LayerNorm used twice"),
        later(
            "Two student projects make three normalisations in a decoder block, call the second one twice, and the "
            "third never. Before training nobody notices: all three begin with the same weights (γ = 1, β = 0)."
        ),
        later("Second LayerNorm again"),
        later("Third LayerNorm"),
    ),
    "words": Lesson(
        later("A tokenizer that does not lemmatise"),
        later(
            "A student report says that the Keras tokenizer lemmatises: that forms of a word become one. It only "
            "splits at blanks and writes in lower case; so does our word-level tokenizer."
        ),
        "",
        later("Ids that a word-level tokenizer gives"),
    ),
    "axes": Lesson(
        later("Two plots of the same thing"),
        later(
            "A tutorial announces two plots, of dimensions against position and of positions against dimension, but "
            "shows the first kind twice. In the table of the encoding the first is a column, the second a row."
        ),
        "",
        later("Positional encoding, width 5, base 100"),
    ),
}


MASKED = {
    "look_ahead": (
        later("With these matrices there are no later keys: both give the same."),
        later("In the mean of {queries}, {share} of the attention goes to later keys; it should be {right_share}."),
    ),
    "cross": (
        later("With these matrices there is no padding: both give the same."),
        later("In the mean of {queries}, {share} of the attention goes to padding; it should be {right_share}."),
    ),
}
HIDDEN = (
    later("With these matrices there are no keys that the mask hides: both give the same."),
    later(
        "In the mean of {queries}, {share} of the attention goes to keys that the mask hides; it should be "
        "{right_share}."
    ),
)
"""What the pitfalls about a mask show where no key is hidden, and where some are."""


def finding(name: str, pitfall: Pitfall) -> str:
    """What the numbers of a pitfall say, in a sentence."""
    numbers = pitfall.numbers
    if name in ("convention", "unapplied", "look_ahead", "cross"):
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
    return _of_own(name, numbers)


def _of_own(name: str, numbers: Mapping[str, float]) -> str:
    """What a pitfall with numbers of its own shows."""
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


def _of_masks(name: str, numbers: Mapping[str, float]) -> str:
    """How much attention goes where a mask should hide the keys."""
    if not numbers["queries"]:
        return say("With these matrices no query may look anywhere, and there is nothing to compare.")
    none, some = MASKED.get(name, HIDDEN)
    if numbers["wrong"] == 0:
        return say(none)
    return say(
        some,
        queries=count(int(numbers["queries"]), "query"),
        share=percent(numbers["wrong"]),
        right_share=percent(numbers["right"]),
    )
