# `make demo` runs in .venv-run, which has what running needs; everything else in .venv, with the tools of development.
# Both are made from python3 and the package index, pinned and hashed.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
# errors only; without dependencies: the pins are complete, and a newer release changes nothing
INSTALL := -m pip install -qq --no-deps
# a file of tests is the work of one worker, begun in the order of tests/conftest.py
SPREAD := --dist loadfile --no-loadscope-reorder

.PHONY: demo test pure quick exhaustive coverage check check-style check-types check-tests latest extras bench judges-real docs site node constraints clean

demo: .venv-run/ready
	@.venv-run/bin/steelyard demo

# without the further views of pages in a browser, which `make coverage` has; then the central numbers without the kernel
test: .venv/ready node
	$(BIN)/pytest -n auto $(SPREAD) -m "not exhaustive"
	STEELYARD_PURE=1 $(BIN)/pytest tests/retrieval/test_parity.py tests/answers/test_overlaps.py

# all numbers without the compiled kernel
pure: .venv/ready
	STEELYARD_PURE=1 $(BIN)/pytest -n auto -m "not slow" tests/retrieval tests/answers

# without the tests marked slow
quick: .venv/ready
	$(BIN)/pytest -n auto $(SPREAD) -m "not slow"

# every call that touches files fails once, for good, or ends the process; a summary of the points is printed for each scenario
exhaustive: .venv/ready
	$(BIN)/pytest -n auto -m exhaustive -rP tests/faults

# all tests, with the share of lines and branches that they run; the floor stands in pyproject.toml
coverage: .venv/ready node
	$(BIN)/pytest -n auto $(SPREAD) --cov --cov-report=term:skip-covered

# the quick tests with the newest releases of everything, none of them pinned; a warning of theirs is an error with its name
latest: .venv-latest/ready
	.venv-latest/bin/python -m pip list --outdated
	.venv-latest/bin/python -m pytest -n auto $(SPREAD) -m "not slow"

# the tests of S3, Ray and Dask, which `make test` skips: in an environment of their own, 1.7 GB, not pinned
extras: .venv-extras/ready
	.venv-extras/bin/python -m pytest -n auto $(SPREAD) tests/io tests/engines

# what the tests of the browser and of the TypeScript client need; without npm they are skipped, and say so
node:
	@if command -v npm > /dev/null; then npm ci --prefix tests/node --silent --no-audit --no-fund || true; fi

# with -j2 the types of the program and of the tests are checked at the same time
check: check-style check-types check-tests

check-style: .venv/ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache

check-types: .venv/ready
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 src
	$(BIN)/mypy servers/*/src/*.py

check-tests: .venv/ready
	$(BIN)/mypy --cache-dir .mypy_cache/tests --config-file tests/mypy.ini tests

bench: .venv/ready-bench
	$(BIN)/python -m bench

# three real models (1.7 GB of downloads) behind llama.cpp's server judge the labelled claims of data/judges; hours on two cores
judges-real: .venv/ready
	test -d .venv-judges || ($(PYTHON) -m venv .venv-judges && .venv-judges/bin/python -m pip install -q xllamacpp==2026.10.11549)
	STEELYARD_JUDGES=.venv-judges/bin/python $(BIN)/python -m bench.judge_real output/judges --probes

# the parts of docs/ that are made by running the program
docs: .venv/ready
	$(BIN)/python docs/generate.py

# the documentation as a site, site/index.html; a link that leads nowhere is an error
site: .venv/ready
	rm -rf site
	$(BIN)/zensical build --strict --clean
	$(BIN)/zensical build --strict --clean --config-file mkdocs.zh.yml

# pins anew; needs uv. Pins have the extras that other packages ask for: without them, some versions of pip look for newer releases
constraints:
	uv pip compile pyproject.toml --extra all --group dev $(PINS) --upgrade -o constraints.txt
	uv pip compile pyproject.toml --extra plots --group build $(PINS) -c constraints.txt --upgrade -o constraints-run.txt
	uv pip compile --group mcp1 --no-deps $(PINS) --upgrade -o constraints-mcp1.txt
PINS := --universal --python-version 3.11 --fork-strategy fewest --no-strip-extras --generate-hashes --no-header --no-annotate --no-emit-index-url --quiet

.venv-run/ready: constraints-run.txt pyproject.toml hatch_build.py $(wildcard native/*)
	@echo "Setting up .venv-run, once ..."
	@$(PYTHON) -m venv .venv-run
	@.venv-run/bin/python $(INSTALL) --no-compile --require-hashes -r constraints-run.txt
	@.venv-run/bin/python $(INSTALL) --no-build-isolation -e .
	@touch $@

.venv/ready: constraints.txt constraints-mcp1.txt pyproject.toml hatch_build.py $(wildcard native/*)
	@echo "Setting up .venv, once ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python $(INSTALL) --require-hashes -r constraints.txt
	@$(BIN)/python $(INSTALL) --no-build-isolation -e .
	@$(BIN)/python $(INSTALL) --no-compile --upgrade --target .venv/mcp1 --require-hashes -r constraints-mcp1.txt
	@touch $@

# the programs compared are those of today, the rest as pinned
.venv/ready-bench: .venv/ready
	sed -nE 's/^([a-z][^[ ;]*)(\[[^]]*\])?(==[^ ]*).*/\1\3/p' constraints.txt > .venv/pins.txt
	$(BIN)/python -m pip install -q -c .venv/pins.txt -e ".[bench]"
	touch $@

# pip from 25.1 on knows groups
.venv-latest/ready: NEWEST := --group dev -e ".[all]"
.venv-extras/ready: NEWEST := --group dev --group extras -e ".[all,cloud,dask,ray]"
.venv-latest/ready .venv-extras/ready: pyproject.toml hatch_build.py $(wildcard native/*)
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install -q --upgrade pip
	$(@D)/bin/python -m pip install -q --upgrade $(NEWEST)
	touch $@

clean:
	rm -rf .venv .venv-run .venv-latest .venv-extras .venv-judges build dist site
