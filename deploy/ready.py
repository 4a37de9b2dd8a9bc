"""Ask a server whether its next visitor would wait; status 0 where not.

python deploy/ready.py                          once, as a health check
python deploy/ready.py --wait 300               until it is ready, for 300 seconds at most
python deploy/ready.py http://127.0.0.1:8502    another than port 8501, or STREAMLIT_SERVER_PORT, of this machine
"""

import argparse
import os
import sys
import time
import urllib.error
import urllib.request


def ask(address: str, seconds: float = 5.0) -> tuple[bool, str]:
    """Return whether a server is ready, and what it says."""
    direct = urllib.request.build_opener(
        urllib.request.ProxyHandler({})
    )  # no proxy stands between a machine and itself
    try:
        with direct.open(f"{address.rstrip('/')}/ready", timeout=seconds) as answer:
            return True, answer.read(500).decode("utf-8", "replace").strip()
    except urllib.error.HTTPError as error:
        return False, error.read(500).decode("utf-8", "replace").strip()
    except OSError as error:
        return False, f"No server answers at {address}: {error}"


def main() -> int:
    """Ask once or until the server is ready; print what it says last."""
    port = os.environ.get("STREAMLIT_SERVER_PORT") or "8501"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", nargs="?", default=f"http://127.0.0.1:{port}")
    parser.add_argument("--wait", type=float, default=0.0, metavar="SECONDS", help="ask again for so long")
    options = parser.parse_args()
    end = time.monotonic() + options.wait
    ready, said = ask(options.address)
    while not ready and time.monotonic() < end:
        time.sleep(0.5)
        ready, said = ask(options.address)
    print(said, file=sys.stdout if ready else sys.stderr)
    return 0 if ready else 1


if __name__ == "__main__":
    sys.exit(main())
