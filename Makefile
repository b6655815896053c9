# Every target sets up its own .venv from python3 and the package index, pinned and hashed.
PYTHON ?= python3
BIN := .venv/bin
# a file of tests is the work of one worker, begun in the order of tests/conftest.py
SPREAD := --dist loadfile --no-loadscope-reorder

.PHONY: demo test pure quick coverage check check-style check-types check-tests extras bench docs node constraints clean

demo: .venv/ready
	$(BIN)/steelyard demo

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

# all tests, with the share of lines and branches that they run; the floor stands in pyproject.toml
coverage: .venv/ready node
	$(BIN)/pytest -n auto $(SPREAD) --cov --cov-report=term:skip-covered

# the tests of S3, Ray and Dask, which `make test` skips: in an environment of their own, 1.7 GB
extras: .venv/extras/ready
	.venv/extras/bin/pytest -n auto $(SPREAD) tests/io tests/engines

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

# the parts of docs/ that are made by running the program
docs: .venv/ready
	$(BIN)/python docs/generate.py

# pins anew; needs uv
constraints:
	uv pip compile pyproject.toml --extra all --group dev $(PINS) -o constraints.txt
	uv pip compile pyproject.toml --extra all --extra bench --group dev $(PINS) -c constraints.txt -o constraints-bench.txt
	uv pip compile pyproject.toml $(foreach extra,$(EXTRAS),--extra $(extra)) --group dev --group extras $(PINS) -o constraints-extras.txt
	uv pip compile --group mcp1 --no-deps $(PINS) -o constraints-mcp1.txt
EXTRAS := all cloud dask ray
PINS := --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header --no-annotate --no-emit-index-url --upgrade --quiet

.venv/ready: constraints.txt constraints-mcp1.txt pyproject.toml hatch_build.py $(wildcard native/*)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-compile --upgrade --target .venv/mcp1 --require-hashes -r constraints-mcp1.txt
	touch $@

.venv/ready-bench: .venv/ready constraints-bench.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r constraints-bench.txt
	touch $@

.venv/extras/ready: constraints-extras.txt pyproject.toml hatch_build.py $(wildcard native/*)
	$(PYTHON) -m venv .venv/extras
	.venv/extras/bin/pip install --quiet --disable-pip-version-check --require-hashes -r constraints-extras.txt
	.venv/extras/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf .venv build dist
