// RUN: sr-opt %s -p 'set-target{cpu=x86-64}' | filecheck %s --check-prefix=SSE
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3}' | filecheck %s --check-prefix=AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4}' | filecheck %s --check-prefix=AVX512
// RUN: sr-opt %s -p 'set-target{cpu=aarch64}' | filecheck %s --check-prefix=NEON
// RUN: sr-opt %s -p 'set-target{cpu=aarch64},set-target{cpu=x86-64-v3}' | filecheck %s --check-prefix=AVX2
// RUN: %on=no-avx sr-opt %s -p set-target | filecheck %s --check-prefix=NO-AVX
// RUN: %on=haswell sr-opt %s -p set-target | filecheck %s --check-prefix=HASWELL
// RUN: %on=zen-3 sr-opt %s -p set-target | filecheck %s --check-prefix=ZEN-3
// RUN: %on=skylake-sp sr-opt %s -p set-target | filecheck %s --check-prefix=SKYLAKE-SP
// RUN: %on=zen-4 sr-opt %s -p set-target | filecheck %s --check-prefix=ZEN-4
// RUN: %on=sapphire-rapids sr-opt %s -p set-target | filecheck %s --check-prefix=SAPPHIRE
// RUN: %on=sapphire-rapids sr-opt %s -p 'set-target{cpu=host exact=true}' | filecheck %s --check-prefix=EXACT
// RUN: %on=sapphire-rapids sr-opt %s -p 'set-target{cpu=host matrices=false}' | filecheck %s --check-prefix=VECTORS
// RUN: sr-opt %s -p 'set-target{cpu=sapphirerapids matrices=false}' | filecheck %s --check-prefix=VECTORS
// RUN: %on=neoverse-n1 sr-opt %s -p set-target | filecheck %s --check-prefix=NEOVERSE
// RUN: %on=one-core sr-opt %s -p set-target | filecheck %s --check-prefix=HASWELL
// RUN: %on=sixteen-cores sr-opt %s -p set-target | filecheck %s --check-prefix=HASWELL
// RUN: %on=caches-unknown sr-opt %s -p set-target | filecheck %s --check-prefix=CACHES
// RUN: not sr-opt %s -p 'set-target{cpu=x86-64-v5}' 2>&1 | filecheck %s --check-prefix=UNKNOWN

// A name says how wide vectors are, how many there are, and whether the machine multiplies
// and adds in one step.
//
// SSE: builtin.module attributes {loop.target = #loop.target<"x86-64", vector = 128, registers = 16, fma = false>}
// AVX2: builtin.module attributes {loop.target = #loop.target<"x86-64-v3", vector = 256, registers = 16, fma = true, isas = ["x86_pairs"]>}
// AVX512: builtin.module attributes {loop.target = #loop.target<"x86-64-v4", vector = 512, registers = 32, fma = true, isas = ["x86_pairs"]>}
// NEON: builtin.module attributes {loop.target = #loop.target<"aarch64", vector = 128, registers = 32, fma = true>}

// Without a name it is the machine that this runs on, by its features: how wide vectors
// are, which instructions multiply bf16 and bytes, and caches where they are known and not the usual
// ones. The number of cores is no part of it.
//
// NO-AVX: #loop.target<"x86-64", vector = 128, registers = 16, fma = false, caches = 32 and 256, "+64bit,{{.*}},-avx,{{.*}},-fma,{{.*}}">
// HASWELL: #loop.target<"x86-64", vector = 256, registers = 16, fma = true, caches = 32 and 256, isas = ["x86_pairs"], "+64bit,{{.*}},+avx2,{{.*}},-avx512f,{{.*}}">
// ZEN-3: #loop.target<"x86-64", vector = 256, registers = 16, fma = true, isas = ["x86_pairs"], "+64bit,{{.*}},+avx2,{{.*}},-avx512f,{{.*}}">
// SKYLAKE-SP: #loop.target<"x86-64", vector = 512, registers = 32, fma = true, caches = 32 and 1024, isas = ["x86_pairs"], "+64bit,{{.*}},-avx512bf16,{{.*}},+avx512f,{{.*}}">
// ZEN-4: #loop.target<"x86-64", vector = 512, registers = 32, fma = true, caches = 32 and 1024, isas = ["avx512_bf16", "avx512_vnni"], "+64bit,{{.*}},-amx-bf16,{{.*}},+avx512bf16,{{.*}}">
// SAPPHIRE: #loop.target<"x86-64", vector = 512, registers = 32, fma = true, caches = 48 and 2048, isas = ["amx", "amx_int8"], "+64bit,{{.*}},+amx-bf16,{{.*}}">
// NEOVERSE: #loop.target<"aarch64", vector = 128, registers = 32, fma = true, caches = 64 and 1024, "+aes,+crc,+fp-armv8,+lse,+neon,+sha2,-sve,-sve2">
// CACHES: #loop.target<"x86-64", vector = 256, registers = 16, fma = true, isas = ["x86_pairs"], "+64bit,{{.*}},+avx2,{{.*}},-avx512f,{{.*}}">

// Instruction sets that round what they add up are left out on demand.
//
// EXACT: #loop.target<"x86-64", vector = 512, registers = 32, fma = true, caches = 48 and 2048, isas = ["amx_int8"], "+64bit,{{.*}},+amx-bf16,{{.*}}">

// So are registers of matrices, which the system grants on demand.
//
// VECTORS: isas = ["avx512_bf16", "avx512_vnni"]

// UNKNOWN: expected a target like x86-64-v{{.*}}, got x86-64-v5
loop.kernel @any(%a: memref<?xf32>) {
}
