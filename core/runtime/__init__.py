"""What runs the rest: the Keras backend, the queue for model work, memory, and imports without needless libraries."""
