"""Explanations of a run: values in, numbers out."""
