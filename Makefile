# SPDX-License-Identifier: MIT
# Every target is safe to repeat; the second run is quick.

PYTHON := .venv/bin/python
PYTEST := $(PYTHON) -m pytest
OUT    ?= out

# Vulkan objects are checked by the validation layer, synchronisation included, in every test run.
export DAPPLEWOOD_VALIDATION ?= 1

.PHONY: help demo test quick lint bench clean setup setup-test

help:
	@echo 'make demo [ATLAS=path.png] [OUT=out]   set up, then bake an atlas and draw a forest'
	@echo 'make test                              set up, then every test, notebooks included'
	@echo 'make quick                             the tests that take a moment'
	@echo 'make lint                              format and warnings'
	@echo 'make bench                             the benchmarks, figures as CSV'
	@echo 'make clean                             remove what was built (.venv stays)'

setup:
	@scripts/setup run

setup-test:
	@scripts/setup test

demo: export DAPPLEWOOD_VALIDATION := 0
demo: setup
	@.venv/bin/dapplewood demo --out '$(OUT)' $(if $(ATLAS),'$(ATLAS)')

test: setup-test
	@$(PYTEST) --nbmake --nbmake-timeout=600

quick: setup-test
	@$(PYTEST) -q -m 'not slow and not build' tests

lint: setup-test
	@$(PYTEST) -q tests/contract/test_lint.py

bench: export DAPPLEWOOD_VALIDATION := 0
bench: setup
	@for script in bench/*.py; do $(PYTHON) "$$script" || exit 1; done

clean:
	rm -rf build dist out shaders/generated .setup-stamp python/*.egg-info
	rm -f python/dapplewood/*.so python/dapplewood/*.pyd
	find . -path ./.venv -prune -o -name __pycache__ -type d -print | xargs rm -rf
