"""Dialogues, tokens and corpora."""
