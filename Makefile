# Each of these does all its own set-up: `make test` is enough on a machine with Python.

PYTHON ?= python3
BIN := .venv/bin
TORCH := .venv-torch/bin

# Of the command line alone: some shells have a variable HOST of their own.
DESCRIBED := $(if $(findstring command,$(origin HOST)),$(HOST))

# What a shell has set for other Pythons and other programs is not for these.
unexport PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONOPTIMIZE PYTHONPATH PYTHONWARNINGS \
  VIRTUAL_ENV

.PHONY: demo test test-rest test-all types cases all-cases test-torch soak soak-hostile suites suite-onnx suite-opinfo suite-torch-mlir \
  bench bench-docs lit docs \
  wheel-check lock clean

# A trained model compiled, run and timed.
demo: .venv/demo
	$(BIN)/python examples/demo.py

# What must hold, checked without a framework: a quick gate, four to eight minutes on two cores.
# `make test HOST=zen-4` runs the tests as if on that machine of test/hosts.py: what is
# compiled is compiled and assembled for it, and runs where this machine has its features;
# else what would run says why it skips.
test: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(MAKE) --no-print-directory --jobs=2 types cases

# pyright has one thread, and what it leaves of the cores, the cases take.
types: .venv/dev
	$(BIN)/pyright --pythonpath $(BIN)/python

cases: .venv/dev
	$(BIN)/pytest -n auto --dist worksteal $(DESCRIBED:%=--host %)

# The cases that `make test` leaves out (test/sampling.py), before a change lands.
test-rest: .venv/dev
	$(BIN)/pytest -n auto --dist worksteal -m 'full and not torch and not soak' \
	  $(DESCRIBED:%=--host %)

# Every case, those of `make test` and of test-rest.
test-all: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(MAKE) --no-print-directory --jobs=2 types all-cases

all-cases: .venv/dev
	$(BIN)/pytest -n auto --dist worksteal -m 'not torch and not soak' \
	  $(DESCRIBED:%=--host %)

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

# The public suites of tests, with the outcome of each case in docs/suites, and the counts.
suites: suite-onnx suite-opinfo
	$(TORCH)/python -m bench.document docs/suites.md

suite-onnx: .venv-torch/dev
	$(TORCH)/python -m bench.onnx_nodes --peer

suite-opinfo: .venv-torch/dev
	$(TORCH)/python -m bench.opinfo float32 float64 int64 float16 bfloat16 uint8

# Beside them, where TORCH_MLIR names a checkout of torch-mlir.
suite-torch-mlir: .venv-torch/dev
	$(TORCH)/python -m bench.torch_mlir $(TORCH_MLIR)
	$(TORCH)/python -m bench.torch_mlir $(TORCH_MLIR) --open

# Times beside those of the peers, side by side; it takes an hour.
bench: .venv-torch/bench
	$(TORCH)/python -m bench --json build/bench.json

# What `make bench` measured, as the table and the plot of docs/performance.md.
bench-docs: .venv-torch/bench
	$(TORCH)/python -m bench.document docs/performance.md bench.table
	$(TORCH)/python -m bench.plot build/bench.json docs/performance.svg

# What is written into docs/ by machine, but for times: the list of ops, which needs
# PyTorch to say what is read of that, the API, and what commands print.
docs: .venv-torch/dev
	$(TORCH)/python -m static_runtime.compiler.tools.ops_table docs/ops.md
	$(TORCH)/python -m bench.document docs/api.md
	$(TORCH)/python -m bench.document docs/math.md
	$(TORCH)/python -m bench.document docs/memory.md

# The .mlir tests that pytest runs, with a process for each command.
lit: .venv/dev
	$(BIN)/lit -v $(DESCRIBED:%=-D host=%) test

# A wheel by way of an sdist, installed into an environment of its own, and used from a
# folder in which no checkout is. It needs a network, for isolated builds and for what is
# installed; test/test_wheel.py checks the wheel without one.
wheel-check:
	rm -rf build/wheel
	$(PYTHON) -m venv build/wheel/builds
	build/wheel/builds/bin/python -m pip install --quiet build
	build/wheel/builds/bin/python -m build --outdir build/wheel/dist .
	$(PYTHON) -m venv build/wheel/empty
	build/wheel/empty/bin/python -m pip install --quiet \
	  "$$(echo $(CURDIR)/build/wheel/dist/*.whl)[onnx]"
	mkdir build/wheel/elsewhere
	cp examples/digits/digits.onnx build/wheel/elsewhere
	cd build/wheel/elsewhere && \
	  ../empty/bin/python -c 'import static_runtime as sr; print(sr.__version__, sr.__file__)' && \
	  STATIC_RUNTIME_CACHE=cache ../empty/bin/sr-run digits.onnx --size batch=5

# The versions of what the checks use, in constraints.txt: the newest ones that work
# together, for each Python and processor. PyTorch is left to pip, since each of its
# builds needs other packages; of these, SymPy decides on what we use too.
lock: .venv-lock/uv
	echo torch > .venv-lock/excluded
	printf 'setuptools\nsympy\n' | .venv-lock/bin/uv pip compile --quiet --upgrade --universal \
	  --python-version 3.11 --prerelease disallow --all-extras \
	  --excludes .venv-lock/excluded --no-annotate --no-emit-index-url \
	  --custom-compile-command 'make lock' --output-file constraints.txt \
	  pyproject.toml -

clean:
	rm -rf .venv .venv-torch .venv-lock build *.egg-info .*_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# The environments, beside the sources. They are made again when another Python is asked
# for, and when pyproject.toml or the versions change. That of the demo grows into that
# of the tests, and that of test-torch into that of the bench. pip is quiet, so each says
# what it does. The build is not isolated, since pip takes no versions for such builds.
FROM := python-$(shell $(PYTHON) -c 'import sys; \
  print("%d.%d.%d" % sys.version_info[:3] + sys.abiflags)' 2>/dev/null)
IS_NEW = import sys; now = sys.version_info[:2]; sys.exit(now < (3, 11) and \
  "expected Python 3.11 or newer, got %d.%d: try make PYTHON=python3.11" % now)
PIP = -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INSTALL = $(PIP) --no-build-isolation --editable

%/$(FROM): pyproject.toml constraints.txt
	@$(PYTHON) -c '$(IS_NEW)'
	@echo 'setting up $*'
	@$(PYTHON) -m venv --clear $*
	@$*/bin/python $(PIP) setuptools
	@touch $@

.venv/demo: .venv/$(FROM)
	@$(BIN)/python $(INSTALL) '.[onnx]'
	@touch $@

.venv/dev: .venv/demo
	@echo 'setting up .venv for the checks'
	@$(BIN)/python $(INSTALL) '.[dev]'
	@mkdir -p .venv/import && ln -sfn ../.. .venv/import/static_runtime
	@touch $@

.venv-torch/dev: .venv-torch/$(FROM)
	@echo 'setting up .venv-torch for the checks, which takes minutes'
	@$(TORCH)/python $(INSTALL) '.[dev-torch]'
	@touch $@

.venv-torch/bench: .venv-torch/dev
	@echo 'setting up .venv-torch for the bench'
	@$(TORCH)/python $(INSTALL) '.[bench]'
	@touch $@

.venv-lock/uv:
	@$(PYTHON) -m venv --clear .venv-lock
	@.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.8
	@touch $@
