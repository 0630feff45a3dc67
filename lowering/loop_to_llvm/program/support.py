"""
The functions that the programs of all models call, as one LLVM module.

None of them depends on a model; so they are compiled once, and linked to each. What
every call passes through is not here but in the entry, where LLVM sees it whole.
"""

from __future__ import annotations

import re

from .call import EXPLAIN, SLOW
from .interrupts import ASK, ENTER
from .lending import FIND, FREE_LIST, RESERVE, ROW
from .notes import NOTED
from .outlining import REPEAT
from .python_objects import APART, IS_ARRAY, IS_OUT, NEW_ARRAY, STATE
from .wide_entry import MADE

_PYTHON = """declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyObject_CallFunction(ptr, ptr, ...)
declare void @PyErr_Clear()
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare i64 @PyTuple_Size(ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
"""

# Of no function; a module that has it takes few passes.
_FEW_PASSES = 'attributes #0 = { "few-passes" }\n'

SUPPORT = "".join(
    (
        *(
            STATE,
            _PYTHON,
            IS_ARRAY,
            NEW_ARRAY,
            IS_OUT,
            APART,
            FREE_LIST,
            RESERVE,
            FIND,
            ROW,
        ),
        *(NOTED, SLOW, EXPLAIN, MADE, ASK, ENTER, REPEAT, _FEW_PASSES),
    )
)
"""The whole text."""

_HEAD = re.compile(r"^(?:define|declare) (?:weak )?(\w+ )@(\w+)(\(.*?\))", re.MULTILINE)
_DEFINED = re.compile(r"^define [^@\n]*@(\w+)\(", re.MULTILINE)
_NAMED = re.compile(r" %[\w.]+")
_CALLED = re.compile(r"\bcall \w+ (?:\([^)]*\) )?@(\w+)\(")

_DECLARATIONS = {
    name: f"declare {result}@{name}{_NAMED.sub('', arguments)}\n"
    for result, name, arguments in _HEAD.findall(SUPPORT)
}


def support_declarations(text: str) -> str:
    """A `declare` line for each of these functions that a text calls."""
    called = dict.fromkeys(_CALLED.findall(text))
    for own in _DEFINED.findall(text):
        called.pop(own, None)
    return "".join(_DECLARATIONS[each] for each in called if each in _DECLARATIONS)
