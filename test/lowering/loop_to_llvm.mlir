// RUN: sr-opt %s --split-input-file -p 'set-target{cpu=x86-64-v3},unroll-loops' -t llvm | filecheck %s --check-prefixes=CHECK,FMA
// RUN: sr-opt %s --split-input-file -p 'set-target{cpu=x86-64},unroll-loops' -t llvm | filecheck %s --check-prefixes=CHECK,SSE
// RUN: not sr-opt %s --split-input-file -t llvm 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: sr-opt: expected a module with the attribute loop.target, got none; run set-target first

// Two vectors of eight, and the three bodies that are left over: lanes of a third vector
// where there are masks, else one by one.
//
// CHECK-LABEL: ; kernel @vectors
// CHECK-NEXT:  define void @sr_k_{{[0-9a-f]+}}(ptr noalias nocapture noundef %[[A:.*]], ptr noalias nocapture noundef %[[B:.*]]) nounwind {
// CHECK:         %[[I:.*]] = phi i64 [0, %entry], [%[[NEXT:.*]], %{{.*}}]
// CHECK:         load <8 x float>, ptr %{{.*}}, align 4
// CHECK:         fadd <8 x float>
// CHECK:         store <8 x float> %{{.*}}, ptr %{{.*}}, align 4
// CHECK-NEXT:    %[[NEXT]] = add nuw nsw i64 %[[I]], 8
// CHECK-NEXT:    icmp slt i64 %[[NEXT]], 16
// FMA:           %[[AT:.*]] = getelementptr inbounds float, ptr %[[A]], i64 16
// FMA-NEXT:      %[[X:.*]] = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %[[AT]], i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x float> zeroinitializer)
// FMA-NEXT:      %[[Y:.*]] = fadd <8 x float> %[[X]], %[[X]]
// FMA-NEXT:      %[[AT:.*]] = getelementptr inbounds float, ptr %[[B]], i64 16
// FMA-NEXT:      call void @llvm.masked.store.v8f32.p0(<8 x float> %[[Y]], ptr %[[AT]], i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
// SSE:           %[[J:.*]] = phi i64 [16, %{{.*}}], [%[[NEXT:.*]], %{{.*}}]
// SSE:           load float, ptr %{{.*}}, align 4
// SSE:           fadd float
// SSE:           store float %{{.*}}, ptr %{{.*}}, align 4
// SSE-NEXT:      %[[NEXT]] = add nuw nsw i64 %[[J]], 1
// SSE-NEXT:      icmp slt i64 %[[NEXT]], 19
// CHECK:         ret void
loop.kernel @vectors(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 19 lanes 8 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    loop.store %y, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// Nothing is left over of sixteen bodies.
//
// CHECK-LABEL: ; kernel @whole_vectors
// CHECK:         load <8 x float>
// CHECK-NOT:     load float
// CHECK:         ret void
loop.kernel @whole_vectors(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 16 lanes 8 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// How many vectors there are is computed from the symbols, which are arguments.
//
// CHECK-LABEL: ; kernel @symbols
// CHECK-NEXT:  define void @sr_k_{{.*}}, i64 %symbol.n)
// CHECK:         %[[SIZE:.*]] = mul nsw i64 2, %symbol.n
// CHECK:         %[[WHOLE:.*]] = and i64 %[[SIZE]], -8
// CHECK:         icmp slt i64 0, %[[WHOLE]]
// CHECK:         load <8 x float>
// CHECK:         icmp slt i64 %[[WHOLE]], %[[SIZE]]
// FMA:           call <8 x float> @llvm.masked.load.v8f32.p0(
// SSE:           load float
loop.kernel @symbols(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "2 * n" lanes 8 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// An accumulator for each lane, combined by halves; what is left over comes last.
//
// CHECK-LABEL: ; kernel @reduction
// CHECK:         %[[SUM:.*]] = phi <4 x float> [splat (float 0x0000000000000000), %entry]
// CHECK:         %[[ACCUMULATORS:.*]] = fadd <4 x float> %[[SUM]], %{{.*}}
// CHECK:         %[[LOW:.*]] = shufflevector <4 x float> %[[ACCUMULATORS]], {{.*}}<i32 0, i32 1>
// CHECK-NEXT:    %[[HIGH:.*]] = shufflevector <4 x float> %[[ACCUMULATORS]], {{.*}}<i32 2, i32 3>
// CHECK-NEXT:    %[[HALF:.*]] = fadd <2 x float> %[[LOW]], %[[HIGH]]
// CHECK-NEXT:    %[[A:.*]] = extractelement <2 x float> %[[HALF]], i64 0
// CHECK-NEXT:    %[[B:.*]] = extractelement <2 x float> %[[HALF]], i64 1
// CHECK-NEXT:    %[[ACCUMULATOR:.*]] = fadd float %[[A]], %[[B]]
// CHECK:         %[[LAST:.*]] = phi float
// CHECK:         %[[ALL:.*]] = fadd float %[[LAST]]
// CHECK:         store float %[[ALL]]
loop.kernel @reduction(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = loop.for reduce(add) %i to 35 lanes 4 (%so_far = %zero : f32) {
    %x = loop.load %a[%i] : memref<?xf32>
    %next = arith.addf %so_far, %x : f32
    loop.yield %next : f32
  }
  loop.store %sum, %b[0] : memref<?xf32>
}

// Of several vectors each has accumulators of its own; those of the rest go on from them all.
//
// CHECK-LABEL: ; kernel @several_vectors
// CHECK:         %[[A:.*]] = phi <4 x float> [splat (float 0x0000000000000000), %entry]
// CHECK-NEXT:    %[[B:.*]] = phi <4 x float> [splat (float 0x0000000000000000), %entry]
// CHECK:         %[[X:.*]] = fadd <4 x float> %[[A]]
// CHECK:         %[[Y:.*]] = fadd <4 x float> %[[B]]
// CHECK:         icmp slt i64 %{{.*}}, 32
// CHECK:         %[[BOTH:.*]] = fadd <4 x float> %[[X]], %[[Y]]
// CHECK:         load <4 x float>
// CHECK-NEXT:    %[[ACCUMULATORS:.*]] = fadd <4 x float> %[[BOTH]]
// CHECK-NEXT:    shufflevector <4 x float> %[[ACCUMULATORS]]
// CHECK:         phi float
// CHECK:         ret void
loop.kernel @several_vectors(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = loop.for reduce(add) %i to 39 lanes 4 vectors 2 (%so_far = %zero : f32) {
    %x = loop.load %a[%i] : memref<?xf32>
    %next = arith.addf %so_far, %x : f32
    loop.yield %next : f32
  }
  loop.store %sum, %b[0] : memref<?xf32>
}

// A greatest element may be a zero of either sign.
//
// CHECK-LABEL: ; kernel @greatest
// CHECK:         call nsz <4 x float> @llvm.maximum.v4f32(
loop.kernel @greatest(%a: memref<?xf32>, %b: memref<?xf32>) {
  %least = arith.constant -1.0e30 : f32
  %max = loop.for reduce(max) %i to 64 lanes 4 (%so_far = %least : f32) {
    %x = loop.load %a[%i] : memref<?xf32>
    %next = arith.maximumf %x, %so_far fastmath<nsz> : f32
    loop.yield %next : f32
  }
  loop.store %max, %b[0] : memref<?xf32>
}

// Elements that lie apart are loaded one by one, and then are a vector.
//
// CHECK-LABEL: ; kernel @elements_lie_apart
// CHECK-COUNT-4: insertelement <4 x float>
// CHECK:         store <4 x float>
loop.kernel @elements_lie_apart(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 8 lanes 4 {
    %x = loop.load %a[%i * 3] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// A boolean is a byte in memory, and a bit where it is computed with.
//
// CHECK-LABEL: ; kernel @booleans
// CHECK:         %[[BYTES:.*]] = load <8 x i8>, ptr %{{.*}}, align 1
// CHECK-NEXT:    %[[BITS:.*]] = icmp ne <8 x i8> %[[BYTES]], zeroinitializer
// CHECK:         %[[BOTH:.*]] = and <8 x i1> %{{.*}}, %[[BITS]]
// CHECK:         %[[OUT:.*]] = zext <8 x i1> %[[BOTH]] to <8 x i8>
// CHECK-NEXT:    store <8 x i8> %[[OUT]], ptr %{{.*}}, align 1
loop.kernel @booleans(%a: memref<?xf32>, %b: memref<?xi1>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 16 lanes 8 {
    %x = loop.load %a[%i] : memref<?xf32>
    %positive = arith.cmpf ogt, %x, %zero : f32
    %y = loop.load %b[%i] : memref<?xi1>
    %z = arith.andi %positive, %y : i1
    loop.store %z, %b[%i] : memref<?xi1>
    loop.yield
  }
}

// Two rows of two vectors are four accumulators in registers. In each step an element of the
// left operand is loaded once for its row, a vector of the right one once for its column.
// Where the target cannot multiply and add in one step, it is two.
//
// CHECK-LABEL: ; kernel @tile
// CHECK-COUNT-4: phi <8 x float> [splat (float 0x0000000000000000)
// CHECK:         load float
// CHECK:         %[[B0:.*]] = load <8 x float>
// FMA:           call <8 x float> @llvm.fma.v8f32({{.*}}, <8 x float> %[[B0]],
// SSE:           %[[PRODUCT:.*]] = fmul <8 x float> %{{.*}}, %[[B0]]
// SSE-NEXT:      fadd <8 x float> %[[PRODUCT]], %{{.*}}
// CHECK:         %[[B1:.*]] = load <8 x float>
// FMA:           call <8 x float> @llvm.fma.v8f32({{.*}}, <8 x float> %[[B1]],
// CHECK:         load float
// FMA:           call <8 x float> @llvm.fma.v8f32({{.*}}, <8 x float> %[[B0]],
// FMA:           call <8 x float> @llvm.fma.v8f32({{.*}}, <8 x float> %[[B1]],
// CHECK-NOT:     load
// SSE-NOT:       llvm.fma
// CHECK-COUNT-4: store <8 x float>
// CHECK:         ret void
loop.kernel @tile(%lhs: memref<?xf32>, %rhs: memref<?xf32>, %out: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 4, %j to 16, reduce %k to 48 from %zero : f32 by 2, 16, 8 k_loop (%sum) {
    %a = loop.load %lhs[%i * 48 + %k] : memref<?xf32>
    %b = loop.load %rhs[%k * 16 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %out[%row * 16 + %column] : memref<?xf32>
    loop.yield
  }
}

// Few steps are written one after the other, and few passes of LLVM are enough.
//
// CHECK-LABEL: ; kernel @few
// CHECK-NEXT:    define void {{.*}}"few-passes"
// CHECK-NOT:     phi <8 x float>
// FMA-COUNT-3:   call <8 x float> @llvm.fma.v8f32(
// FMA-NOT:       llvm.fma
// CHECK:         ret void
loop.kernel @few(%lhs: memref<?xf32>, %rhs: memref<?xf32>, %out: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 4, %j to 8, reduce %k to 3 from %zero : f32 by 1, 8, 8 k_loop (%sum) {
    %a = loop.load %lhs[%i * 3 + %k] : memref<?xf32>
    %b = loop.load %rhs[%k * 8 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %out[%row * 8 + %column] : memref<?xf32>
    loop.yield
  }
}

// A row and columns that are left over are smaller register tiles: of columns, lanes of a
// vector where there are masks, else one by one.
//
// CHECK-LABEL: ; kernel @left_over
// CHECK:         store <4 x float>
// CHECK:         store <4 x float>
// CHECK:         store <4 x float>
// FMA-COUNT-3:   call void @llvm.masked.store.v4f32.p0(<4 x float> splat ({{.*}}), ptr %{{.*}}, i32 4, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
// SSE:           store float
// SSE:           store float
// SSE:           store float
// CHECK:         ret void
loop.kernel @left_over(%out: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 3, %j to 5, reduce %k to 3 from %zero : f32 by 2, 4, 4 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %out[%row * 5 + %column] : memref<?xf32>
    loop.yield
  }
}

// A kernel that checks indices may fail: it says which index was bad, and the limits.
//
// CHECK-LABEL: ; kernel @check
// CHECK-NEXT:  define i32 @sr_k_{{.*}}, i64 %symbol.n, ptr noalias nocapture noundef %error)
// CHECK:         %[[INDEX:.*]] = sext i32 %{{.*}} to i64
// CHECK-NEXT:    icmp sge i64 %[[INDEX]], 0
// CHECK-NEXT:    icmp slt i64 %[[INDEX]], 7
// CHECK:         store i64 %[[INDEX]]
// CHECK:         ret i32 1
// CHECK:         ret i32 0
loop.kernel @check(%i: memref<?xi32>) symbols ["n"] {
  loop.check_index %i["n"] below 7 : memref<?xi32>
}

// One that wraps may be as low as the bound below zero.
//
// CHECK-LABEL: ; kernel @check_wraps
// CHECK:         %[[LEAST:.*]] = sub nsw i64 0, 7
// CHECK:         icmp sge i64 %{{.*}}, %[[LEAST]]
loop.kernel @check_wraps(%i: memref<?xi64>) symbols ["n"] {
  loop.check_index %i["n"] wraps below 7 : memref<?xi64>
}

// Those that lie apart are found by their number.
//
// CHECK-LABEL: ; kernel @check_apart
// CHECK:         %[[FAR:.*]] = mul nsw i64 %[[I:.*]], 2
// CHECK-NEXT:    %[[AT:.*]] = add nsw i64 %[[FAR]], 1
// CHECK-NEXT:    getelementptr inbounds i64, ptr %p0, i64 %[[AT]]
loop.kernel @check_apart(%i: memref<?xi64>) symbols ["n"] {
  loop.check_index %i["n" from 1 by 2] below 7 : memref<?xi64>
}

// Indices in a row are compared several vectors at a time; the first block with a bad one,
// and what is left over, are looked at one by one.
//
// CHECK-LABEL: ; kernel @check_vectors
// FMA:           %[[DONE:.*]] = phi i64 [0, %{{.*}}], [%[[NEXT:.*]], %{{.*}}]
// FMA-NEXT:      %[[NEXT]] = add nuw nsw i64 %[[DONE]], 16
// FMA:           load <4 x i64>, ptr
// FMA:           icmp uge <4 x i64>
// FMA:           call i1 @llvm.vector.reduce.or.v4i1(
// FMA:           icmp slt i64 %[[DONE]], %symbol.n
// FMA:           phi i64 [%[[DONE]], %{{.*}}]
// SSE-NOT:       load <2 x i64>
// CHECK:         ret i32 1
loop.kernel @check_vectors(%i: memref<?xi64>) symbols ["n"] {
  loop.check_index %i["n"] below 7 : memref<?xi64>
}

// An index that is used is below its bound whatever the integer is. It has 32 bits where
// the bound is a number that allows it and a check has let it pass, else 64.
//
// CHECK-LABEL: ; kernel @clamp
// CHECK:         %[[LOW:.*]] = trunc i64 %{{.*}} to i32
// CHECK-NEXT:    %[[HELD:.*]] = call i32 @llvm.umin.i32(i32 %[[LOW]], i32 6)
// CHECK-NEXT:    zext i32 %[[HELD]] to i64
// CHECK:         %[[FROM_END:.*]] = add i64 %[[INDEX:.*]], %symbol.n
// CHECK-NEXT:    %[[FRONT:.*]] = call i64 @llvm.umin.i64(i64 %[[INDEX]], i64 %[[FROM_END]])
// CHECK-NEXT:    call i64 @llvm.umin.i64(i64 %[[FRONT]], i64 %{{.*}})
// CHECK:         call i64 @llvm.umin.i64(i64 %{{.*}}, i64 6)
loop.kernel @clamp(%i: memref<?xi64>, %a: memref<?xf32>) symbols ["n"] {
  %x = loop.load %i[0] : memref<?xi64>
  %j = loop.clamp_index %x below 7 : i64
  %k = loop.clamp_index %x wraps below "n" : i64
  %l = loop.clamp_index %x saturates below 7 : i64
  %y = loop.load %a[%j + %k + %l] : memref<?xf32>
  loop.store %y, %a[0] : memref<?xf32>
}

// Of a vector of integers each lane has an index of its own.
//
// CHECK-LABEL: ; kernel @clamp_lanes
// CHECK:         load <4 x i32>
// CHECK-COUNT-4: call i32 @llvm.umin.i32(
loop.kernel @clamp_lanes(%i: memref<?xi32>, %a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %at to 8 lanes 4 {
    %x = loop.load %i[%at] : memref<?xi32>
    %j = loop.clamp_index %x below 7 : i32
    %y = loop.load %a[%j] : memref<?xf32>
    loop.store %y, %b[%at] : memref<?xf32>
    loop.yield
  }
}

// A function of mathematics is written out beside the kernel, for vectors and for what is
// left over, and called by nobody else.
//
// CHECK-LABEL: ; kernel @mathematics
// CHECK:         call <8 x float> @sr.exp.v8f32(
// FMA:           call <8 x float> @sr.exp.v8f32(
// SSE:           call float @sr.exp.f32(
// CHECK:       define internal <8 x float> @sr.exp.v8f32(<8 x float> %x) alwaysinline
// SSE:         define internal float @sr.exp.f32(float %x) alwaysinline
loop.kernel @mathematics(%a: memref<?xf32>) {
  loop.for parallel %i to 19 lanes 8 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = math.exp %x : f32
    loop.store %y, %a[%i] : memref<?xf32>
    loop.yield
  }
}

// An integer has a quotient whatever it is divided by.
//
// CHECK-LABEL: ; kernel @division
// CHECK:         %[[ZERO:.*]] = icmp eq i32 %[[B:.*]], 0
// CHECK:         %[[SAFE:.*]] = select i1 %{{.*}}, i32 1, i32 %[[B]]
// CHECK-NEXT:    %[[QUOTIENT:.*]] = sdiv i32 %{{.*}}, %[[SAFE]]
// CHECK-NEXT:    select i1 %[[ZERO]], i32 0, i32 %[[QUOTIENT]]
loop.kernel @division(%a: memref<?xi32>) {
  %x = loop.load %a[0] : memref<?xi32>
  %y = loop.load %a[1] : memref<?xi32>
  %z = arith.divsi %x, %y : i32
  loop.store %z, %a[2] : memref<?xi32>
}

// -----

// Vectors of integers of 32 bits are divided as floats that hold them, which have an
// instruction.
//
// CHECK-LABEL: ; kernel @divisions
// CHECK:         %[[SAFE:.*]] = select <4 x i1> %{{.*}}, <4 x i32> splat (i32 1), <4 x i32> %{{.*}}
// CHECK:         %[[Y:.*]] = sitofp <4 x i32> %[[SAFE]] to <4 x double>
// CHECK-NEXT:    %[[Z:.*]] = fdiv <4 x double> %{{.*}}, %[[Y]]
// CHECK-NEXT:    fptosi <4 x double> %[[Z]] to <4 x i32>
loop.kernel @divisions(%a: memref<?xi32>, %b: memref<?xi32>) {
  loop.for parallel %i to 64 lanes 4 {
    %x = loop.load %a[%i] : memref<?xi32>
    %y = loop.load %b[%i] : memref<?xi32>
    %z = arith.divsi %x, %y : i32
    loop.store %z, %a[%i] : memref<?xi32>
    loop.yield
  }
}

// By a constant LLVM multiplies.
//
// CHECK-LABEL: ; kernel @constant_divisor
// CHECK-NOT:     fdiv
// CHECK:         sdiv <4 x i32>
loop.kernel @constant_divisor(%a: memref<?xi32>) {
  loop.for parallel %i to 64 lanes 4 {
    %x = loop.load %a[%i] : memref<?xi32>
    %y = arith.constant 7 : i32
    %z = arith.divsi %x, %y : i32
    loop.store %z, %a[%i] : memref<?xi32>
    loop.yield
  }
}

// -----

// The program is a function of a context, which says where everything is. The call that
// fails ends the run: by its number it is known which that was.
//
// CHECK-LABEL: ; the program
// CHECK-DAG:   declare void @[[ADD:sr_k_[0-9a-f]+]](ptr, ptr, i64)
// CHECK-DAG:   declare i32 @[[CHECKED:sr_k_[0-9a-f]+]](ptr, ptr)
// CHECK:       define i32 @sr_run(ptr %p0)
// CHECK:         %[[BATCH:.*]] = load i64
// CHECK:         %[[IN:.*]] = load ptr
// CHECK:         %[[PLACED:.*]] = getelementptr i8, ptr %{{.*}}, i64 128
// CHECK:         %[[SIZE:.*]] = mul i64 %[[BATCH]], 2
// CHECK:         call void @[[ADD]](ptr %[[IN]], ptr %[[PLACED]], i64 %[[SIZE]])
// CHECK:         %[[CONSTANT:.*]] = getelementptr i8, ptr %{{.*}}, i64 256
// CHECK:         %[[STATUS:.*]] = call i32 @[[CHECKED]](ptr %[[CONSTANT]], ptr %{{.*}})
// CHECK-NEXT:    %[[BAD:.*]] = icmp ne i32 %[[STATUS]], 0
// CHECK-NEXT:    br i1 %[[BAD]], label %[[FAILED:.*]], label %[[GOOD:.*]]
// CHECK-NEXT:  [[FAILED]]:
// CHECK:         store i64 1, ptr
// CHECK-NEXT:    ret i32 %[[STATUS]]
// CHECK-NEXT:  [[GOOD]]:
//
// A fallback op is a function of Python's, which gets the addresses of its buffers.
// Signals are handled before it begins, and what returns another status than 1 has failed.
//
// CHECK:         store ptr %[[PLACED]], ptr
// CHECK:         %[[OFFSET:.*]] = load i64
// CHECK:         %[[LOOKED_UP:.*]] = getelementptr i8, ptr %{{.*}}, i64 %[[OFFSET]]
// CHECK:         store ptr %[[LOOKED_UP]], ptr
// CHECK:         call i32 @sr_ask(ptr %p0)
// CHECK:         %[[CALLED:.*]] = call i32 %{{.*}}(ptr %p0, i64 0, ptr %{{.*}})
// CHECK-NEXT:    %[[WIDE:.*]] = sext i32 %[[CALLED]] to i64
// CHECK-NEXT:    icmp ne i64 %[[WIDE]], 1
// CHECK:         ret i32 0
//
// A run without the interpreter's lock tells in the context whose thread it is, so that it
// can be interrupted; it may call Python, and so counts as long.
//
// CHECK:       define i32 @sr_enter(ptr %p0)
// CHECK:         call i32 @sr_enter_if(ptr %p0, i1 true)
//
// The entry is what Python calls. It takes two arrays, if each is an array of
// the right rank and dtype, in order and aligned, of a shape that it knows, and if there is
// a context whose plan is of the batch that these have; all else goes to Python.
//
// CHECK:       define ptr @sr_call(ptr %p0, ptr %p1, i64 %p2, ptr %p3) "few-passes" {
// Arguments that have names are put in their places, and after them what is given as `out`.
//
// CHECK:         %[[COUNT:.*]] = and i64 %p2, 9223372036854775807
// CHECK:         %[[NAMED:.*]] = icmp ne ptr %p3, null
// CHECK:         br i1 %[[NAMED]], label %{{.*}}, label %[[PLACED:.*]]
// CHECK:         call i1 @sr_match(ptr %p1, i64 %[[COUNT]], ptr %p3, i64 2, ptr %[[PLACES:.*]])
// CHECK:         %[[LAST:.*]] = load ptr
// CHECK:       [[PLACED]]:
// CHECK-NEXT:    %[[ARGUMENTS:.*]] = phi ptr [%[[PLACES]], %{{.*}}], [%p1, %{{.*}}]
// CHECK-NEXT:    %[[INPUTS:.*]] = phi i64 [2, %{{.*}}], [%[[COUNT]], %{{.*}}]
// CHECK-NEXT:    %[[OUT:.*]] = phi ptr [%[[LAST]], %{{.*}}], [null, %{{.*}}]
// CHECK-NEXT:    icmp eq i64 %[[INPUTS]], 2
// CHECK-NEXT:    br i1 %{{.*}}, label %{{.*}}, label %exit.slow
// CHECK:         %[[RANK:.*]] = load i32
// CHECK:         and i64 %{{.*}}, 257
// CHECK:         %[[ROWS:.*]] = load i64
// CHECK:         %[[COLUMNS:.*]] = load i64
//
// Its sizes are those of a plan that there is, before anything is computed from them.
//
// CHECK:         icmp eq i64 %{{.*}}, %[[ROWS]]
// CHECK:         icmp eq i64 %[[COLUMNS]], 3
//
// What is given as `out` is a tuple of arrays to write the outputs to: of the right shape,
// for writing (1024), and apart from one another and from the inputs.
//
// CHECK:         %[[HAS_OUT:.*]] = icmp ne ptr %[[OUT]], null
// CHECK:         br i1 %[[HAS_OUT]], label %{{.*}}, label %[[READY:.*]]
// CHECK:         call i64 @PyTuple_Size(ptr %[[OUT]])
// CHECK:         call i1 @sr_is_array(ptr %{{.*}}, i64 14, i64 2, i64 1281)
// CHECK:         icmp eq i64 %{{.*}}, %[[ROWS]]
// CHECK:         %[[BEFORE:.*]] = icmp ule i64
// CHECK-NEXT:    %[[AFTER:.*]] = icmp ule i64
// CHECK-NEXT:    or i1 %[[BEFORE]], %[[AFTER]]
// CHECK:       [[READY]]:
//
// Else it makes an array for each output.
//
// CHECK:         icmp eq ptr %[[OUT]], null
// CHECK:         %[[ONE:.*]] = call ptr @sr_new_array(i64 0, i64 14, i64 2, ptr
// CHECK:         %[[OTHER:.*]] = call ptr @sr_new_array(i64 1, i64 {{.*}}, i64 0, ptr
// CHECK:         %[[FIRST:.*]] = phi ptr [%[[ONE]], %{{.*}}], [null, %{{.*}}]
// CHECK-NEXT:    %[[SECOND:.*]] = phi ptr [%[[OTHER]], %{{.*}}], [null, %{{.*}}]
//
// A run of so many rows that it takes long lets other threads go on.
//
// CHECK:         %[[WORK:.*]] = mul i64 %[[ROWS]], 3
// CHECK:         icmp slt i64 %[[WORK]], 32768
// CHECK:         call i32 @sr_run(
// CHECK:         call i32 @sr_enter(
//
// After an error Python explains it; else there is what was given, or a tuple.
//
// CHECK:         call void @Py_DecRef(ptr %[[FIRST]])
// CHECK-NEXT:    call void @Py_DecRef(ptr %[[SECOND]])
// CHECK-NEXT:    call ptr @sr_explain(
// CHECK:         call void @Py_IncRef(ptr %[[OUT]])
// CHECK-NEXT:    ret ptr %[[OUT]]
// CHECK:         %[[BOTH:.*]] = call ptr @PyTuple_New(i64 2)
// CHECK:         ret ptr %[[BOTH]]
// CHECK:       exit.slow:
// CHECK-NEXT:    call ptr @sr_slow(
loop.program @main inputs [#loop.tensor<"x" : tensor<?x3xf32, ["batch"]>>, #loop.tensor<"i" : tensor<4xi64>>]
    outputs [#loop.tensor<"y" : tensor<?x3xf32, ["batch"]>>, #loop.tensor<"z" : tensor<i64>>] symbols [#loop.symbol<"batch">]
    constants [#loop.constant<"w", offset = 256, size = 64>]
    slots [#loop.slot<size = "64", offset = 128, live = 0 to 2>, #loop.slot<size = "4 * batch", offset = ?, live = 2 to 2>]
    plan <"naive", steps = 3, bytes = ?, lower_bound = ?> work "3 * batch" {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view constants 0 : memref<?xi64>
  %2 = loop.view activations 0 : memref<?xf32>
  %3 = loop.view activations 1 : memref<?xf32>
  loop.call @add(%0, %2) symbols ["2 * batch"] : memref<?xf32>, memref<?xf32>
  loop.call @lookup(%1) symbols [] : memref<?xi64>
  loop.call_out 0 (%2, %3) {op = "", inputs = [tensor<16xf32>], outputs = [tensor<?xf32, ["batch"]>]} : memref<?xf32>, memref<?xf32>
}
loop.kernel @add(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  %n = loop.extent "n"
}
loop.kernel @lookup(%i: memref<?xi64>) {
  loop.check_index %i[4] below 7 : memref<?xi64>
}

// -----

// A short run holds on to the interpreter's lock, and one output is no tuple.
//
// CHECK-LABEL: ; the program
// CHECK-NOT:     sr_ask
// CHECK:       define ptr @sr_call(
// CHECK-NOT:     sr_enter
// CHECK:         call i32 @sr_run(
// CHECK-NOT:     PyTuple_New
// CHECK:       exit.slow:
loop.program @short inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>] work "4" {
}

// -----

// A call that is traced sets a bit of its mark where it runs, which a skipped one does not;
// and another bit where threads share its work. Others have no marks.
//
// CHECK-LABEL: ; the program
// CHECK:       @sr_marks = external global i8
// CHECK:       define i32 @sr_run(ptr %p0)
// CHECK:         %[[DIFFERS:.*]] = icmp ne i64 %[[ONE:.*]], %[[OTHER:.*]]
// CHECK-NEXT:    %[[MARK:.*]] = getelementptr i8, ptr @sr_marks, i64 3
// CHECK-NEXT:    br i1 %[[DIFFERS]], label %[[NEEDED:.*]], label %[[AFTER:.*]]
// CHECK-NEXT:  [[NEEDED]]:
// CHECK-NEXT:    %{{.*}} = atomicrmw or ptr %[[MARK]], i8 1 monotonic
// CHECK:         call void @sr_k_
// CHECK:       [[AFTER]]:
// CHECK:         call void @sr_k_
// CHECK:         %[[LAST:.*]] = getelementptr i8, ptr @sr_marks, i64 1
// CHECK:         atomicrmw or ptr %[[LAST]], i8 1 monotonic
// CHECK:         call i32 %{{.*}}(ptr %p0, i64 0, ptr %{{.*}})
// CHECK-NOT:     @sr_marks
loop.program @traced inputs [#loop.tensor<"x" : tensor<4xf32>>] outputs [#loop.tensor<"y" : tensor<4xf32>>] work "4" {
  %0 = loop.view inputs 0 : memref<?xf32>
  %1 = loop.view outputs 0 : memref<?xf32>
  loop.call @copy_it(%0, %1) symbols [] unless_same {loop.traced = 3 : i64} : memref<?xf32>, memref<?xf32>
  loop.call @copy_it(%0, %1) symbols [] : memref<?xf32>, memref<?xf32>
  loop.call_out 0 (%0, %1) {op = "", inputs = [tensor<4xf32>], outputs = [tensor<4xf32>], loop.traced = 1 : i64} : memref<?xf32>, memref<?xf32>
}
loop.kernel @copy_it(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 4 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// -----

// A trip of a loop that may be long ends in a branch, which a short run does not take. A
// long one counts what its kernels did, and what a trip is besides, and may end.
//
// CHECK-LABEL: ; the program
// CHECK:       define i32 @sr_run(ptr %p0)
// CHECK:         %[[NOTED:.*]] = getelementptr i8, ptr %p0, i64 88
// CHECK:         %[[THREAD:.*]] = load ptr, ptr %[[NOTED]], align 8
// CHECK:         %[[LONG:.*]] = icmp ne i64 %{{.*}}, 0
// CHECK:         call void @sr_k_
// CHECK-NEXT:    br i1 %[[LONG]], label %[[ASK:.*]], label %[[ON:.*]]
// CHECK:       [[ASK]]:
// CHECK-NEXT:    %[[ENDS:.*]] = call i32 @sr_spend(ptr %p0, i64 135)
// CHECK:         icmp ne i64
// CHECK-NEXT:    br i1 %{{.*}}, label %[[LEAVES:.*]], label %{{.*}}
// CHECK-NEXT:  [[LEAVES]]:
// CHECK-NEXT:    ret i32 5
//
// It is long from some work on, which is computed where it begins.
//
// CHECK:       define i32 @sr_enter(ptr %p0)
// CHECK:         %[[WORK:.*]] = mul i64 %{{.*}}, 7
// CHECK:         %[[MAY:.*]] = icmp sle i64 4194304, %[[WORK]]
// CHECK-NEXT:    call i32 @sr_enter_if(ptr %p0, i1 %[[MAY]])
loop.program @trips inputs [#loop.tensor<"x" : tensor<?xf32, ["n"]>>] symbols [#loop.symbol<"n">] work "7 * n" {
  %0 = loop.view inputs 0 : memref<?xf32>
  loop.repeat %i to "n" {
    loop.call @step(%0) symbols [] : memref<?xf32>
  }
}
loop.kernel @step(%a: memref<?xf32>) {
  loop.for parallel %i to 7 {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %a[%i] : memref<?xf32>
    loop.yield
  }
}

// -----

// Three vectors at a time end at a multiple of 24, which is no power of two.
//
// CHECK-LABEL: ; kernel @three_vectors
// CHECK:         %[[LEFT:.*]] = urem i64 %[[END:.*]], 24
// CHECK-NEXT:    sub nuw nsw i64 %[[END]], %[[LEFT]]
// CHECK:         ret void
loop.kernel @three_vectors(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 1000 lanes 8 vectors 3 split {
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// -----

// Of two vectors of 32 bytes one asks for the line of 64 bytes that both are in; of what
// is left over none does.
//
// CHECK-LABEL: ; kernel @one_line
// CHECK:         %[[AT:.*]] = add nsw i64 %[[I:.*]], 1000
// CHECK-NEXT:    %[[LINE:.*]] = getelementptr float, ptr %p0, i64 %[[AT]]
// CHECK-NEXT:    call void @llvm.prefetch.p0(ptr %[[LINE]], i32 0, i32 3, i32 1)
// CHECK-NOT:     @llvm.prefetch.p0(ptr %
// CHECK:         ret void
loop.kernel @one_line(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 37 lanes 8 vectors 2 {
    loop.prefetch %a[%i + 1000] : memref<?xf32>
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// -----

// Of a tile that fetches both rows of what it stores are asked for, to be written, before
// its k-loop.
//
// CHECK-LABEL: ; kernel @stored_lines
// CHECK-COUNT-2: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 1, i32 3, i32 1)
// CHECK-NOT:     @llvm.prefetch.p0(ptr %
// FMA:           @llvm.fma
loop.kernel @stored_lines(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 2, %j to 8, reduce %k to 32 from %zero : f32 by 2, 8, 8 as #loop.schedule<nr = 8, mc = 2, nc = 8, kc = 32 of 0> fetches k_loop (%sum) {
    %a = loop.load %x[%i * 32 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 8 + %j blocked 8 * 256] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
    loop.yield
  }
}

// -----

// A vector of 128 bytes asks for two lines.
//
// CHECK-LABEL: ; kernel @two_lines
// CHECK:         %[[LINE:.*]] = getelementptr float, ptr %p0, i64 %[[I:.*]]
// CHECK-NEXT:    call void @llvm.prefetch.p0(ptr %[[LINE]], i32 0, i32 3, i32 1)
// CHECK-NEXT:    %[[AT:.*]] = add nsw i64 %[[I]], 16
// CHECK-NEXT:    %[[NEXT:.*]] = getelementptr float, ptr %p0, i64 %[[AT]]
// CHECK-NEXT:    call void @llvm.prefetch.p0(ptr %[[NEXT]], i32 0, i32 3, i32 1)
// CHECK:         ret void
loop.kernel @two_lines(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 lanes 32 {
    loop.prefetch %a[%i] : memref<?xf32>
    %x = loop.load %a[%i] : memref<?xf32>
    loop.store %x, %b[%i] : memref<?xf32>
    loop.yield
  }
}

// -----

// The bits of a bf16 are the upper half of those of an f32.
//
// CHECK-LABEL: ; kernel @widens
// CHECK:         %[[AT:.*]] = getelementptr inbounds i16, ptr %p0, i64 %{{.*}}
// CHECK-NEXT:    %[[X:.*]] = load <8 x i16>, ptr %[[AT]], align 2
// CHECK-NEXT:    %[[BITS:.*]] = zext <8 x i16> %[[X]] to <8 x i32>
// CHECK-NEXT:    %[[UPPER:.*]] = shl <8 x i32> %[[BITS]], splat (i32 16)
// CHECK-NEXT:    bitcast <8 x i32> %[[UPPER]] to <8 x float>
// CHECK:         load i16
// CHECK:         fpext float %{{.*}} to double
loop.kernel @widens(%a: memref<?xbf16>, %b: memref<?xf32>, %c: memref<?xf64>) {
  loop.for parallel %i to 16 lanes 8 {
    %x = loop.load %a[%i] : memref<?xbf16>
    %y = arith.extf %x : bf16 to f32
    loop.store %y, %b[%i] : memref<?xf32>
    loop.yield
  }
  loop.for parallel %i to 3 {
    %x = loop.load %a[%i] : memref<?xbf16>
    %y = arith.extf %x : bf16 to f64
    loop.store %y, %c[%i] : memref<?xf64>
    loop.yield
  }
}

// -----

// To bf16 is rounded to the nearest, of two to the even one; NaN stays NaN.
//
// CHECK-LABEL: ; kernel @narrows
// CHECK:         %[[X:.*]] = load float
// CHECK:         %[[BITS:.*]] = bitcast float %[[X]] to i32
// CHECK-NEXT:    %[[HIGH:.*]] = lshr i32 %[[BITS]], 16
// CHECK-NEXT:    %[[ODD:.*]] = and i32 %[[HIGH]], 1
// CHECK-NEXT:    %[[MOST:.*]] = add i32 %[[BITS]], 32767
// CHECK-NEXT:    %[[SUM:.*]] = add i32 %[[MOST]], %[[ODD]]
// CHECK-NEXT:    %[[QUIET:.*]] = or i32 %[[BITS]], 4194304
// CHECK-NEXT:    %[[NAN:.*]] = fcmp uno float %[[X]], %[[X]]
// CHECK-NEXT:    %[[Y:.*]] = select i1 %[[NAN]], i32 %[[QUIET]], i32 %[[SUM]]
// CHECK-NEXT:    %[[ROUNDED:.*]] = lshr i32 %[[Y]], 16
// CHECK-NEXT:    %[[Z:.*]] = trunc i32 %[[ROUNDED]] to i16
// CHECK:         store i16 %[[Z]], ptr %{{.*}}, align 2
loop.kernel @narrows(%a: memref<?xf32>, %b: memref<?xbf16>) {
  loop.for parallel %i to 3 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = arith.truncf %x : f32 to bf16
    loop.store %y, %b[%i] : memref<?xbf16>
    loop.yield
  }
}
