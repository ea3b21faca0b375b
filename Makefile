# Everything a newcomer needs. Each target sets up first what it needs; the second time that is
# quick. 'make' alone lists the targets.

PYTHON ?= python3
BIN := .venv/bin

# The model of 'make lab' (a path or any name that tokenroof knows); empty: the small one.
MODEL ?=
# Further options of 'make lab', such as ARGS="--lengths 512,2048".
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup lab test check lint format tools clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

setup: ## virtual environment, package, engine and small model; once about 7 minutes on 2 cores
	@$(PYTHON) tools/prepare.py

lab: setup ## measure a model here and write a report: make lab MODEL=path ARGS="..."
	@model='$(MODEL)'; \
	[ -n "$$model" ] || model=$$($(BIN)/python tools/small_model.py); \
	$(BIN)/tokenroof lab "$$model" $(ARGS)

test: check tools ## every check and every test
	$(BIN)/pytest -q

check: setup ## ruff, formatting and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

lint: check ## the same as check

format: setup ## let ruff format the sources
	$(BIN)/ruff format

tools: setup ## llama-bench, llama-server and others for tests and benchmarks; once about 5 minutes
	@$(PYTHON) tools/engine.py tools

clean: ## remove the environment and the caches in this folder; results and the engine stay
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	find src tests tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
