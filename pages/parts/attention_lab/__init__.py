"""The parts of the Attention lab: its matrices and their editors, boards of steps, and its five views."""
