"""A report tells the steps of each value, what stays in f32, and the error."""

from __future__ import annotations

import re

import numpy as np

from static_runtime.compiler.calibrating import Calibration, report
from static_runtime.compiler.quantizing import Settings

from .test_calibration import NETWORK, X


def test_a_report_tells_steps_reasons_and_error():
    made = Calibration(NETWORK)
    array = np.clip(X, -1.27, 1.28)
    array[0] = -1.27, 1.28, 0
    profile = made.profile([array], Settings(keep=("f32:act",)))
    lines = report(made, profile, [array]).splitlines()
    assert lines[0].split() == [
        *("value", "least", "greatest", "from", "to", "scale", "zero")
    ]
    assert lines[1].split() == [
        *("x", "-1.27", "1.28", "-1.27", "1.28", "0.01", "127", "u8")
    ]
    assert lines[2].split(maxsplit=1) == ["act", "in f32: it is kept"]
    assert "products of bytes: 1 of 2" in lines
    assert "in f32: second: of 'act': it is kept" in lines
    told = re.fullmatch(
        r"output: error ([\d.e-]+) of its root mean square, at most ([\d.e-]+); "
        r"greatest element at the same place in [\d.]+% of rows",
        lines[-1],
    )
    assert told is not None
    assert 0 < float(told[1]) < 0.02


def test_a_kept_model_has_no_error():
    made = Calibration(NETWORK)
    profile = made.profile([X], Settings(keep=("f32:first", "f32:second")))
    (*_, last) = report(made, profile, [X]).splitlines()
    assert "error 0 of its root mean square, at most 0; " in last
    assert "in 100.00% of rows" in last
