/* Reads digits: `./read_digits images.bin [threads]`, where the file has images of
   8 x 8 grey values, each a float from 0 to 1. Prints a line of digits. */

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "digits.h"

enum { PIXELS = 64, CLASSES = 10, MOST_THREADS = 64 };

/* The weights are part of the program; any number of calls may share them. */
static GLOW_MEM_ALIGN(DIGITS_MEM_ALIGN) uint8_t weights[] = {
#include "digits.weights.txt"
};

typedef struct Part {
  void (*body)(void *data, int64_t part, int64_t parts);
  void *data;
  int64_t part, parts;
} Part;

static void *run_part(void *argument) {
  Part *part = argument;
  part->body(part->data, part->part, part->parts);
  return NULL;
}

/* Lets as many threads share the work. What has a pool of threads would use that. */
static void parallel_for(void *user,
                         void (*body)(void *data, int64_t part, int64_t parts),
                         void *data, int64_t parts) {
  pthread_t threads[MOST_THREADS];
  Part each[MOST_THREADS];
  int64_t started = 0;
  (void)user;
  while (started + 1 < parts) {
    each[started] = (Part){body, data, started, parts};
    if (pthread_create(&threads[started], NULL, run_part, &each[started])) break;
    ++started;
  }
  for (int64_t rest = started; rest < parts; ++rest) body(data, rest, parts);
  for (int64_t at = 0; at < started; ++at) pthread_join(threads[at], NULL);
}

static void *buffer_of(uint64_t size) {
  void *buffer = NULL;
  if (posix_memalign(&buffer, DIGITS_MEM_ALIGN, size ? size : 1)) {
    fprintf(stderr, "expected %llu bytes of memory, got none\n",
            (unsigned long long)size);
    exit(1);
  }
  return buffer;
}

static FILE *open_images(const char *name, long *count) {
  FILE *file = fopen(name, "rb");
  if (!file || fseek(file, 0, SEEK_END) || (*count = ftell(file)) < 0) {
    perror(name);
    exit(1);
  }
  rewind(file);
  *count /= PIXELS * (long)sizeof(float);
  return file;
}

int main(int count, char **arguments) {
  if (count < 2) {
    fprintf(stderr, "usage: %s images.bin [threads]\n", arguments[0]);
    return 1;
  }
  long images = 0, threads = count > 2 ? atol(arguments[2]) : 1;
  if (threads < 1 || threads > MOST_THREADS) threads = 1;
  FILE *file = open_images(arguments[1], &images);

  digits_sizes sizes = {.batch = images};
  digits_memory memory;
  int status = digits_plan(&sizes, &memory);
  if (status) {
    fprintf(stderr, "expected a batch that the model can take, got %ld\n", images);
    return 1;
  }
  uint8_t *mutables = buffer_of(memory.mutableMemSize);
  uint8_t *activations = buffer_of(memory.activationsMemSize);
  float *image = (float *)GLOW_GET_ADDR(mutables, memory.offset.image);
  float *logits = (float *)GLOW_GET_ADDR(mutables, memory.offset.logits);
  size_t pixels = memory.elements.image;
  if (fread(image, sizeof(float), pixels, file) != pixels) {
    fprintf(stderr, "%s: expected whole images\n", arguments[1]);
    return 1;
  }
  fclose(file);

  BundleThreads shared = {parallel_for, NULL, threads};
  status = digits_parallel(&memory, weights, mutables, activations, &shared);
  if (status) {
    fprintf(stderr, "expected a run without errors, got %d\n", status);
    return 1;
  }
  for (long each = 0; each < images; ++each, logits += CLASSES) {
    int best = 0;
    for (int digit = 1; digit < CLASSES; ++digit)
      if (logits[digit] > logits[best]) best = digit;
    putchar('0' + best);
  }
  putchar('\n');
  free(mutables);
  free(activations);
  return 0;
}
