// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3 exact=true},split-sums' | filecheck %s
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3 exact=true},split-sums{rows=200}' | filecheck %s --check-prefix=MANY
// RUN: not sr-opt %s -p split-sums 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// A panel of 2304 k by 16 columns is larger than the first cache.
//
// CHECK-LABEL: func.func @long
// CHECK:         %[[S:.*]] = graph.fusion %x, %w : tensor<196x2304xbf16>, tensor<2304x256xbf16> -> tensor<196x256xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[A:.*]]: tensor<196x2304xbf16>, %[[B:.*]]: tensor<2304x256xbf16>):
// CHECK-NEXT:      %[[C:.*]] = graph.cast %[[A]] {to = f32}
// CHECK-NEXT:      %[[D:.*]] = graph.cast %[[B]] {to = f32}
// CHECK-NEXT:      %[[E:.*]] = graph.matmul %[[C]], %[[D]] : tensor<196x2304xf32>, tensor<2304x256xf32> -> tensor<196x256xf32>
// CHECK-NEXT:      graph.yield %[[E]]
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.fusion %[[S]], %y : tensor<196x256xf32>, tensor<196x256xbf16> -> tensor<196x256xbf16> {
// CHECK-NEXT:    ^{{.*}}(%[[F:.*]]: tensor<196x256xf32>, %[[Y:.*]]: tensor<196x256xbf16>):
// CHECK-NEXT:      %[[G:.*]] = graph.cast %[[F]] {to = bf16}
// CHECK-NEXT:      %[[H:.*]] = graph.add %[[G]], %[[Y]]
// CHECK-NEXT:      graph.relu %[[H]]
// CHECK-NEXT:      graph.yield
func.func @long(%x: tensor<196x2304xbf16>, %w: tensor<2304x256xbf16>, %y: tensor<196x256xbf16>) -> tensor<196x256xbf16> {
  %0 = graph.fusion %x, %w, %y : tensor<196x2304xbf16>, tensor<2304x256xbf16>, tensor<196x256xbf16> -> tensor<196x256xbf16> {
  ^bb0(%a: tensor<196x2304xbf16>, %b: tensor<2304x256xbf16>, %c: tensor<196x256xbf16>):
    %1 = graph.matmul %a, %b : tensor<196x2304xbf16>, tensor<2304x256xbf16> -> tensor<196x256xbf16>
    %2 = graph.add %1, %c : tensor<196x256xbf16>, tensor<196x256xbf16> -> tensor<196x256xbf16>
    %3 = graph.relu %2 : tensor<196x256xbf16> -> tensor<196x256xbf16>
    graph.yield %3 : tensor<196x256xbf16>
  }
  func.return %0 : tensor<196x256xbf16>
}

// What is f32 inside stays so, a single op is split too, and rows may be open.
//
// CHECK-LABEL: func.func @casts
// CHECK:         graph.fusion %x, %w : {{.*}} -> tensor<?x256xf32, ["n"]> {
// CHECK:         graph.fusion {{.*}} : tensor<?x256xf32, ["n"]>, tensor<256xf32> -> tensor<?x256xf16, ["n"]> {
func.func @casts(%x: tensor<?x2304xf16, ["n"]>, %w: tensor<2304x256xf16>, %y: tensor<256xf32>) -> tensor<?x256xf16, ["n"]> {
  %0 = graph.fusion %x, %w, %y : tensor<?x2304xf16, ["n"]>, tensor<2304x256xf16>, tensor<256xf32> -> tensor<?x256xf16, ["n"]> {
  ^bb0(%a: tensor<?x2304xf16, ["n"]>, %b: tensor<2304x256xf16>, %c: tensor<256xf32>):
    %1 = graph.cast %a {to = f32} : tensor<?x2304xf16, ["n"]> -> tensor<?x2304xf32, ["n"]>
    %2 = graph.cast %b {to = f32} : tensor<2304x256xf16> -> tensor<2304x256xf32>
    %3 = graph.matmul %1, %2 : tensor<?x2304xf32, ["n"]>, tensor<2304x256xf32> -> tensor<?x256xf32, ["n"]>
    %4 = graph.add %3, %c : tensor<?x256xf32, ["n"]>, tensor<256xf32> -> tensor<?x256xf32, ["n"]>
    %5 = graph.cast %4 {to = f16} : tensor<?x256xf32, ["n"]> -> tensor<?x256xf16, ["n"]>
    graph.yield %5 : tensor<?x256xf16, ["n"]>
  }
  func.return %0 : tensor<?x256xf16, ["n"]>
}

// CHECK-LABEL: func.func @alone
// CHECK:         graph.fusion %x, %w : {{.*}} -> tensor<40x64xf32> {
// CHECK:         graph.fusion {{.*}} : tensor<40x64xf32> -> tensor<40x64xbf16> {
func.func @alone(%x: tensor<40x2304xbf16>, %w: tensor<2304x64xbf16>) -> tensor<40x64xbf16> {
  %0 = graph.matmul %x, %w : tensor<40x2304xbf16>, tensor<2304x64xbf16> -> tensor<40x64xbf16>
  func.return %0 : tensor<40x64xbf16>
}

// MANY-LABEL:  func.func @long
// MANY-NOT:      xf32>
// MANY:        func.func @casts

// Few k are one block, few rows use no panel often, and a result of f32 has room for
// sums.
//
// CHECK-LABEL: func.func @short
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    return
func.func @short(%x: tensor<196x256xbf16>, %w: tensor<256x64xbf16>) -> tensor<196x64xbf16> {
  %0 = graph.matmul %x, %w : tensor<196x256xbf16>, tensor<256x64xbf16> -> tensor<196x64xbf16>
  func.return %0 : tensor<196x64xbf16>
}

// CHECK-LABEL: func.func @few_rows
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    return
func.func @few_rows(%x: tensor<4x2304xbf16>, %w: tensor<2304x256xbf16>) -> tensor<4x256xbf16> {
  %0 = graph.matmul %x, %w : tensor<4x2304xbf16>, tensor<2304x256xbf16> -> tensor<4x256xbf16>
  func.return %0 : tensor<4x256xbf16>
}

// CHECK-LABEL: func.func @wide
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    return
func.func @wide(%x: tensor<196x2304xf32>, %w: tensor<2304x64xf32>) -> tensor<196x64xf32> {
  %0 = graph.matmul %x, %w : tensor<196x2304xf32>, tensor<2304x64xf32> -> tensor<196x64xf32>
  func.return %0 : tensor<196x64xf32>
}
