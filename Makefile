# Every target creates the environment it needs; only python3, pip and make are assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
APP_STAMP := $(VENV)/.app-installed
STAMP := $(VENV)/.installed
BENCH_VENV := .bench-venv
BENCH_STAMP := $(BENCH_VENV)/.installed
# The oldest numpy and numba have no wheels for the newest Python.
MIN_PYTHON ?= $(shell command -v python3.11 || echo $(PYTHON))
MIN_VENV := .min-venv
# One more than there are cores: many tests wait for processes.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
MIN_STAMP := $(MIN_VENV)/.installed
# Tests of the methods, without simulations that say nothing about versions, and without a test
# that itself needs a newer scipy (pearsonr of many pairs).
MIN_TESTS := tests/feature_weighting tests/instance_weighting tests/stability tests/test_common.py \
	--ignore tests/stability/test_inference.py --ignore tests/feature_weighting/test_svm_rounds.py \
	--ignore tests/feature_weighting/test_single_precision.py \
	--deselect tests/stability/test_similarity.py::test_equals_false_discovery_control

.PHONY: demo test test-slow lint docs environments min-versions bench bench-quick bench-check clean

# What the command line needs, and no more.
$(APP_STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[app]"
	touch $@

# The same environment with the tools to work on it.
$(STAMP): $(APP_STAMP)
	$(BIN)/python -m pip install --quiet --editable ".[app,anndata,dask]" --group dev
	touch $@

demo: $(APP_STAMP)
	$(BIN)/backstay demo --out demo

test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

# What takes longest: clusters in processes of their own, whole experiments, long examples.
test-slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

# For the test of the example with Snakemake, which is skipped without it.
.PHONY: snakemake
snakemake: $(VENV)/snakemake/bin/snakemake
$(VENV)/snakemake/bin/snakemake: $(APP_STAMP)
	$(PYTHON) -m venv $(VENV)/snakemake
	$(VENV)/snakemake/bin/python -m pip install --quiet snakemake

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir site

# The methods at the lowest versions that pyproject.toml allows.
$(MIN_STAMP): pyproject.toml tools/minimum_versions.py
	test -x $(MIN_VENV)/bin/python || $(MIN_PYTHON) -m venv $(MIN_VENV)
	$(MIN_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(MIN_VENV)/bin/python tools/minimum_versions.py test > $(MIN_VENV)/constraints.txt
	$(MIN_VENV)/bin/python -m pip install --quiet --editable . --group test \
		--constraint $(MIN_VENV)/constraints.txt
	touch $@

# Kernels compiled by another numba go into a cache of their own.
min-versions: $(MIN_STAMP)
	NUMBA_CACHE_DIR=$(CURDIR)/$(MIN_VENV)/numba $(MIN_VENV)/bin/python -m pytest -q -n $(WORKERS) -m "not slow" $(MIN_TESTS)

# Peers live in an environment of their own: some of them hold back numpy or pandas.
$(BENCH_STAMP): pyproject.toml benchmarks/requirements.txt
	test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH_VENV)/bin/python -m pip install --quiet --editable . -r benchmarks/requirements.txt
	touch $@

# The two environments that are not needed for work on the code itself.
environments: $(MIN_STAMP) $(BENCH_STAMP)

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

# What of the four documents is where: docs/coverage.md from reproduction/coverage.csv; and which
# of their claims hold: docs/what-holds.md from reproduction/claims.toml and stored results.
.PHONY: coverage claims
coverage: $(STAMP)
	$(BIN)/python -m tools.coverage_page
claims: $(STAMP)
	$(BIN)/python -m tools.claims_page

# sdist and wheel into dist/, checked, installed elsewhere and tried: tools/release.py.
.PHONY: release
RELEASE_VENV := .release-venv
release:
	test -x $(RELEASE_VENV)/bin/python || $(PYTHON) -m venv $(RELEASE_VENV)
	$(RELEASE_VENV)/bin/python -m pip install --quiet --upgrade pip build twine
	$(RELEASE_VENV)/bin/python -m tools.release dist

clean:
	rm -rf $(VENV) $(BENCH_VENV) $(MIN_VENV) $(RELEASE_VENV) demo dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
