// RUN: sr-opt %s -p 'set-target{cpu=x86-64}' | filecheck %s --check-prefix=SSE
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v3}' | filecheck %s --check-prefix=AVX2
// RUN: sr-opt %s -p 'set-target{cpu=x86-64-v4}' | filecheck %s --check-prefix=AVX512
// RUN: sr-opt %s -p 'set-target{cpu=aarch64}' | filecheck %s --check-prefix=NEON
// RUN: sr-opt %s -p 'set-target{cpu=aarch64},set-target{cpu=x86-64-v3}' | filecheck %s --check-prefix=AVX2
// RUN: sr-opt %s -p set-target | filecheck %s --check-prefix=HOST
// RUN: not sr-opt %s -p 'set-target{cpu=x86-64-v5}' 2>&1 | filecheck %s --check-prefix=UNKNOWN

// A name says how wide vectors are, how many there are, and whether the machine multiplies
// and adds in one step.
//
// SSE: builtin.module attributes {loop.target = #loop.target<"x86-64", vector = 128, registers = 16, fma = false>}
// AVX2: builtin.module attributes {loop.target = #loop.target<"x86-64-v3", vector = 256, registers = 16, fma = true>}
// AVX512: builtin.module attributes {loop.target = #loop.target<"x86-64-v4", vector = 512, registers = 32, fma = true>}
// NEON: builtin.module attributes {loop.target = #loop.target<"aarch64", vector = 128, registers = 32, fma = true>}

// Without a name it is the machine that this runs on, by its features.
//
// HOST: #loop.target<"{{x86-64|aarch64}}", vector = {{128|256|512}}, registers = {{16|32}}, fma = {{true|false}}, "{{[+-].*}}">

// UNKNOWN: expected a target like x86-64-v{{.*}}, got x86-64-v5
loop.kernel @any(%a: memref<?xf32>) {
}
