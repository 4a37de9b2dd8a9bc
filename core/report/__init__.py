"""The report: one summary and what there is to say about it, as one HTML file that needs nothing else."""
