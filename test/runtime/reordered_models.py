"""Models that look up slices by indices which may be in order."""

BEAMS = """
func.func @beams(%k: tensor<?x2x64xf32, ["n"]>, %i: tensor<?xKIND, ["COUNT"]>,
    %w: tensor<64x8xf32>) -> tensor<?x2x8xf32, ["COUNT"]> {
  %0 = graph.index_select %k, %i {axis = 0 : i64, wraps = true}
    : tensor<?x2x64xf32, ["n"]>, tensor<?xKIND, ["COUNT"]>
    -> tensor<?x2x64xf32, ["COUNT"]>
  %1 = graph.matmul %0, %w : tensor<?x2x64xf32, ["COUNT"]>, tensor<64x8xf32>
    -> tensor<?x2x8xf32, ["COUNT"]>
  return %1 : tensor<?x2x8xf32, ["COUNT"]>
}
"""
"""A cache whose first axis is reordered, and a product of what that is then."""

INSIDE = """
func.func @inside(%k: tensor<2x?x64xf32, ["n"]>, %i: tensor<?xi64, ["n"]>,
    %w: tensor<64x8xf32>) -> tensor<2x?x8xf32, ["n"]> {
  %0 = graph.index_select %k, %i {axis = 1 : i64, wraps = true}
    : tensor<2x?x64xf32, ["n"]>, tensor<?xi64, ["n"]> -> tensor<2x?x64xf32, ["n"]>
  %1 = graph.matmul %0, %w : tensor<2x?x64xf32, ["n"]>, tensor<64x8xf32>
    -> tensor<2x?x8xf32, ["n"]>
  return %1 : tensor<2x?x8xf32, ["n"]>
}
"""
"""The same along another axis."""

COMPUTED = """
func.func @computed(%k: tensor<?x64xf32, ["n"]>, %i: tensor<?xi64, ["n"]>,
    %j: tensor<?xi64, ["n"]>, %w: tensor<64x64xf32>)
    -> (tensor<?x64xf32, ["n"]>, tensor<?x64xf32, ["n"]>) {
  %0 = graph.matmul %k, %w : tensor<?x64xf32, ["n"]>, tensor<64x64xf32>
    -> tensor<?x64xf32, ["n"]>
  %1 = graph.index_select %0, %i {axis = 0 : i64, wraps = true}
    : tensor<?x64xf32, ["n"]>, tensor<?xi64, ["n"]> -> tensor<?x64xf32, ["n"]>
  %2 = graph.index_select %1, %j {axis = 0 : i64, wraps = true}
    : tensor<?x64xf32, ["n"]>, tensor<?xi64, ["n"]> -> tensor<?x64xf32, ["n"]>
  %3 = graph.matmul %k, %w : tensor<?x64xf32, ["n"]>, tensor<64x64xf32>
    -> tensor<?x64xf32, ["n"]>
  %4 = graph.matmul %3, %w : tensor<?x64xf32, ["n"]>, tensor<64x64xf32>
    -> tensor<?x64xf32, ["n"]>
  %5 = graph.matmul %2, %w : tensor<?x64xf32, ["n"]>, tensor<64x64xf32>
    -> tensor<?x64xf32, ["n"]>
  %6 = graph.matmul %5, %w : tensor<?x64xf32, ["n"]>, tensor<64x64xf32>
    -> tensor<?x64xf32, ["n"]>
  return %4, %6 : tensor<?x64xf32, ["n"]>, tensor<?x64xf32, ["n"]>
}
"""
"""What is computed, reordered twice, and read when much else was computed."""

FIXED = """
func.func @fixed(%k: tensor<4x2x64xf32>, %i: tensor<4xi64>, %w: tensor<64x8xf32>)
    -> tensor<4x2x8xf32> {
  %0 = graph.index_select %k, %i {axis = 0 : i64, wraps = true}
    : tensor<4x2x64xf32>, tensor<4xi64> -> tensor<4x2x64xf32>
  %1 = graph.matmul %0, %w : tensor<4x2x64xf32>, tensor<64x8xf32>
    -> tensor<4x2x8xf32>
  return %1 : tensor<4x2x8xf32>
}
"""
"""The reordered cache in sizes that are known."""

LOOP = """
func.func @loop(%k: tensor<?x64xf32, ["n"]>, %s: tensor<5x?xi64, ["n"]>,
    %w: tensor<64x64xf32>) -> tensor<?x64xf32, ["n"]> {
  %z = graph.matmul %k, %w : tensor<?x64xf32, ["n"]>, tensor<64x64xf32>
    -> tensor<?x64xf32, ["n"]>
  %0 = graph.loop %z, %s, %k, %w {trips = "5", carried = 1 : i64, scanned = 1 : i64,
    conditional = false, backward = array<i64: 0>}
    : tensor<?x64xf32, ["n"]>, tensor<5x?xi64, ["n"]>, tensor<?x64xf32, ["n"]>,
      tensor<64x64xf32> -> tensor<?x64xf32, ["n"]> {
  ^bb0(%h: tensor<?x64xf32, ["n"]>, %i: tensor<?xi64, ["n"]>,
      %a: tensor<?x64xf32, ["n"]>, %v: tensor<64x64xf32>):
    %1 = graph.index_select %a, %i {axis = 0 : i64, wraps = true}
      : tensor<?x64xf32, ["n"]>, tensor<?xi64, ["n"]> -> tensor<?x64xf32, ["n"]>
    %2 = graph.matmul %1, %v : tensor<?x64xf32, ["n"]>, tensor<64x64xf32>
      -> tensor<?x64xf32, ["n"]>
    %3 = graph.sub %2, %h : tensor<?x64xf32, ["n"]>, tensor<?x64xf32, ["n"]>
      -> tensor<?x64xf32, ["n"]>
    graph.yield %3 : tensor<?x64xf32, ["n"]>
  }
  return %0 : tensor<?x64xf32, ["n"]>
}
"""
"""Indices that are others in each trip."""


SQUARES = """
func.func @squares(%k: tensor<?x2x64xf32, ["n"]>, %i: tensor<?xi64, ["n"]>,
    %w: tensor<64x8xf32>)
    -> (tensor<?x2x64xf32, ["n"]>, tensor<?x2x8xf32, ["n"]>) {
  %0 = graph.index_select %k, %i {axis = 0 : i64, wraps = true}
    : tensor<?x2x64xf32, ["n"]>, tensor<?xi64, ["n"]> -> tensor<?x2x64xf32, ["n"]>
  %1 = graph.mul %k, %k : tensor<?x2x64xf32, ["n"]>, tensor<?x2x64xf32, ["n"]>
    -> tensor<?x2x64xf32, ["n"]>
  %2 = graph.matmul %0, %w : tensor<?x2x64xf32, ["n"]>, tensor<64x8xf32>
    -> tensor<?x2x8xf32, ["n"]>
  return %1, %2 : tensor<?x2x64xf32, ["n"]>, tensor<?x2x8xf32, ["n"]>
}
"""
"""An input that is read no more before its reordered rows are."""


PARALLEL = """
func.func @parallel(%k: tensor<8x48x48xf32>, %l: tensor<8x48x48xf32>, %i: tensor<8xi64>,
    %j: tensor<8xi64>) -> (tensor<8x48x48xf32>, tensor<8x48x48xf32>) {
  %0, %1 = graph.parallel %k, %l, %i, %j : tensor<8x48x48xf32>, tensor<8x48x48xf32>,
    tensor<8xi64>, tensor<8xi64> -> tensor<8x48x48xf32>, tensor<8x48x48xf32> {
    ^bb0(%a: tensor<8x48x48xf32>, %b: tensor<8x48x48xf32>, %c: tensor<8xi64>,
        %d: tensor<8xi64>):
      %2 = graph.index_select %a, %c {axis = 0 : i64, wraps = true}
        : tensor<8x48x48xf32>, tensor<8xi64> -> tensor<8x48x48xf32>
      %3 = graph.matmul %2, %2 : tensor<8x48x48xf32>, tensor<8x48x48xf32>
        -> tensor<8x48x48xf32>
      graph.yield %3 : tensor<8x48x48xf32>
    } {
    ^bb0(%a: tensor<8x48x48xf32>, %b: tensor<8x48x48xf32>, %c: tensor<8xi64>,
        %d: tensor<8xi64>):
      %2 = graph.index_select %b, %d {axis = 0 : i64, wraps = true}
        : tensor<8x48x48xf32>, tensor<8xi64> -> tensor<8x48x48xf32>
      %3 = graph.matmul %2, %2 : tensor<8x48x48xf32>, tensor<8x48x48xf32>
        -> tensor<8x48x48xf32>
      graph.yield %3 : tensor<8x48x48xf32>
    }
  return %0, %1 : tensor<8x48x48xf32>, tensor<8x48x48xf32>
}
"""
"""Two caches, each reordered in a branch of its own, and read twice there."""


def beams(kind: str = "i64", count: str = "n") -> str:
    """The cache, with indices of a kind, as many as it has rows or of an own number."""
    return BEAMS.replace("KIND", kind).replace("COUNT", count)


def many(count: int) -> str:
    """A model of as many caches, each reordered by indices of its own."""
    shapes = [f"%k{at}: tensor<2x64xf32>, %i{at}: tensor<2xi64>" for at in range(count)]
    lines: list[str] = []
    for at in range(count):
        lines.append(
            f"%s{at} = graph.index_select %k{at}, %i{at} "
            "{axis = 0 : i64, wraps = true} : tensor<2x64xf32>, tensor<2xi64> "
            "-> tensor<2x64xf32>"
        )
        lines.append(
            f"%p{at} = graph.matmul %s{at}, %w : tensor<2x64xf32>, tensor<64x1xf32> "
            "-> tensor<2x1xf32>"
        )
    results = ", ".join(f"%p{at}" for at in range(count))
    types = ", ".join(["tensor<2x1xf32>"] * count)
    body = "\n  ".join(lines)
    return (
        f"func.func @many({', '.join(shapes)}, %w: tensor<64x1xf32>) -> ({types}) {{\n"
        f"  {body}\n  return {results} : {types}\n}}"
    )
