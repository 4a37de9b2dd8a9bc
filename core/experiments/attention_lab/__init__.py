"""Experiments of the Attention lab: its numbers from Keras and from the model."""
