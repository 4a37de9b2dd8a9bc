"""Behaviour: dialogues with one thing changed, and whether their summaries follow; after CheckList."""
