"""Experiments of the Masks page: without a mask, in a batch."""
