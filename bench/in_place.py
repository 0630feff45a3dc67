"""
Compare models with and without results that take the place of operands.

    python -m bench.in_place model.onnx …           bytes of the plans
    python -m bench.in_place --time model.onnx …    and times, one thread and two

The models have fixed sizes. Without files it takes those of `bench/suite`, which needs
torch and onnx. Both forms of a model run in one process in turns, since the machine may
be doing other things: the figure is the median of the ratios, above 1 where in place is
faster.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.context import context
from static_runtime.compiler.passes.graph.assign_buffers import AssignBuffers
from static_runtime.compiler.passes.graph.reuse_operands import ReuseOperands
from static_runtime.compiler.pipeline import pipeline
from static_runtime.dialects.graph.buffer import IN_PLACE, greatest_size

ROUNDS = 60
SECONDS = 0.02
"""How long a form of a model runs before it is the other's turn."""
