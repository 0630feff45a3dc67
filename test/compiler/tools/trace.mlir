// REQUIRES: native-host
// RUN: sr-trace %s --threads 1 -o %t.yaml
// RUN: sr-trace %s --static --target aarch64 | sr-yaml merge - %t.yaml | filecheck %s
// RUN: sr-yaml check %t.yaml %t.yaml
// RUN: not sr-trace %s --size m=7 2>&1 | filecheck %s --check-prefix=SYMBOL

// What ran, and what could run on another machine.
//
// CHECK:      build_features:
// CHECK-NEXT: - dynamic_shapes
// CHECK-NEXT: - isa:
// CHECK:      - python_entry
// CHECK:      graph::relu:
// CHECK-NEXT:     is_used_for_training: false
// CHECK-NEXT:     is_root_operator: true
// CHECK-NEXT:     include_all_overloads: false
// CHECK:      kernel_metadata:
// CHECK-NEXT:     sub_relu:
// CHECK-NEXT:     - Float
// CHECK-NEXT: et_kernel_metadata:
// CHECK-NEXT:     graph::relu:
// CHECK-NEXT:     - v1/6;0,1|6;0,1
// CHECK-NEXT:     graph::sub:
// CHECK-NEXT:     - v1/6;0,1|6;0,1|6;0,1
// CHECK-NEXT: custom_classes: []

// SYMBOL: sr-trace: expected a symbol of a model (n), got m=7
func.func @main(%x : tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["n"]> {
  %0 = graph.sub %x, %x
    : tensor<?x3xf32, ["n"]>, tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  %1 = graph.relu %0 : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  return %1 : tensor<?x3xf32, ["n"]>
}
