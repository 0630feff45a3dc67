"""Operators of torch that take graphs: `cond`, loops over them, and contexts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import fx
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Attribute, Block, SSAValue

from ....dialects import Dim, sizes, tensor, tensor_type
from ....dialects.graph import UNLIMITED, IfOp, LoopOp, YieldOp
from ....dialects.graph.compose import joining, reshaped
from ..unsupported import Unsupported
from .arguments import Value, resolve
from .program import ProgramReader
from .source import location


def graph_of(node: Any) -> fx.GraphModule:
    """The graph that an argument names."""
    module: Any = node.graph.owning_module
    for name in node.target.split("."):
        module = getattr(module, name)
    assert isinstance(module, fx.GraphModule)
    return module


def inline(
    reader: ProgramReader, graph: fx.GraphModule, arguments: Sequence[Value]
) -> Any:
    """The results of a graph, which is built at the insertion point."""
    inner = reader.inside()
    inputs = graph.graph.find_nodes(op="placeholder")
    inner.values.update(zip(inputs, arguments, strict=True))
    for node in graph.graph.nodes:
        if node.op not in ("placeholder", "output"):
            inner.read_node(node)
    (end,) = graph.graph.find_nodes(op="output")
    return resolve(end.args[0], inner.values)


def _inline(
    reader: ProgramReader, graph: fx.GraphModule, arguments: Sequence[Value]
) -> list[SSAValue]:
    """The results of a graph, which are tensors."""
    found: list[SSAValue] = []
    for each in _listed(inline(reader, graph, arguments)):
        if not isinstance(each, SSAValue):
            raise Unsupported(f"a graph that returns {each}, not a tensor")
        found.append(each)
    return found


def region(
    reader: ProgramReader,
    graph: fx.GraphModule,
    arguments: Sequence[Value],
    types: Sequence[Attribute],
    close: Callable[[list[SSAValue], Block], list[SSAValue]] | None = None,
) -> Block:
    """
    The block of a graph, whose arguments are the tensors among `arguments`.

    `types` are their types inside; `close` may change the yielded values.
    """
    block = Block(arg_types=types)
    inside = iter(block.args)
    given = [next(inside) if isinstance(x, SSAValue) else x for x in arguments]
    with reader.building(block), ImplicitBuilder(block):
        results = _inline(reader, graph, given)
        YieldOp(*(results if close is None else close(results, block)))
    return block


def _listed(values: Any) -> list[Value]:
    """One value, or several, as a list."""
    return [values] if isinstance(values, SSAValue) else list(values)


def _tensors(values: Sequence[Value]) -> list[SSAValue]:
    """The values that are tensors."""
    return [each for each in values if isinstance(each, SSAValue)]


def _types_of(values: Sequence[SSAValue]) -> list[Attribute]:
    """The types of tensors."""
    return [each.type for each in values]


def _one_boolean(value: Value) -> SSAValue:
    """A condition as a tensor of rank 0."""
    if not isinstance(value, SSAValue):
        raise Unsupported(f"a condition that is {value}, not a tensor")
    return reshaped(value, ())


def cond(reader: ProgramReader, node: fx.Node) -> Value:
    """The results of one of two graphs, selected by a condition."""
    arguments: Any = node.args
    predicate, then, otherwise, operands = arguments
    condition: Value = resolve(predicate, reader.values)
    values = _listed(resolve(operands, reader.values))
    graphs = [graph_of(each) for each in (then, otherwise)]
    if isinstance(condition, bool):
        return _inline(reader, graphs[0 if condition else 1], values)
    captured = _tensors(values)
    types = _types_of(captured)
    blocks = [region(reader, each, values, types) for each in graphs]
    if not joining.unite(blocks, str(node.target), location(node)):
        ends = [end for block in blocks if (end := block.last_op) is not None]
        both = " and ".join(", ".join(map(str, end.operand_types)) for end in ends)
        raise Unsupported(f"branches with results of one type each: {both}")
    return list(IfOp.of(_one_boolean(condition), captured, *blocks).results)


def while_loop(reader: ProgramReader, node: fx.Node) -> Value:
    """The results of a graph that is repeated while another returns true."""
    arguments: Any = node.args
    test, body, carried, additional = arguments
    first = _listed(resolve(carried, reader.values))
    others = _listed(resolve(additional, reader.values))
    if len(states := _tensors(first)) < len(first):
        raise Unsupported("a loop that carries a number, not a tensor")
    condition = _one_boolean(_inline(reader, graph_of(test), [*first, *others])[0])

    def close(results: list[SSAValue], block: Block) -> list[SSAValue]:
        """Adds the condition of the next trip to the yielded values."""
        inside = iter(block.args[len(states) :])
        rest = [next(inside) if isinstance(x, SSAValue) else x for x in others]
        again = _inline(reader, graph_of(test), [*results, *rest])[0]
        return [_one_boolean(again), *results]

    captured = _tensors(others)
    types = _types_of([*states, *captured])
    block = region(reader, graph_of(body), [*first, *others], types, close)
    _keep_sizes(node, block, 1, types[: len(states)])
    loop = LoopOp.of(block, UNLIMITED, condition, states, (), captured)
    return list(loop.results)


def _keep_sizes(
    node: fx.Node, block: Block, first: int, types: Sequence[Attribute]
) -> None:
    """
    Gives the carried values that a trip yields, from number `first` on, these types.
    """
    end = block.last_op
    assert end is not None
    if not all(map(joining.may_be, end.operands[first : first + len(types)], types)):
        raise Unsupported("a loop in which sizes change")
    joining.retype_yields(block, first, types, str(node.target), location(node))


def scan(reader: ProgramReader, node: fx.Node) -> Value:
    """
    The results of a graph that runs over the elements of tensors along their first
    axis.
    """
    combine, init, scanned, additional = node.args
    return _over_elements(reader, node, combine, init, scanned, additional)


def _map(reader: ProgramReader, node: fx.Node) -> Value:
    """The results of a graph for each element of tensors along their first axis."""
    graph, mapped, additional = node.args
    return _over_elements(reader, node, graph, (), mapped, additional)


def _over_elements(
    reader: ProgramReader,
    node: fx.Node,
    graph: Any,
    init: Any,
    scanned: Any,
    additional: Any,
) -> Value:
    """The last values that a graph carries, and what it yields for each element."""
    first, whole, others = (
        _listed(resolve(each, reader.values)) for each in (init, scanned, additional)
    )
    states, elements_of, captured = map(_tensors, (first, whole, others))
    limits: set[Dim] = {sizes(tensor_type(each))[0] for each in elements_of}
    if len(states) < len(first) or len(limits) != 1:
        raise Unsupported("a scan over tensors of different lengths, or of none")
    elements: list[Attribute] = []
    for each in elements_of:
        type = tensor_type(each)
        elements.append(tensor(type.element_type, *sizes(type)[1:]))
    types = [*_types_of(states), *elements, *_types_of(captured)]
    arguments = [*first, *whole, *others]
    block = region(reader, graph_of(graph), arguments, types)
    _keep_sizes(node, block, 0, _types_of(states))
    loop = LoopOp.of(block, limits.pop(), None, states, elements_of, captured)
    return list(loop.results)


def with_effects(reader: ProgramReader, node: fx.Node) -> Any:
    """
    The token of what torch orders by one, where that only checks that matrices have
    factors; those that have not have infinities and NaN in their results.
    """
    if str(node.args[1]) != "aten._linalg_check_errors.default":
        raise Unsupported(f"an effect, that of {node.args[1]}")
    return {0: True}  # the token, by its index among the results


def _without_gradients(reader: ProgramReader, node: fx.Node) -> Value:
    """The results of a graph that torch runs with gradients or without."""
    arguments: Any = node.args
    _, graph, *operands = arguments
    return _inline(reader, graph_of(graph), resolve(operands, reader.values))


def _autocast(reader: ProgramReader, node: fx.Node) -> Value:
    """The results of a graph in which torch converts no operands by itself."""
    arguments: Any = node.args
    _, _, is_enabled, _, graph, *operands = arguments
    if is_enabled:
        raise Unsupported("operands that torch converts")
    return _inline(reader, graph_of(graph), resolve(operands, reader.values))


REGIONS: dict[str, Callable[[ProgramReader, fx.Node], Any]] = {
    "cond": cond,
    "while_loop": while_loop,
    "scan": scan,
    "map_impl": _map,
    "with_effects": with_effects,
    "wrap_with_set_grad_enabled": _without_gradients,
    "wrap_with_autocast": _autocast,
}
"""The readers of operators that take graphs."""
