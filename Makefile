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
PYTEST = $(PY) -m pytest --numprocesses $(WORKERS) --dist loadgroup

CPP := $(wildcard cpp/*/*.cpp cpp/*/*.hpp)
GPU_SOURCE := $(wildcard src/rpw/many/backends/cuda/*.cu src/rpw/many/backends/cuda/*.cuh)
CMAKE := PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cmake
SANITIZED := build/sanitized
TRIALS := core gpu_metric gpu_several gpu_own_price gpu_table gpu_squared gpu_bounds gpu_bounds_squared  # the longest first
# Folders are listed too: their time changes when a file comes or goes.
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -not -path '*/__pycache__*' -not -path 'cpp/tests*')
.PHONY: help demo test test-paper test-all check bench compare bench-line bench-lmr bench-pairs bench-points bench-gradient bench-stats build format
.PHONY: wheels cross docs docs-links sanitize sanitize-core clean preflight tuning playground
.NOTPARALLEL:  # two installations into one virtual environment would disturb each other
.DELETE_ON_ERROR:

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

demo: $(VENV)/paper  ## find noisy and shifted digits with six distances; its output goes to demo_output/
	$(VENV)/bin/rpw-paper demo --out demo_output

test: sanitize-core $(VENV)/test.txt $(VENV)/all.txt $(VENV)/package  ## run the tests that a change should pass at once (ARGS="-k name" for some)
	HYPOTHESIS_PROFILE=quick $(PYTEST) -m "not thorough and not large" $(ARGS)

test-paper: $(VENV)/test.txt $(VENV)/paper  ## run the tests of the paper's experiments (ARGS='-m "not thorough"' for the short ones)
	$(PYTEST) --rootdir paper -c paper/pyproject.toml paper/tests $(ARGS)

# All at full strength. AFTER_TEST=1 leaves out what `make test` has run in full.
test-all: sanitize $(VENV)/test.txt $(VENV)/all.txt $(VENV)/test-all.txt $(VENV)/package $(VENV)/jax_ffi  ## run all tests, also those that need torch or JAX
	$(PYTEST) $(if $(AFTER_TEST),-m "thorough or large or hypothesis") $(ARGS)

# A warning is an error: a link that leads nowhere, an example that fails. The first sentence of docs/conf.py says where pages are.
docs: $(VENV)/docs.txt $(VENV)/all.txt $(VENV)/package  ## build the site into build/site/html, and run the gallery
	$(PY) -m sphinx -q -W --keep-going -b html -d build/site/doctrees docs build/site/html
	@echo "The site is in build/site/html/index.html"

docs-links: $(VENV)/docs.txt $(VENV)/all.txt $(VENV)/package  ## ask the other hosts whether the links to them still work
	$(PY) -m sphinx -q -b linkcheck -d build/site/doctrees -D plot_gallery=0 docs build/site/links

check: $(VENV)/check.txt $(VENV)/all.txt  ## lint, formatting and types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --strict src/rpw tests/types_of_api.py paper/src
	$(VENV)/bin/clang-format --dry-run -Werror $(CPP) $(GPU_SOURCE)

bench: $(VENV)/test.txt $(VENV)/package  ## run the benchmarks
	$(PY) benchmarks/pair/bench.py $(ARGS)

compare: $(VENV)/test.txt $(VENV)/package  ## time this build and another in turns (OTHER=folder that holds its rpw)
	$(PY) benchmarks/pair/compare.py $(OTHER) $(ARGS)

tuning: $(VENV)/test.txt $(VENV)/cmake.txt  ## count the work at half and at twice each tuning number (ARGS="--only NAME")
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(PY) benchmarks/core/tuning.py $(ARGS)

bench-lmr: $(VENV)/test.txt $(VENV)/package  ## run the benchmarks of LMR, beside PyCoOT where there is Java
	$(PY) benchmarks/pair/bench_lmr.py $(ARGS)

bench-line: $(VENV)/test.txt $(VENV)/package  ## run the benchmarks of points on the line, beside SciPy and POT
	$(PY) benchmarks/pair/bench_line.py $(ARGS)

bench-pairs: $(VENV)/test.txt $(VENV)/all.txt $(VENV)/package  ## run the benchmarks of matrices and search
	$(PY) benchmarks/many/bench_pairs.py $(ARGS)

bench-points: $(VENV)/test.txt $(VENV)/package  ## run the benchmarks of points without a matrix, beside POT
	$(PY) benchmarks/pair/bench_points.py $(ARGS)

bench-gradient: $(VENV)/test.txt $(VENV)/test-all.txt $(VENV)/package  ## run the benchmarks of gradients, beside POT
	$(PY) benchmarks/many/bench_gradient.py $(ARGS)

bench-stats: $(VENV)/test.txt $(VENV)/package  ## level, coverage, power and time of the tests (ARGS=--quick)
	$(PY) benchmarks/stats/bench_time.py $(ARGS)
	$(PY) benchmarks/stats/bench_power.py $(ARGS)
	$(PY) benchmarks/stats/bench_coverage.py $(ARGS)
	$(PY) benchmarks/stats/bench_level.py $(ARGS)

build: $(VENV)/build.txt  ## build the sdist and the wheel into dist/, and try them
	.ci/packaging-trial $(PY)

# Not part of .ci/run: it compiles the core twice and tests it as often as there are Pythons.
# A name on the PATH may be a stand-in that starts no Python, as pyenv's are.
PYTHONS ?= $(foreach minor,11 12 13 14,$(shell python3.$(minor) -c "" 2>/dev/null && command -v python3.$(minor)))
wheels: | preflight  ## build the Linux wheels for an old glibc, have them audited, and test them (PYTHONS="python3.11 python3.12")
	.ci/linux-wheels $(or $(PYTHONS),$(PYTHON))

cross: $(VENV)/pip.txt  ## compile the core for Windows, macOS, musl and ARM with Zig, and run its tests if wine and qemu are there
	$(PY) -m pip install -q ziglang==0.17.0
	.ci/cross-compile-core $(PY) $(ARGS)

format: $(VENV)/check.txt  ## format the code
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	$(VENV)/bin/clang-format -i $(CPP) $(GPU_SOURCE)

sanitize: $(VENV)/cmake.txt  ## run the core and the GPU source under address and undefined-behaviour checks
	$(call run_sanitized,$(TRIALS),full)

sanitize-core: $(VENV)/cmake.txt
	$(call run_sanitized,core,quick)

playground:  ## compile the core to WebAssembly for `rpw explore` (needs Emscripten)
	"$(PYTHON)" cpp/browser/build.py

define run_sanitized
	@echo "Compiling under sanitizers: $(1) ..."
	@mkdir -p build
	@$(CMAKE) -S . -B $(SANITIZED) -G Ninja -DRPW_SANITIZE=ON > $(SANITIZED).log || { cat $(SANITIZED).log; exit 1; }
	@$(CMAKE) --build $(SANITIZED) --target $(1) > $(SANITIZED).log || { cat $(SANITIZED).log; exit 1; }
	printf '%s\n' $(1) | xargs -P 2 -I '{}' env UBSAN_OPTIONS=print_stacktrace=1 $(SANITIZED)/'{}' $(2)
endef

clean:  ## remove everything that was made here
	rm -rf $(VENV) build dist demo_output rpw-output benchmarks/output docs/gallery docs/results docs/api/generated docs/sg_execution_times.rst .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find cpp src tests examples benchmarks paper -name __pycache__ -prune -exec rm -rf {} +

preflight:
	@.ci/preflight "$(PYTHON)" "$(CXX)"

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
# A wheel that `make build` has made of these very sources is taken as it is.
FRESH_WHEEL = $(shell [ -z "$(wildcard dist/*.whl)" ] || find $(SOURCES) -maxdepth 0 -newer dist/*.whl | grep -q . || ls dist/*.whl)
$(VENV)/package: $(VENV)/cmake.txt $(SOURCES)
	@touch $@.new
	@echo "Building and installing rpw ..."
	@$(PY) -m pip install -q --no-deps --force-reinstall --no-build-isolation --config-settings='build-dir=build/{wheel_tag}' \
		$(or $(FRESH_WHEEL),.)
	@mv $@.new $@

# The experiments of the paper. What they need beside rpw is among its extras.
$(VENV)/paper: $(VENV)/all.txt $(VENV)/package paper/pyproject.toml $(shell find paper/src -name '*.py')
	@$(PY) -m pip install -q --no-deps --force-reinstall --no-build-isolation ./paper
	@touch $@

# The door from XLA, which needs jax's headers: those who build rpw without jax have a callback instead.
$(VENV)/jax_ffi: $(VENV)/test-all.txt $(VENV)/package cpp/bindings/jax_ffi.cpp
	@echo "Building the door from XLA ..."
	@$(CMAKE) -S . -B build/jax_ffi -G Ninja -DPython_EXECUTABLE="$(CURDIR)/$(PY)" \
		-Dnanobind_DIR="$$($(PY) -m nanobind --cmake_dir)" > build/jax_ffi.log || { cat build/jax_ffi.log; exit 1; }
	@$(CMAKE) --build build/jax_ffi --target _jax_ffi > build/jax_ffi.log || { cat build/jax_ffi.log; exit 1; }
	@cp build/jax_ffi/_jax_ffi*.so "$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/rpw/"
	@touch $@
