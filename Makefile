# Two commands are all a newcomer needs: `make run` and `make test`.
.DEFAULT_GOAL := help
.PHONY: help run install test cover fast lint style types tests format pages bench figures audit chaos minds soak second-opinion mutants rehearsal browser clean

UV_VERSION := 0.13.8
PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
# A pip that can install into another environment, as from 22.3 on; to make a new one there takes four seconds.
PIP_AT_HAND = $(shell $(PYTHON) -c 'import pip; print("yes" * (tuple(map(int, pip.__version__.split(".")[:2])) >= (22, 3)))' 2>/dev/null)
QUIET = $(shell [ -t 2 ] || echo --quiet)# on a terminal uv shows how far it is
export UV_COMPILE_BYTECODE := 1
export UV_PYTHON := $(CURDIR)/$(BIN)/python

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# What Python compiles as it loads it is kept; to compile all that the libraries hold, six times as much, takes longer.
run: export PYTHONDONTWRITEBYTECODE :=

run: .venv/run.stamp ## Start Selfroom (the playground when there is no Discord token)
	@exec $(BIN)/selfroom run

install: .venv/run.stamp ## Fetch what a service needs, and start nothing (docs/server.md)
	@$(UV) sync --frozen --inexact --no-dev $(QUIET)
	@$(BIN)/python -m compileall -q bot cogs storage

test: .venv/dev.stamp browser style ## Everything that must hold before a change lands; WORKERS=6 for more at a time
	@$(MAKE) --no-print-directory --jobs=2 types tests

cover: .venv/dev.stamp browser ## The tests once more, slower, with what they leave untried
	@$(MAKE) --no-print-directory tests WITH="--cov --cov-branch --cov-report=term:skip-covered"

fast: .venv/dev.stamp ## Only the quick tests
	$(BIN)/pytest -n 2 --durations 10 --durations-min 1 -m "not e2e and not long and not slow"

lint: style types ## Format, lint, import contracts and types, without changing anything

style: .venv/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: .venv/dev.stamp
	$(BIN)/mypy

# What pytest makes of the tests before they run is half of a start, and would be made anew by each of its processes.
tests fast: export PYTHONDONTWRITEBYTECODE :=

# Four at a time, also on two cores: most end-to-end tests wait for other programs. Each takes up to a gigabyte.
tests: .venv/dev.stamp .venv/bytecode.stamp
	$(BIN)/alembic check
	@$(BIN)/pytest -n $(or $(WORKERS),4) --durations 10 $(WITH) || { \
		[ $$? -eq 1 ] && echo "Once more, one at a time, what failed: what passes now is unsteady, and a bug in its test or in Selfroom." && \
		$(BIN)/pytest --last-failed --last-failed-no-failures=none -rA --tb=short; }

format: .venv/dev.stamp ## Rewrite the code in the house's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

pages: .venv/dev.stamp ## Write anew what follows from the code: the tables in docs/commands.md, docs/actions.md and docs/games.md, the golden HUDs of the tests, what catalogues lack
	$(BIN)/python -m tests.cogs.pages
	$(BIN)/python -m tests.core.hud.golden
	$(BIN)/python -m tests.languages.catalogues

bench: .venv/dev.stamp ## Measure; ONLY=playground (or hud, storage, ...) runs one part
	$(BIN)/python -m tests.bench $(ONLY)

figures: .venv/dev.stamp ## Print the figures by which the house is kept: lines, modules, sizes
	@$(BIN)/python -m tests.house.figures

audit: $(UV) ## Ask whether a dependency has a known weakness (needs the network)
	@$(UV) audit --frozen --preview-features audit-command || { \
		[ $$? -eq 1 ] || echo "Nothing was audited: the list of known weaknesses cannot be had from here; try again with a network."; exit 1; }

chaos: .venv/dev.stamp ## Kill the bot while people talk and everything fails, with ten seeds in turn; SEED=n for one, KILLS=40; SCENES=1 over whole scenes, TIMELINES=1 over what-ifs
	@SEED=$(SEED) KILLS=$(KILLS) SCENES=$(SCENES) TIMELINES=$(TIMELINES) $(BIN)/python -m tests.chaos

minds: .venv/dev.stamp ## Try small real models on this machine and compare ways of asking them; MINDS=folder, WAYS=lean, ALL=1, LANGUAGES=German,Spanish; TALK=1 for one long talk, COUNCIL=1 for a council of three
	@WAYS="$(WAYS)" $(if $(LANGUAGES),LANGUAGES="$(LANGUAGES)") $(if $(ALL),ALL=1) $(BIN)/python -m tests.minds $(or $(MINDS),../shared/minds)

soak: .venv/dev.stamp ## Twenty agents and ten people for half an hour; MINUTES=n
	@MINUTES=$(MINUTES) $(BIN)/python -m tests.chaos.soak

second-opinion: .venv-second/second.stamp ## Live on a Discord that others wrote (SimCord), and see whether ours is like it; ONLY=thread
	.venv-second/bin/pytest tests/second -k "$(ONLY)"

mutants: .venv-mutants/mutants.stamp ## Break the house in small ways, and see whether a test notices; PART=core.reasons
	.venv-mutants/bin/mutmut run "bot.$(PART)*"
	.venv-mutants/bin/mutmut results

rehearsal: .venv/dev.stamp ## Carry out the Dockerfile without a container engine, and live in what it makes (root, Linux)
	@$(BIN)/python -m tests.house.rehearsal

browser: ## Chromium for the page's tests, where the system's package manager can give it
	@sh deploy/chromium.sh

clean: ## Remove what was built (never your data)
	rm -rf .venv .venv-second .venv-mutants mutants .mypy_cache .ruff_cache .pytest_cache .coverage bench.json test-output

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Selfroom needs Python 3.11 or newer: install it, or name one with make PYTHON=python3.12."; exit 1; }
	@echo "Making .venv, and fetching uv, which fetches the rest …"
	@$(PYTHON) -m venv $(if $(PIP_AT_HAND),--without-pip) .venv || { echo "This Python cannot make virtual environments: install its venv package (on Debian and Ubuntu: python3-venv) and try again."; rm -rf .venv; exit 1; }
	@$(if $(PIP_AT_HAND),$(PYTHON) -m pip --python $(BIN)/python,$(BIN)/python -m pip) install --quiet --disable-pip-version-check uv==$(UV_VERSION)

.venv/run.stamp: $(UV) pyproject.toml uv.lock
	@echo "Fetching the libraries that Selfroom stands on (only this time) …"
	@UV_COMPILE_BYTECODE=0 $(UV) sync --frozen --inexact --no-dev $(QUIET)
	@touch $@

.venv/dev.stamp: $(UV) pyproject.toml uv.lock
	@echo "Fetching the libraries and tools (only this time) …"
	@$(UV) sync --frozen --inexact --all-extras $(QUIET)
	@touch $@ .venv/run.stamp

# Where Python may not write what it has compiled, each start would compile all of it anew.
.venv/bytecode.stamp: .venv/dev.stamp $(shell find bot cogs storage -name '*.py' 2>/dev/null)
	@$(BIN)/python -m compileall -q bot cogs storage
	@touch $@

.venv-second/second.stamp: $(UV) pyproject.toml uv.lock
	@UV_PROJECT_ENVIRONMENT=.venv-second $(UV) sync --frozen --group second --quiet
	@touch $@

.venv-mutants/mutants.stamp: $(UV) pyproject.toml uv.lock
	@UV_PROJECT_ENVIRONMENT=.venv-mutants $(UV) sync --frozen --group mutants --quiet
	@touch $@
