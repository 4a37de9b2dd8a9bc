"""How much each token of a run counts: the shape of every answer, and the methods that need values of a run only."""
