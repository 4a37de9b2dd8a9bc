"""Streamlit in a process that finds the compiled programs of the tests: `python -m tests.browser.app run app.py`."""

import sys

from streamlit.web.cli import main

from tests import names

if __name__ == "__main__":
    names.install()
    sys.exit(main())
