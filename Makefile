# All that is made lies in .venv, build, dist, demo_output, rpw-output and benchmarks/output; `make clean` removes it.
PYTHON ?= python3
ifeq ($(origin CXX),default)
CXX := c++
endif
export CXX
export MPLBACKEND ?= Agg
# How many tests run at the same time. Many wait for a child or start threads of their own, so more would not be faster.
WORKERS ?= 2
export PIP_DISABLE_PIP_VERSION_CHECK := 1

VENV := .venv
PY := $(VENV)/bin/python

CPP := $(wildcard cpp/*/*.cpp cpp/*/*.hpp)
CORE := $(filter-out cpp/bindings/% cpp/tests/%,$(filter %.cpp,$(CPP)))
SANITIZED = $(CXX) -std=c++20 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -ffp-contract=off \
	-D_GLIBCXX_ASSERTIONS -Wall -Wextra -Wpedantic -pthread -Icpp
GPU_SOURCE := $(wildcard src/rpw/many/backends/cuda/*.cu src/rpw/many/backends/cuda/*.cuh)
GPU_TRIALS := build/gpu_sanitize_squared build/gpu_sanitize_metric build/gpu_sanitize_table build/gpu_sanitize_several
GPU_BOUNDS := build/gpu_sanitize_bounds build/gpu_sanitize_bounds_squared
SANITIZED_CORE := $(CORE:cpp/%.cpp=build/sanitized/%.o)
CHECKS := cpp/tests/sanitize_main.cpp cpp/tests/checker.cpp $(filter cpp/tests/%_checks.cpp,$(CPP))
SANITIZED_CHECKS := $(CHECKS:cpp/%.cpp=build/sanitized/%.o)
# Folders are listed too: their time changes when a file comes or goes.
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -not -path '*/__pycache__*' -not -path 'cpp/tests*')
.PHONY: help demo test check bench bench-line bench-lmr bench-pairs build format sanitize clean preflight
.NOTPARALLEL:  # two installations into one virtual environment would disturb each other
.DELETE_ON_ERROR:

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(VENV)/all.txt $(VENV)/package  ## retrieve noisy digits with six distances; its output goes to demo_output/
	$(VENV)/bin/rpw demo --out demo_output

test: sanitize $(VENV)/test.txt $(VENV)/all.txt $(VENV)/package  ## run all tests (ARGS="-k name" for some)
	$(PY) -m pytest --numprocesses $(WORKERS) --dist loadgroup $(ARGS)

check: $(VENV)/check.txt $(VENV)/all.txt  ## lint, formatting and types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --strict src/rpw tests/types_of_api.py
	$(VENV)/bin/clang-format --dry-run -Werror $(CPP) $(GPU_SOURCE)

bench: $(VENV)/test.txt $(VENV)/package  ## run the benchmarks
	$(PY) benchmarks/pair/bench.py $(ARGS)

bench-lmr: $(VENV)/test.txt $(VENV)/package  ## run the benchmarks of LMR, beside PyCoOT where there is Java
	$(PY) benchmarks/pair/bench_lmr.py $(ARGS)

bench-line: $(VENV)/test.txt $(VENV)/package  ## run the benchmarks of points on the line, beside SciPy and POT
	$(PY) benchmarks/pair/bench_line.py $(ARGS)

bench-pairs: $(VENV)/test.txt $(VENV)/all.txt $(VENV)/package  ## run the benchmarks of matrices and search
	$(PY) benchmarks/many/bench_pairs.py $(ARGS)

build: $(VENV)/build.txt  ## build the sdist and the wheel into dist/, and try them
	.ci/packaging-trial $(PY)

format: $(VENV)/check.txt  ## format the code
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	$(VENV)/bin/clang-format -i $(CPP) $(GPU_SOURCE)

sanitize: build/rpw_sanitize $(GPU_TRIALS) $(GPU_BOUNDS)  ## run the core and the GPU source under address and undefined-behaviour checks
	UBSAN_OPTIONS=print_stacktrace=1 build/rpw_sanitize
	for trial in $(GPU_TRIALS) $(GPU_BOUNDS); do UBSAN_OPTIONS=print_stacktrace=1 $$trial || exit 1; done

clean:  ## remove everything that was made here
	rm -rf $(VENV) build dist demo_output rpw-output benchmarks/output .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find cpp src tests examples benchmarks -name __pycache__ -prune -exec rm -rf {} +

preflight:
	@.ci/preflight "$(PYTHON)" "$(CXX)"

build/sanitized/%.o: cpp/%.cpp $(filter %.hpp,$(CPP)) Makefile | preflight
	@mkdir -p $(@D)
	$(SANITIZED) -c $< -o $@

build/rpw_sanitize: $(SANITIZED_CHECKS) $(SANITIZED_CORE)
	$(SANITIZED) $^ -o $@

# The GPU source on the host, once for each kind of kernel.
build/gpu_sanitize_squared: KIND := -DRPW_COST=0 -DRPW_P=2 -DRPW_DIM=2 -DRPW_POINTS=1
build/gpu_sanitize_metric: KIND := -DRPW_COST=1
build/gpu_sanitize_table: KIND := -DRPW_COST=2 -DRPW_P=1 -DRPW_GRID=1
build/gpu_sanitize_several: KIND := -DRPW_COST=0 -DRPW_P=2 -DRPW_SEVERAL=1
$(GPU_TRIALS): cpp/tests/gpu_main.cpp $(SANITIZED_CORE) $(GPU_SOURCE)
	$(SANITIZED) -Isrc/rpw/many/backends/cuda $(KIND) $(filter-out $(GPU_SOURCE),$^) -o $@

build/gpu_sanitize_bounds_squared: KIND := -DRPW_COST=0 -DRPW_P=2 -DRPW_DIM=2
$(GPU_BOUNDS): cpp/tests/gpu_bounds_main.cpp $(GPU_SOURCE)
	$(SANITIZED) -Isrc/rpw/many/backends/cuda $(KIND) $< -o $@

# The virtual environment. pip.txt is the sign that it is complete.
$(VENV)/pip.txt: | preflight
	@echo "Making the virtual environment $(VENV) ..."
	@"$(PYTHON)" -m venv --clear $(VENV)
	@$(PY) -m pip --version > $@

# What an extra needs, without rpw itself.
$(VENV)/%.txt: pyproject.toml .ci/requirements.py | $(VENV)/pip.txt
	@$(PY) .ci/requirements.py $* > $@.new
	@echo "Installing what '$*' needs ..."
	@$(PY) -m pip install -q -r $@.new
	@mv $@.new $@

# CMake and Ninja, as far as the machine has none.
$(VENV)/cmake.txt: $(VENV)/build-system.txt
	@$(PY) -c 'from scikit_build_core.build import get_requires_for_build_wheel as g; print(*g(), sep="\n")' > $@.new
	@if grep -q . $@.new; then $(PY) -m pip install -q -r $@.new; fi
	@mv $@.new $@

# rpw, installed as a user would have it. A lasting build folder lets a second build compile only what changed, and
# without isolation that folder's paths stay true. The sign carries the time of the start: an edit meanwhile counts.
$(VENV)/package: $(VENV)/cmake.txt $(SOURCES)
	@touch $@.new
	@echo "Building and installing rpw ..."
	@$(PY) -m pip install -q --no-deps --no-build-isolation --config-settings='build-dir=build/{wheel_tag}' .
	@mv $@.new $@
