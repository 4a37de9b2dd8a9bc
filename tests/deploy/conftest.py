"""Two replicas of the app behind nginx, with the configuration that is shipped."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from deploy.ready import ask
from tests.browser.conftest import free_port, launch, stop
from tests.deploy.client import NAME, answer
from tests.layering import ROOT
from tests.needs import need

SHIPPED = ROOT / "deploy" / "nginx.conf"


def tool(name: str) -> str:
    """The path of a program; without it a test is skipped, and fails in CI."""
    path = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
    need(path, name, "`apt-get install --no-install-recommends nginx openssl`")
    return path


@dataclass
class Replica:
    """One server of the app, which may be killed and started again."""

    port: int
    log: Path
    process: subprocess.Popen | None = None

    def start(self) -> None:
        self.process = launch(self.port, self.log, allowedHosts=NAME)

    def wait(self) -> None:
        """Wait until the server answers, loaded or not."""
        end = time.monotonic() + 90
        while "No server answers" in ask(f"http://127.0.0.1:{self.port}")[1]:
            assert self.process.poll() is None and time.monotonic() < end, self.log.read_text("utf-8", "replace")
            time.sleep(0.2)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            stop(self.process)


@dataclass
class Front:
    """nginx and what stands behind it."""

    folder: Path
    replicas: dict[str, Replica]
    port: int = field(default_factory=free_port)
    plain_port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"https://{NAME}:{self.port}"

    def configuration(self, text: str = SHIPPED.read_text("utf-8")) -> str:
        """The shipped configuration; other addresses, ports and paths, and nothing else."""
        changes = {
            "listen 443 ": f"listen 127.0.0.1:{self.port} ",
            "listen 80 ": f"listen 127.0.0.1:{self.plain_port} ",
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen 443;": f"listen 127.0.0.1:{self.port};",
            "replica-a:8501": f"127.0.0.1:{self.replicas['a'].port}",
            "replica-b:8502": f"127.0.0.1:{self.replicas['b'].port}",
            ":8501$": f":{self.replicas['a'].port}$",
            ":8502$": f":{self.replicas['b'].port}$",
            "/etc/nginx/tls": str(self.folder),
            "/var/log/nginx": str(self.folder),
            "/var/cache/dialoscope": str(self.folder / "scripts"),
            "/run/nginx.pid": str(self.folder / "nginx.pid"),
        }
        for shipped, here in changes.items():
            text = text.replace(shipped, here)
        return text

    def answered(self, path: str, source: str = "127.0.0.1") -> str:
        """Which replica answered the last request of an address for a path, as nginx logged it."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            lines = (self.folder / "access.log").read_text("utf-8").splitlines()
            found = [line for line in lines if f' {path}" ' in line and line.startswith(f"{source} ")]
            if found:
                port = found[-1].split()[-2].rpartition(":")[2]
                return next(name for name, each in self.replicas.items() if str(each.port) == port)
            time.sleep(0.1)
        raise AssertionError(f"nginx logged no request of {source} for {path}")


@pytest.fixture(scope="module")
def front() -> Iterator[Front]:
    """Two replicas with nginx before them."""
    with TemporaryDirectory(prefix="dialoscope-") as folder:
        yield from _run(Path(folder))


def checked(front: Front, configuration: str) -> list[str | Path]:
    """Write a certificate and a configuration; return the command that starts nginx, which has found no fault in it."""
    nginx, openssl, folder = tool("nginx"), tool("openssl"), front.folder
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
        + ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"],
        check=True,
        capture_output=True,
    )
    (folder / "nginx.conf").write_text(configuration, "utf-8")
    command: list[str | Path] = [nginx, "-p", folder, "-c", folder / "nginx.conf"]
    check = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert check.returncode == 0 and "[warn]" not in check.stderr, check.stderr
    return command


def _run(folder: Path) -> Iterator[Front]:
    folder.chmod(0o755)  # nginx's workers are not root, and write copies of scripts
    front = Front(folder, {name: Replica(free_port(), folder / f"{name}.log") for name in "ab"})
    command = checked(front, front.configuration())
    with ExitStack() as stack:
        for replica in front.replicas.values():
            replica.start()
            stack.callback(replica.stop)
        server = subprocess.Popen([*command, "-g", "daemon off;"], stdin=subprocess.DEVNULL)
        stack.callback(server.wait)
        stack.callback(server.terminate)
        for replica in front.replicas.values():
            replica.wait()
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                if answer(front.port, "/_stcore/health").status == 200:
                    break
            except OSError:
                time.sleep(0.1)
        yield front
