"""The header of a bundle is, for each API, what C programs rely on."""

from __future__ import annotations

from static_runtime.compiler.bundle.header import Memory, header
from static_runtime.compiler.bundle.placeholder import place
from static_runtime.runtime import TensorInfo

PLACED = place([TensorInfo("x", "float32", (2, 3)), TensorInfo("y", "int64", ())])

MACROS = """\
#define NET_CONSTANT_MEM_SIZE 64
#define NET_MUTABLE_MEM_SIZE 128
#define NET_ACTIVATIONS_MEM_SIZE 0
#define NET_MEM_ALIGN 64
/* float32, 2 x 3 */
#define NET_x 0
/* int64, scalar */
#define NET_y 64
"""


def test_macros():
    text = header("net", "run", "static", Memory(64, 128, 0), PLACED)
    assert MACROS in text
    assert "int run(uint8_t *constantWeight, uint8_t *mutableWeight,\n" in text
    assert "BundleConfig" not in text


def test_a_table():
    text = header("net", "run", "dynamic", Memory(64, 128, 0), PLACED)
    assert "extern const BundleConfig run_config;" in text
    assert "NET_x" not in text
