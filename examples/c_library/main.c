/* Runs a model as data: `./run_model model.sr threads [SYMBOL=VALUE ...]`. Each input is
   read from the file NAME.in of this folder, as its bytes are in memory, and each output
   is written to NAME.out. Prints what the model takes and gives. */

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sr.h"

enum { MOST_THREADS = 64, MOST_NAME = 256 };

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
  if (posix_memalign(&buffer, SR_ALIGNMENT, size ? size : 1)) {
    fprintf(stderr, "expected %" PRIu64 " bytes of memory, got none\n", size);
    exit(1);
  }
  return buffer;
}

static void *read_file(const char *name, uint64_t *size) {
  FILE *file = fopen(name, "rb");
  long end = -1;
  if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0) {
    perror(name);
    exit(1);
  }
  rewind(file);
  *size = (uint64_t)end;
  void *data = buffer_of(*size);
  if (fread(data, 1, *size, file) != *size) {
    perror(name);
    exit(1);
  }
  fclose(file);
  return data;
}

/* The value of a symbol among the arguments; exits where there is none. */
static int64_t value_of(const char *symbol, int count, char **arguments) {
  size_t length = strlen(symbol);
  for (int at = 0; at < count; ++at)
    if (!strncmp(arguments[at], symbol, length) && arguments[at][length] == '=') {
      char *end;
      errno = 0;
      int64_t value = strtoll(arguments[at] + length + 1, &end, 10);
      if (!errno && end != arguments[at] + length + 1 && !*end) return value;
    }
  fprintf(stderr, "expected %s=VALUE, got none\n", symbol);
  exit(1);
}

/* Reads an input from its file, or writes an output to it. */
static void copy_tensor(const sr_tensor *tensor, uint8_t *tensors, int is_input) {
  char name[MOST_NAME];
  uint64_t bytes = tensor->elements * tensor->itemsize;
  snprintf(name, sizeof name, "%s.%s", tensor->name, is_input ? "in" : "out");
  if (is_input) {
    uint64_t size;
    void *data = read_file(name, &size);
    if (size != bytes) {
      fprintf(stderr, "%s: expected %" PRIu64 " bytes, got %" PRIu64 "\n", name, bytes,
              size);
      exit(1);
    }
    memcpy(tensors + tensor->offset, data, bytes);
    free(data);
  } else {
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(tensors + tensor->offset, 1, bytes, file) != bytes ||
        fclose(file)) {
      perror(name);
      exit(1);
    }
  }
  printf("%s %s: %s[", is_input ? "input" : "output", tensor->name, tensor->dtype);
  for (uint64_t axis = 0; axis < tensor->rank; ++axis)
    printf("%s%" PRId64, axis ? ", " : "", tensor->shape[axis]);
  printf("]\n");
}

static void *plan_of(const sr_model *model, int count, char **arguments) {
  int64_t *sizes = buffer_of(8 * sr_symbols(model));
  for (uint64_t at = 0; at < sr_symbols(model); ++at)
    sizes[at] = value_of(sr_symbol(model, at), count, arguments);
  void *plan = buffer_of(sr_plan_bytes(model));
  int status = sr_plan(model, sizes, plan);
  if (status) {
    fprintf(stderr, "%s\n", sr_refusal(model, status));
    exit(1);
  }
  free(sizes);
  return plan;
}

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: %s model.sr threads [SYMBOL=VALUE ...]\n", arguments[0]);
    return 1;
  }
  uint64_t bytes;
  void *file = read_file(arguments[1], &bytes);
  sr_model model;
  int status = sr_open(&model, file, bytes);
  if (status) {
    fprintf(stderr, "%s: expected a model for this library, got the status %d\n",
            arguments[1], status);
    return 1;
  }
  const void **kernels = buffer_of(sizeof *kernels * sr_kernel_count(&model));
  status = sr_link(&model, kernels);
  if (status) {
    fprintf(stderr, "expected a library for this model, got the status %d\n", status);
    return 1;
  }
  void *plan = plan_of(&model, count - 3, arguments + 3);
  uint8_t *tensors = buffer_of(sr_tensor_bytes(&model, plan));
  void *work = buffer_of(sr_work_bytes(&model, plan));
  for (uint64_t at = 0; at < sr_inputs(&model); ++at) {
    sr_tensor tensor = sr_tensor_of(&model, plan, at);
    copy_tensor(&tensor, tensors, 1);
  }
  sr_threads threads = {parallel_for, NULL, atol(arguments[2])};
  if (threads.threads > MOST_THREADS) threads.threads = MOST_THREADS;
  status = sr_run(&model, plan, tensors, work, threads.threads > 1 ? &threads : NULL);
  if (status) {
    fprintf(stderr, "%s: the status %d\n", sr_failed(&model, plan, work), status);
    if (status == SR_NOT_SELECTED)
      fprintf(stderr, "%s\n", sr_needed(&model, plan, work));
    return 1;
  }
  for (uint64_t at = 0; at < sr_outputs(&model); ++at) {
    sr_tensor tensor = sr_tensor_of(&model, plan, sr_inputs(&model) + at);
    copy_tensor(&tensor, tensors, 0);
  }
  free(work);
  free(tensors);
  free(plan);
  free(kernels);
  free(file);
  return 0;
}
