// RUN: sr-opt %s --pass-pipeline='builtin.module(eliminate-list-constructs)' \
// RUN:   | filecheck %s --check-prefix=CONTAINERS
// RUN: sr-opt %s --pass-pipeline='builtin.module(eliminate-list-constructs,analyze-aliases)' \
// RUN:   | filecheck %s --check-prefix=LIFETIMES
// RUN: sr-opt %s --pass-pipeline='builtin.module(eliminate-list-constructs,analyze-aliases, \
// RUN:     assign-buffers,verify-buffers)' \
// RUN:   | filecheck %s --check-prefix=STORAGES
// RUN: sr-opt %s --pass-pipeline='builtin.module(freeze,infer-shapes, \
// RUN:     eliminate-list-constructs,fold-constants,fold-batch-norm,decompose, \
// RUN:     eliminate-no-ops,cse,dce,own-outputs,fuse)' \
// RUN:   | filecheck %s --check-prefix=FUSED
// RUN: sr-opt %s --pass-pipeline='builtin.module(freeze,infer-shapes, \
// RUN:     eliminate-list-constructs,fold-constants,fold-batch-norm,decompose, \
// RUN:     eliminate-no-ops,cse,dce,own-outputs,fuse,outline-constants,analyze-aliases, \
// RUN:     assign-buffers,verify-buffers)' \
// RUN:   | filecheck %s --check-prefix=PLANNED
// RUN: sr-opt %s --pass-pipeline='builtin.module(freeze,infer-shapes, \
// RUN:     eliminate-list-constructs,fold-constants,fold-batch-norm,decompose, \
// RUN:     eliminate-no-ops,cse,dce,own-outputs,fuse,outline-constants,analyze-aliases, \
// RUN:     assign-buffers,verify-buffers,graph-to-loop)' \
// RUN:   | filecheck %s --check-prefix=LOOPS
// RUN: sr-opt %s --pass-pipeline='builtin.module(freeze,infer-shapes, \
// RUN:     eliminate-list-constructs,fold-constants,fold-batch-norm,decompose, \
// RUN:     eliminate-no-ops,cse,dce,own-outputs,fuse,outline-constants,analyze-aliases, \
// RUN:     assign-buffers,verify-buffers,graph-to-loop,set-target{cpu=x86-64-v3}, \
// RUN:     size-tiles,vectorize-loops)' \
// RUN:   | filecheck %s --check-prefix=VECTORS
// RUN: sr-opt %s --pass-pipeline='builtin.module(freeze,infer-shapes, \
// RUN:     eliminate-list-constructs,fold-constants,fold-batch-norm,decompose, \
// RUN:     eliminate-no-ops,cse,dce,own-outputs,fuse,outline-constants,analyze-aliases, \
// RUN:     assign-buffers,verify-buffers,graph-to-loop,set-target{cpu=x86-64-v3}, \
// RUN:     size-tiles,vectorize-loops,unroll-loops)' -t llvm \
// RUN:   | filecheck %s --check-prefix=LLVM

// The example with which PyTorch's Static Runtime was introduced, on its way through the
// compiler: three elementwise ops, and a list of two tensors that are concatenated.

// First the list goes, and what is concatenated are its elements.
//
// CONTAINERS-LABEL: func.func @main
// CONTAINERS-NEXT:    %[[A0:.*]] = graph.add %i0, %i1
// CONTAINERS-NEXT:    %[[A1:.*]] = graph.mul %[[A0]], %i2
// CONTAINERS-NEXT:    %[[A2:.*]] = graph.mul %[[A1]], %i3
// CONTAINERS-NEXT:    %[[R:.*]] = graph.concat %[[A2]], %i4 {axis = 1 : i64}
// CONTAINERS-NEXT:    return %[[R]]

// Each of the three values is read by the next op, and by no other.
//
// LIFETIMES-LABEL: func.func @main
// LIFETIMES:         graph.add {{.*}}<group = 0, first = 0, last = 1>
// LIFETIMES:         graph.mul {{.*}}<group = 1, first = 1, last = 2>
// LIFETIMES:         graph.mul {{.*}}<group = 2, first = 2, last = 3>
// LIFETIMES:         graph.concat {{.*}}<group = 3, first = 3, last = 4>

// So two storages serve the three of them, and the output is computed where it is returned.
//
// STORAGES-LABEL: func.func @main
// STORAGES-SAME:      bytes = 16384 : i64, lower_bound = 16384 : i64
// STORAGES:         graph.add {{.*}}#graph.buffer<activations, slot = 0, offset = 0, size = "8192">
// STORAGES:         graph.mul {{.*}}#graph.buffer<activations, slot = 1, offset = 8192, size = "8192">
// STORAGES:         graph.mul {{.*}}#graph.buffer<activations, slot = 2, offset = 0, size = "8192">
// STORAGES:         graph.concat {{.*}}#graph.buffer<outputs, slot = 0, offset = 0, size = "16384">

// All of it can be computed together: each element of the chain is used once, where it is
// put into the result.
//
// FUSED-LABEL: func.func @main
// FUSED-NEXT:    %[[R:.*]] = graph.fusion %i0, %i1, %i2, %i3, %i4
// FUSED-NEXT:    ^bb0(%[[I0:.*]]: tensor<64x32xf32>, %[[I1:.*]]: tensor<64x32xf32>, %[[I2:.*]]: tensor<64x32xf32>, %[[I3:.*]]: tensor<64x32xf32>, %[[I4:.*]]: tensor<64x32xf32>):
// FUSED-NEXT:      %[[A0:.*]] = graph.add %[[I0]], %[[I1]]
// FUSED-NEXT:      %[[A1:.*]] = graph.mul %[[A0]], %[[I2]]
// FUSED-NEXT:      %[[A2:.*]] = graph.mul %[[A1]], %[[I3]]
// FUSED-NEXT:      %[[ALL:.*]] = graph.concat %[[A2]], %[[I4]] {axis = 1 : i64}
// FUSED-NEXT:      graph.yield %[[ALL]]
// FUSED-NEXT:    }
// FUSED-NEXT:    return %[[R]]

// Then there is nothing left to store in between.
//
// PLANNED-LABEL: func.func @main
// PLANNED-SAME:      bytes = 0 : i64, lower_bound = 0 : i64
// PLANNED-NEXT:    graph.fusion {{.*}}#graph.buffer<outputs, slot = 0, offset = 0, size = "16384">
// PLANNED-NOT:     activations

// The kernel writes one half of each row of the result, then the other.
//
// LOOPS-LABEL: loop.kernel @add_mul_mul_concat_0
// LOOPS-SAME:      (%[[I0:.*]]: memref<?xf32>, %[[I1:.*]]: memref<?xf32>, %[[I2:.*]]: memref<?xf32>, %[[I3:.*]]: memref<?xf32>, %[[I4:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>) {
// LOOPS-NEXT:    loop.for parallel %[[ROW:.*]] to 64 {
// LOOPS-NEXT:      loop.for parallel %[[COLUMN:.*]] to 32 {
// LOOPS-NEXT:        %[[X0:.*]] = loop.load %[[I0]][%[[ROW]] * 32 + %[[COLUMN]]]
// LOOPS-NEXT:        %[[X1:.*]] = loop.load %[[I1]][%[[ROW]] * 32 + %[[COLUMN]]]
// LOOPS-NEXT:        %[[A0:.*]] = arith.addf %[[X0]], %[[X1]]
// LOOPS-NEXT:        %[[X2:.*]] = loop.load %[[I2]][%[[ROW]] * 32 + %[[COLUMN]]]
// LOOPS-NEXT:        %[[A1:.*]] = arith.mulf %[[A0]], %[[X2]]
// LOOPS-NEXT:        %[[X3:.*]] = loop.load %[[I3]][%[[ROW]] * 32 + %[[COLUMN]]]
// LOOPS-NEXT:        %[[A2:.*]] = arith.mulf %[[A1]], %[[X3]]
// LOOPS-NEXT:        loop.store %[[A2]], %[[OUT]][%[[ROW]] * 64 + %[[COLUMN]]]
// LOOPS:           loop.for parallel %[[COLUMN:.*]] to 32 {
// LOOPS-NEXT:        %[[X4:.*]] = loop.load %[[I4]]
// LOOPS-NEXT:        loop.store %[[X4]], %[[OUT]][%{{.*}} * 64 + %[[COLUMN]] + 32]

// The program is a call.
//
// LOOPS-LABEL: loop.program @main
// LOOPS-NEXT:    %[[V0:.*]] = loop.view inputs 0
// LOOPS-NEXT:    %[[V1:.*]] = loop.view inputs 1
// LOOPS-NEXT:    %[[V2:.*]] = loop.view inputs 2
// LOOPS-NEXT:    %[[V3:.*]] = loop.view inputs 3
// LOOPS-NEXT:    %[[V4:.*]] = loop.view inputs 4
// LOOPS-NEXT:    %[[V5:.*]] = loop.view outputs 0
// LOOPS-NEXT:    loop.call @add_mul_mul_concat_0(%[[V0]], %[[V1]], %[[V2]], %[[V3]], %[[V4]], %[[V5]]) symbols []
// LOOPS-NEXT:  }

// Eight columns are computed side by side.
//
// VECTORS: loop.target = #loop.target<"x86-64-v3"
// VECTORS: loop.for parallel %{{.*}} to 64 {
// VECTORS:   loop.for parallel %{{.*}} to 32 lanes 8 vectors 4 {
// VECTORS: loop.for parallel %{{.*}} to 64 {
// VECTORS:   loop.for parallel %{{.*}} to 32 lanes 8 vectors 4 {

// As LLVM's text these are vectors of eight, with nothing left over.
//
// LLVM-LABEL: ; kernel @add_mul_mul_concat_0
// LLVM-NEXT:  define void @[[KERNEL:sr_k_[0-9a-f]+]](
// LLVM:         %[[A0:.*]] = fadd <8 x float>
// LLVM:         %[[A1:.*]] = fmul <8 x float> %[[A0]], %{{.*}}
// LLVM:         %[[A2:.*]] = fmul <8 x float> %[[A1]], %{{.*}}
// LLVM:         store <8 x float> %[[A2]]
// LLVM:         store <8 x float>
// LLVM-NOT:     store float
// LLVM:         ret void
// LLVM:       define i32 @sr_run(ptr %p0)
// LLVM:         call void @[[KERNEL]](
// LLVM-NEXT:    ret i32 0
// LLVM:       define ptr @sr_call(
func.func @main(%i0 : tensor<64x32xf32>, %i1 : tensor<64x32xf32>, %i2 : tensor<64x32xf32>, %i3 : tensor<64x32xf32>, %i4 : tensor<64x32xf32>) -> tensor<64x64xf32> {
  %a0 = graph.add %i0, %i1 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  %a1 = graph.mul %a0, %i2 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  %a2 = graph.mul %a1, %i3 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  %list = graph.list_construct %a2, %i4 : tensor<64x32xf32>, tensor<64x32xf32> -> !graph.list<tensor<64x32xf32>, tensor<64x32xf32>>
  %all = graph.concat_list %list {axis = 1 : i64} : !graph.list<tensor<64x32xf32>, tensor<64x32xf32>> -> tensor<64x64xf32>
  return %all : tensor<64x64xf32>
}
