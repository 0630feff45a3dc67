/* Calls the deep-and-wide model from C: a bundle of it, and a version written by hand.
   `python -m bench.deep_wide` compiles this beside the bundle. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "deep_wide.h"

enum { EMBEDDING = 32, FEATURES = 50 };

static GLOW_MEM_ALIGN(DEEP_WIDE_MEM_ALIGN) uint8_t constants[] = {
#include "deep_wide.weights.txt"
};

/* Parameters as the model has them, and arrays of a call. */
typedef struct Arrays {
  const float *mu, *sigma, *weight, *bias;
  const float *ad, *user, *wide;
  float *out;
  int64_t batch;
} Arrays;

/* Adds the second half of numbers to the first: the compiler may not reorder a sum, and
   makes vectors of this. */
static inline void fold(float *numbers, int half) {
  for (int at = 0; at < half; ++at) numbers[at] += numbers[at + half];
}

static void by_hand(const Arrays *of) {
  const float *restrict mu = of->mu, *restrict sigma = of->sigma;
  const float *restrict weight = of->weight;
  for (int64_t row = 0; row < of->batch; ++row) {
    const float *restrict ad = of->ad + row * EMBEDDING;
    const float *restrict user = of->user + row * EMBEDDING;
    const float *restrict wide = of->wide + row * FEATURES;
    float terms[2 * EMBEDDING] = {0};
    for (int at = 0; at < FEATURES; ++at) {
      float x = (wide[at] + mu[at]) * sigma[at];
      x = x < 0 ? 0 : x;
      terms[at] = (x > 10 ? 10 : x) * weight[1 + at];
    }
    for (int at = 0; at < EMBEDDING; ++at) terms[at] += ad[at] * user[at] * weight[0];
    fold(terms, 32);
    fold(terms, 16);
    fold(terms, 8);
    fold(terms, 4);
    float sum = (terms[0] + terms[2]) + (terms[1] + terms[3]);
    of->out[row] = 1 / (1 + expf(-(of->bias[0] + sum)));
  }
}

/* Called by its address in memory, so that no call of it is left out. */
static void (*volatile called)(const Arrays *) = by_hand;

/* The seconds that the processor had for this thread. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The seconds of a number of calls of the version by hand. */
double seconds_by_hand(const Arrays *of, int64_t times) {
  double start = now();
  for (int64_t at = 0; at < times; ++at) called(of);
  return now() - start;
}

/* The seconds of a number of calls of the bundle; less than zero where one is refused. */
double seconds_of_bundle(const Arrays *of, int64_t times) {
  deep_wide_sizes sizes = {.batch = of->batch};
  deep_wide_memory memory;
  if (deep_wide_plan(&sizes, &memory)) return -1;
  void *mutables = NULL, *activations = NULL;
  size_t room = memory.activationsMemSize ? memory.activationsMemSize : 1;
  double seconds = -1;
  if (!posix_memalign(&mutables, DEEP_WIDE_MEM_ALIGN, memory.mutableMemSize) &&
      !posix_memalign(&activations, DEEP_WIDE_MEM_ALIGN, room)) {
    uint8_t *base = mutables;
    memcpy(base + memory.offset.in0, of->ad, memory.elements.in0 * sizeof(float));
    memcpy(base + memory.offset.in1, of->user, memory.elements.in1 * sizeof(float));
    memcpy(base + memory.offset.in2, of->wide, memory.elements.in2 * sizeof(float));
    int status = 0;
    double start = now();
    for (int64_t at = 0; at < times; ++at)
      status |= deep_wide(&memory, constants, base, activations);
    seconds = status ? -1 : now() - start;
    memcpy(of->out, base + memory.offset.out0, memory.elements.out0 * sizeof(float));
  }
  free(mutables);
  free(activations);
  return seconds;
}
