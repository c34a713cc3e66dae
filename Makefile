# afresh: `make run` shows it, `make test` proves it. Both work from a fresh clone.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# What a stamp depends on: a changed pyproject.toml installs again, nothing else does.
BASE := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
# What `make coverage` runs: the tests that stay in one process, where lines can be counted.
TESTS ?= tests/unit tests/property tests/contract
# How many documents `make fuzz` gives each parser.
DOCUMENTS ?= 200000

.PHONY: help setup run test test-citus check format lock pythons bench fuzz mutants figures pictures release-check coverage docs clean clean-cache

help: ## list the targets
	@grep -hE '^[a-z-]+:.*?## ' $(MAKEFILE_LIST) | awk -F':.*?## ' '{printf "  make %-13s %s\n", $$1, $$2}'

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "afresh needs Python 3.11 or newer; '$(PYTHON)' was not found. Try: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "afresh needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V). Try: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Could not make a virtual environment. On Debian: apt-get install python3-venv"; exit 1; }

$(BASE): pyproject.toml | $(VENV)/bin/python
	@echo "installing afresh into $(VENV) (once) ..."
	@$(PIP) install -e . || { echo "Installation failed: is a package index reachable?"; exit 1; }
	@touch $@

$(DEV): pyproject.toml | $(VENV)/bin/python
	@echo "installing afresh and what its tests need into $(VENV) (once) ..."
	@$(PIP) install -e '.[dev]' || { echo "Installation failed: is a package index reachable?"; exit 1; }
	@touch $@ $(BASE)

setup: $(DEV) ## make .venv with everything a developer needs
	@scripts/ensure-program chromium chromium chromium-browser google-chrome
	@scripts/ensure-program nats-server nats-server
	@scripts/ensure-program curl curl

run: $(BASE) ## install if needed, then watch a small living web (afresh demo)
	@$(BIN)/afresh demo

test: setup check ## everything CI runs: format, lint, types, architecture, all tests, docs
	@scripts/run-tests

check: $(DEV) ## the quick part: format, lint, types, architecture
	@$(BIN)/ruff format --check --quiet src tests examples || { echo "run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet src tests examples
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q -p no:randomly tests/unit/test_architecture.py

format: $(DEV) ## put the code into its one format
	@$(BIN)/ruff format --quiet src tests examples
	@$(BIN)/ruff check --fix --quiet src tests examples

test-citus: $(DEV) ## the laws of stores and frontiers on a cluster: make test-citus URL=postgresql://user@coordinator/empty_database
	@test -n "$(URL)" || { echo "name a cluster: make test-citus URL=postgresql://user@coordinator/empty_database"; exit 1; }
	@CITUS_URL=$(URL) $(BIN)/python -m pytest -q -p no:randomly tests/contract/test_frontier.py \
		$(filter-out %/test_store_damage.py,$(wildcard tests/contract/test_store*.py))

lock: $(DEV) ## renew requirements-dev.lock: the versions a developer's environment has now (pip install -r it for the same)
	@$(BIN)/python -m scripts.lock > requirements-dev.lock.new && mv requirements-dev.lock.new requirements-dev.lock && wc -l requirements-dev.lock

pythons: ## the base installation and its tests on every Python from 3.11 to 3.14 that is installed (PYTHONS=3.13)
	@scripts/test-pythons

bench: $(DEV) ## print the measured speed of every part with a target
	@$(BIN)/python -m tests.bench

mutants: $(DEV) ## break a copy of the code line by line: each break must be caught by its test
	@$(BIN)/python -m tests.mutants

release-check: test mutants ## before a release: everything CI runs, and the mutants

fuzz: $(DEV) ## mutated documents for every parser, 200,000 each (DOCUMENTS=1000)
	@$(BIN)/python -m tests.fuzz --documents $(DOCUMENTS)

figures: $(DEV) ## measure the figures of README and docs again (TRACES=folder with news-feeds and commit-feeds) and write them there
	@test -n "$(TRACES)" || { echo "say where the histories are: make figures TRACES=DIR"; exit 2; }
	@$(BIN)/python -m tests.figures $(TRACES)

pictures: $(DEV) ## make the pictures of the pages in README, tutorials and how-tos again, with a real browser
	@$(BIN)/python -m tests.pictures
	@$(BIN)/python -m tests.tour
	@$(BIN)/python -m tests.screens

coverage: $(DEV) ## which lines the tests reach (TESTS=tests/unit ...), as a page under out/coverage
	@$(BIN)/python -m coverage run -m pytest -q -p no:randomly $(TESTS)
	@$(BIN)/python -m coverage html --quiet && $(BIN)/python -m coverage report --skip-covered --sort=cover

docs: $(DEV) ## build the documentation as a site, into site/
	@$(BIN)/mkdocs build --quiet --strict && echo "site/index.html"

clean-cache: ## forget compiled kernels
	@find src tests -name '*.nb[ic]' -delete

clean: clean-cache ## forget the environment and all caches
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis out artefacts site
