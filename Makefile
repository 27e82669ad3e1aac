# One command for everything. `make` alone lists the targets.
PYTHON ?= python3
BIN := .venv/bin
DEMO := fixtures/opencode_export/1.18.33_timeout_empty.json

.PHONY: help venv demo test lint types format catalogue check measure-commands measure-language bench fuzz clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

venv: .venv/ready ## make .venv with everything installed, the project editable

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --editable . --group dev
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

measure-language: venv ## precision and recall of the speech acts on labelled sentences
	$(BIN)/python tests/language/measure.py

bench: venv ## time, memory and hits on generated sessions with planted faults (MB="8 100")
	$(BIN)/python tests/benchmarks/bench.py $(or $(MB),8)

fuzz: venv ## damaged and random input for every reader and command, SECONDS=60 long
	$(BIN)/python tests/benchmarks/fuzz.py $(or $(SECONDS),60)

check: lint types test ## everything that must hold before a commit

clean: ## remove what was built
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis *.audit.html
