"""What may be wrong with a summary: hints with evidence, never verdicts."""
