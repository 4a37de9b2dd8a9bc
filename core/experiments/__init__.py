"""Experiments on a model: change what it reads or how it works, run it again, and measure what changed.

What another page than Experiments alone needs lies in the room of its name.
"""
