"""The menu of the app."""

MENU = {
    "Begin": [
        ("start", "Start", "home"),
        ("lessons", "Lessons", "school"),
        ("summarize", "Summarize", "summarize"),
        ("visited", "Visited", "history"),
    ],
    "Read": [
        ("tokens", "Tokens", "data_array"),
        ("positions", "Positions", "waves"),
        ("masks", "Masks", "visibility_off"),
    ],
    "Look inside": [
        ("attention", "Attention", "visibility"),
        ("decoding", "Decoding", "alt_route"),
        ("architecture", "Architecture", "account_tree"),
        ("compare", "Side by side", "compare"),
    ],
    "By hand": [("attention_lab", "Attention lab", "grid_on")],
    "Test": [("experiments", "Experiments", "science"), ("training", "Training", "fitness_center")],
    "Judge": [("bertscore", "BERTScore", "join_inner"), ("errors", "Errors", "troubleshoot")],
}
"""The menu in groups: of each page its file, its title and its Material icon."""


def title(name: str) -> str:
    """Return the title of a page by the name of its file; an unknown one is its own."""
    return next((title for pages in MENU.values() for each, title, _ in pages if each == name), name)
