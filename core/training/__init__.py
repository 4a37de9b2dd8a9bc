"""Teacher-forced training: batches, loss, schedule and the resumable loop."""
