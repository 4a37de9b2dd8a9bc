"""A Keras encoder-decoder Transformer for dialogue summarization, written from scratch."""

import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
