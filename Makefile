# Every target does its own set-up from a fresh clone: a virtual environment in .venv, the package in it.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
NATIVE := CMakeLists.txt pyproject.toml $(wildcard core/*/*.hpp bindings/*.cpp bindings/*.hpp)
DATA   ?=
SHELL  := /bin/bash
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help demo test test-slow test-core lint format bench stub build clean

help:  ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | column -t -s'|'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/tools: $(BIN)/python pyproject.toml
	$(BIN)/pip install -q "scikit-build-core>=0.11" "nanobind>=2.9" ninja cmake
	touch $@

# Editable, so that Python changes need no step; native changes rebuild in place, in seconds.
$(VENV)/build: $(VENV)/tools $(NATIVE)
	$(BIN)/pip install -q --no-build-isolation -e ".[test]"
	touch $@

$(VENV)/lint: pyproject.toml | $(VENV)/build
	$(BIN)/pip install -q -e ".[lint]" --no-build-isolation
	touch $@

$(VENV)/bench: pyproject.toml | $(VENV)/build
	$(BIN)/pip install -q -e ".[bench]" --no-build-isolation
	touch $@

build: $(VENV)/build  ## install into .venv, compile what changed

demo: $(VENV)/build  ## the main job on what the package embeds
	@$(BIN)/python examples/demo.py

test: $(VENV)/build test-core  ## every fast test, the kernels under ASan and UBSan
	$(BIN)/python -m pytest -q

test-slow: $(VENV)/build  ## the slow tests too; DATA=folder adds those over real treebanks
	$(BIN)/python -m pytest -q --slow $(if $(DATA),--data $(DATA))

build/test_core: core/tests/test_core.cpp $(wildcard core/*/*.hpp)
	@mkdir -p build
	$(CXX) -std=c++17 -O1 -g -Wall -Wextra -Werror -fopenmp-simd -fsanitize=address,undefined -fno-sanitize-recover=all -Icore $< -o $@

test-core: build/test_core  ## the kernels alone, under the sanitizers
	./build/test_core

lint: $(VENV)/build $(VENV)/lint  ## ruff, mypy --strict, clang-format, codespell, the stub
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror core/*/*.[ch]pp bindings/*.hpp bindings/*.cpp
	$(BIN)/codespell src tests core bindings docs benchmarks scripts examples README.md CHANGELOG.md CONTRIBUTING.md
	$(BIN)/python -m nanobind.stubgen -q -m treewright._core -o build/_core.pyi && diff build/_core.pyi src/treewright/_core.pyi

format: $(VENV)/build $(VENV)/lint  ## write what lint would ask for, the stub included
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i core/*/*.[ch]pp bindings/*.hpp bindings/*.cpp
	$(MAKE) stub

stub: $(VENV)/build  ## src/treewright/_core.pyi from the compiled module
	$(BIN)/python -m nanobind.stubgen -q -m treewright._core -o src/treewright/_core.pyi

bench: $(VENV)/build $(VENV)/bench  ## the benchmarks that need no data; DATA=folder adds the others
	@for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(BIN)/python $$file $(DATA) || exit 1; done

clean:
	rm -rf build dist $(VENV)
