"""Hints of what may be wrong with a summary: they carry evidence and are never verdicts."""
