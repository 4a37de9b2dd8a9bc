# make app · make test · make check · make clean      (Windows and no make: see README.md)

# The first suitable interpreter; another one: make app PYTHON=/path/to/python
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3 python; do \
	"$$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& { echo "$$name"; break; }; done)
HOST ?= localhost
PORT ?= 8501
# On Linux, PyPI's torch brings gigabytes of CUDA libraries, so its CPU build is tried first; empty: not tried.
TORCH_CPU_INDEX ?= https://download.pytorch.org/whl/cpu
ARGS ?=
# Processes that test: the browser's tests are one group, first of all, and the others go by file meanwhile.
WORKERS ?= 3

VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check install
TORCH := $(shell grep '^torch==' requirements.txt)
PLATFORM := $(shell uname -s)-$(shell uname -m)

.PHONY: help app test check clean

help:
	@echo "make app     install what is missing and start the app   (HOST=$(HOST) PORT=$(PORT))"
	@echo "make test    run every test, browser tests included      (ARGS=\"-k attention\")"
	@echo "make check   ruff and mypy"
	@echo "make clean   remove $(VENV)"

app: $(VENV)/.runtime
	@address="$(HOST)"; \
	case "$$address" in 0.0.0.0|::) \
		address=$$($(RUN) -c "$$LAN_ADDRESS"); echo "A class opens http://$$address:$(PORT)";; \
	esac; \
	$(RUN) -m streamlit run app.py --server.address "$(HOST)" --server.port "$(PORT)" --browser.serverAddress "$$address"

test: $(VENV)/.dev
	$(RUN) -m pytest -n $(WORKERS) --no-loadscope-reorder $(ARGS)

check: $(VENV)/.dev
	$(RUN) -m ruff check
	$(RUN) -m mypy

clean:
	rm -rf $(VENV)

# The stamps stand for 'installed': a second run has nothing to do until the requirements change.
$(VENV)/.runtime: requirements.txt constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed and none was found." \
		"Install one, or name it: make app PYTHON=/path/to/python" >&2; exit 2; }
	@test -x $(RUN) || "$(PYTHON)" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
		|| { echo "Python 3.11, 3.12 or 3.13 is needed. Received: PYTHON=$(PYTHON)" >&2; exit 2; }
	@test -x $(RUN) || { echo "Creating $(VENV) with $(PYTHON)"; "$(PYTHON)" -m venv $(VENV); }
ifneq ($(strip $(TORCH_CPU_INDEX)),)
ifneq ($(filter Linux-x86_64 Linux-aarch64 Linux-arm64,$(PLATFORM)),)
	@$(RUN) -c 'import importlib.metadata as m; m.version("torch")' 2>/dev/null \
		|| { echo "Installing the CPU build of $(TORCH)"; \
		$(PIP) --retries 0 --timeout 5 --no-deps --index-url "$(TORCH_CPU_INDEX)" "$(TORCH)" 2>/dev/null; } \
		|| echo "$(TORCH_CPU_INDEX) gave none: torch will come from the default index"
endif
endif
	@echo "Installing requirements.txt (a first run takes minutes)"
	@$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.runtime
	@echo "Installing requirements-dev.txt"
	@$(PIP) -r requirements-dev.txt
	@touch $@

# The address of this machine on its network. Connecting a datagram socket sends nothing: it only asks the routing table.
define LAN_ADDRESS
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    try:
        probe.connect(("192.0.2.1", 9))
        print(probe.getsockname()[0])
    except OSError:
        print(socket.gethostname())
endef
export LAN_ADDRESS
