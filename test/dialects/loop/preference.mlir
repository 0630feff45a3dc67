// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Only what is preferred is told, in the order of a schedule.
//
// CHECK: preference = #loop.preference<panels = 24, depth = 256, copies = "rows and columns">
loop.kernel @some() attributes {preference = #loop.preference<depth = 256, copies = "rows and columns", panels = 24>} {
}

// -----

// CHECK: preference = #loop.preference<panels = 8, tall = 4, depth = 16, rows = 8, columns = 64, copies = "nothing">
loop.kernel @all() attributes {preference = #loop.preference<panels = 8, tall = 4, depth = 16, rows = 8, columns = 64, copies = "nothing">} {
}

// -----

// CHECK: preference = #loop.preference<>
loop.kernel @none() attributes {preference = #loop.preference<>} {
}

// -----

// expected-error @below {{expected copies of nothing, rows, columns, rows and columns, got weights}}
loop.kernel @weights() attributes {preference = #loop.preference<copies = "weights">} {
}

// -----

// expected-error @below {{expected one of panels, tall, depth, rows, columns, copies, got width}}
loop.kernel @width() attributes {preference = #loop.preference<width = 8>} {
}
