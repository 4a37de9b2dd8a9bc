"""Recipes: from corpora and a preset, or a checkpoint, to a trained and scored checkpoint."""
