# One command for everything. `make` alone lists the targets.
PYTHON ?= python3
BIN := .venv/bin
DEMO := fixtures/opencode_export/1.18.33_timeout_empty.json

TOOLS := .venv-supply/bin
# Empty (make test LOCK=) installs the newest of everything instead of what is locked.
LOCK ?= requirements.lock

.PHONY: help venv demo test lint types format catalogue check measure-commands measure-language train-language measure-rules bench bench-check bench-peers cluster fuzz fuzz-nightly \
	lock licences advisories sbom clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

venv: .venv/ready ## make .venv with everything installed, the project editable

.venv/ready: pyproject.toml $(LOCK)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
ifeq ($(LOCK),)
	$(BIN)/pip install --quiet --editable . --group dev
else
	$(BIN)/pip install --quiet --require-hashes --requirement $(LOCK)
	PYTHONWARNINGS=ignore $(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
endif
	@$(BIN)/python -m compileall -q sessionlens rules  # where PYTHONDONTWRITEBYTECODE is set, each start would compile
	@touch $@

demo: venv ## audit a bundled session and say where the page is
	@$(BIN)/sessionlens audit $(DEMO) -o demo.audit.html
	@echo "open $(CURDIR)/demo.audit.html in a browser"

test: venv ## run all tests
	$(BIN)/pytest -n auto

lint: venv ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv ## mypy --strict
	$(BIN)/mypy

format: venv ## put the code into the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

catalogue: venv ## write what is generated: rules/README.md, the JSON Schema, the table of formats
	$(BIN)/python -m sessionlens.catalogue rules/README.md sessionlens/report/audit.schema.json README.md

measure-commands: venv ## precision and recall of effects on labelled commands; over SESSIONLENS_CORPUS when set
	$(BIN)/python tests/shell/measure.py
	@test -z "$$SESSIONLENS_CORPUS" || $(BIN)/python tests/shell/corpus.py

measure-language: venv ## precision and recall of the speech acts on labelled sentences; on those of SESSIONLENS_CORPUS when set
	$(BIN)/python tests/language/measure.py
	@test -z "$$SESSIONLENS_CORPUS" || $(BIN)/python tests/language/real.py

train-language: venv ## train the classifier of speech acts on the labelled sentences (LANGUAGES="en uk")
	$(BIN)/pip install --quiet --group train
	cd tests/language && ../../$(BIN)/python train.py $(LANGUAGES)

measure-rules: venv ## precision and recall of rules on SESSIONLENS_CORPUS, into sessionlens/measured.toml
	$(BIN)/python tests/rules/measure_rules.py sessionlens/measured.toml

bench: venv ## time, memory and hits on generated sessions beside floors (ROWS="claude-8,xml-500")
	$(BIN)/python tests/benchmarks/bench.py $(if $(ROWS),--rows $(ROWS))

bench-check: venv ## fail where a ratio to the floors is 20 % worse than the kept one
	$(BIN)/python tests/benchmarks/bench.py --check

bench-peers: venv ## the same sessions through other tools, from virtual environments in VENVS
	$(BIN)/python tests/benchmarks/peers.py $(VENVS)

fuzz: venv ## search for input that breaks something, every target SECONDS=60 long; then whole audits of damaged logs
	$(BIN)/pip install --quiet --group fuzz
	$(BIN)/python tests/fuzz/run.py --seconds $(or $(SECONDS),60)
	$(BIN)/python tests/fuzz/audits.py $(or $(SECONDS),60)

fuzz-nightly: venv ## the same for ten million runs in all (hours)
	$(BIN)/pip install --quiet --group fuzz
	$(BIN)/python tests/fuzz/run.py --runs 10000000

.venv-supply/ready: pyproject.toml
	$(PYTHON) -m venv .venv-supply
	$(TOOLS)/pip install --quiet --upgrade 'pip>=25.1'
	$(TOOLS)/pip install --quiet --group supply
	@touch $@

lock: .venv-supply/ready ## resolve everything anew into requirements.lock, with hashes
	$(TOOLS)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate --group dev --output-file requirements.lock pyproject.toml

licences: .venv/ready .venv-supply/ready ## every installed package has a licence that lets others use it
	$(TOOLS)/pip-licenses --python $(BIN)/python --ignore-packages sessionlens --partial-match \
		--allow-only "$$(grep -v '^#' .ci/licences | paste -sd ';')"

advisories: .venv-supply/ready ## known vulnerabilities of what is locked (asks the network)
	$(TOOLS)/pip-audit --require-hashes --disable-pip --requirement requirements.lock

sbom: .venv/ready .venv-supply/ready ## the bill of materials of the environment as CycloneDX: sbom.json
	$(TOOLS)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file sbom.json $(BIN)/python

cluster: venv ## curate on a local Dask cluster of two workers, one of them killed: the same bytes (slow)
	$(BIN)/pip install --quiet 'dask>=2024.5' 'distributed>=2024.5'
	$(BIN)/pytest -n 0 tests/curate/test_cluster.py

check: lint types test ## everything that must hold before a commit

clean: ## remove what was built
	rm -rf .venv .venv-supply sbom.json build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis *.audit.html
