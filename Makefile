# make app · make test · make check · make clean · make help      (Windows and no make: see README.md)

# The first suitable interpreter; another one: make app PYTHON=/path/to/python
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3 python; do \
	"$$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& { echo "$$name"; break; }; done)
HOST ?= localhost
PORT ?= 8501
# On Linux, PyPI's torch brings gigabytes of CUDA libraries, so its CPU build is tried first; empty: not tried.
TORCH_CPU_INDEX ?= https://download.pytorch.org/whl/cpu
ARGS ?=
# DEMO=1: make app for strangers; it takes no files and no models, and trains nothing.
DEMO ?=
# Processes that test: two drive a browser each while the others take the other tests, file by file.
WORKERS ?= 3
# make test-browser: how often in a row, and BUSY=1 keeps every core busy meanwhile.
REPEAT ?= 1
BUSY ?=

# make fuzz: how many cases Hypothesis makes, of all kinds together.
CASES ?= 10000

VENV := .venv
RUN := $(VENV)/bin/python
PYTEST := $(RUN) -m pytest -n $(WORKERS) --no-loadscope-reorder
PIP := $(RUN) -m pip --disable-pip-version-check install
TORCH := $(shell grep '^torch==' requirements.txt)
PLATFORM := $(shell uname -s)-$(shell uname -m)

.PHONY: help app test test-all test-browser test-processors fuzz check audit docs words screenshots clean

help:
	@echo "make app     install what is missing and start the app   (HOST=$(HOST) PORT=$(PORT) DEMO=1)"
	@echo "make test    run the tests, browser tests included; slow ones not   (ARGS=\"-k attention\")"
	@echo "make test-all       run the slow tests too: Ray, resuming, refining, whole trainings, JAX"
	@echo "make test-browser   run the browser tests alone          (REPEAT=20 BUSY=1)"
	@echo "make test-processors   run the numeric tests as other processors would"
	@echo "make fuzz    run 10,000 hostile cases (CASES=500 ARGS=\"-k files\")"
	@echo "make check   ruff, mypy, whether the documents are up to date and the pins resolve for each Python, and make audit"
	@echo "make audit   look the pinned packages up in a database of known vulnerabilities, where a network allows it"
	@echo "make docs         draw docs/imports.svg from the imports, and the tables of pages in README.md and docs/architecture.md"
	@echo "make words        bring the catalogues of languages, core/words/*.po, up to date with the code"
	@echo "make screenshots  take docs/screenshots/pages.png from the running app"
	@echo "make clean   remove $(VENV)"

app: $(VENV)/.runtime
	@address="$(HOST)"; \
	case "$$address" in 0.0.0.0|::) \
		address=$$($(RUN) -c "$$LAN_ADDRESS"); echo "A class opens http://$$address:$(PORT)";; \
	esac; \
	$(if $(DEMO),DIALOSCOPE_DEMO=1) $(RUN) -m streamlit run app.py --server.address "$(HOST)" --server.port "$(PORT)" --browser.serverAddress "$$address"

test: $(VENV)/.dev
	$(PYTEST) -m "not slow" --hypothesis-profile=short $(ARGS)

test-all: $(VENV)/.dev
	$(PYTEST) $(ARGS)

test-browser: $(VENV)/.dev
	@if [ -n "$(BUSY)" ]; then for core in $$(seq $$(getconf _NPROCESSORS_ONLN)); do \
		(while :; do :; done) & busy="$$busy $$!"; done; trap 'kill $$busy' EXIT; trap 'exit 130' INT TERM; fi; \
	for round in $$(seq $(REPEAT)); do \
		echo "Round $$round of $(REPEAT)"; $(RUN) -m pytest -q -x tests/browser $(ARGS) || exit 1; done

test-processors: $(VENV)/.dev
	$(RUN) -m tests.processors $(ARGS)

fuzz: $(VENV)/.dev
	CASES=$(CASES) $(RUN) -m pytest -q tests/fuzz --hypothesis-profile=fuzz -o timeout=0 $(ARGS)

check: $(VENV)/.dev
	$(RUN) -m ruff format --check
	$(RUN) -m ruff check
	$(RUN) -m mypy
	$(RUN) docs/imports.py --check
	$(RUN) docs/readme.py --check
	$(RUN) docs/formats.py --check
	$(RUN) docs/colours.py --check
	$(RUN) deploy/resolve.py
	$(RUN) deploy/audit.py

audit: $(VENV)/.dev
	$(RUN) deploy/audit.py

docs: $(VENV)/.dev
	$(RUN) docs/imports.py
	$(RUN) docs/readme.py
	$(RUN) docs/formats.py
	$(RUN) docs/colours.py

words: $(VENV)/.dev
	@PYTHONPATH=. $(VENV)/bin/pybabel -q extract -F babel.cfg -k say -k later -k count --no-default-keywords \
		--add-location=file --project=dialoscope -o build.pot app.py pages core checkpoints/dialoscope
	@for code in $$($(RUN) -c 'from core.words import ENGLISH, LANGUAGES; print(*(LANGUAGES.keys() - {ENGLISH}))'); do \
		test -e core/words/$$code.po \
			|| $(VENV)/bin/pybabel -q init -i build.pot -o core/words/$$code.po -l $$code --width=120; \
		$(VENV)/bin/pybabel -q update -i build.pot -o core/words/$$code.po -l $$code \
			--width=120 --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date; done; rm build.pot

screenshots: $(VENV)/.dev
	$(RUN) docs/screenshots.py

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
	@$(PIP) -r requirements.txt -c constraints.txt
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
