// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Brackets may stand 64 deep; those of a string or a comment (((( do not count.
//
// CHECK: builtin.module attributes {deepest = [[[[
module attributes {deepest = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["(((("]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]} {}

// -----

// expected-error @below {{expected at most 64 nested brackets}}
module attributes {deeper = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]} {}

// -----

// expected-error @below {{expected a string that ends in a quote, got the end of the line}}
module attributes {a = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa} {}

// -----

// expected-error {{expected operands that are computed before, got operand 0, which is its own result}}
%0 = graph.relu %0 : tensor<2xf32> -> tensor<2xf32>
