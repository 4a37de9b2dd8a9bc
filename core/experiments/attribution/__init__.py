"""How much each token counts, by methods that run the model again, and the registry of all methods."""
