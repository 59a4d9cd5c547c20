# The chores. `make demo` and `make test` do all their own set-up; they need python3 with venv, git and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Installed from the lock alone: every package with its hash, and this project without looking anything up.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL_SELF := $(PIP) install --no-deps --no-build-isolation -e .

.PHONY: help
help: ## List the chores.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

.PHONY: demo
demo: $(VENV)/.runtime ## Play the sample study from registration to release (60 s).
	$(BIN)/goldgate demo

.PHONY: test
test: $(VENV)/.dev ## Run the tests.
	$(BIN)/python -m pytest -n 2 --dist loadfile

.PHONY: check
check: $(VENV)/.dev ## Format, lint, types, generated text: all that must hold before a commit.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m schemas.json_schema --check
	$(BIN)/cog --check README.md schemas/README.md

.PHONY: format
format: $(VENV)/.dev ## Format the code and renew generated text.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python -m schemas.json_schema
	$(BIN)/cog -r README.md schemas/README.md

.PHONY: bench
bench: $(VENV)/.dev ## Measure, and write tests/benchmarks/README.md (minutes; PEERS=python that has irrCAC and evalaudit).
	$(BIN)/python tests/benchmarks/write_tables.py $(if $(PEERS),--peers $(PEERS))

.PHONY: hit-rates
hit-rates: $(VENV)/.dev ## Simulate how often the intervals hold the truth, into agreement/README.md (a quarter of an hour).
	$(BIN)/python tests/benchmarks/write_tables.py --hit-rates

.PHONY: torture
torture: $(VENV)/.dev ## Try to lose or forge something: the long forms, with their figures (hours).
	for harness in faults soak ledger_damage files_damaged database_damaged roundtrip crowd same_bytes model mutants; do \
	  echo "== $$harness"; $(BIN)/python tests/torture/$$harness.py || exit 1; done

.PHONY: lock
lock: $(VENV)/.dev ## Renew both lock files from pyproject.toml (needs the package index).
	$(PIP) install uv
	printf 'hatchling\neditables\n' > build.in
	$(BIN)/uv pip compile $(LOCK) pyproject.toml build.in -o requirements.lock
	$(BIN)/uv pip compile $(LOCK) --extra dev -c requirements.lock pyproject.toml build.in -o requirements-dev.lock
	rm build.in
LOCK := --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11

$(VENV)/.runtime: requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements.lock
	$(INSTALL_SELF)
	touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(INSTALL_SELF)
	touch $@ $(VENV)/.runtime
