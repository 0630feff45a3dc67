"""What is printed is what xDSL prints, whatever is in its strings."""

from __future__ import annotations

from io import StringIO

from xdsl.dialects.builtin import ModuleOp, NameLoc, NoneAttr, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.printer import Printer

from static_runtime.compiler.ir.printed import printed


def test_strings_are_printed_as_ever():
    block = Block([ReturnOp()])
    function = FuncOp("main", ([], []), Region(block))
    odd = "".join(map(chr, range(1, 300))) + '"\\n \\\\ "" ✓'
    function.attributes |= {"odd": StringAttr(odd), "none": StringAttr("")}
    function.location = NameLoc(StringAttr('a "node" ü'), NoneAttr())
    module, text = ModuleOp([function]), StringIO()
    Printer(text, print_debuginfo=True).print_op(module)
    assert printed(module) == text.getvalue()
    assert r"\22node\22 \C3\BC" in printed(module)
