// RUN: sr-opt %s -p 'set-target{cpu=x86-64},size-tiles' | filecheck %s --check-prefixes=CHECK,SSE
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},size-tiles' | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4},size-tiles' | filecheck %s --check-prefixes=CHECK,AVX512
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3},size-tiles{most-rows=2}' | filecheck %s --check-prefixes=CHECK,ROWS
// RUN: not sr-opt %s -p size-tiles 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: expected a module with the attribute loop.target, got none; run set-target first

// Of 16 registers twelve hold accumulators: six rows of two vectors. Of 32, 24 do: six of four.
// Quick code has no more rows than it is given.
//
// CHECK-LABEL: loop.kernel @single
// SSE:           loop.tile {{.*}} : f32 by 6, 8, 4 k_loop
// AVX2:          loop.tile {{.*}} : f32 by 6, 16, 8 k_loop
// AVX512:        loop.tile {{.*}} : f32 by 6, 64, 16 k_loop
// ROWS:          loop.tile {{.*}} : f32 by 2, 32, 8 k_loop
loop.kernel @single() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// A vector holds half as many elements that are twice as wide.
//
// CHECK-LABEL: loop.kernel @double
// SSE:           loop.tile {{.*}} : f64 by 6, 4, 2 k_loop
// AVX2:          loop.tile {{.*}} : f64 by 6, 8, 4 k_loop
// AVX512:        loop.tile {{.*}} : f64 by 6, 32, 8 k_loop
loop.kernel @double() {
  %zero = arith.constant 0.0 : f64
  loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f64 k_loop (%sum) {
    loop.yield %sum : f64
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// A size that is not known is taken for a large one.
//
// CHECK-LABEL: loop.kernel @symbols
// AVX2:          loop.tile {{.*}} : f32 by 6, 16, 8 k_loop
loop.kernel @symbols() symbols ["m", "n"] {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to "m", %j to "n", reduce %k to 32 from %zero : f32 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// A single row leaves its registers to more columns.
//
// CHECK-LABEL: loop.kernel @one_row
// AVX2:          loop.tile {{.*}} : f32 by 1, 32, 8 k_loop
loop.kernel @one_row() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1, %j to 64, reduce %k to 32 from %zero : f32 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// Four columns fill no vector of eight, but one of four, and many rows.
//
// CHECK-LABEL: loop.kernel @few_columns
// AVX2:          loop.tile {{.*}} : f32 by 13, 4, 4 k_loop
loop.kernel @few_columns() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 64, %j to 4, reduce %k to 32 from %zero : f32 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// A single column is computed one by one.
//
// CHECK-LABEL: loop.kernel @one_column
// AVX2:          loop.tile {{.*}} : f32 by 13, 1, 1 k_loop
loop.kernel @one_column() {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 64, %j to 1, reduce %k to 32 from %zero : f32 k_loop (%sum) {
    loop.yield %sum : f32
  } epilogue (%row, %column, %accumulator) {
    loop.yield
  }
}

// A loop is no tile.
//
// CHECK-LABEL: loop.kernel @no_tile
// CHECK:         loop.for parallel %{{.*}} to 64 {
loop.kernel @no_tile() {
  loop.for parallel %i to 64 {
    loop.yield
  }
}

// Both operands may change, and many rows use what is copied once: columns are copied
// into panels as wide as the tile. As many steps as fill the first cache are a block.
//
// CHECK-LABEL: loop.kernel @columns_copied
// SSE:           by 6, 8, 4 as #loop.schedule<nr = 8, mc = 24, nc = 48, kc = 1000 of 0, pack = "b"> k_loop
// AVX2:          by 6, 16, 8 as #loop.schedule<nr = 16, mc = 24, nc = 48, kc = 1000 of 0, pack = "b"> k_loop
// AVX512:        by 12, 32, 16 as #loop.schedule<nr = 32, mc = 48, nc = 96, kc = 500 of 0, pack = "b"> k_loop
loop.kernel @columns_copied(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 300, %j to 96, reduce %k to 1000 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 1000 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 96 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 96 + %column] : memref<?xf32>
    loop.yield
  }
}

// Rows a multiple of 2048 bytes apart are copied: they would fall into few sets of the
// cache. A weight in panels is not copied.
//
// CHECK-LABEL: loop.kernel @rows_copied
// AVX2:          by 6, 16, 8 as #loop.schedule<nr = 16, mc = 30, nc = 256, kc = 1024 of 0, pack = "a"> k_loop
loop.kernel @rows_copied(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) symbols ["m"] {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to "m", %j to 256, reduce %k to 1024 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 1024 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 16 + %j blocked 16 * 16384] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 256 + %column] : memref<?xf32>
    loop.yield
  }
}

// One row reads each weight once: all columns and steps are one block, and several
// panels side by side.
//
// CHECK-LABEL: loop.kernel @row_by_panels
// AVX2:          by 1, 64, 8 as #loop.schedule<nr = 16, mc = 1, nc = 256, kc = 4096 of 0> k_loop
loop.kernel @row_by_panels(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1, %j to 256, reduce %k to 4096 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%k] : memref<?xf32>
    %b = loop.load %w[%k * 16 + %j blocked 16 * 65536] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%column] : memref<?xf32>
    loop.yield
  }
}

// A loop along which a matrix in panels is looked up is run inside of the blocks of columns, where
// what is looked up again is near; one along which it moves is not.
//
// CHECK-LABEL: loop.kernel @looked_up
// CHECK:         loop.tile
// AVX2-SAME:     by 6, 16, 8 as #loop.schedule<nr = 16, mc = 6, nc = 128, kc = 512 of 0, over = 1> k_loop
// CHECK-LABEL: loop.kernel @moved
// CHECK:         loop.tile
// AVX2-SAME:     by 6, 16, 8 as #loop.schedule<nr = 16, mc = 6, nc = 1024, kc = 512 of 0
loop.kernel @looked_up(%at: memref<?xi64>, %x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  loop.for parallel %n to 9 {
    %e = loop.load %at[%n] : memref<?xi64>
    %which = loop.clamp_index %e below 5 : i64
    %zero = arith.constant 0.0 : f32
    loop.tile %i to 6, %j to 1024, reduce %k to 512 from %zero : f32 k_loop (%sum) {
      %a = loop.load %x[%n * 3072 + %i * 512 + %k] : memref<?xf32>
      %b = loop.load %w[%which * 8192 + %k * 16 + %j blocked 16 * 40960] : memref<?xf32>
      %next = math.fma %a, %b, %sum : f32
      loop.yield %next : f32
    } epilogue (%row, %column, %accumulator) {
      loop.store %accumulator, %y[%n * 6144 + %row * 1024 + %column] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

loop.kernel @moved(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  loop.for parallel %n to 9 {
    %zero = arith.constant 0.0 : f32
    loop.tile %i to 6, %j to 1024, reduce %k to 512 from %zero : f32 k_loop (%sum) {
      %a = loop.load %x[%n * 3072 + %i * 512 + %k] : memref<?xf32>
      %b = loop.load %w[%n * 8192 + %k * 16 + %j blocked 16 * 73728] : memref<?xf32>
      %next = math.fma %a, %b, %sum : f32
      loop.yield %next : f32
    } epilogue (%row, %column, %accumulator) {
      loop.store %accumulator, %y[%n * 6144 + %row * 1024 + %column] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}

// Few rows do not pay for a copy.
//
// CHECK-LABEL: loop.kernel @few_rows
// AVX2:          by 3, 24, 8 k_loop
loop.kernel @few_rows(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 4, %j to 256, reduce %k to 1024 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 1024 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 256 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 256 + %column] : memref<?xf32>
    loop.yield
  }
}

// Accumulators of another type than the result cannot wait there: all steps are one block.
//
// CHECK-LABEL: loop.kernel @other_type
// AVX2:          kc = 1024 of 0, pack = "b"> k_loop
loop.kernel @other_type(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf64>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 64, %j to 256, reduce %k to 1024 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 1025 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 256 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    %wide = arith.extf %accumulator : f32 to f64
    loop.store %wide, %y[%row * 256 + %column] : memref<?xf64>
    loop.yield
  }
}

// Along the inner loop the columns stay the same: it runs inside of a block, so that a
// panel is used for all of it. Along the outer they do not.
//
// CHECK-LABEL: loop.kernel @pixels
// AVX2:          by 5, 16, 8 as #loop.schedule<nr = 16, mc = 15, nc = 32, kc = 2 of 0, over = 1> k_loop
loop.kernel @pixels(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  loop.for parallel %g to 2 {
    loop.for parallel %h to 14 {
      %zero = arith.constant 0.0 : f32
      loop.tile %i to 14, %j to 256, reduce %k to 3, reduce %l to 768 from %zero : f32 k_loop (%sum) {
        %a = loop.load %x[%h * 4096 + %i * 256 + %k * 4096 + %l] : memref<?xf32>
        %b = loop.load %w[%g * 589824 + %k * 12288 + %l * 16 + %j blocked 16 * 36864] : memref<?xf32>
        %next = math.fma %a, %b, %sum : f32
        loop.yield %next : f32
      } epilogue (%row, %column, %accumulator) {
        loop.store %accumulator, %y[%g * 50176 + %h * 3584 + %row * 256 + %column] : memref<?xf32>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
}

// One row on lines a page long: few of them at a time, and all columns.
//
// CHECK-LABEL: loop.kernel @long_lines
// AVX2:          by 1, 32, 8 as #loop.schedule<nr = 32, mc = 1, nc = 4096, kc = 8 of 0> k_loop
loop.kernel @long_lines(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 1, %j to 4096, reduce %k to 4096 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%k] : memref<?xf32>
    %b = loop.load %w[%k * 4096 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%column] : memref<?xf32>
    loop.yield
  }
}

// What a kernel prefers is taken, as far as there is room: beside four vectors of 128 bits
// there are registers for two rows, and not for four.
//
// CHECK-LABEL: loop.kernel @preferred
// SSE:           by 2, 16, 4 as #loop.schedule<nr = 16, mc = 32, nc = 48, kc = 1000 of 0, pack = "b"> k_loop
// AVX2:          by 4, 16, 8 as #loop.schedule<nr = 16, mc = 32, nc = 48, kc = 1000 of 0, pack = "b"> k_loop
loop.kernel @preferred(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>)
    attributes {preference = #loop.preference<nr = 16, mr = 4, mc = 63>} {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 300, %j to 96, reduce %k to 1000 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 1000 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 96 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 96 + %column] : memref<?xf32>
    loop.yield
  }
}

// Where nothing is to be copied, operands are read as they lie, in tiles as preferred.
//
// CHECK-LABEL: loop.kernel @as_it_lies
// AVX2:          {{.*}} : f32 by 3, 16, 8 k_loop
loop.kernel @as_it_lies(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>)
    attributes {preference = #loop.preference<nr = 16, mr = 3, pack = "nothing">} {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 300, %j to 24, reduce %k to 1000 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 1000 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 24 + %j] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    loop.store %accumulator, %y[%row * 24 + %column] : memref<?xf32>
    loop.yield
  }
}

// Where the finish loads from where it stores, accumulators are not stored before it, however
// many steps they take.
//
// CHECK-LABEL: loop.kernel @in_place
// AVX2:          by 6, 16, 8 as #loop.schedule<nr = 16, mc = 12, nc = 16, kc = 2304 of 0> k_loop
loop.kernel @in_place(%x: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.tile %i to 50, %j to 256, reduce %k to 2304 from %zero : f32 k_loop (%sum) {
    %a = loop.load %x[%i * 2304 + %k] : memref<?xf32>
    %b = loop.load %w[%k * 16 + %j blocked 16 * 36864] : memref<?xf32>
    %next = math.fma %a, %b, %sum : f32
    loop.yield %next : f32
  } epilogue (%row, %column, %accumulator) {
    %before = loop.load %y[%row * 256 + %column] : memref<?xf32>
    %result = arith.addf %accumulator, %before : f32
    loop.store %result, %y[%row * 256 + %column] : memref<?xf32>
    loop.yield
  }
}
