"""Greedy, beam and sampled decoding over one step function, and the compiled loop around the model."""
