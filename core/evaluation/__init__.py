"""Evaluation: a corpus in, a table of scored summaries out; a stopped run can be continued."""
