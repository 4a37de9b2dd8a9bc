"""What the start page shows of a run: its summary token by token, and one step on its way through the network."""
