"""A corpus in, a table of scored summaries out; a run that was stopped goes on."""
