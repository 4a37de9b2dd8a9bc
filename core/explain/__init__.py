"""Explanations of a run: values in, numbers out; what one page alone explains lies in the room of its name."""
