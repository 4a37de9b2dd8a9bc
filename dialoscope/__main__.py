"""`python -m dialoscope`: the command line, also beside a package `core` of another project."""

from dialoscope import _of

if __name__ == "__main__":
    _of(".__main__", "main")()
