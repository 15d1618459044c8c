# Every target creates .venv and installs what it needs; only python3, pip and make are assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_VENV := .bench-venv
BENCH_STAMP := $(BENCH_VENV)/.installed

.PHONY: test lint demo docs bench bench-quick bench-check clean

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

test: $(STAMP)
	$(BIN)/python -m pytest -n auto

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

demo: $(STAMP)
	$(BIN)/backstay demo --out demo

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir site

# Peers live in an environment of their own: some of them hold back numpy or pandas.
$(BENCH_STAMP): pyproject.toml benchmarks/requirements.txt
	test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH_VENV)/bin/python -m pip install --quiet --editable . -r benchmarks/requirements.txt
	touch $@

bench: $(BENCH_STAMP)
	$(BENCH_VENV)/bin/python -m benchmarks

bench-quick: $(BENCH_STAMP)
	$(BENCH_VENV)/bin/python -m benchmarks --quick

# Ratios to the light peers against those of the last full run.
bench-check: pyproject.toml benchmarks/requirements-check.txt
	test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --editable . -r benchmarks/requirements-check.txt
	$(BENCH_VENV)/bin/python -m benchmarks check

# The papers' experiments. DATA=folder adds those on real data, OUT=folder writes elsewhere,
# OPTIONS="--jobs 2" and the like are passed on.
OUT ?= docs/_reproduction
PAGE ?= $(if $(filter docs/_reproduction,$(OUT)),docs/reproduction.md,$(OUT)/reproduction.md)
.PHONY: reproduce
reproduce: $(STAMP)
	$(BIN)/python -m reproduction --all $(if $(DATA),--data "$(DATA)") --out "$(OUT)" --page "$(PAGE)" $(OPTIONS)

clean:
	rm -rf $(VENV) $(BENCH_VENV) demo site .mypy_cache .ruff_cache .pytest_cache .hypothesis
