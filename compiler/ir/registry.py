"""
The ops that users register: by `register_op`, or by an entry point of a package.

Entry points of the group `static_runtime.ops` are loaded when the first op is met that
nobody has registered yet; a program without such ops imports none of them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import metadata
from inspect import isabstract
from threading import RLock
from typing import Any, TypeVar, cast, overload

from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import PyRDLOpDefinitionError

from ...dialects.graph import GraphOp
from ...dialects.graph.custom import CustomOp, check_kernels
from .op_digest import called_by, digest_of_op

_GROUP = "static_runtime.ops"
"""The group of the entry points that register ops."""

_OURS = frozenset(
    {"arith", "builtin", "func", "graph", "host", "loop", "math", "scalar", "scf"}
)
"""Dialects in which nobody registers an op."""

_NAME = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")

AnyOp = TypeVar("AnyOp", bound=type[GraphOp])


@dataclass(frozen=True)
class Registered:
    """An op that a user brought, and the package that it came with."""

    op: type[GraphOp]
    package: str
    """The distribution, or else the module at the top, as a selection names it."""

    version: str
    """The version of the distribution, if there is one."""

    @cached_property
    def digest(self) -> str:
        """A hash of the package's name and version, and of the op's source."""
        return digest_of_op(self.op, self.package, self.version)

    def is_same_as(self, other: Registered) -> bool:
        """Whether another class is of the same text, and calls the same functions."""
        mine, yours = called_by(self.op), called_by(other.op)
        return (
            self.op.__module__ == other.op.__module__
            and self.op.__qualname__ == other.op.__qualname__
            and len(mine) == len(yours)
            and all(_is_same(*both) for both in zip(mine, yours, strict=True))
            and self.digest == other.digest
        )

    def __str__(self) -> str:
        package = f"{self.package} {self.version}".strip()
        return f"{self.op.__module__}.{self.op.__qualname__} ({package})"


_lock = RLock()
_ops: dict[str, Registered] = {}
_spelled: dict[str, list[tuple[int, Registered]]] = {}
"""By what a framework calls an op: from which version of its domain on, and the op."""

_are_loaded = False

_record: ContextVar[dict[str, str | None] | None] = ContextVar("record", default=None)
"""Where this thread notes the spellings that it looks for, if it reads a model."""


@overload
def register_op(op: AnyOp, *, package: str = "", version: str = "") -> AnyOp: ...


@overload
def register_op(
    *, package: str = "", version: str = ""
) -> Callable[[AnyOp], AnyOp]: ...


def register_op(op: Any = None, *, package: str = "", version: str = "") -> Any:
    """
    Makes an op known to all compiles of this process; returns its class.

    `op` is a class such as those of the graph dialect, mostly a `CustomOp`, with a name
    in a dialect of its own, as `mydomain.scale`; without `op` this is a decorator.
    `package` and `version` are those of the distribution that it comes with; by default
    they are looked up by the name of its module.
    Raises `ValueError` for a class that is no op, for a name that is taken by another
    op, and for kernels that cannot be told apart. The same op may come again.
    """
    if op is None:
        return partial(register_op, package=package, version=version)
    _check(op)
    if not package:
        package, version = _distribution_of(op.__module__.partition(".")[0])
    made = Registered(op, package, version)
    with _lock:
        known = _ops.get(op.name)
        if known is not None and known.op is not op:
            if known.is_same_as(made):
                return known.op
            raise ValueError(
                f"expected one op {op.name}, got another one, {made}, after {known}; "
                "give it a name of its own"
            )
        if known is None:
            forms = _forms(made)
            _ops[op.name] = made
            for spelling, since in forms:
                _spelled.setdefault(spelling, []).append((since, made))
    return op


def find_op(name: str) -> Registered | None:
    """The op of a name that somebody registered, by an entry point if need be."""
    if name not in _ops:
        _load()
    return _ops.get(name)


def find_spelled(spelling: str, version: int = 0) -> Registered | None:
    """
    The op that a framework calls so: `onnx.mydomain.Scale`, `mylib.scale.default`; of
    several the newest one that is not newer than a version of the domain.
    """
    if spelling not in _spelled:
        _load()
    forms = [each for each in _spelled.get(spelling, ()) if each[0] <= version]
    found = max(forms, key=lambda each: each[0])[1] if forms else None
    if (record := _record.get()) is not None:
        record[f"{spelling}@{version}"] = None if found is None else found.digest
    return found


@contextmanager
def recorded(record: dict[str, str | None]) -> Generator[None]:
    """Notes in `record` what a thread looks for: `onnx.a.F@1`, and a digest or None."""
    token = _record.set(record)
    try:
        yield
    finally:
        _record.reset(token)


def are_spelled_as(record: Mapping[str, str | None]) -> bool:
    """Whether spellings mean the ops, or nothing, that they did when recorded."""
    for each, digest in record.items():
        spelling, _, version = each.rpartition("@")
        found = find_spelled(spelling, int(version))
        if (None if found is None else found.digest) != digest:
            return False
    return True


def versions_of(spelling: str) -> list[int]:
    """The versions from which on ops of this spelling are registered."""
    return sorted(since for since, _ in _spelled.get(spelling, ()))


def digests_of(names: Iterable[str]) -> dict[str, str]:
    """What ops are by now, by their names; nothing of one that nobody registered."""
    found = ((name, find_op(name)) for name in names)
    return {name: each.digest for name, each in found if each is not None}


def package_of(op: type[GraphOp]) -> str | None:
    """The package of an op that a user registered."""
    known = _ops.get(op.name)
    return None if known is None else known.package


def forget_op(name: str) -> None:
    """Makes an op unknown, as tests and notebooks want it."""
    with _lock:
        gone = _ops.pop(name, None)
        for spelling, forms in [*_spelled.items()]:
            left = [each for each in forms if each[1] is not gone]
            _spelled[spelling] = left
            if not left:
                del _spelled[spelling]


def _forms(made: Registered) -> list[tuple[str, int]]:
    """
    What frameworks call an op, and from which version on: `onnx.mydomain.Scale@3` from
    version 3 on. Raises `ValueError` for no version, and for what another op is called.
    """
    forms: list[tuple[str, int]] = []
    for each in made.op.SPELLINGS:
        name, _, since = each.partition("@")
        if since and not (since.isascii() and since.isdigit()):
            raise ValueError(
                f"{made.op.name}: expected a version after @, got {since!r} in {each!r}"
            )
        form = name, int(since or 0)
        taken = [op for first, op in _spelled.get(name, ()) if first == form[1]]
        if taken or form in forms:
            other = (*taken, made)[0].op.name
            raise ValueError(
                f"expected one op for {each}, got {made.op.name} and {other}"
            )
        forms.append(form)
    return forms


def _is_same(one: Any, other: Any) -> bool:
    """Whether two kernels call the same: one object, or one address."""
    return one is other or (isinstance(one, int) and one == other)


def _load() -> None:
    """Loads the entry points, once; a thread waits for one that does so."""
    global _are_loaded
    with _lock:
        if not _are_loaded:
            _are_loaded = True
            for point in metadata.entry_points(group=_GROUP):
                _load_point(point)


def _load_point(point: metadata.EntryPoint) -> None:
    """
    Registers what an entry point names: an op, several, or a module that does so when
    it is imported.
    """
    global _are_loaded
    try:
        found = point.load()
    except BaseException as error:
        # It is tried again, and raised again, when the next op is looked for.
        _are_loaded = False
        error.add_note(f"in the entry point {point.name} = {point.value} of {_GROUP}")
        raise
    package, version = "", ""
    if point.dist is not None:
        package, version = point.dist.name, point.dist.version
    is_several = isinstance(found, list | tuple)
    for each in cast("Iterable[Any]", found if is_several else [found]):
        if not inspect.ismodule(each):
            register_op(each, package=package, version=version)


def _check(op: Any) -> None:
    """Raises `ValueError` for what is no op of a user; defines it if nobody did."""
    if not (inspect.isclass(op) and issubclass(op, GraphOp)):
        raise ValueError(
            "expected a class of an op, such as one of static_runtime.CustomOp, got "
            f"{op!r}"
        )
    name = getattr(op, "name", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"{op.__name__}: expected a name such as mydomain.scale, got {name!r}"
        )
    if (dialect := name.partition(".")[0]) in _OURS:
        raise ValueError(
            f"{name}: expected a dialect of your own, got {dialect}, which is one of "
            "static_runtime"
        )
    if "get_irdl_definition" not in vars(op):
        try:
            irdl_op_definition(op)
        except PyRDLOpDefinitionError as error:
            raise ValueError(
                f"{name}: expected the definition of an op, got {error}"
            ) from error
    if isabstract(op):
        methods: Iterable[str] = getattr(op, "__abstractmethods__", ())
        missing = ", ".join(sorted(methods))
        raise ValueError(f"{name}: expected an op with {missing}, got none")
    check_kernels(op)
    if issubclass(op, CustomOp) and not op.KERNELS and not _computes(op):
        raise ValueError(f"{name}: expected KERNELS or a reference, got neither")


def _computes(op: type[GraphOp]) -> bool:
    """Whether an op without kernels has another answer to how it is computed."""
    names = ("reference", "nests", "choice", "ranking", "descent", "decompose")
    return any(getattr(op, each) is not getattr(CustomOp, each) for each in names)


def _distribution_of(module: str) -> tuple[str, str]:
    """Name and version of the distribution with a module; or just the module."""
    try:
        known = metadata.distribution(module)
    except metadata.PackageNotFoundError:
        return module, ""
    return known.name, known.version
