"""The files for deployment agree with one another, with the app's settings and with their document."""

import re
import tomllib
from fnmatch import fnmatch

import yaml

from tests.layering import ROOT

NGINX = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
DOCUMENT = (ROOT / "docs" / "deploy.md").read_text("utf-8")
REPLICAS = ("replica-a", "replica-b")


def in_the_context(path: str) -> bool:
    """Whether .dockerignore lets a file or folder through; the last rule that fits counts."""
    kept = True
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        rule, parts = line.removeprefix("!").rstrip("/"), path.split("/")
        if line and line[0] != "#" and any(fnmatch("/".join(parts[:n]), rule) for n in range(1, len(parts) + 1)):
            kept = line[0] == "!"
    return kept


def test_the_image_gets_what_it_copies_and_no_more():
    copied = [name for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.M) for name in line.split()[:-1]]
    assert copied and all((ROOT / name).exists() and in_the_context(name) for name in copied)
    assert in_the_context("core/text/examples.jsonl") and in_the_context("checkpoints/dialoscope/card.json")
    for name in (".git", ".venv", "tests", "deploy/.env", "deploy/tls/privkey.pem", "checkpoints/imported/x", "runs"):
        assert not in_the_context(name), name


def test_the_image_runs_as_no_root_and_has_a_health_check():
    lines = DOCKERFILE.splitlines()
    user = lines.index("USER dialoscope")
    assert all(number < user for number, line in enumerate(lines) if line.startswith(("RUN ", "COPY ")))
    assert 'CMD ["python", "deploy/ready.py"]' in DOCKERFILE and "curl" not in DOCKERFILE
    assert re.search(r"^FROM python:3\.11-slim$", DOCKERFILE, re.M)


def test_compose_has_the_replicas_that_nginx_asks():
    services, hosts = COMPOSE["services"], dict(each.split(":") for each in COMPOSE["services"]["nginx"]["extra_hosts"])
    asked = set(re.findall(r"server (replica-[ab]):(\d+)", NGINX))
    assert asked == {(name, services[name]["environment"]["STREAMLIT_SERVER_PORT"]) for name in REPLICAS}
    for name in REPLICAS:
        service = services[name]
        assert service["networks"]["inside"]["ipv4_address"] == hosts[name]
        assert service["environment"]["FORWARDED_ALLOW_IPS"] == services["nginx"]["networks"]["inside"]["ipv4_address"]
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and "ports" not in service
        assert services["nginx"]["depends_on"][name]["condition"] == "service_healthy"
    written = {path for path in re.findall(r"(/etc/nginx/tls|/var/cache/\w+|/run)\b", NGINX)}
    mounted = [each.rsplit(":", 1)[0].split(":")[-1] for each in services["nginx"]["volumes"]]
    assert written <= {*services["nginx"]["tmpfs"], *(each.replace(".conf:ro", "") for each in mounted)}


def test_an_upload_that_the_app_takes_passes_nginx():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["server"]
    allowed = max(int(each) for each in re.findall(r"client_max_body_size (\d+)m;", NGINX))
    assert settings["maxUploadSize"] < allowed <= settings["maxUploadSize"] + 5


def test_the_document_has_the_limits_of_nginx():
    for name in ("tabs", "all_tabs", "connections"):
        assert {f"limit_conn {name} {n}" for n in re.findall(rf"limit_conn {name} (\d+);", NGINX)} == set(
            re.findall(rf"`(limit_conn {name} \d+)`", DOCUMENT)
        )
    for setting in re.findall(r"client_\w+ \w+(?=;)|rate=\d+r/s|burst=\d+", NGINX):
        assert f"`{setting}`" in DOCUMENT, setting


def test_a_service_without_containers_has_the_same_settings():
    unit = (ROOT / "deploy" / "dialoscope@.service").read_text("utf-8")
    assert "STREAMLIT_SERVER_HEADLESS=true" in unit and "STREAMLIT_SERVER_HEADLESS=true" in DOCKERFILE
    assert "ready.py --wait" in unit and "STREAMLIT_SERVER_PORT=%i" in unit
