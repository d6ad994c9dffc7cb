# Everything runs in a virtual environment of its own; `make demo` needs only Python 3.11 and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DURATION ?= 5
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# one BLAS thread: the solvers' own kernels do the work, and idle BLAS workers only add jitter
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.PHONY: help demo view test test-all test-browser lint bench docs gallery tables clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.demo  ## install, compile, swing a 500 kg box on a 100-link chain, plot it
	@mkdir -p build
	$(BIN)/taut run hanging_chain --duration $(DURATION) --record build/hanging_chain.h5
	$(BIN)/taut plot build/hanging_chain.h5 --out build/hanging_chain.png

view: $(VENV)/.view  ## run the log tower in the browser
	$(BIN)/taut view log_tower

# -n and --dist are those of pytest_xdist: a worker a core, whole files at a time
test: lint  ## lint, types and all tests but the slow ones, on two cores; kernels are compiled first, once for both
	$(BIN)/taut warmup
	$(BIN)/pytest -n 2 --dist loadfile

test-all: lint  ## also the slow tests
	$(BIN)/pytest -m "not browser"

test-browser: $(VENV)/.browser  ## the viewer in a real browser without a screen (installs Debian's chromium)
	@command -v chromium >/dev/null || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq chromium; }
	$(BIN)/pytest -m browser tests/browser

lint: $(VENV)/.dev  ## ruff (rules and format) and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

bench: $(VENV)/.dev  ## run every benchmark
	$(BIN)/taut warmup
	@set -e; for name in $$($(BIN)/python -c "import taut.benchmarks; print(*taut.benchmarks.names())"); do \
		$(BIN)/taut bench $$name; done

docs: $(VENV)/.docs  ## build the documentation, warnings are errors
	$(BIN)/python docs/make_tables.py
	$(BIN)/python docs/make_parts.py
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "build/docs/index.html"

tables: $(VENV)/.dev  ## run every scene and write the pages of scenes and solvers
	$(BIN)/python docs/make_tables.py --measure

gallery: $(VENV)/.dev  ## run and draw every scene and machine part for the documentation
	$(BIN)/python docs/make_gallery.py
	$(BIN)/python docs/make_parts.py --draw

clean:  ## remove everything that was made, the environment too
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Taut needs Python 3.11 or newer; try: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

# stamps: one a set of extras, renewed when the dependencies change
$(VENV)/.demo: EXTRAS = plot
$(VENV)/.dev: EXTRAS = dev
$(VENV)/.docs: EXTRAS = docs
$(VENV)/.view: EXTRAS = view
$(VENV)/.browser: EXTRAS = browser
$(VENV)/.demo $(VENV)/.dev $(VENV)/.docs $(VENV)/.view $(VENV)/.browser: pyproject.toml | $(VENV)/bin/python
	@echo "installing Taut and its extra '$(EXTRAS)' into $(VENV), which takes a minute or so ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@touch $@
