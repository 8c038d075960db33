# Every task of the project. `make demo` and `make test` set up what they need on a fresh Debian or Ubuntu.
.DEFAULT_GOAL := help
PY := .venv/bin/python
READY := .venv/.ready
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' aces_ci/__init__.py)

help:  ## Show the tasks
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | sort

$(READY): locks/dev.lock pyproject.toml tools/setup
	@tools/setup

demo: $(READY)  ## Run the main job on a small repository history and print the comment; no key, no network
	@$(PY) -m aces_ci demo

test: $(READY)  ## The default suite, under two minutes, no Docker and no network
	$(PY) -m pytest -n auto -m "not e2e" $(ARGS)

e2e: $(READY)  ## Docker, runner emulators, real agent CLIs, a browser, a real model
	tools/setup-e2e
	$(PY) -m pytest -m e2e $(ARGS)

check: $(READY) fmt-check lint types arch  ## Everything static

fmt: $(READY)  ## Format the code
	.venv/bin/ruff format aces_ci tests benchmarks tools .ci

fmt-check: $(READY)
	.venv/bin/ruff format --check aces_ci tests benchmarks tools .ci

lint: $(READY)  ## ruff and all YAML, workflow and Dockerfile linters
	.venv/bin/ruff check aces_ci tests benchmarks tools .ci
	tools/lint-config

types: $(READY)  ## mypy --strict
	.venv/bin/mypy

arch: $(READY)  ## The arrows between packages
	.venv/bin/lint-imports --no-cache

snap: $(READY)  ## Rewrite the golden files; read the diff before you commit it
	$(PY) -m pytest -m "not e2e" --snapshot-update tests/golden

docs: $(READY)  ## Rewrite the generated pages and tables
	$(PY) tools/generate-docs.py

lock: $(READY)  ## Resolve dependencies again, with hashes and without addresses
	tools/lock

image: ## Build the image of the action, in which live trials run their gateway (BASE names the base image)
	DOCKER_BUILDKIT=0 docker build -t aces-ci:local -t aces-ci:$(VERSION) $(if $(BASE),--build-arg BASE=$(BASE)) .

.PHONY: help demo test e2e check fmt fmt-check lint types arch snap docs lock image
