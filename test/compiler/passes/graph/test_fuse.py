"""How large the groups of `fuse` become."""

from xdsl.parser import Parser

from static_runtime.compiler.context import context
from static_runtime.compiler.passes.graph.fuse import LIMIT, Fuse
from static_runtime.dialects.graph.ops.fusion import FusionOp


def test_no_group_is_larger_than_a_kernel_should_be():
    count, type = 3 * LIMIT + 5, "tensor<4xf32>"
    lines = [f"%{n + 1} = graph.neg %{n} : {type} -> {type}" for n in range(count)]
    text = f"func.func @f(%0: {type}) -> {type} {{\n"
    text += "\n".join([*lines, f"func.return %{count} : {type}", "}"])
    ctx = context()
    module = Parser(ctx, text).parse_module()
    Fuse().apply(ctx, module)
    module.verify()
    sizes = [len(list(op.ops)) for op in module.walk() if isinstance(op, FusionOp)]
    assert sizes == [LIMIT, LIMIT, LIMIT, 5]
