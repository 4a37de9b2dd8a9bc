"""The menu of the app."""

from core.words import later, say

MENU = {
    later("Begin"): [
        ("start", later("Start"), "home"),
        ("lessons", later("Lessons"), "school"),
        ("summarize", later("Summarize"), "summarize"),
        ("visited", later("Visited"), "history"),
    ],
    later("Read"): [
        ("tokens", later("Tokens"), "data_array"),
        ("positions", later("Positions"), "waves"),
        ("masks", later("Masks"), "visibility_off"),
    ],
    later("Look inside"): [
        ("attention", later("Attention"), "visibility"),
        ("decoding", later("Decoding"), "alt_route"),
        ("architecture", later("Architecture"), "account_tree"),
        ("compare", later("Side by side"), "compare"),
    ],
    later("By hand"): [("attention_lab", later("Attention lab"), "grid_on")],
    later("Test"): [
        ("experiments", later("Experiments"), "science"),
        ("training", later("Training"), "fitness_center"),
    ],
    later("Judge"): [("bertscore", later("BERTScore"), "join_inner"), ("errors", later("Errors"), "troubleshoot")],
}
"""The menu in groups: of each page its file, its title and its Material icon."""


def title(name: str) -> str:
    """Return the title of a page by the name of its file; an unknown one is its own."""
    return next((say(title) for pages in MENU.values() for each, title, _ in pages if each == name), name)
