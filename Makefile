# Each of these does all its own set-up: `make test` is enough on a machine with Python.

PYTHON ?= python3
BIN := .venv/bin
TORCH := .venv-torch/bin

.PHONY: demo test test-torch soak soak-hostile bench bench-docs lit docs clean

# A trained model compiled, run and timed.
demo: .venv/demo
	$(BIN)/python examples/demo.py

# What must hold, checked without a framework.
test: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/pytest -n auto --dist worksteal
	$(BIN)/lit -q test

# Results beside those of PyTorch and ONNX Runtime.
test-torch: .venv-torch/dev
	$(TORCH)/pytest -n auto --dist worksteal -m 'torch and not soak'

# The tests that take their time.
soak: .venv-torch/dev
	$(TORCH)/pytest -m soak

# An hour of changed models, texts, weights and cache files; it needs no PyTorch.
soak-hostile: .venv/dev
	$(BIN)/python test/hostile --seconds 3600 --count 100000
	$(BIN)/pytest -m soak test/hostile/test_races.py

# Times beside those of the peers, side by side; it takes an hour.
bench: .venv-torch/bench
	$(TORCH)/python -m bench --json build/bench.json

# What `make bench` measured, as the table and the plot of docs/performance.md.
bench-docs: .venv-torch/bench
	$(TORCH)/python -m bench.table build/bench.json docs/performance.md
	$(TORCH)/python -m bench.plot build/bench.json docs/performance.svg

# The list of ops; it needs PyTorch to say what is read of that.
docs: .venv-torch/dev
	$(TORCH)/python -m static_runtime.compiler.ops_table docs/ops.md

# The .mlir tests that pytest runs, with a process for each command.
lit: .venv/dev
	$(BIN)/lit -v test

clean:
	rm -rf .venv .venv-torch build *.egg-info .*_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# The environments, beside the sources, made again when pyproject.toml changes. That of
# the demo grows into that of the tests, and that of test-torch into that of the bench.
# pip is quiet, so each says what it does.
CREATE = $(PYTHON) -m venv --clear
INSTALL = -m pip install --quiet --disable-pip-version-check --editable
IS_NEW = import sys; now = sys.version_info[:2]; sys.exit(now < (3, 11) and \
  "expected Python 3.11 or newer, got %d.%d: try make PYTHON=python3.11" % now)

.venv/demo: pyproject.toml
	@$(PYTHON) -c '$(IS_NEW)'
	@echo 'setting up .venv'
	@$(CREATE) .venv
	@$(BIN)/python $(INSTALL) '.[onnx]'
	@touch $@

.venv/dev: .venv/demo
	@echo 'setting up .venv for the checks'
	@$(BIN)/python $(INSTALL) '.[dev]'
	@mkdir -p .venv/import && ln -sfn ../.. .venv/import/static_runtime
	@touch $@

.venv-torch/dev: pyproject.toml
	@$(PYTHON) -c '$(IS_NEW)'
	@echo 'setting up .venv-torch, which takes minutes'
	@$(CREATE) .venv-torch
	@$(TORCH)/python $(INSTALL) '.[dev-torch]'
	@touch $@

.venv-torch/bench: .venv-torch/dev
	@echo 'setting up .venv-torch for the bench'
	@$(TORCH)/python $(INSTALL) '.[bench]'
	@touch $@
