"""
Read YAML into nodes that know their lines.

The text may be hostile. It is read event by event, so that nothing recurses; it is
short, seldom nested, and has no anchors, aliases or tags, which a selection has no use
for: each becomes an error with its line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from ...runtime.library import SelectionError

if TYPE_CHECKING:
    from yaml import Event

MOST_BYTES = 2**22
"""The most bytes of a file; ten thousand operators take a third of these."""

_MAX_DEPTH = 8
"""The most nodes around a node; a selection needs four."""

_MAX_TEXT = 60
"""Characters of a text that a message repeats."""


@dataclass(frozen=True)
class Scalar:
    """A text, and what YAML takes it for when it is not quoted."""

    line: int
    text: str
    tag: str
    """`str`, `bool`, `int`, `float`, `null` or another type of YAML."""


@dataclass(frozen=True)
class Items:
    """A list."""

    line: int
    nodes: list[Node] = field(default_factory=list["Node"])


@dataclass(frozen=True)
class Fields:
    """A mapping; each key is a text, and has a line of its own."""

    line: int
    nodes: dict[str, Node] = field(default_factory=dict[str, "Node"])
    lines: dict[str, int] = field(default_factory=dict[str, int])


Node: TypeAlias = Scalar | Items | Fields


def check_installed() -> None:
    """Raises `SelectionError` when the package that reads and writes YAML is absent."""
    if find_spec("yaml") is None:
        raise SelectionError(
            "expected the package PyYAML, which reads and writes YAML, got none "
            "installed: pip install static-runtime[selective]"
        )


def read_nodes(data: bytes, name: str, most: int | None = None) -> Node:
    """
    The only document of a YAML file that is called `name` in messages, and has `most`
    bytes at most, or `MOST_BYTES`.

    Raises `SelectionError` with the line for anything else than YAML, and for YAML
    that no selection needs.
    """
    check_installed()
    most = MOST_BYTES if most is None else most
    if len(data) > most:
        raise SelectionError(f"{name}: expected at most {most} bytes, got more")
    return _Reader(_decoded(data, name), name).document()


def shown(text: str) -> str:
    """A text for a message: short, and in one line."""
    return repr(text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}...")


def _decoded(data: bytes, name: str) -> str:
    """The text of a file; raises `SelectionError` when it is not in UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SelectionError(
            f"{name}:{line}: expected text in UTF-8, got byte "
            f"0x{data[error.start]:02x} at offset {error.start}"
        ) from error


class _Reader:
    """Turns the events of one text into nodes."""

    def __init__(self, text: str, name: str):
        self.text, self.name = text, name
        self.open: list[Items | Fields] = []
        """The lists and mappings around what is read."""
        self.keys: list[Scalar | None] = []
        """For each of them the key whose value comes next."""
        self.root: Node | None = None

    def document(self) -> Node:
        """The only document."""
        for event in self.events():
            self.add(event)
        if self.root is None:
            raise self.error(1, "expected a selection, got nothing")
        return self.root

    def events(self) -> Any:
        """The events, as PyYAML finds them; its errors become ours."""
        from yaml import SafeLoader, YAMLError
        from yaml.error import MarkedYAMLError
        from yaml.reader import ReaderError

        loader: Any = None  # whose methods have no types
        try:
            self.loader = loader = SafeLoader(self.text)
            while loader.check_event():
                yield loader.get_event()
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark is not None else 1
            raise self.error(line, f"expected YAML, got {error.problem}") from error
        except ReaderError as error:
            line = self.text.count("\n", 0, error.position) + 1
            what = f"the character {error.character:#x}"
            raise self.error(line, f"expected printable text, got {what}") from error
        except (YAMLError, ValueError, OverflowError) as error:
            # A number of an escape or a version that Python cannot hold.
            line = loader.line + 1 if loader is not None else 1
            raise self.error(line, f"expected YAML, got {error}") from error

    def add(self, event: Event) -> None:
        """Takes an event into account."""
        from yaml import events as kinds

        mark: Any = event.start_mark
        line = mark.line + 1
        self.refuse_reuse(event, line)
        match event:
            case kinds.DocumentStartEvent() if self.root is not None:
                raise self.error(line, "expected one document, got another one")
            case kinds.ScalarEvent():
                self.scalar(event, line)
            case kinds.SequenceStartEvent():
                self.start(Items(line))
            case kinds.MappingStartEvent():
                self.start(Fields(line))
            case kinds.SequenceEndEvent() | kinds.MappingEndEvent():
                self.open.pop()
                self.keys.pop()
            case _:
                pass

    def refuse_reuse(self, event: Event, line: int) -> None:
        """Raises `SelectionError` for an alias, an anchor or a tag."""
        from yaml import AliasEvent

        anchor: str | None = getattr(event, "anchor", None)
        if isinstance(event, AliasEvent):
            raise self.error(line, f"expected no alias, got {shown(f'*{anchor}')}")
        if anchor is not None:
            raise self.error(line, f"expected no anchor, got {shown(f'&{anchor}')}")
        tag: str | None = getattr(event, "tag", None)
        if tag is not None:
            raise self.error(line, f"expected no tag, got {shown(tag)}")

    def scalar(self, event: Any, line: int) -> None:
        """Adds a text: a key where a mapping waits for one, else a value."""
        from yaml import ScalarNode

        loader: Any = self.loader
        resolved: str = loader.resolve(ScalarNode, event.value, event.implicit)
        tag = resolved.rpartition(":")[2]
        found = Scalar(line, event.value, tag)
        if self.open and isinstance(self.open[-1], Fields) and self.keys[-1] is None:
            self.keys[-1] = found
            if found.text in self.open[-1].nodes:
                first = self.open[-1].lines[found.text]
                raise self.error(
                    line,
                    f"expected each key once, got {shown(found.text)} again, which is "
                    f"in line {first}",
                )
            return
        self.put(found)

    def start(self, node: Items | Fields) -> None:
        """Opens a list or a mapping."""
        if len(self.open) == _MAX_DEPTH:
            raise self.error(
                node.line, f"expected nodes at most {_MAX_DEPTH} deep, got deeper ones"
            )
        self.put(node)
        self.open.append(node)
        self.keys.append(None)

    def put(self, node: Node) -> None:
        """Makes a node the value that comes next."""
        match self.open[-1] if self.open else None:
            case None:
                self.root = node
            case Items(nodes=nodes):
                nodes.append(node)
            case Fields() as fields:
                key = self.keys[-1]
                if key is None:
                    raise self.error(node.line, "expected a name as a key, got a node")
                fields.nodes[key.text] = node
                fields.lines[key.text] = key.line
                self.keys[-1] = None

    def error(self, line: int, message: str) -> SelectionError:
        """The error of a line."""
        return SelectionError(f"{self.name}:{line}: {message}")
