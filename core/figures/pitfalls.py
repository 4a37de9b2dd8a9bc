"""The known pitfalls of the sources in words: what the source says, and a sentence computed from the numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.explain.pitfalls import Pitfall
from core.figures.wording import count, number, percent


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
    wrong: str = "As it is written there"
    right: str = "As it should be"


LESSONS: Mapping[str, Lesson] = {
    "convention": Lesson(
        "A mask in the other convention",
        "Some teaching material writes 1 for “attend”, some writes 1 for “blocked”. Both are fine. A mask that is made "
        "for one and read as the other hides the wrong keys, and no error message says so.",
        "The same mask, read the other way",
        "Read as it was meant",
    ),
    "query_mask": Lesson(
        "Keras and the fourth argument",
        "Two student projects call Keras' attention as attention(x, x, x, mask). In Keras 3 the fourth argument is "
        "query_mask; the one that masks keys is attention_mask and has to be named. Both were run just now.",
        "mask as fourth argument",
        "attention_mask=mask",
    ),
    "unapplied": Lesson(
        "A masked attention without its mask",
        "The code of a tutorial on masked attention makes a mask, and computes the softmax without it.",
        "Mask made, not used",
        "Mask used",
    ),
    "look_ahead": Lesson(
        "i ≤ j, or j ≤ i",
        "A tutorial writes the condition of the look-ahead mask as i ≤ j, with i the query and j the key; its code "
        "makes a lower triangle, which is j ≤ i. The code is right.",
        "i ≤ j, as it is written",
        "j ≤ i, as it is coded",
    ),
    "cross": Lesson(
        "Cross-attention and padding",
        "A student report says that cross-attention has no mask, but its code passes the padding mask. The code is "
        "right: here the last keys are padding.",
        "No mask, as it is written",
        "Padding mask, as it is coded",
    ),
    "softmax": Lesson(
        "Rows that are no softmax",
        "On slides of a lecture two rows of a masked softmax are still scores. They do not add up to 1, as weights do.",
        "Two rows left as scores",
        "Softmax of every row",
    ),
    "norm": Lesson(
        "The second LayerNorm used twice",
        "Two student projects make three normalisations in a decoder block, call the second one twice, and the third "
        "never. Before training nobody notices: all three begin with the same weights (γ = 1, β = 0).",
        "Second LayerNorm again",
        "Third LayerNorm",
    ),
    "words": Lesson(
        "A tokenizer that does not lemmatise",
        "A student report says that the Keras tokenizer lemmatises: that forms of a word become one. It only splits at "
        "blanks and writes in lower case; so does our word-level tokenizer.",
        "",
        "Ids that a word-level tokenizer gives",
    ),
    "axes": Lesson(
        "Two plots of the same thing",
        "A tutorial announces two plots, of dimensions against position and of positions against dimension, but shows "
        "the first kind twice. In the table of the encoding the first is a column, the second a row.",
        "",
        "Positional encoding, width 5, base 100",
    ),
}


def finding(name: str, pitfall: Pitfall) -> str:
    """What the numbers of a pitfall say, in a sentence."""
    numbers = pitfall.numbers
    if name in ("convention", "unapplied", "look_ahead", "cross"):
        what = {"look_ahead": "later keys", "cross": "padding"}.get(name, "keys that the mask hides")
        if not numbers["queries"]:
            return "With these matrices no query may look anywhere, and there is nothing to compare."
        if numbers["wrong"] == 0:
            return f"With these matrices there are no {what}: both give the same."
        return (
            f"In the mean of {count(int(numbers['queries']), 'query').replace('querys', 'queries')}, "
            f"{percent(numbers['wrong'])} of the attention goes to {what}; it should be {percent(numbers['right'])}."
        )
    if name == "query_mask":
        same = "exactly what no mask gives" if numbers["same"] < 1e-5 else "not what no mask gives"
        return (
            f"As fourth argument the mask leaves {percent(numbers['wrong'])} of the attention on keys that it hides, "
            f"{same}; by its name it leaves {percent(numbers['right'])}."
        )
    if name == "softmax":
        return (
            f"The fourth row adds up to {number(numbers['fourth'])} and the fifth to {number(numbers['fifth'])}; "
            f"a row of weights adds up to {number(numbers['right'])}."
        )
    if name == "norm":
        return (
            f"The outputs differ by up to {number(numbers['difference'])}. Adding 0.1 to the third γ moves the right "
            f"output by up to {number(numbers['moved'])} and the other one by nothing: that layer would never learn."
        )
    if name == "words":
        return f"{count(int(numbers['forms']), 'form')} of one word, {count(int(numbers['ids']), 'id')}."
    return (
        f"Down column 1, dimension 1 is {number(numbers['column'])} at position 2; along row 2, position 1 is "
        f"{number(numbers['row'])} in dimension 3."
    )
