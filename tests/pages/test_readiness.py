"""What a health check gets: from a server that nobody visited, through the guard, and when the model fails."""

import threading
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.testclient import TestClient

from core import checkpoints
from core.errors import CheckpointError
from pages.shared.guard import server_access, stale_requests
from pages.shared.model import models, readiness
from pages.shared.place import redirects
from tests.loops import run
from tests.pages.conftest import SECONDS


@pytest.fixture
def asked() -> TestClient:
    """A client of the answer behind the guard, as app.py puts them together."""
    app = Starlette(routes=[Route(readiness.PATH, readiness.answer)], middleware=[Middleware(server_access.Guard)])
    return TestClient(app, base_url="http://localhost:8501")


def test_asking_loads_the_model_of_the_first_visitor(asked, folder, monkeypatch, tmp_path) -> None:
    (tmp_path / "unvisited").symlink_to(folder / "tiny")
    monkeypatch.setattr(models.LoadJob, "after", lambda job: None)
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    first = asked.get(readiness.PATH)
    job = models.job("unvisited")
    assert job.done.wait(SECONDS) and job.error is None
    assert first.status_code == 503 and first.text.startswith(models.STAGES), "nobody asked before"
    assert first.headers["Retry-After"] == "2" and first.headers["Cache-Control"] == "no-store"
    second = asked.get(readiness.PATH)
    assert (second.status_code, second.text) == (200, "Ready: unvisited is loaded.\n")
    assert second.headers["Content-Security-Policy"] == server_access.HEADERS["Content-Security-Policy"]
    assert asked.head(readiness.PATH).status_code == 200 and asked.post(readiness.PATH).status_code == 405


def test_a_health_check_from_inside_passes_the_guard_and_a_foreign_name_does_not(folder, monkeypatch) -> None:
    monkeypatch.setattr(checkpoints, "FOLDER", folder)
    inner = Starlette(routes=[Route(readiness.PATH, readiness.answer)])
    guard = server_access.Guard(inner)
    guard.names = server_access.answered_names("0.0.0.0", ["class.example.org"])
    hosts = ("localhost:8501", "127.0.0.1:8501", "class.example.org", "10.0.0.7", "evil.example")
    answers = [TestClient(guard, base_url=f"http://{host}").get(readiness.PATH).status_code for host in hosts]
    assert answers == [200, 200, 200, 403, 403]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (CheckpointError("weights.safetensors is damaged"), "weights.safetensors is damaged"),
        (MemoryError("at 0x7f00, in /srv/app"), "the log says why."),
    ],
)
def test_a_model_that_failed_is_not_ready_and_the_answer_tells_no_secrets(asked, folder, monkeypatch, error, said):
    monkeypatch.setattr(checkpoints, "FOLDER", folder)
    monkeypatch.setattr(models, "job", lambda name: SimpleNamespace(summarizer=None, error=error))
    answer = asked.get(readiness.PATH)
    assert (answer.status_code, answer.text) == (503, f"The model tiny could not be loaded: {said}\n")


def test_without_a_readable_checkpoint_the_answer_says_so(asked, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    answer = asked.get(readiness.PATH)
    assert answer.status_code == 503 and answer.text.startswith("No checkpoint is installed")


def test_the_app_has_the_answer_behind_its_guard() -> None:
    import app

    assert [route.path for route in app.app._user_routes] == ["/ready", "/following"]
    assert [each.cls for each in app.app._user_middleware] == [
        server_access.Guard,
        redirects.Redirects,
        stale_requests.StaleRequests,
    ]


def test_the_load_begins_when_the_first_page_is_drawn_or_nobody_comes(monkeypatch) -> None:
    for head_start, visited in ((30.0, True), (0.01, False)):
        begun = threading.Event()
        monkeypatch.setattr(readiness, "HEAD_START", head_start)
        monkeypatch.setattr(readiness, "_drawn", threading.Event())
        monkeypatch.setattr(readiness, "state", begun.set)

        async def serve() -> None:
            async with readiness.begin(None):
                pass

        run(serve())
        if visited:
            assert not begun.wait(0.1)
            readiness.drawn()
        assert begun.wait(SECONDS)
