"""Models of other libraries: read a Hugging Face folder and write a checkpoint of ours."""
