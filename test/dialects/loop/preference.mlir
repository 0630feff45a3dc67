// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Only what is preferred is told, in the order of a schedule.
//
// CHECK: preference = #loop.preference<nr = 24, kc = 256, pack = "a and b">
loop.kernel @some() attributes {preference = #loop.preference<kc = 256, pack = "a and b", nr = 24>} {
}

// -----

// CHECK: preference = #loop.preference<nr = 8, mr = 4, kc = 16, mc = 8, nc = 64, pack = "nothing">
loop.kernel @all() attributes {preference = #loop.preference<nr = 8, mr = 4, kc = 16, mc = 8, nc = 64, pack = "nothing">} {
}

// -----

// CHECK: preference = #loop.preference<>
loop.kernel @none() attributes {preference = #loop.preference<>} {
}

// -----

// expected-error @below {{expected packing of nothing, a, b, a and b, got weights}}
loop.kernel @weights() attributes {preference = #loop.preference<pack = "weights">} {
}

// -----

// expected-error @below {{expected one of nr, mr, kc, mc, nc, unroll, pack, got width}}
loop.kernel @width() attributes {preference = #loop.preference<width = 8>} {
}
