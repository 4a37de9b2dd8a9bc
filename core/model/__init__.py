"""The Transformer's layers, written from `keras.ops`."""
