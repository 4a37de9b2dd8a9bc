"""The menu of the app, and the way through its pages that follows from it."""

from typing import NamedTuple

from core.words import later, say


class Entry(NamedTuple):
    """A page in the menu.

    Args:
        name: of its file.
        title: in the menu, marked with `later`.
        icon: from Material Symbols.
        shows: what there is to see, for links to it, marked with `later`: "Tokens: how …".
        compared: whether Side by side offers it: a checkpoint matters there.
    """

    name: str
    title: str
    icon: str
    shows: str = ""
    compared: bool = True


MENU = {
    later("Begin"): [
        Entry("start", later("Start"), "home", compared=False),
        Entry(
            "lessons",
            later("Lessons"),
            "school",
            later("Lessons: the way of a summary through all pages, in ten stops"),
            compared=False,
        ),
        Entry("summarize", later("Summarize"), "summarize", later("Summarize: a dialogue of your own")),
        Entry(
            "visited",
            later("Visited"),
            "history",
            later("Visited: return to what you have looked at"),
            compared=False,
        ),
        Entry(
            "glossary",
            later("Glossary"),
            "dictionary",
            later("Glossary: what the words mean, and where each is seen"),
            compared=False,
        ),
    ],
    later("Read"): [
        Entry("tokens", later("Tokens"), "data_array", later("Tokens: how the text becomes numbers")),
        Entry(
            "positions", later("Positions"), "waves", later("Positions: how the model knows the order of the tokens")
        ),
        Entry("masks", later("Masks"), "visibility_off", later("Masks: which tokens attention may not see")),
    ],
    later("Look inside"): [
        Entry("attention", later("Attention"), "visibility", later("Attention: where every head looks")),
        Entry(
            "decoding",
            later("Decoding"),
            "alt_route",
            later("Decoding: how the summary is written, one token at a time"),
        ),
        Entry(
            "architecture",
            later("Architecture"),
            "account_tree",
            later("Architecture: the network that does this, layer by layer"),
        ),
        Entry(
            "compare",
            later("Side by side"),
            "compare",
            later("Side by side: this page or another for two checkpoints at once"),
            compared=False,
        ),
    ],
    later("By hand"): [
        Entry("attention_lab", later("Attention lab"), "grid_on", later("Attention lab: compute attention by hand"))
    ],
    later("Test"): [
        Entry(
            "experiments",
            later("Experiments"),
            "science",
            later("Experiments: what the summary of a real model depends on"),
        ),
        Entry("training", later("Training"), "fitness_center", later("Training: how the model came to do this")),
    ],
    later("Judge"): [
        Entry(
            "bertscore",
            later("BERTScore"),
            "join_inner",
            later("BERTScore: how good is a summary? One answer, and its limits"),
        ),
        Entry(
            "errors",
            later("Errors"),
            "troubleshoot",
            later("Errors: what a score does not say, in many summaries at once"),
        ),
    ],
}
"""The menu in groups. Its order is the way through the pages, see `after`."""
ENTRIES = {entry.name: entry for group in MENU.values() for entry in group}
"""The same by the names of the files."""
LAST, AGAIN = ("glossary", "visited"), "summarize"
"""The pages that the way ends with, as they are about all others, and where it goes on for another round."""


def title(name: str) -> str:
    """Return the title of a page by the name of its file; an unknown one is its own."""
    return say(ENTRIES[name].title) if name in ENTRIES else name


def after(name: str) -> Entry:
    """Return the page to which another one leads on: the next one of the menu, the last one at its end."""
    way = [*(page for page in ENTRIES if page not in LAST), *LAST, AGAIN]
    return ENTRIES[way[way.index(name) + 1]]
