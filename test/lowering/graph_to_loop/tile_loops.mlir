// RUN: sr-opt %s -p fuse,analyze-aliases,assign-buffers,graph-to-loop | filecheck %s

// Columns lie side by side in the result; the rows share what is read along them.
//
// CHECK-LABEL: loop.kernel @matmul_0
// CHECK-SAME:      (%[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>)
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT:    loop.tile %[[I:.*]] to 4, %[[J:.*]] to 6, reduce %[[K:.*]] to 5 from %[[ZERO]] : f32 k_loop (%[[SUM:.*]]) {
// CHECK-NEXT:      %[[X:.*]] = loop.load %[[A]][%[[I]] * 5 + %[[K]]]
// CHECK-NEXT:      %[[Y:.*]] = loop.load %[[B]][%[[J]] + %[[K]] * 6]
// CHECK-NEXT:      %[[NEXT:.*]] = math.fma %[[X]], %[[Y]], %[[SUM]] : f32
// CHECK-NEXT:      loop.yield %[[NEXT]] : f32
// CHECK-NEXT:    } epilogue (%[[ROW:.*]], %[[COLUMN:.*]], %[[TOTAL:.*]]) {
// CHECK-NEXT:      loop.store %[[TOTAL]], %[[OUT]][%[[ROW]] * 6 + %[[COLUMN]]]
//
// A matrix that is looked up has its index before the tile; where there is much to do the
// indices are checked by a kernel of their own, so that threads may share the products.
//
// CHECK-LABEL: loop.kernel @index_select_matmul_1
// CHECK-NEXT:    loop.check_index %{{.*}}[7] below 3 : memref<?xi64>
// CHECK-NEXT:  }
// CHECK-NEXT:  loop.kernel @index_select_matmul_2
// CHECK-SAME:      (%[[A:.*]]: memref<?xf32>, %[[AT:.*]]: memref<?xi64>, %[[B:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>)
// CHECK-NEXT:    loop.for parallel %[[N:.*]] to 7 {
// CHECK-NEXT:      %[[LOADED:.*]] = loop.load %[[AT]][%[[N]]] : memref<?xi64>
// CHECK-NEXT:      %[[WHICH:.*]] = loop.clamp_index %[[LOADED]] below 3 : i64
// CHECK-NEXT:      %{{.*}} = arith.constant 0.0
// CHECK-NEXT:      loop.tile %[[I:.*]] to 4, %[[J:.*]] to 64, reduce %[[K:.*]] to 128
// CHECK-NEXT:        loop.load %[[A]][%[[N]] * 512 + %[[I]] * 128 + %[[K]]]
// CHECK-NEXT:        loop.load %[[B]][%[[J]] + %[[K]] * 64 + %[[WHICH]] * 8192]
// CHECK:             loop.store %{{.*}}, %[[OUT]][%[[N]] * 256 + %{{.*}} * 64 + %{{.*}}]
//
// An index that is the only one does not move.
//
// CHECK-LABEL: loop.kernel @index_select_matmul_3
// CHECK-NEXT:    loop.check_index %{{.*}}[1] below 3 : memref<?xi64>
// CHECK-NEXT:    %[[LOADED:.*]] = loop.load %{{.*}}[0] : memref<?xi64>
// CHECK-NEXT:    %[[WHICH:.*]] = loop.clamp_index %[[LOADED]] below 3 : i64
// CHECK:         loop.load %{{.*}}[%{{.*}} + %{{.*}} * 6 + %[[WHICH]] * 30]
//
// What a window sees of a border of zeros is said in the k-loop, for each axis: the rows
// are those of an image, and k counts taps along the second axis in channels.
//
// CHECK-LABEL: loop.kernel @conv_4
// CHECK:         loop.tile %[[I:.*]] to 20, %{{.*}} to 8, reduce %[[Y:.*]] to 3, reduce %[[X:.*]] to 48
// CHECK-NEXT:      loop.zero_outside [%[[Y]] + %[[I]] blocked 5 by 0 * 2] from 1 to 9
// CHECK-NEXT:      loop.zero_outside [%[[X]] blocked 16 by 0 * 1 + %[[I]] blocked 5 * 0] from 1 to 6
func.func @one(%a : tensor<4x5xf32>, %b : tensor<5x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.matmul %a, %b : tensor<4x5xf32>, tensor<5x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @looked_up(%a : tensor<7x4x128xf32>, %w : tensor<3x128x64xf32>, %i : tensor<7xi64>) -> tensor<7x4x64xf32> {
  %0 = graph.index_select %w, %i {axis = 0 : i64, wraps = false} : tensor<3x128x64xf32>, tensor<7xi64> -> tensor<7x128x64xf32>
  %1 = graph.matmul %a, %0 : tensor<7x4x128xf32>, tensor<7x128x64xf32> -> tensor<7x4x64xf32>
  return %1 : tensor<7x4x64xf32>
}

func.func @looked_up_once(%a : tensor<1x4x5xf32>, %w : tensor<3x5x6xf32>, %i : tensor<1xi64>) -> tensor<1x4x6xf32> {
  %0 = graph.index_select %w, %i {axis = 0 : i64, wraps = false} : tensor<3x5x6xf32>, tensor<1xi64> -> tensor<1x5x6xf32>
  %1 = graph.matmul %a, %0 : tensor<1x4x5xf32>, tensor<1x5x6xf32> -> tensor<1x4x6xf32>
  return %1 : tensor<1x4x6xf32>
}

func.func @bordered(%x : tensor<1x9x7x16xf32>, %w : tensor<3x3x16x8xf32>) -> tensor<1x4x5x8xf32> {
  %0 = graph.conv %x, %w {strides = array<i64: 2, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last, border = array<i64: 1, 1, 0, 1>} : tensor<1x9x7x16xf32>, tensor<3x3x16x8xf32> -> tensor<1x4x5x8xf32>
  return %0 : tensor<1x4x5x8xf32>
}
