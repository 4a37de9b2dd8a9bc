"""Scores of summaries against references."""
