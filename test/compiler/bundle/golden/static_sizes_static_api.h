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
#define NET_MUTABLE_MEM_SIZE 256
#define NET_ACTIVATIONS_MEM_SIZE 0
#define NET_MEM_ALIGN 64
/* float32, 2 x 3 */
#define NET_x 0
/* int64, scalar */
#define NET_n 64
/* float32, 2 x 3 */
#define NET_output_0 128
/* int64, scalar */
#define NET_output_1 192

#ifdef __cplusplus
extern "C" {
#endif
/* Returns GLOW_SUCCESS where these are the weights of the model, or
   -2; a run with others may read outside of its buffers. */
int run_check(const uint8_t *constantWeight);
/* Returns GLOW_SUCCESS; 1 where an index is out of its range;
   May run in several threads, each with its own buffers for what is mutable
   and for activations. */
int run(uint8_t *constantWeight,
        uint8_t *mutableWeight,
        uint8_t *activations);
/* The same by several threads; by one where threads is NULL. */
int run_parallel(uint8_t *constantWeight,
                 uint8_t *mutableWeight,
                 uint8_t *activations,
                 const BundleThreads *threads);
#ifdef __cplusplus
}
#endif
#endif
