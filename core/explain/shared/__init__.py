"""Explanations that several pages show."""
