# What you type -> what the lab does. Everything is set up on the way, into .venv and the lab's cache; no root needed.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The lab of an active conda environment (environment.yml) serves its reader; tests and all else need .venv's locked tools.
CONDA_LAB := $(if $(CONDA_PREFIX),$(wildcard $(CONDA_PREFIX)/bin/safepoint))
USED := $(if $(filter-out setup lab copies notebooks,$(or $(MAKECMDGOALS),help)),,$(CONDA_LAB))
BIN := $(if $(USED),$(CONDA_PREFIX)/bin,.venv/bin)
PACKAGES := $(or $(USED),.venv/packages.stamp)
PORT ?= 8888
# REPLAY=1 plays the recordings that come with the lab. Python is all that they need.
PLAYED := $(if $(REPLAY),$(BIN)/safepoint runs play --)
export PATH := $(abspath $(BIN)):$(PATH)

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{ printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The stamp is as old as the last set-up: a newer lock makes it run again, an unchanged one starts nothing.
.venv/packages.stamp: requirements.lock pyproject.toml scripts/bootstrap.py
	@python=$$(scripts/find-python) && "$$python" scripts/bootstrap.py
	@touch $@

.PHONY: setup
setup: $(PACKAGES) ## get what is missing: Python packages, JDKs 8 11 17 21 25 and the newest, ecj, kernels
	@$(BIN)/safepoint setup

.PHONY: lab
lab: $(if $(REPLAY),$(PACKAGES),setup) ## open your copies of the notebooks in JupyterLab on this machine (PORT=8888; REPLAY=1: no JDK)
	@exec $(PLAYED) $(BIN)/jupyter lab --config=scripts/jupyter_server.py --port=$(PORT) $(LAB_OPTIONS)

.PHONY: copies
copies: setup ## make your copies of the notebooks in work/, for an editor of your own
	@$(BIN)/safepoint notebooks --copies

.PHONY: notebooks
notebooks: $(if $(REPLAY),$(PACKAGES),setup) ## execute the notebooks without a page (NB=02 for one; REPLAY=1); results in build/notebooks
	@$(PLAYED) $(BIN)/safepoint notebooks $(if $(REPLAY),--jobs $$(nproc)) $(NB)

# Both are tried: one page that fails must not cost the recordings of all others. The second says which pages lack runs.
# With the pages go the solutions of their exercises, and two wrong answers to each.
# No verdict is measured: a replay shows those of docs/claims.json.
.PHONY: recordings
recordings: setup ## execute every notebook and pack its runs into recordings/ (NB=03 for one): plays without any JDK
	@SAFEPOINTLAB_VERDICTS_S=0 $(BIN)/safepoint notebooks --answers $(NB) || true
	@$(BIN)/safepoint runs export $(if $(NB),--notebook $(NB))

# Unbuffered (-u), so that a log file or a pipe shows how far the tests are; -P keeps this folder off Python's path.
PYTEST := $(BIN)/python -uP -m pytest
TWO_AT_ONCE := -n 2 --dist worksteal

.PHONY: test
test: setup ## the gate: all that needs no JDK, each page played from its recording, and a few runs in JVMs of 8 and 25
	@$(PYTEST) -m "not nightly" $(TWO_AT_ONCE) --durations=15 $(PYTEST_OPTIONS)

.PHONY: nightly
nightly: setup ## the gate and all else: every page live, every JDK, times, browsers, the image, a soak; into docs/figures.md
	@$(BIN)/python scripts/nightly.py

.PHONY: quick
quick: $(PACKAGES) ## the tests that need no JDK, and how much of the package they run
	@$(PYTEST) -m "not (nightly or gate)" $(TWO_AT_ONCE) --cov --cov-report=html $(PYTEST_OPTIONS)
	@echo "These tests run $$($(BIN)/coverage report --format=total) % of the package's lines: build/coverage/index.html"

# All of it works without a network.
.PHONY: lint
lint: $(PACKAGES) ## ruff, mypy, import-linter, hadolint, zizmor and schemas for the workflows and issue forms, codespell
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy --config-file tests/mypy.ini tests scripts/*.py
	@$(BIN)/lint-imports --no-logo --no-cache
	@$(BIN)/hadolint Dockerfile
	@$(BIN)/zizmor --offline --quiet .github
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms \
		$(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	@$(BIN)/codespell *.md .github docs/*.md docs/decisions deploy notebooks java-samples safepointlab scripts

.PHONY: hooks
hooks: $(PACKAGES) ## let git run ruff and mypy before each commit of yours
	@$(BIN)/pre-commit install

.PHONY: figures
figures: setup ## measure what the lab costs, into docs/figures.md; take the README's picture of a page
	@$(BIN)/python scripts/picture.py
	@$(BIN)/python scripts/figures.py

.PHONY: readme
readme: $(PACKAGES) ## write the tables of notebooks, samples, claims and settings, how to get the lab, and the man page
	@$(BIN)/python scripts/readme.py
	@$(BIN)/python scripts/samples_readme.py
	@$(BIN)/python scripts/claims_page.py
	@$(BIN)/python scripts/settings_page.py
	@$(BIN)/python scripts/changes.py --page
	@$(BIN)/python scripts/man_page.py

.PHONY: flags
flags: setup ## ask the JDKs of this machine about the flags of the course and what changed after 25, into docs/
	@$(BIN)/python scripts/flags_facts.py
	@$(BIN)/python scripts/changes.py

.PHONY: site
site: $(PACKAGES) ## make the book: static pages of the notebooks as they were saved, in build/site
	@$(BIN)/safepoint site

.PHONY: workshop
workshop: $(PACKAGES) ## make a folder for a class in build/workshop: pages, solutions, guide, agendas, handout
	@$(BIN)/safepoint workshop

.PHONY: slides
slides: $(PACKAGES) ## make a deck of slides of each demo's notebook in build/slides
	@$(BIN)/safepoint slides

.PHONY: lock
lock: $(PACKAGES) ## resolve the dependencies anew into requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 \
		--extra lab --group dev --group hub --group site pyproject.toml -o requirements.lock

.PHONY: wheel
wheel: $(PACKAGES) ## build the package to publish, wheel and source, in build/dist; the locked tools do it
	@rm -rf build/dist && $(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python --out-dir build/dist

.PHONY: bundle
bundle: $(PACKAGES) ## one file for a room without a network (PLATFORMS="linux-x86_64 linux-aarch64", JDKS="17 21")
	@PYTHONPATH=. $(BIN)/python scripts/bundle.py

.PHONY: image
image: ## build the lab's container image with buildah
	@scripts/image
