// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A module names the machine that it is for; its features are told where they matter.
//
// CHECK: builtin.module attributes {loop.target = #loop.target<"x86-64-v3", vector = 256, registers = 16, fma = true>}
builtin.module attributes {loop.target = #loop.target<"x86-64-v3", vector = 256, registers = 16, fma = true>} {
}

// -----

// CHECK: builtin.module attributes {loop.target = #loop.target<"x86-64", vector = 128, registers = 16, fma = false, "+sse4.2,-avx">}
builtin.module attributes {loop.target = #loop.target<"x86-64", vector = 128, registers = 16, fma = false, "+sse4.2,-avx">} {
}

// -----

// Caches that are not the usual ones are told, in KiB.
//
// CHECK: builtin.module attributes {loop.target = #loop.target<"x86-64", vector = 512, registers = 32, fma = true, caches = 48 and 2048, "+avx512f">}
builtin.module attributes {loop.target = #loop.target<"x86-64", vector = 512, registers = 32, fma = true, caches = 48 and 2048, "+avx512f">} {
}

// -----

// As are instruction sets for contractions.
//
// CHECK: builtin.module attributes {loop.target = #loop.target<"cooperlake", vector = 512, registers = 32, fma = true, caches = 48 and 1024, isas = ["avx512_bf16"], "+avx512f">}
builtin.module attributes {loop.target = #loop.target<"cooperlake", vector = 512, registers = 32, fma = true, caches = 48 and 1024, isas = ["avx512_bf16"], "+avx512f">} {
}

// -----

// An instruction set is one of `dialects/loop/isa.py`.
//
// expected-error @below {{expected instruction sets of amx, avx512_bf16, portable, portable_amx, amx_int8, avx512_vnni, avx_vnni, neon_i8mm, neon_dotprod, x86_pairs, portable_int8, portable_vnni, portable_amx_int8, got sse5}}
builtin.module attributes {loop.target = #loop.target<"x86-64", vector = 512, registers = 32, fma = true, isas = ["sse5"]>} {
}

// -----

// Nothing is left out.
//
// expected-error @below {{registers}}
builtin.module attributes {loop.target = #loop.target<"x86-64", vector = 128, fma = false>} {
}
