# Two commands do everything on a fresh Debian machine with Python 3.11:  make demo  and  make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types unit audit bench clean

# The stamps make a second run start at once; they are remade when the project's metadata changes.
$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.core: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(VENV)/.core
	$(BIN)/dpfda demo

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

unit: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -m "not slow"

test: lint types unit

# Slow statistics: the samplers at full power, and a million draws a mechanism and relation.
audit: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -m slow

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks.run

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
