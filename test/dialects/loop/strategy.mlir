// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The contractions of a kernel in their order, each with what differs from the usual.
//
// CHECK: strategies = [#loop.strategy<direct, nr = 16, kc = 768>, #loop.strategy<plain>]
loop.kernel @two() attributes {strategies = [#loop.strategy<direct, kc = 768, nr = 16, vnni = 1>, #loop.strategy<plain>]} {
}

// -----

// CHECK: strategies = [#loop.strategy<im2row, nr = 16, vnni = 2, kc = 1024>]
loop.kernel @words() attributes {strategies = [#loop.strategy<im2row, nr = 16, vnni = 2, kc = 1024>]} {
}

// -----

// expected-error @below {{expected direct, im2row, widened, gemm, gemv, depthwise, plain, got fft}}
loop.kernel @unknown() attributes {strategies = [#loop.strategy<fft>]} {
}

// -----

// expected-error @below {{expected panels of gemm to have a width, got 0}}
loop.kernel @no_panels() attributes {strategies = [#loop.strategy<gemm>]} {
}
