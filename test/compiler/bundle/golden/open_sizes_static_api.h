#ifndef NET_BUNDLE_H
#define NET_BUNDLE_H
#include <stdint.h>

#ifndef GLOW_BUNDLE_COMMON
#define GLOW_BUNDLE_COMMON
#define GLOW_SUCCESS 0
#define GLOW_MEM_ALIGN(size) __attribute__((aligned(size)))
#define GLOW_GET_ADDR(mutableBaseAddr, placeholderOff) \
  (((uint8_t *)(mutableBaseAddr)) + (placeholderOff))
/* Lets threads share the work of a call. */
typedef struct BundleThreads {
  /* Calls body(data, part, parts) for each part from 0 to parts - 1, in any threads
     and any order, and returns when all of these have returned. */
  void (*parallel_for)(void *user,
                       void (*body)(void *data, int64_t part, int64_t parts),
                       void *data, int64_t parts);
  void *user;
  int64_t threads; /* the most parts that work is split in */
} BundleThreads;
#endif

#define NET_CONSTANT_MEM_SIZE 0
#define NET_MEM_ALIGN 64

#ifdef __cplusplus
extern "C" {
#endif
/* The sizes of a call. */
typedef struct run_sizes {
  int64_t n; /* 0 or more */
} run_sizes;
/* What a call of these sizes needs: the bytes of its buffers, and in the
   mutable one the offset in bytes and the elements of each tensor. */
typedef struct run_memory {
  uint64_t mutableMemSize;
  uint64_t activationsMemSize;
  uint64_t activationsLowerBound; /* the least that any plan takes */
  struct {
    uint64_t x; /* float32, n x 3 */
    uint64_t output; /* float32, n x 3 */
  } offset;
  struct {
    uint64_t x; /* float32, n x 3 */
    uint64_t output; /* float32, n x 3 */
  } elements;
  int64_t shapes[4]; /* of all tensors, one after the other */
  uint64_t plan[4]; /* where activations are */
} run_memory;
/* Plans calls of these sizes. Returns GLOW_SUCCESS, or what was expected:
   1: expected n of 0 or more
   2: expected sizes whose products stay below 2**62 bytes
   3: expected inputs and outputs without negative sizes
   The plan may be used by many calls, also at once. */
int run_plan(const run_sizes *sizes, run_memory *memory);
/* Returns GLOW_SUCCESS where these are the weights of the model, or
   -2; a run with others may read outside of its buffers. */
int run_check(const uint8_t *constantWeight);
/* Returns GLOW_SUCCESS; 1 where an index is out of its range;
   -1 where memory is no plan of this model.
   May run in several threads, each with its own buffers for what is mutable
   and for activations. */
int run(const run_memory *memory,
        uint8_t *constantWeight,
        uint8_t *mutableWeight,
        uint8_t *activations);
/* The same by several threads; by one where threads is NULL. */
int run_parallel(const run_memory *memory,
                 uint8_t *constantWeight,
                 uint8_t *mutableWeight,
                 uint8_t *activations,
                 const BundleThreads *threads);
#ifdef __cplusplus
}
#endif
#endif
