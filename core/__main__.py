"""The entry of `python -m core`: results on standard output, everything else on standard error."""

import sys

from core.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
