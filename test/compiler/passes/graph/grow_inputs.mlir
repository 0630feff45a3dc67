// RUN: sr-opt %s --split-input-file -p 'grow-inputs{sizes=past}' | filecheck %s
// RUN: sr-opt %s --split-input-file -p 'grow-inputs' | filecheck %s --check-prefix=NONE
// RUN: not sr-opt %s --split-input-file -p 'grow-inputs{sizes=rows}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not sr-opt %s --split-input-file -p 'grow-inputs{sizes=batch}' 2>&1 | filecheck %s --check-prefix=CACHE

// UNKNOWN: expected sizes of the inputs that grow (batch, past), got rows
// CACHE: expected an output that joins an input of size batch and new rows, by one concatenation, got none
// NONE-NOT: graph.define_symbol

// A cache has room; its new rows are written after the filled ones, and other users
// read what is filled.
//
// CHECK-LABEL: func.func @cache
// CHECK-SAME:      %k: tensor<?x2x?x4xf32, ["batch", "capacity"]>
// CHECK-SAME:      %past: tensor<i64>
// CHECK-SAME:      -> (tensor<?x2x?x4xf32, ["batch", "capacity"]>, tensor<?x2x?x4xf32, ["batch", "past + 1"]>)
// CHECK-SAME:      graph.input_names = ["k", "row", "past"]
// CHECK-SAME:      graph.growth = {{.*}}past + 1{{.*}}
// CHECK-NEXT:    graph.define_symbol %past {symbol = "past", low = "0", high = "capacity"}
// CHECK-NEXT:    graph.slice %k {{.*}}sizes = ["batch", "2", "past", "4"]
// CHECK:         %[[ROWS:.*]] = graph.permute %row {order = array<i64: 2, 0, 1, 3>}
// CHECK:         %[[ALL:.*]] = graph.scatter_nd %k, %{{.*}}, %[[ROWS]] {axes = array<i64: 2>
// CHECK:         %[[FILLED:.*]] = graph.slice %[[ALL]] {{.*}}sizes = ["batch", "2", "past + 1", "4"]
// CHECK:         %[[RELU:.*]] = graph.relu %[[FILLED]]
// CHECK:         return %[[ALL]], %[[RELU]]
func.func @cache(%k: tensor<?x2x?x4xf32, ["batch", "past"]>, %row: tensor<?x2x1x4xf32, ["batch"]>) -> (tensor<?x2x?x4xf32, ["batch", "past + 1"]>, tensor<?x2x?x4xf32, ["batch", "past + 1"]>) attributes {graph.input_names = ["k", "row"]} {
  %0 = graph.concat %k, %row {axis = 2 : i64} : tensor<?x2x?x4xf32, ["batch", "past"]>, tensor<?x2x1x4xf32, ["batch"]> -> tensor<?x2x?x4xf32, ["batch", "past + 1"]>
  %1 = graph.relu %0 : tensor<?x2x?x4xf32, ["batch", "past + 1"]> -> tensor<?x2x?x4xf32, ["batch", "past + 1"]>
  return %0, %1 : tensor<?x2x?x4xf32, ["batch", "past + 1"]>, tensor<?x2x?x4xf32, ["batch", "past + 1"]>
}

// -----

// Other inputs of such a size have room as well; what is joined the other way round is no
// cache, and its size is that of the run. A name that is taken gets a number, and a range
// stays what it was.
//
// CHECK-LABEL: func.func @others
// CHECK-SAME:      %k: tensor<?xf32, ["capacity_1"]>
// CHECK-SAME:      %mask: tensor<?x?xf32, ["capacity", "capacity_1"]>
// CHECK-SAME:      graph.symbols = {}
// CHECK:         graph.define_symbol %{{.*}} {symbol = "past", low = "1", high = "min(99, capacity_1)"}
// CHECK:         graph.slice %mask {{.*}}sizes = ["capacity", "past + 1"]
// CHECK:         graph.concat
func.func @others(%k: tensor<?xf32, ["past"]>, %row: tensor<1xf32>, %mask: tensor<?x?xf32, ["capacity", "past + 1"]>) -> (tensor<?xf32, ["past + 1"]>, tensor<?xf32, ["past + 1"]>, tensor<?x?xf32, ["capacity", "past + 1"]>) attributes {graph.symbols = {past = [1, 99]}} {
  %0 = graph.concat %k, %row {axis = 0 : i64} : tensor<?xf32, ["past"]>, tensor<1xf32> -> tensor<?xf32, ["past + 1"]>
  %1 = graph.concat %row, %k {axis = 0 : i64} : tensor<1xf32>, tensor<?xf32, ["past"]> -> tensor<?xf32, ["past + 1"]>
  %2 = graph.relu %mask : tensor<?x?xf32, ["capacity", "past + 1"]> -> tensor<?x?xf32, ["capacity", "past + 1"]>
  return %0, %1, %2 : tensor<?xf32, ["past + 1"]>, tensor<?xf32, ["past + 1"]>, tensor<?x?xf32, ["capacity", "past + 1"]>
}
