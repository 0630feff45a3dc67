// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A subscript is a sum of indices times strides, and of an offset.
//
// CHECK-LABEL: loop.kernel @round_trip
// CHECK:         %[[X:.*]] = loop.load %a[%i * 32 + %j + 5] : memref<?xf32>
// CHECK:         loop.store %[[X]], %a[%j] : memref<?xf32>
// CHECK:         %[[Y:.*]] = loop.load %b[%i * -1 + 3] : memref<?xi1>
// CHECK:         loop.store %[[Y]], %b[0] : memref<?xi1>
loop.kernel @round_trip(%a: memref<?xf32>, %b: memref<?xi1>) {
  loop.for parallel %i to 4 {
    loop.for parallel %j to 32 {
      %x = loop.load %a[%i * 32 + %j + 5] : memref<?xf32>
      loop.store %x, %a[%j] : memref<?xf32>
      %y = loop.load %b[%i * -1 + 3] : memref<?xi1>
      loop.store %y, %b[0] : memref<?xi1>
      loop.yield
    }
    loop.yield
  }
}

// -----

// A blocked index counts elements of blocks, each so far from the next.
//
// CHECK-LABEL: loop.kernel @blocked
// CHECK:         loop.load %a[%i * 16 + %j blocked 16 * 1024 + 3] : memref<?xf32>
// CHECK:         loop.load %a[%j blocked 8 * "8 * n"] : memref<?xf32>
//
// In a block they may be some way apart too, so that one index goes over two axes.
//
// CHECK:         loop.load %a[%i + %j blocked 28 by 64 * 1920] : memref<?xf32>
// CHECK:         loop.load %a[%j blocked 28 by "n" * "30 * n"] : memref<?xf32>
// CHECK:         loop.load %a[%j blocked "2 * n" by 64 * "128 * n + 128"] : memref<?xf32>
//
// Two indices may be blocked: here two elements of one lie between those of the other.
//
// CHECK:         loop.load %a[%i blocked 2 * 32 + %j blocked 16 by 2 * 1024] : memref<?xf32>
loop.kernel @blocked(%a: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to 4 {
    loop.for parallel %j to 32 {
      %x = loop.load %a[%i * 16 + %j blocked 16 * 1024 + 3] : memref<?xf32>
      %y = loop.load %a[%j blocked 8 * "8 * n"] : memref<?xf32>
      %z = loop.load %a[%i + %j blocked 28 by 64 * 1920] : memref<?xf32>
      %u = loop.load %a[%j blocked 28 by "n" * "30 * n"] : memref<?xf32>
      %w = loop.load %a[%j blocked "2 * n" by 64 * "128 * n + 128"] : memref<?xf32>
      %v = loop.load %a[%i blocked 2 * 32 + %j blocked 16 by 2 * 1024] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// -----

// Strides and offsets may depend on the symbols of the kernel.
//
// CHECK-LABEL: loop.kernel @symbols
// CHECK:         loop.load %a[%i * "32 * n" + "n - 1"] : memref<?xf32>
loop.kernel @symbols(%a: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to 4 {
    %x = loop.load %a[%i * "n * 32" + "n - 1"] : memref<?xf32>
    loop.yield
  }
}

// -----

// Elements are in memory.
loop.kernel @load_from_a_tensor(%a: tensor<4xf32>) {
  %x = loop.load %a[0] : tensor<4xf32>
  // expected-error @below {{expected a memref, got tensor<4xf32>}}
}

// -----

loop.kernel @store_to_a_tensor(%a: tensor<4xf32>, %x: f32) {
  loop.store %x, %a[0] : tensor<4xf32>
  // expected-error @below {{expected a memref, got tensor<4xf32>}}
}

// -----

// What is stored is an element of the buffer.
loop.kernel @stores_another_type(%a: memref<?xf32>, %x: i32) {
  // expected-error @below {{operand is used with type f32, but has been previously used or defined with type i32}}
  loop.store %x, %a[0] : memref<?xf32>
}

// -----

// An index is an index.
loop.kernel @subscript_is_a_number(%a: memref<?xf32>, %i: i32) {
  // expected-error @below {{operand is used with type index, but has been previously used or defined with type i32}}
  %x = loop.load %a[%i] : memref<?xf32>
}

// -----

// A stride is a dimension.
loop.kernel @no_dimension(%a: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to 4 {
    // expected-error @below {{dimension 'n +': expected a number or a symbol, got the end}}
    %x = loop.load %a[%i * "n +"] : memref<?xf32>
    loop.yield
  }
}

// -----

// A block has a size.
loop.kernel @no_width(%a: memref<?xf32>) {
  loop.for parallel %i to 4 {
    // expected-error @below {{expected blocks of 1 or more, got -3}}
    %x = loop.load %a[%i blocked -3 * 512] : memref<?xf32>
    loop.yield
  }
}

// -----

// What is loaded is widened to its compute type, and narrowed again where it is stored.
//
// CHECK-LABEL: loop.kernel @bytes
// CHECK:         %x = loop.load %a[0] : memref<?xsi8>
// CHECK-NEXT:    %y = arith.addi %x, %x : i32
// CHECK-NEXT:    loop.store %y, %b[0] : memref<?xui8>
loop.kernel @bytes(%a: memref<?xsi8>, %b: memref<?xui8>) {
  %x = loop.load %a[0] : memref<?xsi8>
  %y = arith.addi %x, %x : i32
  loop.store %y, %b[0] : memref<?xui8>
}
