// RUN: sr-opt %s -p fuse,analyze-aliases,assign-buffers,graph-to-loop | filecheck %s
// RUN: not sr-opt %s -p graph-to-loop 2>&1 | filecheck %s --check-prefix=BUFFERS
// RUN: not sr-opt %s -t llvm 2>&1 | filecheck %s --check-prefix=LLVM
// RUN: not sr-opt %s -t host 2>&1 | filecheck %s --check-prefix=HOST

// BUFFERS: expected graph.abs to have a buffer, got none; run assign-buffers first
// LLVM: sr-opt: expected kernels or a program, got neither; run graph-to-loop first
// HOST: sr-opt: expected one program, got none; run graph-to-loop first

// An elementwise op on whole tensors is one loop, however many axes there are.
//
// CHECK-LABEL: loop.kernel @abs_0
// CHECK-SAME:      (%[[X:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>) {
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to 32 {
// CHECK-NEXT:      %[[A:.*]] = loop.load %[[X]][%[[I]]]
// CHECK-NEXT:      %[[B:.*]] = math.absf %[[A]] : f32
// CHECK-NEXT:      loop.store %[[B]], %[[OUT]][%[[I]]]
// CHECK-NEXT:      loop.yield
// CHECK-NEXT:    }
//
// What is broadcast is read at the same place for every row.
//
// CHECK-LABEL: loop.kernel @add_1
// CHECK-SAME:      (%[[X:.*]]: memref<?xf32>, %[[ROW:.*]]: memref<?xf32>,
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to 4 {
// CHECK-NEXT:      loop.for parallel %[[J:.*]] to 8 {
// CHECK-NEXT:        loop.load %[[X]][%[[I]] * 8 + %[[J]]]
// CHECK-NEXT:        loop.load %[[ROW]][%[[J]]]
//
// A reduction carries its accumulator, from the identity on, and stores it once.
//
// CHECK-LABEL: loop.kernel @sum_2
// CHECK-SAME:      (%[[X:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>) {
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to 4 {
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[SUM:.*]] = loop.for reduce(add) %[[J:.*]] to 8 (%[[SO_FAR:.*]] = %[[ZERO]] : f32) {
// CHECK-NEXT:        %[[A:.*]] = loop.load %[[X]][%[[I]] * 8 + %[[J]]]
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addf %[[SO_FAR]], %[[A]] : f32
// CHECK-NEXT:        loop.yield %[[NEXT]] : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      loop.store %[[SUM]], %[[OUT]][%[[I]]]
//
// The ops of a fusion are one kernel: what comes before the sum is computed of each
// element, what comes after it of the accumulator.
//
// CHECK-LABEL: loop.kernel @mul_reduce_max_sqrt_3
// CHECK:         loop.for reduce(max)
// CHECK:           %[[PRODUCT:.*]] = arith.mulf
// CHECK-NEXT:      arith.maximumf %[[PRODUCT]], %{{.*}} fastmath<nsz>
// CHECK:         %[[ROOT:.*]] = math.sqrt
// CHECK-NEXT:    loop.store %[[ROOT]]
//
// Products that are summed up become a tile of rows and columns, and what is added to the
// accumulator is part of its epilogue.
//
// CHECK-LABEL: loop.kernel @matmul_add_4
// CHECK-SAME:      (%[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[BIAS:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>) {
// CHECK:         loop.tile %[[I:.*]] to 5, %[[J:.*]] to 7, reduce %[[K:.*]] to 3 from %{{.*}} : f32 k_loop (%[[SUM:.*]]) {
// CHECK-NEXT:      %[[X:.*]] = loop.load %[[A]][%[[I]] * 3 + %[[K]]]
// CHECK-NEXT:      %[[Y:.*]] = loop.load %[[B]][%[[J]] + %[[K]] * 7]
// CHECK-NEXT:      %[[NEXT:.*]] = math.fma %[[X]], %[[Y]], %[[SUM]] : f32
// CHECK-NEXT:      loop.yield %[[NEXT]] : f32
// CHECK-NEXT:    } epilogue (%[[ROW:.*]], %[[COLUMN:.*]], %[[ACCUMULATOR:.*]]) {
// CHECK-NEXT:      %[[ADDED:.*]] = loop.load %[[BIAS]][%[[COLUMN]]]
// CHECK-NEXT:      %[[R:.*]] = arith.addf %[[ACCUMULATOR]], %[[ADDED]] : f32
// CHECK-NEXT:      loop.store %[[R]], %[[OUT]][%[[ROW]] * 7 + %[[COLUMN]]]
//
// So do those of a convolution: its rows are filters, its columns places in a row of the
// image, and the other axis is a loop around.
//
// CHECK-LABEL: loop.kernel @conv_5
// CHECK:         loop.for parallel %[[Y:.*]] to 3 {
// CHECK:           loop.tile %[[O:.*]] to 4, %[[X:.*]] to 2, reduce %[[C:.*]] to 3, reduce %[[V:.*]] to 3, reduce %[[U:.*]] to 5 from
// CHECK-NEXT:        loop.load %{{.*}}[%[[Y]] * 16 + %[[X]] * 2 + %[[C]] * 64 + %[[V]] * 8 + %[[U]]]
// CHECK-NEXT:        loop.load %{{.*}}[%[[O]] * 45 + %[[C]] * 15 + %[[V]] * 5 + %[[U]]]
//
// Integers have no fused step.
//
// CHECK-LABEL: loop.kernel @matmul_6
// CHECK:         loop.tile
// CHECK:           %[[PRODUCT:.*]] = arith.muli
// CHECK-NEXT:      arith.addi %{{.*}}, %[[PRODUCT]]
//
// Each tensor of a concatenation has loops of its own, and a place to begin at.
//
// CHECK-LABEL: loop.kernel @concat_7
// CHECK-SAME:      (%[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>) {
// CHECK:           %[[X:.*]] = loop.load %[[A]][%[[I:.*]] * 3 + %[[J:.*]]]
// CHECK-NEXT:      loop.store %[[X]], %[[OUT]][%[[I]] * 8 + %[[J]]]
// CHECK:           %[[Y:.*]] = loop.load %[[B]][%[[I:.*]] * 5 + %[[J:.*]]]
// CHECK-NEXT:      loop.store %[[Y]], %[[OUT]][%[[I]] * 8 + %[[J]] + 3]
//
// Padding is written around what is padded, along one axis after the other.
//
// CHECK-LABEL: loop.kernel @pad_8
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to 14 {
// CHECK-NEXT:      %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:      loop.store %[[HALF]], %{{.*}}[%[[I]] + 21]
// CHECK:         loop.for parallel %[[I:.*]] to 3 {
// CHECK:           loop.store %{{.*}}, %{{.*}}[%[[I]] * 7]
// CHECK:         loop.for parallel %[[I:.*]] to 3 {
// CHECK:           loop.store %{{.*}}, %{{.*}}[%[[I]] * 7 + 6]
// CHECK:         loop.for parallel %[[I:.*]] to 3 {
// CHECK-NEXT:      loop.for parallel %[[J:.*]] to 5 {
// CHECK-NEXT:        %[[X:.*]] = loop.load %{{.*}}[%[[I]] * 5 + %[[J]]]
// CHECK-NEXT:        loop.store %[[X]], %{{.*}}[%[[I]] * 7 + %[[J]] + 1]
//
// All indices are checked before the first is used. One that changes afterwards is held
// to the last row.
//
// CHECK-LABEL: loop.kernel @embedding_9
// CHECK-SAME:      (%[[INDICES:.*]]: memref<?xi32>, %[[TABLE:.*]]: memref<?xf32>,
// CHECK-NEXT:    loop.check_index %[[INDICES]][5] below 7 : memref<?xi32>
// CHECK:             %[[NUMBER:.*]] = loop.load %[[INDICES]][%[[I:.*]]] : memref<?xi32>
// CHECK-NEXT:        %[[ROW:.*]] = loop.clamp_index %[[NUMBER]] below 7 : i32
// CHECK-NEXT:        loop.for parallel %[[J:.*]] to 3 {
// CHECK-NEXT:          loop.load %[[TABLE]][%[[J]] + %[[ROW]] * 3]
//
// One that wraps counts from the end, wherever that is.
//
// CHECK-LABEL: loop.kernel @index_select_10
// CHECK-SAME:      symbols ["s0"] {
// CHECK-NEXT:    loop.check_index %{{.*}}[5] wraps below "s0" : memref<?xi64>
// CHECK:             %[[NUMBER:.*]] = loop.load
// CHECK-NEXT:        loop.clamp_index %[[NUMBER]] wraps below "s0" : i64
//
// A kernel has names of its own for the symbols it needs.
//
// CHECK-LABEL: loop.kernel @add_11
// CHECK-SAME:      symbols ["s0", "s1"] {
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to "s1" {
// CHECK-NEXT:      loop.for parallel %[[J:.*]] to "s0" {
// CHECK-NEXT:        loop.load %{{.*}}[%[[I]] * "s0" + %[[J]]]
// CHECK-NEXT:        loop.load %{{.*}}[%[[J]]]
//
// A dimension is a number that the kernel is called with.
//
// CHECK-LABEL: loop.kernel @dim_12
// CHECK-NEXT:    %[[N:.*]] = loop.extent "2 * s0"
// CHECK-NEXT:    loop.store %[[N]], %{{.*}}[0] : memref<?xi64>
//
// A single number is a part of the code, and no argument.
//
// CHECK-LABEL: loop.kernel @mul_13
// CHECK-SAME:      (%[[X:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>) {
// CHECK:           arith.constant 2.000000e+00 : f32
//
// CHECK-LABEL: loop.kernel @slice_14
//
// What is changed in places is copied first. Then the updates come one after the other
// where they may meet, side by side where they cannot, each at the row that is looked up.
//
// CHECK-LABEL: loop.kernel @scatter_nd_15
// CHECK-SAME:      (%[[INDICES:.*]]: memref<?xi64>, %[[X:.*]]: memref<?xf32>, %[[UPDATES:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>) {
// CHECK-NEXT:    loop.check_index %[[INDICES]][5] below 7 : memref<?xi64>
// CHECK-NEXT:    loop.for parallel %{{.*}} to 21 {
// CHECK:         loop.for ordered %[[I:.*]] to 5 {
// CHECK-NEXT:      %[[NUMBER:.*]] = loop.load %[[INDICES]][%[[I]]] : memref<?xi64>
// CHECK-NEXT:      %[[ROW:.*]] = loop.clamp_index %[[NUMBER]] below 7 : i64
// CHECK-NEXT:      loop.for parallel %[[J:.*]] to 3 {
// CHECK-NEXT:        %[[NEW:.*]] = loop.load %[[UPDATES]][%[[I]] * 3 + %[[J]]]
// CHECK-NEXT:        %[[OLD:.*]] = loop.load %[[OUT]][%[[J]] + %[[ROW]] * 3]
// CHECK-NEXT:        %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEW]] : f32
// CHECK-NEXT:        loop.store %[[SUM]], %[[OUT]][%[[J]] + %[[ROW]] * 3]
//
// Of rows of indices each column has a bound of its own.
//
// CHECK-LABEL: loop.kernel @gather_nd_16
// CHECK-NEXT:    loop.check_index %[[PAIRS:.*]][5 from 0 by 2] below 7 : memref<?xi64>
// CHECK-NEXT:    loop.check_index %[[PAIRS]][5 from 1 by 2] below 3 : memref<?xi64>
// CHECK-NEXT:    loop.for parallel %[[I:.*]] to 5 {
// CHECK-NEXT:      %[[A:.*]] = loop.load %[[PAIRS]][%[[I]] * 2]
// CHECK:           %[[B:.*]] = loop.load %[[PAIRS]][%[[I]] * 2 + 1]
//
// With channels last, all places of an image are rows of one tile: in panels where the
// rows of the image do not lie one after the other. What is padded is written in place.
//
// CHECK-LABEL: loop.kernel @conv_pad_17
// CHECK-SAME:      (%[[X:.*]]: memref<?xf32>, %[[W:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>) {
// CHECK:           loop.tile %[[ROW:.*]] to 36, %[[COLUMN:.*]] to 16, reduce %[[V:.*]] to 3, reduce %[[U:.*]] to 9 from
// CHECK-NEXT:        loop.load %[[X]][%[[N:.*]] * 192 + %[[V]] * 24 + %[[U]] + %[[ROW]] blocked 6 by 3 * 24]
// CHECK-NEXT:        loop.load %[[W]][%[[COLUMN]] + %[[V]] * 144 + %[[U]] * 16]
// CHECK:             loop.store %{{.*}}, %[[OUT]][%[[N]] * 1024 + %{{.*}} + %{{.*}} blocked 6 by 16 * 128 + 144]
//
// There are no other kernels: equal ones are one.
//
// CHECK-NOT:   loop.kernel

// The program of a function knows what it takes and gives, and how much there is to do.
//
// CHECK-LABEL: loop.program @elementwise inputs [#loop.tensor<"input" : tensor<4x8xf32>>] outputs [#loop.tensor<"output" : tensor<4x8xf32>>]
// CHECK-SAME:      work "32" {
// CHECK-NEXT:    %[[X:.*]] = loop.view inputs 0 : memref<?xf32>
// CHECK-NEXT:    %[[OUT:.*]] = loop.view outputs 0 : memref<?xf32>
// CHECK-NEXT:    loop.call @abs_0(%[[X]], %[[OUT]]) symbols [] {source = "graph.abs"} : memref<?xf32>, memref<?xf32>
func.func @elementwise(%x : tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.abs %x : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func @broadcast(%x : tensor<4x8xf32>, %row : tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.add %x, %row : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func @reduction(%x : tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = false} : tensor<4x8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @fusion(%x : tensor<4x8xf32>, %y : tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = graph.mul %x, %y : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keepdims = false} : tensor<4x8xf32> -> tensor<4xf32>
  %2 = graph.sqrt %1 : tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// What a call computes is told by all the ops of a fusion.
//
// CHECK-LABEL: loop.program @contraction
// CHECK:         loop.call @matmul_add_4({{.*}}) symbols [] {source = "graph.matmul and graph.add"}
func.func @contraction(%a : tensor<5x3xf32>, %b : tensor<3x7xf32>, %bias : tensor<7xf32>) -> tensor<5x7xf32> {
  %0 = graph.matmul %a, %b : tensor<5x3xf32>, tensor<3x7xf32> -> tensor<5x7xf32>
  %1 = graph.add %0, %bias : tensor<5x7xf32>, tensor<7xf32> -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

func.func @convolution(%x : tensor<1x3x8x8xf32>, %w : tensor<4x3x3x5xf32>) -> tensor<1x4x3x2xf32> {
  %0 = graph.conv %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x3x8x8xf32>, tensor<4x3x3x5xf32> -> tensor<1x4x3x2xf32>
  return %0 : tensor<1x4x3x2xf32>
}

func.func @integers(%a : tensor<5x3xi64>, %b : tensor<3x7xi64>) -> tensor<5x7xi64> {
  %0 = graph.matmul %a, %b : tensor<5x3xi64>, tensor<3x7xi64> -> tensor<5x7xi64>
  return %0 : tensor<5x7xi64>
}

func.func @concat(%a : tensor<4x3xf32>, %b : tensor<4x5xf32>) -> tensor<4x8xf32> {
  %0 = graph.concat %a, %b {axis = 1 : i64} : tensor<4x3xf32>, tensor<4x5xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

func.func @pad(%x : tensor<3x5xf32>) -> tensor<5x7xf32> {
  %0 = graph.pad %x {low = array<i64: 0, 1>, high = array<i64: 2, 1>, value = 0.5 : f64} : tensor<3x5xf32> -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

func.func @lookup(%table : tensor<7x3xf32>, %indices : tensor<5xi32>) -> tensor<5x3xf32> {
  %0 = graph.embedding %table, %indices : tensor<7x3xf32>, tensor<5xi32> -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: loop.program @lookup_from_the_end
// CHECK:         loop.call @index_select_10({{.*}}) symbols ["rows"]
func.func @lookup_from_the_end(%x : tensor<?x3xf32, ["rows"]>, %indices : tensor<5xi64>) -> tensor<5x3xf32> {
  %0 = graph.index_select %x, %indices {axis = 0 : i64, wraps = true} : tensor<?x3xf32, ["rows"]>, tensor<5xi64> -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// A call gives the symbols of a kernel their values, in the kernel's order.
//
// CHECK-LABEL: loop.program @symbols
// CHECK-SAME:      symbols [#loop.symbol<"batch">, #loop.symbol<"seq">]
// CHECK-SAME:      work "batch * seq + 1"
// CHECK:         loop.call @add_11({{.*}}) symbols ["seq", "batch"]
// CHECK:         loop.call @dim_12({{.*}}) symbols ["batch"]
func.func @symbols(%x : tensor<?x?xf32, ["batch", "seq"]>, %row : tensor<?xf32, ["seq"]>) -> (tensor<?x?xf32, ["batch", "seq"]>, tensor<i64>) {
  %0 = graph.add %x, %row : tensor<?x?xf32, ["batch", "seq"]>, tensor<?xf32, ["seq"]> -> tensor<?x?xf32, ["batch", "seq"]>
  %1 = graph.dim {value = "2 * batch"} : -> tensor<i64>
  return %0, %1 : tensor<?x?xf32, ["batch", "seq"]>, tensor<i64>
}

// Kernels of one text are one, also for tensors of other shapes and in other functions.
//
// CHECK-LABEL: loop.program @same_kernels
// CHECK:         loop.call @abs_0
// CHECK:         loop.call @abs_0
// CHECK:         loop.call @add_11({{.*}}) symbols ["n", "m"]
func.func @same_kernels(%x : tensor<32xf32>, %y : tensor<2x16xf32>, %z : tensor<?x?xf32, ["m", "n"]>, %row : tensor<?xf32, ["n"]>) -> (tensor<32xf32>, tensor<2x16xf32>, tensor<?x?xf32, ["m", "n"]>) {
  %0 = graph.abs %x : tensor<32xf32> -> tensor<32xf32>
  %1 = graph.abs %y : tensor<2x16xf32> -> tensor<2x16xf32>
  %2 = graph.add %z, %row : tensor<?x?xf32, ["m", "n"]>, tensor<?xf32, ["n"]> -> tensor<?x?xf32, ["m", "n"]>
  return %0, %1, %2 : tensor<32xf32>, tensor<2x16xf32>, tensor<?x?xf32, ["m", "n"]>
}

// A view is no call: its users read the memory of what it is a view of. A weight is memory
// among the constants.
//
// CHECK-LABEL: loop.program @views
// CHECK-SAME:      constants [#loop.constant<"w", offset = 0, size = 16>]
// CHECK-NEXT:    %[[W:.*]] = loop.view constants 0 : memref<?xf32>
// CHECK-NEXT:    %[[OUT:.*]] = loop.view outputs 0 : memref<?xf32>
// CHECK-NEXT:    loop.call @mul_13(%[[W]], %[[OUT]])
// CHECK-NEXT:  }
func.func @views() -> tensor<2x2xf32> {
  %0 = graph.weight "w" : tensor<4xf32>
  %1 = graph.reshape %0 {shape = ["2", "2"]} : tensor<4xf32> -> tensor<2x2xf32>
  %2 = graph.constant dense<2.0> : tensor<f32>
  %3 = graph.mul %1, %2 : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// An op without loops calls out to its reference, which the op's text is enough for.
//
// CHECK-LABEL: loop.program @fallback
// CHECK:         %[[X:.*]] = loop.view inputs 0 : memref<?xf32>
// CHECK:         %[[OUT:.*]] = loop.view outputs 0 : memref<?xi64>
// CHECK-NEXT:    loop.call_out 0(%[[X]], %[[OUT]]) {source = "graph.argmax", op = "func.func @op(%0: tensor<2x3xf32>) -> tensor<2xi64> {
// CHECK-SAME:      inputs = [tensor<2x3xf32>], outputs = [tensor<2xi64>]
func.func @fallback(%x : tensor<2x3xf32>) -> tensor<2xi64> {
  %0 = graph.argmax %x {axis = 1 : i64, keepdims = false} : tensor<2x3xf32> -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// What must hold of sizes is told with the program: a quantity that may not be negative,
// and what was expected should it be.
//
// CHECK-LABEL: loop.program @last_nine
// CHECK-SAME:      checks [#loop.check<"{{.*}}n - {{.*}}", "graph.slice: expected a slice inside
func.func @last_nine(%x : tensor<?xf32, ["n"]>) -> tensor<9xf32> {
  %0 = graph.slice %x {starts = ["n - 9"], sizes = ["9"], steps = array<i64: 1>} : tensor<?xf32, ["n"]> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

func.func @rows_added_up(%x : tensor<7x3xf32>, %indices : tensor<5x1xi64>, %updates : tensor<5x3xf32>) -> tensor<7x3xf32> {
  %0 = graph.scatter_nd %x, %indices, %updates {axes = array<i64: 0>, wraps = false, reduction = "add"} : tensor<7x3xf32>, tensor<5x1xi64>, tensor<5x3xf32> -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

func.func @pairs_of_indices(%x : tensor<7x3xf32>, %indices : tensor<5x2xi64>) -> tensor<5xf32> {
  %0 = graph.gather_nd %x, %indices {axes = array<i64: 0, 1>, batch_dims = 0 : i64, wraps = false} : tensor<7x3xf32>, tensor<5x2xi64> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @channels_last(%x : tensor<2x8x8x3xf32>, %w : tensor<3x3x3x16xf32>) -> tensor<2x8x8x16xf32> {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<2x8x8x3xf32>, tensor<3x3x3x16xf32> -> tensor<2x6x6x16xf32>
  %1 = graph.pad %0 {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>, value = 0.0 : f64} : tensor<2x6x6x16xf32> -> tensor<2x8x8x16xf32>
  return %1 : tensor<2x8x8x16xf32>
}
