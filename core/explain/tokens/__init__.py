"""What the Tokens page explains beside tokens: their embeddings."""
