"""Hints of what may be wrong with a summary: they carry evidence and are never verdicts.

`measure` counts on labelled summaries how often a hint is right and how often a summary is wrong.
"""
