"""Check the text of a module that somebody else wrote, and hide what it defines."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import binding
from xdsl.utils.exceptions import VerifyException

from ...runtime.elf import is_outside
from . import know_targets, parse
from .uninterrupted import uninterrupted


@uninterrupted
def internal_text(text: str, function: str, parameters: Sequence[str]) -> str:
    """
    The text of a module in which all that it defines is internal, for a module that
    calls `function` with parameters of these types.

    Raises `VerifyException` for a text that LLVM does not take, and for another
    signature.
    """
    know_targets()
    try:
        module = parse(text)
    except RuntimeError as error:
        said = " ".join(str(error).split())
        raise VerifyException(f"expected LLVM IR, got an error: {said}") from error
    with module:
        _check(module, function, parameters)
        for each in (*module.functions, *module.global_variables):
            if not each.is_declaration:
                each.linkage = "internal"
        module.triple = module.data_layout = ""
        return _without_header(str(module))


def _check(module: binding.ModuleRef, function: str, parameters: Sequence[str]) -> None:
    """Raises `VerifyException` unless a module defines what can be called."""
    defined = [each.name for each in module.functions if not each.is_declaration]
    if function not in defined:
        known = ", ".join(defined) or "none"
        raise VerifyException(f"expected LLVM IR that defines @{function}, got {known}")
    found = module.get_function(function)
    wanted = f"void ({', '.join(parameters)})"
    # The stubs of llvmlite lack it.
    got = str(getattr(found, "global_value_type"))
    if got != wanted:
        raise VerifyException(f"expected @{function} to be {wanted}, got {got}")
    declared = [each for each in module.functions if each.is_declaration]
    for each in (*declared, *module.global_variables):
        is_known = each.name.startswith("llvm.") or is_outside(each.name)
        if each.is_declaration and not is_known:
            raise VerifyException(
                "expected LLVM IR that calls its own functions, intrinsics and C's "
                f"mathematical functions, got @{each.name}"
            )


def _without_header(text: str) -> str:
    """The text without the lines that only the first of several modules may have."""
    heads = ("; ModuleID", "source_filename", "target ")
    return "\n".join(line for line in text.splitlines() if not line.startswith(heads))
