"""The arithmetic of the Attention lab: a small attention, step by step."""
