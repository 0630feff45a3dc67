// RUN: sr-opt %s -p fuse | filecheck %s

// The elementwise tail of a contraction becomes its epilogue.
//
// CHECK-LABEL: func.func @epilogue
// CHECK-NEXT:    %[[R:.*]] = graph.fusion %x, %w, %b : tensor<2x3xf32>, tensor<3x5xf32>, tensor<5xf32> -> tensor<2x5xf32> {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: tensor<2x3xf32>, %[[W:.*]]: tensor<3x5xf32>, %[[B:.*]]: tensor<5xf32>):
// CHECK-NEXT:      %[[PRODUCT:.*]] = graph.matmul %[[X]], %[[W]]
// CHECK-NEXT:      %[[SUM:.*]] = graph.add %[[PRODUCT]], %[[B]]
// CHECK-NEXT:      %[[RELU:.*]] = graph.relu %[[SUM]]
// CHECK-NEXT:      graph.yield %[[RELU]] : tensor<2x5xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @epilogue(%x : tensor<2x3xf32>, %w : tensor<3x5xf32>, %b : tensor<5xf32>) -> tensor<2x5xf32> {
  %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %1 = graph.add %0, %b : tensor<2x5xf32>, tensor<5xf32> -> tensor<2x5xf32>
  %2 = graph.relu %1 : tensor<2x5xf32> -> tensor<2x5xf32>
  return %2 : tensor<2x5xf32>
}

// It does so where axes have one element, along which nothing moves.
//
// CHECK-LABEL: func.func @epilogue_of_one_row
// CHECK-NEXT:    graph.fusion %x, %w
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.yield
func.func @epilogue_of_one_row(%x : tensor<1x3xf32>, %w : tensor<3x5xf32>) -> tensor<1x5xf32> {
  %0 = graph.matmul %x, %w : tensor<1x3xf32>, tensor<3x5xf32> -> tensor<1x5xf32>
  %1 = graph.relu %0 : tensor<1x5xf32> -> tensor<1x5xf32>
  return %1 : tensor<1x5xf32>
}

// What is padded is computed inside the padding.
//
// CHECK-LABEL: func.func @padded
// CHECK-NEXT:    graph.fusion %x, %w
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.pad
// CHECK-NEXT:      graph.yield
func.func @padded(%x : tensor<2x3xf32>, %w : tensor<3x5xf32>) -> tensor<4x7xf32> {
  %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %1 = graph.relu %0 : tensor<2x5xf32> -> tensor<2x5xf32>
  %2 = graph.pad %1 {low = array<i64: 1, 1>, high = array<i64: 1, 1>, value = 0.0 : f64} : tensor<2x5xf32> -> tensor<4x7xf32>
  return %2 : tensor<4x7xf32>
}

// Each part of a concatenation may be a reduction.
//
// CHECK-LABEL: func.func @reductions_side_by_side
// CHECK-NEXT:    graph.fusion
// CHECK:           graph.sum
// CHECK-NEXT:      graph.matmul
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.concat
// CHECK-NEXT:      graph.yield
func.func @reductions_side_by_side(%x : tensor<2x3xf32>, %y : tensor<2x5x7xf32>, %w : tensor<3x5xf32>) -> tensor<2x10xf32> {
  %0 = graph.sum %y {axes = array<i64: 2>, keepdims = false} : tensor<2x5x7xf32> -> tensor<2x5xf32>
  %1 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %2 = graph.relu %1 : tensor<2x5xf32> -> tensor<2x5xf32>
  %3 = graph.concat %0, %2 {axis = 1 : i64} : tensor<2x5xf32>, tensor<2x5xf32> -> tensor<2x10xf32>
  return %3 : tensor<2x10xf32>
}

// Elementwise ops before a reduction become its prologue, and those after it its epilogue.
//
// CHECK-LABEL: func.func @prologue
// CHECK-NEXT:    graph.fusion %x, %y
// CHECK:           graph.mul
// CHECK-NEXT:      graph.sum
// CHECK-NEXT:      graph.sqrt
// CHECK-NEXT:      graph.yield
func.func @prologue(%x : tensor<?x8xf32, ["n"]>, %y : tensor<8xf32>) -> tensor<?xf32, ["n"]> {
  %0 = graph.mul %x, %y : tensor<?x8xf32, ["n"]>, tensor<8xf32> -> tensor<?x8xf32, ["n"]>
  %1 = graph.sum %0 {axes = array<i64: 1>, keepdims = false} : tensor<?x8xf32, ["n"]> -> tensor<?xf32, ["n"]>
  %2 = graph.sqrt %1 : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return %2 : tensor<?xf32, ["n"]>
}

// What only moves elements fuses as well: each is read once, wherever it is put.
//
// CHECK-LABEL: func.func @moves
// CHECK-NEXT:    graph.fusion %x, %y
// CHECK:           graph.relu
// CHECK-NEXT:      graph.permute
// CHECK-NEXT:      graph.slice
// CHECK-NEXT:      graph.concat
// CHECK-NEXT:      graph.yield
func.func @moves(%x : tensor<4x6xf32>, %y : tensor<2x4xf32>) -> tensor<5x4xf32> {
  %0 = graph.relu %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<4x6xf32> -> tensor<6x4xf32>
  %2 = graph.slice %1 {starts = ["0", "0"], sizes = ["3", "4"], steps = array<i64: 2, 1>} : tensor<6x4xf32> -> tensor<3x4xf32>
  %3 = graph.concat %2, %y {axis = 0 : i64} : tensor<3x4xf32>, tensor<2x4xf32> -> tensor<5x4xf32>
  return %3 : tensor<5x4xf32>
}

// Several producers join the kernel of one user.
//
// CHECK-LABEL: func.func @tree
// CHECK-NEXT:    graph.fusion %x, %y
// CHECK:           graph.relu
// CHECK-NEXT:      graph.neg
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.yield
func.func @tree(%x : tensor<4xf32>, %y : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %y : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.add %0, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// An op by itself is a kernel by itself.
//
// CHECK-LABEL: func.func @nothing_to_join
// CHECK-NEXT:    graph.relu %x
func.func @nothing_to_join(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A contraction reads its operands many times over: they are computed once before.
//
// CHECK-LABEL: func.func @contraction_takes_no_prologue
// CHECK-NEXT:    %[[X:.*]] = graph.relu %x
// CHECK-NEXT:    graph.matmul %[[X]], %w
func.func @contraction_takes_no_prologue(%x : tensor<2x3xf32>, %w : tensor<3x5xf32>) -> tensor<2x5xf32> {
  %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.matmul %0, %w : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}

// That holds for a single column too, although it reads each row once.
//
// CHECK-LABEL: func.func @contraction_of_one_column
// CHECK-NEXT:    %[[X:.*]] = graph.relu %x
// CHECK-NEXT:    graph.matmul %[[X]], %w
func.func @contraction_of_one_column(%x : tensor<2x3xf32>, %w : tensor<3x1xf32>) -> tensor<2x1xf32> {
  %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.matmul %0, %w : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  return %1 : tensor<2x1xf32>
}

// What broadcasts reads many times over, too.
//
// CHECK-LABEL: func.func @broadcast_reads_again
// CHECK-NEXT:    %[[B:.*]] = graph.exp %b
// CHECK-NEXT:    graph.add %x, %[[B]]
func.func @broadcast_reads_again(%x : tensor<2x5xf32>, %b : tensor<5xf32>) -> tensor<2x5xf32> {
  %0 = graph.exp %b : tensor<5xf32> -> tensor<5xf32>
  %1 = graph.add %x, %0 : tensor<2x5xf32>, tensor<5xf32> -> tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}

// So do windows, which may overlap.
//
// CHECK-LABEL: func.func @windows_read_again
// CHECK-NEXT:    %[[X:.*]] = graph.exp %x
// CHECK-NEXT:    graph.max_pool %[[X]]
func.func @windows_read_again(%x : tensor<1x1x8xf32>) -> tensor<1x1x7xf32> {
  %0 = graph.exp %x : tensor<1x1x8xf32> -> tensor<1x1x8xf32>
  %1 = graph.max_pool %0 {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1>} : tensor<1x1x8xf32> -> tensor<1x1x7xf32>
  return %1 : tensor<1x1x7xf32>
}

// Two users would each compute the value.
//
// CHECK-LABEL: func.func @two_users
// CHECK-NEXT:    %[[E:.*]] = graph.exp %x
// CHECK-NEXT:    graph.neg %[[E]]
// CHECK-NEXT:    graph.abs %[[E]]
func.func @two_users(%x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.abs %0 : tensor<4xf32> -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// Two users of one kernel share it.
//
// CHECK-LABEL: func.func @users_meet
// CHECK-NEXT:    graph.fusion %x
// CHECK:           %[[E:.*]] = graph.exp
// CHECK-NEXT:      %[[N:.*]] = graph.neg %[[E]]
// CHECK-NEXT:      graph.mul %[[E]], %[[N]]
// CHECK-NEXT:      graph.yield
func.func @users_meet(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.mul %0, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// So do those of the tail of a contraction.
//
// CHECK-LABEL: func.func @users_meet_in_a_tail
// CHECK-NEXT:    graph.fusion %x, %w
// CHECK:           %[[P:.*]] = graph.matmul
// CHECK-NEXT:      %[[S:.*]] = graph.sigmoid %[[P]]
// CHECK-NEXT:      graph.mul %[[P]], %[[S]]
// CHECK-NEXT:      graph.yield
func.func @users_meet_in_a_tail(%x : tensor<2x3xf32>, %w : tensor<3x5xf32>) -> tensor<2x5xf32> {
  %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %1 = graph.sigmoid %0 : tensor<2x5xf32> -> tensor<2x5xf32>
  %2 = graph.mul %0, %1 : tensor<2x5xf32>, tensor<2x5xf32> -> tensor<2x5xf32>
  return %2 : tensor<2x5xf32>
}

// They read it at one place, or each would compute it.
//
// CHECK-LABEL: func.func @users_read_at_two_places
// CHECK-NEXT:    %[[E:.*]] = graph.exp %x
// CHECK-NEXT:    graph.fusion %[[E]]
func.func @users_read_at_two_places(%x : tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.exp %x : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = graph.add %0, %1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// An output is one of two users.
//
// CHECK-LABEL: func.func @output_is_a_user
// CHECK-NEXT:    %[[E:.*]] = graph.exp %x
// CHECK-NEXT:    graph.neg %[[E]]
func.func @output_is_a_user(%x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Reductions over the same rows are stages of one kernel, as those of a softmax are.
//
// CHECK-LABEL: func.func @stages
// CHECK-NEXT:    %[[R:.*]] = graph.fusion %x, %s, %mask :
// CHECK:           graph.mul
// CHECK-NEXT:      %[[X:.*]] = graph.add
// CHECK-NEXT:      %[[MAX:.*]] = graph.reduce_max %[[X]]
// CHECK-NEXT:      %[[LOWER:.*]] = graph.sub %[[X]], %[[MAX]]
// CHECK-NEXT:      %[[EXP:.*]] = graph.exp %[[LOWER]]
// CHECK-NEXT:      %[[SUM:.*]] = graph.sum %[[EXP]]
// CHECK-NEXT:      %[[Y:.*]] = graph.div %[[EXP]], %[[SUM]]
// CHECK-NEXT:      graph.yield %[[Y]]
// CHECK:         return %[[R]]
func.func @stages(%x : tensor<?x8xf32, ["n"]>, %s : tensor<f32>, %mask : tensor<?x8xf32, ["n"]>) -> tensor<?x8xf32, ["n"]> {
  %0 = graph.mul %x, %s : tensor<?x8xf32, ["n"]>, tensor<f32> -> tensor<?x8xf32, ["n"]>
  %1 = graph.add %0, %mask : tensor<?x8xf32, ["n"]>, tensor<?x8xf32, ["n"]> -> tensor<?x8xf32, ["n"]>
  %2 = graph.reduce_max %1 {axes = array<i64: 1>, keepdims = true} : tensor<?x8xf32, ["n"]> -> tensor<?x1xf32, ["n"]>
  %3 = graph.sub %1, %2 : tensor<?x8xf32, ["n"]>, tensor<?x1xf32, ["n"]> -> tensor<?x8xf32, ["n"]>
  %4 = graph.exp %3 : tensor<?x8xf32, ["n"]> -> tensor<?x8xf32, ["n"]>
  %5 = graph.sum %4 {axes = array<i64: 1>, keepdims = true} : tensor<?x8xf32, ["n"]> -> tensor<?x1xf32, ["n"]>
  %6 = graph.div %4, %5 : tensor<?x8xf32, ["n"]>, tensor<?x1xf32, ["n"]> -> tensor<?x8xf32, ["n"]>
  return %6 : tensor<?x8xf32, ["n"]>
}

// What comes out may be a number for each row.
//
// CHECK-LABEL: func.func @variance
// CHECK-NEXT:    graph.fusion %x
// CHECK:           graph.sum
// CHECK:           graph.sub
// CHECK:           graph.mul
// CHECK:           graph.sum
// CHECK-NEXT:      graph.sqrt
// CHECK-NEXT:      graph.yield
func.func @variance(%x : tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = true} : tensor<4x6xf32> -> tensor<4x1xf32>
  %1 = graph.sub %x, %0 : tensor<4x6xf32>, tensor<4x1xf32> -> tensor<4x6xf32>
  %2 = graph.mul %1, %1 : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  %3 = graph.sum %2 {axes = array<i64: 1>, keepdims = false} : tensor<4x6xf32> -> tensor<4xf32>
  %4 = graph.sqrt %3 : tensor<4xf32> -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// What several stages need and is costly is kept in the row of the result, which is
// therefore of the same type.
//
// CHECK-LABEL: func.func @nowhere_to_keep
// CHECK-NEXT:    %[[R:.*]] = graph.fusion %x
// CHECK:           graph.exp
// CHECK-NEXT:      graph.sum
// CHECK-NEXT:      graph.div
// CHECK-NEXT:      graph.yield
// CHECK:         graph.cast %[[R]]
func.func @nowhere_to_keep(%x : tensor<4x6xf32>) -> tensor<4x6xf64> {
  %0 = graph.exp %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = graph.sum %0 {axes = array<i64: 1>, keepdims = true} : tensor<4x6xf32> -> tensor<4x1xf32>
  %2 = graph.div %0, %1 : tensor<4x6xf32>, tensor<4x1xf32> -> tensor<4x6xf32>
  %3 = graph.cast %2 {to = f64} : tensor<4x6xf32> -> tensor<4x6xf64>
  return %3 : tensor<4x6xf64>
}

// Rows lie in one piece: an accumulator of columns is in memory before the rows need it.
//
// CHECK-LABEL: func.func @columns
// CHECK-NEXT:    %[[SUM:.*]] = graph.sum %x
// CHECK-NEXT:    graph.div %x, %[[SUM]]
func.func @columns(%x : tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.sum %x {axes = array<i64: 0>, keepdims = true} : tensor<4x6xf32> -> tensor<1x6xf32>
  %1 = graph.div %x, %0 : tensor<4x6xf32>, tensor<1x6xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// The accumulators of a contraction are those of no row.
//
// CHECK-LABEL: func.func @rows_of_a_contraction
// CHECK-NEXT:    %[[PRODUCT:.*]] = graph.matmul %x, %w
// CHECK-NEXT:    graph.fusion %[[PRODUCT]]
func.func @rows_of_a_contraction(%x : tensor<2x3xf32>, %w : tensor<3x5xf32>) -> tensor<2x5xf32> {
  %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %1 = graph.sum %0 {axes = array<i64: 1>, keepdims = true} : tensor<2x5xf32> -> tensor<2x1xf32>
  %2 = graph.sub %0, %1 : tensor<2x5xf32>, tensor<2x1xf32> -> tensor<2x5xf32>
  return %2 : tensor<2x5xf32>
}

// A reduction over other axes starts when the first is over.
//
// CHECK-LABEL: func.func @two_reductions
// CHECK-NEXT:    %[[ROWS:.*]] = graph.sum %x
// CHECK-NEXT:    graph.reduce_max %[[ROWS]]
func.func @two_reductions(%x : tensor<4x6xf32>) -> tensor<f32> {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = false} : tensor<4x6xf32> -> tensor<4xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>, keepdims = false} : tensor<4xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// Of two reductions that meet in one op, one is computed before.
//
// CHECK-LABEL: func.func @reductions_meet
// CHECK-NEXT:    %[[PRODUCT:.*]] = graph.matmul %y, %v
// CHECK-NEXT:    graph.fusion %x, %w, %[[PRODUCT]]
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.yield
func.func @reductions_meet(%x : tensor<2x3xf32>, %w : tensor<3x5xf32>, %y : tensor<2x7xf32>, %v : tensor<7x5xf32>) -> tensor<2x5xf32> {
  %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
  %1 = graph.matmul %y, %v : tensor<2x7xf32>, tensor<7x5xf32> -> tensor<2x5xf32>
  %2 = graph.add %0, %1 : tensor<2x5xf32>, tensor<2x5xf32> -> tensor<2x5xf32>
  return %2 : tensor<2x5xf32>
}

// The tail of a reduction has its shape: a wider op would need each accumulator many times.
//
// CHECK-LABEL: func.func @tail_is_wider
// CHECK-NEXT:    %[[SUM:.*]] = graph.sum %x
// CHECK-NEXT:    graph.sub %y, %[[SUM]]
func.func @tail_is_wider(%x : tensor<4x6xf32>, %y : tensor<3x6xf32>) -> tensor<3x6xf32> {
  %0 = graph.sum %x {axes = array<i64: 0>, keepdims = false} : tensor<4x6xf32> -> tensor<6xf32>
  %1 = graph.sub %y, %0 : tensor<3x6xf32>, tensor<6xf32> -> tensor<3x6xf32>
  return %1 : tensor<3x6xf32>
}

// It needs all of them.
//
// CHECK-LABEL: func.func @tail_is_a_part
// CHECK-NEXT:    %[[SUM:.*]] = graph.sum %x
// CHECK-NEXT:    graph.slice %[[SUM]]
func.func @tail_is_a_part(%x : tensor<4x6xf32>) -> tensor<3xf32> {
  %0 = graph.sum %x {axes = array<i64: 0>, keepdims = false} : tensor<4x6xf32> -> tensor<6xf32>
  %1 = graph.slice %0 {starts = ["0"], sizes = ["3"], steps = array<i64: 1>} : tensor<6xf32> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// It does not move them either.
//
// CHECK-LABEL: func.func @tail_moves_totals
// CHECK-NEXT:    %[[SUM:.*]] = graph.sum %x
// CHECK-NEXT:    graph.slice %[[SUM]]
func.func @tail_moves_totals(%x : tensor<4x6xf32>) -> tensor<6xf32> {
  %0 = graph.sum %x {axes = array<i64: 0>, keepdims = false} : tensor<4x6xf32> -> tensor<6xf32>
  %1 = graph.slice %0 {starts = ["5"], sizes = ["6"], steps = array<i64: -1>} : tensor<6xf32> -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// What is looked up is in memory, the indices first of all; what becomes of the rows is
// computed where they are read.
//
// CHECK-LABEL: func.func @lookups_read_memory
// CHECK-NEXT:    %[[T:.*]] = graph.exp %t
// CHECK-NEXT:    %[[I:.*]] = graph.abs %i
// CHECK-NEXT:    graph.fusion %[[T]], %[[I]]
// CHECK:           %[[ROWS:.*]] = graph.embedding
// CHECK-NEXT:      graph.neg %[[ROWS]]
func.func @lookups_read_memory(%t : tensor<7x3xf32>, %i : tensor<5xi64>) -> tensor<5x3xf32> {
  %0 = graph.exp %t : tensor<7x3xf32> -> tensor<7x3xf32>
  %1 = graph.abs %i : tensor<5xi64> -> tensor<5xi64>
  %2 = graph.embedding %0, %1 : tensor<7x3xf32>, tensor<5xi64> -> tensor<5x3xf32>
  %3 = graph.neg %2 : tensor<5x3xf32> -> tensor<5x3xf32>
  return %3 : tensor<5x3xf32>
}

// Single elements that are looked up are gathered first: what follows goes along lines.
//
// CHECK-LABEL: func.func @elements_are_looked_up
// CHECK-NEXT:    %[[FOUND:.*]] = graph.index_select
// CHECK-NEXT:    graph.exp %[[FOUND]]
func.func @elements_are_looked_up(%t : tensor<3x7xf32>, %i : tensor<5xi64>) -> tensor<3x5xf32> {
  %0 = graph.index_select %t, %i {axis = 1 : i64, wraps = false} : tensor<3x7xf32>, tensor<5xi64> -> tensor<3x5xf32>
  %1 = graph.exp %0 : tensor<3x5xf32> -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// Rows that are looked up are normalized where they are read.
//
// CHECK-LABEL: func.func @rows_are_normalized
// CHECK-NEXT:    graph.fusion
// CHECK:           graph.index_select
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.reduce_max
// CHECK-NEXT:      graph.sub
func.func @rows_are_normalized(%t : tensor<3x7xf32>, %i : tensor<5xi64>, %p : tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = graph.index_select %t, %i {axis = 0 : i64, wraps = false} : tensor<3x7xf32>, tensor<5xi64> -> tensor<5x7xf32>
  %1 = graph.add %0, %p : tensor<5x7xf32>, tensor<5x7xf32> -> tensor<5x7xf32>
  %2 = graph.reduce_max %1 {axes = array<i64: 1>, keepdims = true} : tensor<5x7xf32> -> tensor<5x1xf32>
  %3 = graph.sub %1, %2 : tensor<5x7xf32>, tensor<5x1xf32> -> tensor<5x7xf32>
  return %3 : tensor<5x7xf32>
}

// The matrix of each product of a batch is read where it is looked up, before ops that
// move it too, but in lines of its own.
//
// CHECK-LABEL: func.func @matrices_are_looked_up
// CHECK-NEXT:    graph.fusion
// CHECK:           %[[W:.*]] = graph.index_select
// CHECK-NEXT:      %[[T:.*]] = graph.permute %[[W]]
// CHECK-NEXT:      graph.matmul %{{.*}}, %[[T]]
func.func @matrices_are_looked_up(%a : tensor<7x4x128xf32>, %w : tensor<3x64x128xf32>, %i : tensor<7xi64>) -> tensor<7x4x64xf32> {
  %0 = graph.index_select %w, %i {axis = 0 : i64, wraps = false} : tensor<3x64x128xf32>, tensor<7xi64> -> tensor<7x64x128xf32>
  %1 = graph.permute %0 {order = array<i64: 0, 2, 1>} : tensor<7x64x128xf32> -> tensor<7x128x64xf32>
  %2 = graph.matmul %a, %1 : tensor<7x4x128xf32>, tensor<7x128x64xf32> -> tensor<7x4x64xf32>
  return %2 : tensor<7x4x64xf32>
}

// A sum of what is looked up is no factor that is looked up, though it be of one element.
//
// CHECK-LABEL: func.func @sums_of_what_is_looked_up
// CHECK-NEXT:    %[[SUM:.*]] = graph.fusion
// CHECK-NEXT:    ^{{.*}}:
// CHECK-NEXT:      graph.index_select
// CHECK-NEXT:      graph.sum
// CHECK-NEXT:      graph.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.matmul %[[SUM]]
func.func @sums_of_what_is_looked_up(%w : tensor<1x33x1xf32>, %i : tensor<1xi64>, %b : tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = graph.index_select %w, %i {axis = 1 : i64, wraps = true} : tensor<1x33x1xf32>, tensor<1xi64> -> tensor<1x1x1xf32>
  %1 = graph.sum %0 {axes = array<i64: 2>, keepdims = false} : tensor<1x1x1xf32> -> tensor<1x1xf32>
  %2 = graph.matmul %1, %b : tensor<1x1xf32>, tensor<1x16xf32> -> tensor<1x16xf32>
  return %2 : tensor<1x16xf32>
}

// Columns that are looked up are moved first, and so are rows of one product.
//
// CHECK-LABEL: func.func @rows_of_a_product_are_looked_up
// CHECK-NEXT:    %[[ROWS:.*]] = graph.index_select
// CHECK-NEXT:    graph.matmul %[[ROWS]]
func.func @rows_of_a_product_are_looked_up(%a : tensor<4x128xf32>, %w : tensor<128x64xf32>, %i : tensor<7xi64>) -> tensor<7x64xf32> {
  %0 = graph.index_select %a, %i {axis = 0 : i64, wraps = false} : tensor<4x128xf32>, tensor<7xi64> -> tensor<7x128xf32>
  %1 = graph.matmul %0, %w : tensor<7x128xf32>, tensor<128x64xf32> -> tensor<7x64xf32>
  return %1 : tensor<7x64xf32>
}

// CHECK-LABEL: func.func @columns_of_matrices_are_looked_up
// CHECK-NEXT:    %[[COLUMNS:.*]] = graph.index_select
// CHECK-NEXT:    graph.matmul %{{.*}}, %[[COLUMNS]]
func.func @columns_of_matrices_are_looked_up(%a : tensor<7x4x128xf32>, %w : tensor<7x128x64xf32>, %i : tensor<9xi64>) -> tensor<7x4x9xf32> {
  %0 = graph.index_select %w, %i {axis = 2 : i64, wraps = false} : tensor<7x128x64xf32>, tensor<9xi64> -> tensor<7x128x9xf32>
  %1 = graph.matmul %a, %0 : tensor<7x4x128xf32>, tensor<7x128x9xf32> -> tensor<7x4x9xf32>
  return %1 : tensor<7x4x9xf32>
}

// What is written in parts is in memory before it is read.
//
// CHECK-LABEL: func.func @parts_are_written_first
// CHECK-NEXT:    %[[BOTH:.*]] = graph.concat %x, %y
// CHECK-NEXT:    graph.relu %[[BOTH]]
func.func @parts_are_written_first(%x : tensor<4xf32>, %y : tensor<2xf32>) -> tensor<6xf32> {
  %0 = graph.concat %x, %y {axis = 0 : i64} : tensor<4xf32>, tensor<2xf32> -> tensor<6xf32>
  %1 = graph.relu %0 : tensor<6xf32> -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// A view costs nothing by itself, and keeps what it is a view of in memory.
//
// CHECK-LABEL: func.func @view_stays
// CHECK-NEXT:    %[[R:.*]] = graph.relu %x
// CHECK-NEXT:    %[[V:.*]] = graph.reshape %[[R]]
// CHECK-NEXT:    graph.neg %[[V]]
func.func @view_stays(%x : tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  %2 = graph.neg %1 : tensor<6xf32> -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// An op that runs its reference is no kernel.
//
// CHECK-LABEL: func.func @reference_stays
// CHECK-NEXT:    %[[R:.*]] = graph.relu %x
// CHECK-NEXT:    %[[S:.*]], %{{.*}} = graph.sort %[[R]]
// CHECK-NEXT:    graph.neg %[[S]]
func.func @reference_stays(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  %1, %i = graph.sort %0 {axis = 0 : i64, descending = false} : tensor<4xf32> -> tensor<4xf32>, tensor<4xi64>
  %2 = graph.neg %1 : tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A copy is what it is for the sake of its memory.
//
// CHECK-LABEL: func.func @copy_stays
// CHECK-NEXT:    %[[R:.*]] = graph.relu %x
// CHECK-NEXT:    graph.copy %[[R]]
func.func @copy_stays(%x : tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.copy %0 : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A part whose size the run finds is read by a product where it lies.
//
// CHECK-LABEL: func.func @found_part
// CHECK:         graph.define_symbol
// CHECK-NEXT:    graph.fusion
// CHECK:           graph.slice
// CHECK-NEXT:      graph.permute
// CHECK-NEXT:      graph.matmul
func.func @found_part(%x : tensor<3x8xf32>, %k : tensor<16x8xf32>, %n : tensor<i64>) -> tensor<3x?xf32, ["n"]> {
  graph.define_symbol %n {symbol = "n", low = "0", high = "16"} : tensor<i64>
  %0 = graph.slice %k {starts = ["0", "0"], sizes = ["n", "8"], steps = array<i64: 1, 1>} : tensor<16x8xf32> -> tensor<?x8xf32, ["n"]>
  %1 = graph.permute %0 {order = array<i64: 1, 0>} : tensor<?x8xf32, ["n"]> -> tensor<8x?xf32, ["n"]>
  %2 = graph.matmul %x, %1 : tensor<3x8xf32>, tensor<8x?xf32, ["n"]> -> tensor<3x?xf32, ["n"]>
  return %2 : tensor<3x?xf32, ["n"]>
}

// So are factors that are only moved, and have lines along the columns of the product,
// or along its k.
//
// CHECK-LABEL: func.func @known_part
// CHECK-NEXT:    graph.fusion
// CHECK:           graph.slice
// CHECK-NEXT:      graph.matmul
func.func @known_part(%x : tensor<3x4xf32>, %k : tensor<16x8xf32>) -> tensor<3x8xf32> {
  %0 = graph.slice %k {starts = ["0", "0"], sizes = ["4", "8"], steps = array<i64: 1, 1>} : tensor<16x8xf32> -> tensor<4x8xf32>
  %1 = graph.matmul %x, %0 : tensor<3x4xf32>, tensor<4x8xf32> -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// CHECK-LABEL: func.func @attention
// CHECK-NEXT:    graph.fusion
// CHECK:           graph.permute %{{.*}} {order = array<i64: 1, 0, 2>}
// CHECK-NEXT:      graph.permute %{{.*}} {order = array<i64: 1, 2, 0>}
// CHECK-NEXT:      graph.matmul
func.func @attention(%q : tensor<64x2x16xf32>, %k : tensor<96x2x16xf32>) -> tensor<2x64x96xf32> {
  %0 = graph.permute %q {order = array<i64: 1, 0, 2>} : tensor<64x2x16xf32> -> tensor<2x64x16xf32>
  %1 = graph.permute %k {order = array<i64: 1, 2, 0>} : tensor<96x2x16xf32> -> tensor<2x16x96xf32>
  %2 = graph.matmul %0, %1 : tensor<2x64x16xf32>, tensor<2x16x96xf32> -> tensor<2x64x96xf32>
  return %2 : tensor<2x64x96xf32>
}

// Where there is little to compute columns that are apart are moved first, since nothing
// packs them.
//
// CHECK-LABEL: func.func @few_scores
// CHECK-NEXT:    %[[K:.*]] = graph.permute %k
// CHECK-NEXT:    graph.fusion %q, %[[K]]
// CHECK:           graph.permute
// CHECK-NEXT:      graph.matmul
func.func @few_scores(%q : tensor<7x2x16xf32>, %k : tensor<9x2x16xf32>) -> tensor<2x7x9xf32> {
  %0 = graph.permute %q {order = array<i64: 1, 0, 2>} : tensor<7x2x16xf32> -> tensor<2x7x16xf32>
  %1 = graph.permute %k {order = array<i64: 1, 2, 0>} : tensor<9x2x16xf32> -> tensor<2x16x9xf32>
  %2 = graph.matmul %0, %1 : tensor<2x7x16xf32>, tensor<2x16x9xf32> -> tensor<2x7x9xf32>
  return %2 : tensor<2x7x9xf32>
}

// Where batches lie side by side, or every other column does, factors are moved first.
//
// CHECK-LABEL: func.func @no_lines
// CHECK-NEXT:    graph.permute
// CHECK-NEXT:    graph.slice
// CHECK-NEXT:    graph.matmul
func.func @no_lines(%x : tensor<7x16x2xf32>, %y : tensor<2x16x18xf32>) -> tensor<2x7x9xf32> {
  %0 = graph.permute %x {order = array<i64: 2, 0, 1>} : tensor<7x16x2xf32> -> tensor<2x7x16xf32>
  %1 = graph.slice %y {starts = ["0", "0", "0"], sizes = ["2", "16", "9"], steps = array<i64: 1, 1, 2>} : tensor<2x16x18xf32> -> tensor<2x16x9xf32>
  %2 = graph.matmul %0, %1 : tensor<2x7x16xf32>, tensor<2x16x9xf32> -> tensor<2x7x9xf32>
  return %2 : tensor<2x7x9xf32>
}

// A window reads elements often, so that they are moved before.
//
// CHECK-LABEL: func.func @window
// CHECK-NEXT:    graph.permute
// CHECK-NEXT:    graph.conv
func.func @window(%x : tensor<1x8x8x3xf32>, %w : tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %0 = graph.permute %x {order = array<i64: 0, 3, 1, 2>} : tensor<1x8x8x3xf32> -> tensor<1x3x8x8xf32>
  %1 = graph.conv %0, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
  return %1 : tensor<1x4x6x6xf32>
}

// A product takes a cast to what a load makes of a byte anyway, and no other.
//
// CHECK-LABEL: func.func @widened
// CHECK-NEXT:    graph.cast %y {to = i32}
// CHECK-NEXT:    graph.fusion %x, %
// CHECK:           graph.cast
// CHECK-NEXT:      graph.matmul
func.func @widened(%x : tensor<3x4xsi8>, %y : tensor<4x8xf32>) -> tensor<3x8xi32> {
  %0 = graph.cast %x {to = i32} : tensor<3x4xsi8> -> tensor<3x4xi32>
  %1 = graph.cast %y {to = i32} : tensor<4x8xf32> -> tensor<4x8xi32>
  %2 = graph.matmul %0, %1 : tensor<3x4xi32>, tensor<4x8xi32> -> tensor<3x8xi32>
  return %2 : tensor<3x8xi32>
}

// Each product makes numbers of constant steps in its own kernel.
//
// CHECK-LABEL: func.func @steps
// CHECK-COUNT-2: graph.dequantize_words
// CHECK-NOT:     graph.dequantize_words
// CHECK:         return
func.func @steps(%x : tensor<7x16xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>) {
  %w = graph.constant dense<3> : tensor<2x1x5xi32>
  %s = graph.constant dense<0.5> : tensor<2x1x1x5xf32>
  %1 = graph.dequantize_words %w, %s {bits = 4 : i64} : tensor<2x1x5xi32>, tensor<2x1x1x5xf32> -> tensor<2x1x8x5xf32>
  %2 = graph.block_matmul %x, %1 : tensor<7x16xf32>, tensor<2x1x8x5xf32> -> tensor<7x5xf32>
  %3 = graph.relu %x : tensor<7x16xf32> -> tensor<7x16xf32>
  %4 = graph.block_matmul %3, %1 : tensor<7x16xf32>, tensor<2x1x8x5xf32> -> tensor<7x5xf32>
  return %2, %4 : tensor<7x5xf32>, tensor<7x5xf32>
}

// Steps that the run finds are made numbers once, for all rows.
//
// CHECK-LABEL: func.func @steps_of_a_run
// CHECK-NEXT:    graph.dequantize_words
// CHECK-NEXT:    graph.block_matmul
func.func @steps_of_a_run(%x : tensor<7x16xf32>, %w : tensor<2x1x5xi32>, %s : tensor<2x1x1x5xf32>) -> tensor<7x5xf32> {
  %1 = graph.dequantize_words %w, %s {bits = 4 : i64} : tensor<2x1x5xi32>, tensor<2x1x1x5xf32> -> tensor<2x1x8x5xf32>
  %2 = graph.block_matmul %x, %1 : tensor<7x16xf32>, tensor<2x1x8x5xf32> -> tensor<7x5xf32>
  return %2 : tensor<7x5xf32>
}

// Each product of a batch looks up the steps of its matrix, and their scales.
//
// CHECK-LABEL: func.func @steps_looked_up
// CHECK-NEXT:    graph.constant
// CHECK-NEXT:    graph.constant
// CHECK-NEXT:    graph.fusion
// CHECK-COUNT-2:   graph.index_select
// CHECK-NEXT:      graph.dequantize_words
// CHECK-NEXT:      graph.block_matmul
func.func @steps_looked_up(%x : tensor<6x7x16xf32>, %i : tensor<6xi64>) -> tensor<6x7x5xf32> {
  %w = graph.constant dense<3> : tensor<4x2x1x5xi32>
  %s = graph.constant dense<0.5> : tensor<4x2x1x1x5xf32>
  %1 = graph.index_select %w, %i {axis = 0 : i64, wraps = false} : tensor<4x2x1x5xi32>, tensor<6xi64> -> tensor<6x2x1x5xi32>
  %2 = graph.index_select %s, %i {axis = 0 : i64, wraps = false} : tensor<4x2x1x1x5xf32>, tensor<6xi64> -> tensor<6x2x1x1x5xf32>
  %3 = graph.dequantize_words %1, %2 {bits = 4 : i64} : tensor<6x2x1x5xi32>, tensor<6x2x1x1x5xf32> -> tensor<6x2x1x8x5xf32>
  %4 = graph.block_matmul %x, %3 {batch = 1 : i64} : tensor<6x7x16xf32>, tensor<6x2x1x8x5xf32> -> tensor<6x7x5xf32>
  return %4 : tensor<6x7x5xf32>
}

// A concatenation that is padded is written part by part into the middle.
//
// CHECK-LABEL: func.func @padded_parts
// CHECK-NEXT:    graph.fusion %x, %y
// CHECK:           graph.relu
// CHECK-NEXT:      graph.concat
// CHECK-NEXT:      graph.pad
// CHECK-NEXT:      graph.yield
func.func @padded_parts(%x : tensor<2x3xf32>, %y : tensor<2x5xf32>) -> tensor<4x10xf32> {
  %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.concat %0, %y {axis = 1 : i64} : tensor<2x3xf32>, tensor<2x5xf32> -> tensor<2x8xf32>
  %2 = graph.pad %1 {low = array<i64: 1, 1>, high = array<i64: 1, 1>, value = 0.0 : f64} : tensor<2x8xf32> -> tensor<4x10xf32>
  return %2 : tensor<4x10xf32>
}

// So are parts that are reduced; what is scattered into a value is stored.
//
// CHECK-LABEL: func.func @reduced_parts
// CHECK:           graph.sum
// CHECK-NEXT:      graph.concat
// CHECK-NEXT:      graph.pad
// CHECK-NEXT:      graph.yield
// CHECK:         graph.scatter
// CHECK-NEXT:    graph.pad
func.func @reduced_parts(%x : tensor<2x3xf32>, %y : tensor<2x5x7xf32>, %i : tensor<2x3xi64>) -> (tensor<4x10xf32>, tensor<4x5xf32>) {
  %0 = graph.sum %y {axes = array<i64: 2>, keepdims = false} : tensor<2x5x7xf32> -> tensor<2x5xf32>
  %1 = graph.concat %x, %0 {axis = 1 : i64} : tensor<2x3xf32>, tensor<2x5xf32> -> tensor<2x8xf32>
  %2 = graph.pad %1 {low = array<i64: 1, 1>, high = array<i64: 1, 1>, value = 0.0 : f64} : tensor<2x8xf32> -> tensor<4x10xf32>
  %3 = graph.scatter %x, %i, %x {axis = 0 : i64, reduction = "add", wraps = true} : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = graph.pad %3 {low = array<i64: 1, 1>, high = array<i64: 1, 1>, value = 0.0 : f64} : tensor<2x3xf32> -> tensor<4x5xf32>
  return %2, %4 : tensor<4x10xf32>, tensor<4x5xf32>
}

// A product stores its result where it is moved to, with what is computed after it there.
//
// CHECK-LABEL: func.func @rearranged_product
// CHECK-NEXT:    graph.fusion %x, %w, %b
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.rearrange
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.concat
// CHECK-NEXT:      graph.yield
func.func @rearranged_product(%x : tensor<4x16xf32>, %w : tensor<16x32xf32>, %b : tensor<8x16xf32>) -> tensor<8x32xf32> {
  %0 = graph.matmul %x, %w : tensor<4x16xf32>, tensor<16x32xf32> -> tensor<4x32xf32>
  %1 = graph.relu %0 : tensor<4x32xf32> -> tensor<4x32xf32>
  %2 = graph.rearrange %1 {sizes = ["2", "4", "16"], reads = [array<i64: 1>, array<i64: 0, 2>], writes = [array<i64: 0, 1>, array<i64: 2>]} : tensor<4x32xf32> -> tensor<8x16xf32>
  %3 = graph.add %2, %b : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %4 = graph.concat %3, %b {axis = 1 : i64} : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x32xf32>
  return %4 : tensor<8x32xf32>
}

// Where columns come apart, or are repeated, the product is stored. A value that is moved twice is stored once
// between.
//
// CHECK-LABEL: func.func @rearranged_columns
// CHECK:         %[[P:.*]] = graph.matmul %x
// CHECK-NEXT:    %[[B:.*]] = graph.fusion %x, %w
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.rearrange
// CHECK-NEXT:      graph.yield
// CHECK:         graph.fusion %[[P]], %[[B]]
// CHECK:           graph.rearrange
// CHECK-NEXT:      graph.add
func.func @rearranged_columns(%x : tensor<4x16xf32>, %w : tensor<16x32xf32>) -> tensor<128xf32> {
  %0 = graph.matmul %x, %w : tensor<4x16xf32>, tensor<16x32xf32> -> tensor<4x32xf32>
  %1 = graph.rearrange %0 {sizes = ["16", "4", "2"], reads = [array<i64: 1>, array<i64: 0, 2>], writes = [array<i64: 0, 1, 2>]} : tensor<4x32xf32> -> tensor<128xf32>
  %2 = graph.matmul %x, %w : tensor<4x16xf32>, tensor<16x32xf32> -> tensor<4x32xf32>
  %3 = graph.rearrange %2 {sizes = ["2", "2", "32"], reads = [array<i64: 1, 0>, array<i64: 2>], writes = [array<i64: 0, 1, 2>]} : tensor<4x32xf32> -> tensor<128xf32>
  %4 = graph.add %1, %3 : tensor<128xf32>, tensor<128xf32> -> tensor<128xf32>
  return %4 : tensor<128xf32>
}

// What moves is computed in the kernel that reads it, and with what it reads itself.
//
// CHECK-LABEL: func.func @rearranged_sums
// CHECK-NEXT:    graph.fusion %x, %b
// CHECK:           graph.exp
// CHECK-NEXT:      graph.rearrange
// CHECK-NEXT:      graph.mul
// CHECK-NEXT:      graph.yield
func.func @rearranged_sums(%x : tensor<4x6xf32>, %b : tensor<8x3xf32>) -> tensor<8x3xf32> {
  %0 = graph.exp %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = graph.rearrange %0 {sizes = ["2", "4", "3"], reads = [array<i64: 1>, array<i64: 0, 2>], writes = [array<i64: 0, 1>, array<i64: 2>]} : tensor<4x6xf32> -> tensor<8x3xf32>
  %2 = graph.mul %1, %b : tensor<8x3xf32>, tensor<8x3xf32> -> tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
}

// Rows that were columns are not computed in stages: they would be read, or stored, elements apart. Axes of one
// element do not matter.
//
// CHECK-LABEL: func.func @turned_rows
// CHECK-NEXT:    %[[T:.*]] = graph.permute %x
// CHECK-NEXT:    %[[S:.*]] = graph.fusion %[[T]]
// CHECK-NOT:       graph.permute
// CHECK:           graph.div
// CHECK-NEXT:      graph.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.permute %[[S]]
// CHECK-LABEL: func.func @rows_of_one
// CHECK-NEXT:    graph.fusion %x
// CHECK-NEXT:    ^
// CHECK-NEXT:      graph.permute
func.func @turned_rows(%x : tensor<40x30xf32>) -> tensor<40x30xf32> {
  %0 = graph.permute %x {order = array<i64: 1, 0>} : tensor<40x30xf32> -> tensor<30x40xf32>
  %1 = graph.sum %0 {axes = array<i64: 1>, keepdims = true} : tensor<30x40xf32> -> tensor<30x1xf32>
  %2 = graph.div %0, %1 : tensor<30x40xf32>, tensor<30x1xf32> -> tensor<30x40xf32>
  %3 = graph.permute %2 {order = array<i64: 1, 0>} : tensor<30x40xf32> -> tensor<40x30xf32>
  return %3 : tensor<40x30xf32>
}
func.func @rows_of_one(%x : tensor<30x40x1xf32>) -> tensor<1x30x40xf32> {
  %0 = graph.permute %x {order = array<i64: 2, 0, 1>} : tensor<30x40x1xf32> -> tensor<1x30x40xf32>
  %1 = graph.sum %0 {axes = array<i64: 2>, keepdims = true} : tensor<1x30x40xf32> -> tensor<1x30x1xf32>
  %2 = graph.div %0, %1 : tensor<1x30x40xf32>, tensor<1x30x1xf32> -> tensor<1x30x40xf32>
  return %2 : tensor<1x30x40xf32>
}

// Parts are not put where what is rearranged has them, as others may read that.
//
// CHECK-LABEL: func.func @rearranged_parts
// CHECK:         %[[C:.*]] = graph.concat
// CHECK-NEXT:    graph.fusion %[[C]]
// CHECK:           graph.rearrange
// CHECK-NEXT:      graph.exp
func.func @rearranged_parts(%x : tensor<4x6xf32>) -> tensor<48xf32> {
  %0 = graph.concat %x, %x {axis = 1 : i64} : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x12xf32>
  %1 = graph.rearrange %0 {sizes = ["4", "12"], reads = [array<i64: 0>, array<i64: 1>], writes = [array<i64: 0, 1>]} : tensor<4x12xf32> -> tensor<48xf32>
  %2 = graph.exp %1 : tensor<48xf32> -> tensor<48xf32>
  return %2 : tensor<48xf32>
}

// What is looked up is turned where it is looked up: nothing is reduced there.
//
// CHECK-LABEL: func.func @turned_matrices
// CHECK-NEXT:    graph.fusion %w, %i, %x
// CHECK:           graph.index_select
// CHECK-NEXT:      graph.permute
// CHECK-NEXT:      graph.matmul
func.func @turned_matrices(%w : tensor<3x48x64xf32>, %i : tensor<5xi64>, %x : tensor<5x1x64xf32>) -> tensor<5x1x48xf32> {
  %0 = graph.index_select %w, %i {axis = 0 : i64, wraps = true} : tensor<3x48x64xf32>, tensor<5xi64> -> tensor<5x48x64xf32>
  %1 = graph.permute %0 {order = array<i64: 0, 2, 1>} : tensor<5x48x64xf32> -> tensor<5x64x48xf32>
  %2 = graph.matmul %x, %1 : tensor<5x1x64xf32>, tensor<5x64x48xf32> -> tensor<5x1x48xf32>
  return %2 : tensor<5x1x48xf32>
}

// What is computed of a concatenation is computed of each part, also where the parts are
// halves of what else is read: a rotary embedding is one kernel.
//
// CHECK-LABEL: func.func @rotary
// CHECK-NEXT:    graph.fusion %x, %c, %s
// CHECK:           graph.mul
// CHECK:           graph.concat
// CHECK-NEXT:      graph.mul
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.yield
func.func @rotary(%x : tensor<4x64xf32>, %c : tensor<4x64xf32>, %s : tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = graph.mul %x, %c : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x64xf32>
  %1 = graph.slice %x {starts = ["0", "0"], sizes = ["4", "32"], steps = array<i64: 1, 1>} : tensor<4x64xf32> -> tensor<4x32xf32>
  %2 = graph.slice %x {starts = ["0", "32"], sizes = ["4", "32"], steps = array<i64: 1, 1>} : tensor<4x64xf32> -> tensor<4x32xf32>
  %3 = graph.neg %2 : tensor<4x32xf32> -> tensor<4x32xf32>
  %4 = graph.concat %3, %1 {axis = 1 : i64} : tensor<4x32xf32>, tensor<4x32xf32> -> tensor<4x64xf32>
  %5 = graph.mul %4, %s : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x64xf32>
  %6 = graph.add %0, %5 : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x64xf32>
  return %6 : tensor<4x64xf32>
}

// Parts that are shorter than vectors are joined first.
//
// CHECK-LABEL: func.func @short_parts
// CHECK-NEXT:    %[[C:.*]] = graph.concat
// CHECK-NEXT:    graph.exp %[[C]]
func.func @short_parts(%x : tensor<4x6xf32>) -> tensor<4x12xf32> {
  %0 = graph.concat %x, %x {axis = 1 : i64} : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x12xf32>
  %1 = graph.exp %0 : tensor<4x12xf32> -> tensor<4x12xf32>
  return %1 : tensor<4x12xf32>
}

// So are parts that are products: their epilogues stay short.
//
// CHECK-LABEL: func.func @joined_products
// CHECK-NEXT:    %[[C:.*]] = graph.fusion %x, %w
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.concat
// CHECK:         graph.exp %[[C]]
func.func @joined_products(%x : tensor<4x32xf32>, %w : tensor<32x32xf32>) -> tensor<4x64xf32> {
  %0 = graph.matmul %x, %w : tensor<4x32xf32>, tensor<32x32xf32> -> tensor<4x32xf32>
  %1 = graph.concat %0, %x {axis = 1 : i64} : tensor<4x32xf32>, tensor<4x32xf32> -> tensor<4x64xf32>
  %2 = graph.exp %1 : tensor<4x64xf32> -> tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}

// What a sum reads of a concatenation is in memory.
//
// CHECK-LABEL: func.func @summed_parts
// CHECK-NEXT:    %[[C:.*]] = graph.fusion %x
// CHECK:           graph.concat
// CHECK-NEXT:      graph.exp
// CHECK:         graph.sum %[[C]]
func.func @summed_parts(%x : tensor<4x32xf32>) -> tensor<4xf32> {
  %0 = graph.concat %x, %x {axis = 1 : i64} : tensor<4x32xf32>, tensor<4x32xf32> -> tensor<4x64xf32>
  %1 = graph.exp %0 : tensor<4x64xf32> -> tensor<4x64xf32>
  %2 = graph.sum %1 {axes = array<i64: 1>, keepdims = false} : tensor<4x64xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
