"""Look the pinned packages up in a database of known vulnerabilities, with pip-audit; status 1 where it knows one.

python deploy/audit.py [--database URL]         another than https://api.osv.dev, which speaks the same protocol

Where the database cannot be reached this is said in one line, and nothing fails: most work needs no network.
"""

import argparse
import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILES = ("requirements.txt", "requirements-ray.txt", "requirements-dev.txt", "constraints.txt")
DATABASE = "https://api.osv.dev"
PATIENCE = 3.0
"""Seconds in which the database must answer a first question, its name's look-up included."""
PROBE = {"package": {"name": "jinja2", "ecosystem": "PyPI"}, "version": "2.4.1"}
"""A package with known vulnerabilities: a database that does not know them is none."""


def reached(database: str) -> bool:
    """Return whether the database answers, and knows what it has to know."""
    found: list[bool] = []

    def look() -> None:
        request = urllib.request.Request(
            f"{database}/v1/query", json.dumps(PROBE).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                found.append(bool(json.load(answer).get("vulns")))
        except (OSError, ValueError, AttributeError):
            found.append(False)

    asking = threading.Thread(target=look, daemon=True)  # the look-up of a name has no limit of its own
    asking.start()
    asking.join(PATIENCE)
    return found == [True]


def report(database: str) -> dict[str, Any] | str:
    """Return what pip-audit says of all pinned packages, or why it says nothing."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "--format", "json", "--desc", "off"]
    command += ["--progress-spinner", "off", "--vulnerability-service", "osv", "--osv-url", f"{database}/v1/query"]
    command += [text for name in FILES for text in ("--requirement", str(ROOT / name))]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        read: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return (done.stderr.strip().splitlines() or [f"pip-audit ended with status {done.returncode}"])[-1]
    return read


def vulnerable(read: dict[str, Any]) -> list[str]:
    """Return a line for each known vulnerability."""
    lines = []
    for package in read["dependencies"]:
        for each in package.get("vulns", ()):
            names = ", ".join([each["id"], *each.get("aliases", ())])
            mended = ", ".join(each.get("fix_versions", ())) or "no version yet"
            lines.append(f"{package['name']} {package['version']}: {names}; mended in {mended}")
    return sorted(set(lines))


def main() -> int:
    """Audit, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=DATABASE)
    database = parser.parse_args().database.rstrip("/")
    if not reached(database):
        print(f"Not audited: the database of known vulnerabilities cannot be reached ({database}).")
        return 0
    read = report(database)
    if isinstance(read, str):
        print(f"The audit failed: {read}", file=sys.stderr)
        return 1
    lines = vulnerable(read)
    if lines:
        print("Known vulnerabilities:", *lines, sep="\n  ", file=sys.stderr)
        return 1
    skipped = [package["name"] for package in read["dependencies"] if "skip_reason" in package]
    count = len(read["dependencies"]) - len(skipped)
    print(
        f"{count} packages audited: no known vulnerability." + (f" Not audited: {', '.join(skipped)}." * bool(skipped))
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
