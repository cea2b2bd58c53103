# `make demo` and `make test` need Python, make and a C++ compiler, nothing else.
PYTHON ?= python3
CXX ?= c++
VENV := .venv
BIN := $(VENV)/bin
SECONDS ?= 3600
SEED ?= 1
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
NATIVE := CMakeLists.txt pyproject.toml $(wildcard native/*)

# The versions that were tried together, also of what builds Weft. Where they do not fit, as on a
# Python that is newer than they are, the newest are taken. Modules are compiled when they are imported.
LOCK := requirements/lock.txt
export PIP_NO_COMPILE := 1
define install
	@PIP_CONSTRAINT=$(LOCK) PIP_BUILD_CONSTRAINT=$(LOCK) $(BIN)/python -m pip install -q $(1) || { \
	  echo "The versions in $(LOCK) cannot be installed here: trying the newest ones." >&2; \
	  $(BIN)/python -m pip install -q $(1); }
endef

# Linters and types run beside the tests; what they print comes after.
define check
	@mkdir -p build
	@$(MAKE) --no-print-directory lint >build/lint.txt 2>&1 & linters=$$!; \
	  $(BIN)/python -m pytest -n $(JOBS) -q $(1); tests=$$?; \
	  wait $$linters; linters=$$?; cat build/lint.txt; \
	  [ $$tests = 0 ] && [ $$linters = 0 ]
endef

.PHONY: demo test test-all busy lint matrix mutate bench docs fuzz sanitize lock clean

# Ends with the path of the report.
demo: $(VENV)/.installed
	@$(BIN)/python -m weft demo --brief
	@echo
	@$(BIN)/python -m weft reproduce --quick --out build/report

# All but what is long by its nature. A file's tests share a process, so that its models are trained once.
FAST := -m "not slow" --ignore tests/newcomers --dist loadfile

test: $(VENV)/.tools
	$(call check,$(FAST))

test-all: $(VENV)/.tools
	$(call check)

# The fast tests on a machine that has ten times as much to do: none of them may fail for it.
busy: $(VENV)/.tools
	.ci/busy $(BIN)/python -m pytest -n $(JOBS) -q $(FAST)

lint: $(VENV)/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

bench: $(VENV)/.tools
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.grammar_sums
	$(BIN)/python -m benchmarks.selection
	$(BIN)/python -m benchmarks.charts
	$(BIN)/python -m benchmarks.shift_reduce

# Writes inputs with faults into tests/fuzzing/found, and fails if there are any.
fuzz: $(VENV)/.tools
	cd tests && $(CURDIR)/$(BIN)/python -m fuzzing --guided --seconds $(SECONDS) --seed $(SEED)

docs: $(VENV)/.installed
	$(call install,--group docs)
	$(BIN)/mkdocs build --strict

# The native contracts under AddressSanitizer and UndefinedBehaviorSanitizer; any other program of
# Python with ARGS. The build, and an environment that imports it, are in $(SANITIZED) alone.
SANITIZED := build/sanitize
ARGS ?= -m pytest -q -p no:cacheprovider tests/contracts tests/inference tests/derivations \
  tests/automata tests/features tests/optimise/test_annealing.py tests/lfg tests/unification tests/models/stack

sanitize: $(SANITIZED)/.built
	$(SANITIZED)/python $(ARGS)

$(SANITIZED)/.built: $(VENV)/.tools $(NATIVE) $(wildcard src/weft/*) .ci/sanitize
	CXX=$(CXX) JOBS=$(JOBS) .ci/sanitize $(BIN)/python $(SANITIZED)
	@touch $@

# The tests on other instructions, builds and versions, e.g. with ROWS="base clang".
matrix: $(VENV)/.tools
	JOBS=$(JOBS) .ci/matrix $(ROWS)

# Which of so many mutants the fast tests kill, and which only the slow ones; hours, and goes on.
COUNT ?= 200
mutate: $(VENV)/.tools
	$(BIN)/python tests/mutation.py --count $(COUNT) --seed $(SEED)

# From the oldest Python that is supported, so that the versions fit the newer ones, too.
lock: build/lock/bin/python
	@build/lock/bin/python requirements/wanted.py > build/lock/wanted.txt
	@build/lock/bin/python -m pip install -q --upgrade -r build/lock/wanted.txt
	@{ echo "# Made by 'make lock': versions that were tried together. Constraints, not requirements."; \
	  build/lock/bin/python -m pip freeze; } > $(LOCK)

build/lock/bin/python:
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install -q --upgrade 'pip>=25.1'

$(VENV)/.tools: $(VENV)/.installed
	@echo "Installing the test and lint tools ..."
	$(call install,--group dev)
	@touch $@

$(VENV)/.installed: export CXX := $(CXX)
$(VENV)/.installed: export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
$(VENV)/.installed: $(VENV)/.python $(NATIVE) $(LOCK)
	@command -v $(CXX) >/dev/null 2>&1 || { \
	  echo "Weft needs a C++20 compiler ('$(CXX)' not found): install one, e.g. 'apt install g++' or 'xcode-select --install'." >&2; exit 1; }
	@echo "Building and installing Weft into $(VENV) (a minute or so) ..."
	$(call install,-e .)
	@touch $@

$(VENV)/.python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "Weft needs Python 3.11 or newer ('$(PYTHON)' not found): install it, or name one with 'make PYTHON=...'." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Weft needs Python 3.11 or newer: '$(PYTHON)' is older; name another with 'make PYTHON=python3.12'." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "Weft needs Python's venv module: install it, e.g. 'apt install python3-venv'." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --upgrade 'pip>=25.1'
	@touch $@

clean:
	rm -rf $(VENV) build site
