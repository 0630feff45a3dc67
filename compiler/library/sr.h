/* Runs models as data (`sr-build model.onnx -o model.sr`) over the kernels of libsr.a.

   Nothing here allocates memory, opens a file or starts a thread: the caller does.

     1. sr_open    checks a file that was read or mapped, at a multiple of SR_ALIGNMENT
     2. sr_link    finds the kernels of the model in libsr.a, for this processor
     3. sr_plan    plans calls of some sizes: where tensors are, how much memory is needed
     4. sr_run     runs the model; any number of threads may, each with its own memory

   A model must come from who is trusted, as code must: sr_open finds damage, not malice. */

#ifndef SR_H
#define SR_H

#include <stdint.h>
#include <string.h>

#define SR_ALIGNMENT 64 /* of files and buffers, in bytes */

/* What functions return beside zero. sr_plan returns the number of a refusal from 1 on,
   which sr_refusal explains; sr_run what is below SR_DEFINED. */
enum {
  SR_INDEX_ERROR = 1,    /* the model looked up an index out of its range */
  SR_SIZE_ERROR = 4,     /* a run computed sizes which an op cannot take */
  SR_EQUALITY_ERROR = 6, /* a run computed two sizes which differ, and should not */
  SR_NOT_SELECTED = 7,   /* a run came to a kernel that libsr.a lacks; see sr_needed */
  SR_NOT_A_MODEL = -1,   /* no model as data, or one that was damaged */
  SR_OTHER_VERSION = -2, /* a model for another libsr.a; build both again */
  SR_UNALIGNED = -3,     /* a file that is not at a multiple of SR_ALIGNMENT */
  SR_COMPUTED_SIZE = -4, /* a model of which a run computes sizes; use Python */
  SR_NO_TARGET = -5,     /* a processor that can run no kernels of libsr.a */
  SR_NO_KERNEL = -6,     /* a kernel that takes other arguments; build both again */
  SR_NOT_PLANNED = -7    /* memory that is no plan of this model */
};

/* A model that was opened. */
typedef struct sr_model {
  const int64_t *image;
  const uint8_t *constants;
  const void *const *kernels; /* NULL until it is linked */
} sr_model;

/* Lets threads share the work of a call. */
typedef struct sr_threads {
  /* Calls body(data, part, parts) for each part from 0 to parts - 1, in any threads
     and any order, and returns when all of these have returned. */
  void (*parallel_for)(void *user,
                       void (*body)(void *data, int64_t part, int64_t parts),
                       void *data, int64_t parts);
  void *user;
  int64_t threads; /* the most parts that work is split in */
} sr_threads;

/* A tensor that a call takes or gives, as sr_tensor_of tells it. */
typedef struct sr_tensor {
  const char *name;
  const char *dtype;    /* as numpy calls it: float32, int64, bool, ... */
  uint64_t itemsize;    /* bytes of an element */
  uint64_t rank;
  const int64_t *shape; /* of these calls */
  uint64_t elements;
  uint64_t offset;      /* in the buffer of tensors, in bytes */
} sr_tensor;

/* What libsr.a has. */
typedef struct sr_kernel {
  const char *name;
  const void *function;
  int64_t arguments;
} sr_kernel;

typedef struct sr_target {
  const char *name;
  const uint32_t *needs; /* bits of the words of sr_processor */
  const sr_kernel *kernels; /* by name */
  int64_t count;
} sr_target;

#ifdef __cplusplus
extern "C" {
#endif
extern const int64_t sr_version;
extern const sr_target sr_targets[]; /* the greatest first */
extern const int64_t sr_target_count;
int32_t sr_interpret(void *context, const int64_t *code, int64_t *registers,
                     const void *const *kernels);
int32_t sr_unite(int64_t *words, void *context);
int32_t sr_place_all(int64_t *words, void *context);
int32_t sr_spread(int64_t *words, void *context);
int32_t sr_absent(int64_t *words, void *context);
extern const char *const sr_selected[]; /* what was selected, in the order of bytes */
extern const int64_t sr_selected_count;
extern const int64_t sr_selects[2]; /* whether all operators were, and all else */
#ifdef __cplusplus
}
#endif

/* The words of an image, of a plan, of a plan row and of a context. */
enum {
  @WORDS@
  SR_FOOT = 2,
  SR_DIGEST = 32
};

static inline const char *sr_text(const sr_model *model, int64_t offset) {
  return (const char *)model->image + offset;
}

static inline const int64_t *sr_table(const sr_model *model, int head) {
  return model->image + model->image[head];
}

/* The multiple of SR_ALIGNMENT that is not less. */
static inline uint64_t sr_rounded(uint64_t bytes) {
  return (bytes + SR_ALIGNMENT - 1) / SR_ALIGNMENT * SR_ALIGNMENT;
}

/* The sum of words, each times an odd number of its own. */
static inline uint64_t sr_sum(const uint8_t *bytes, uint64_t count, uint64_t first) {
  uint64_t sum = 0, word;
  for (uint64_t at = 0; at < count; ++at) {
    memcpy(&word, bytes + 8 * at, 8);
    sum += word * ((first + at) * UINT64_C(0x9E3779B97F4A7C15) | 1);
  }
  return sum;
}

/* Opens the bytes of a file, which must stay where they are while the model is used.
   Reads all of them once. Returns zero, SR_NOT_A_MODEL, SR_OTHER_VERSION, SR_UNALIGNED
   or SR_COMPUTED_SIZE. */
static inline int sr_open(sr_model *model, const void *file, uint64_t bytes) {
  const uint8_t *start = (const uint8_t *)file;
  const uint64_t least = 8 * (SR_HEAD_SIZE + SR_FOOT) + SR_DIGEST;
  uint64_t header, words, constants, sum;
  memset(model, 0, sizeof *model);
  if ((uintptr_t)file % SR_ALIGNMENT) return SR_UNALIGNED;
  if (bytes % 8 || bytes < 8 + least) return SR_NOT_A_MODEL;
  memcpy(&header, start, 8);
  memcpy(&words, start + bytes - SR_DIGEST - 8, 8);
  memcpy(&sum, start + bytes - SR_DIGEST - 16, 8);
  if (header > bytes - 8 - least || (8 + header) % SR_ALIGNMENT) return SR_NOT_A_MODEL;
  if (words < SR_HEAD_SIZE + SR_FOOT || words > (bytes - 8 - header - SR_DIGEST) / 8)
    return SR_NOT_A_MODEL;
  constants = bytes - 8 - header - SR_DIGEST - 8 * words;
  model->constants = start + 8 + header;
  model->image = (const int64_t *)(const void *)(model->constants + constants);
  if (memcmp(model->image, "sr.model", 8) ||
      (uint64_t)model->image[SR_HEAD_CONSTANTS] != constants)
    return SR_NOT_A_MODEL;
  if (sr_sum(model->constants, constants / 8 + words - SR_FOOT, 0) != sum)
    return SR_NOT_A_MODEL;
  if (model->image[SR_HEAD_VERSION] != sr_version) return SR_OTHER_VERSION;
  return model->image[SR_HEAD_DEFINED] ? SR_COMPUTED_SIZE : 0;
}

#if defined(__x86_64__)
#include <cpuid.h>
/* What the processor has and the system lets programs use: of CPUID the words ecx and
   edx of leaf 1, ebx, ecx and edx of leaf 7, eax of its second part, ecx of leaf
   0x80000001, and the first word of XCR0. */
static inline void sr_processor(uint32_t words[8]) {
  uint32_t a, b, c, d;
  memset(words, 0, 8 * sizeof *words);
  if (__get_cpuid(1, &a, &b, &c, &d)) words[0] = c, words[1] = d;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    words[2] = b, words[3] = c, words[4] = d;
    if (a && __get_cpuid_count(7, 1, &a, &b, &c, &d)) words[5] = a;
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) words[6] = c;
  if (words[0] & UINT32_C(1) << 27) {
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    words[7] = a;
  }
}
#else
static inline void sr_processor(uint32_t words[8]) {
  memset(words, 0, 8 * sizeof *words);
}
#endif

/* The greatest target of libsr.a that this processor runs, or NULL. */
static inline const sr_target *sr_target_here(void) {
  uint32_t words[8];
  sr_processor(words);
  for (int64_t at = 0; at < sr_target_count; ++at) {
    int runs = 1;
    for (int word = 0; word < 8; ++word) {
      uint32_t needs = sr_targets[at].needs[word];
      runs &= (words[word] & needs) == needs;
    }
    if (runs) return sr_targets + at;
  }
  return NULL;
}

/* How many kernels the model calls: so many pointers sr_link writes. */
static inline uint64_t sr_kernel_count(const sr_model *model) {
  return (uint64_t)model->image[SR_HEAD_KERNELS];
}

/* The kernel of a target with a name, or NULL. */
static inline const sr_kernel *sr_find(const sr_target *target, const char *name) {
  int64_t low = 0, high = target->count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    int order = strcmp(name, target->kernels[middle].name);
    if (!order) return target->kernels + middle;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

/* Of the kernels that libsr.a lacks the name of the number `at`; NULL where there are
   fewer, or no target runs here. A run that comes to none of them needs none. */
static inline const char *sr_missing(const sr_model *model, uint64_t at) {
  const int64_t *table = sr_table(model, SR_HEAD_KERNEL_TABLE);
  const sr_target *target = sr_target_here();
  for (uint64_t row = 0; target && row < sr_kernel_count(model); ++row) {
    const char *name = sr_text(model, table[2 * row]);
    const sr_kernel *known = sr_find(target, name);
    if (!known && !at--) return name;
  }
  return NULL;
}

/* Finds the kernels; `kernels` has room for sr_kernel_count(model) pointers, and stays
   while the model is used. A kernel that is lacking ends the run that comes to it.
   Returns zero, SR_NO_TARGET or SR_NO_KERNEL. */
static inline int sr_link(sr_model *model, const void **kernels) {
  const int64_t *table = sr_table(model, SR_HEAD_KERNEL_TABLE);
  const sr_target *target = sr_target_here();
  if (!target) return SR_NO_TARGET;
  for (uint64_t row = 0; row < sr_kernel_count(model); ++row) {
    const sr_kernel *known = sr_find(target, sr_text(model, table[2 * row]));
    if (known && known->arguments != table[2 * row + 1]) return SR_NO_KERNEL;
    kernels[row] = known ? known->function : (const void *)sr_absent;
  }
  model->kernels = kernels;
  return 0;
}

static inline uint64_t sr_inputs(const sr_model *model) {
  return (uint64_t)model->image[SR_HEAD_INPUTS];
}

static inline uint64_t sr_outputs(const sr_model *model) {
  return (uint64_t)model->image[SR_HEAD_OUTPUTS];
}

/* How many sizes calls have, each with a name. */
static inline uint64_t sr_symbols(const sr_model *model) {
  return (uint64_t)model->image[SR_HEAD_SYMBOLS];
}

static inline const char *sr_symbol(const sr_model *model, uint64_t at) {
  return sr_text(model, sr_table(model, SR_HEAD_SYMBOL_TABLE)[3 * at]);
}

/* The bytes of memory for a plan. */
static inline uint64_t sr_plan_bytes(const sr_model *model) {
  return 8 * (uint64_t)(model->image[SR_HEAD_PLAN] + model->image[SR_HEAD_PLAN_REGISTERS]);
}

/* Plans calls in which the symbols have these values, in memory of the caller; a plan
   may be used by many calls, also at once. Returns zero, or the number of a refusal. */
static inline int sr_plan(const sr_model *model, const int64_t *sizes, void *plan) {
  static const void *const functions[] = {
      (const void *)sr_unite, (const void *)sr_place_all, (const void *)sr_spread};
  const int64_t *image = model->image;
  int64_t *fields = (int64_t *)plan, *row = fields + image[SR_HEAD_ROW];
  memset(plan, 0, sr_plan_bytes(model));
  fields[image[SR_HEAD_PLAN] - 1] = (int64_t)(intptr_t)sr_table(model, SR_HEAD_ORDERS);
  for (uint64_t at = 0; at < sr_symbols(model); ++at) row[SR_ROW_HEAD + at] = sizes[at];
  int status = sr_interpret(plan, sr_table(model, SR_HEAD_PLAN_CODE),
                            fields + image[SR_HEAD_PLAN], functions);
  row[SR_ROW_USED] = status ? 0 : (int64_t)(intptr_t)image;
  return status;
}

/* What was expected of sizes when sr_plan returned a status. */
static inline const char *sr_refusal(const sr_model *model, int status) {
  if (status < 1 || status > model->image[SR_HEAD_REFUSALS]) return "";
  return sr_text(model, sr_table(model, SR_HEAD_REFUSAL_TABLE)[status - 1]);
}

/* An input, or after all inputs an output, in calls of a plan. */
static inline sr_tensor sr_tensor_of(const sr_model *model, const void *plan, uint64_t at) {
  const int64_t *table = sr_table(model, SR_HEAD_TENSOR_TABLE);
  const int64_t *fields = (const int64_t *)plan;
  const uint64_t count = sr_inputs(model) + sr_outputs(model);
  const int64_t *shape = fields + SR_PLAN_HEAD + 2 * count;
  sr_tensor made;
  for (uint64_t before = 0; before < at; ++before) shape += table[4 * before + 3];
  made.name = sr_text(model, table[4 * at]);
  made.dtype = sr_text(model, table[4 * at + 1]);
  made.itemsize = (uint64_t)table[4 * at + 2];
  made.rank = (uint64_t)table[4 * at + 3];
  made.shape = shape;
  made.offset = (uint64_t)fields[SR_PLAN_HEAD + at];
  made.elements = (uint64_t)fields[SR_PLAN_HEAD + count + at];
  return made;
}

/* The bytes of the buffer of inputs and outputs. */
static inline uint64_t sr_tensor_bytes(const sr_model *model, const void *plan) {
  (void)model;
  return (uint64_t)((const int64_t *)plan)[SR_PLAN_PLACED];
}

/* The least bytes that any plan has for what is computed. */
static inline uint64_t sr_lower_bound(const sr_model *model, const void *plan) {
  (void)model;
  return (uint64_t)((const int64_t *)plan)[SR_PLAN_LOWER_BOUND];
}

/* The bytes of the buffer of what a run needs besides. */
static inline uint64_t sr_work_bytes(const sr_model *model, const void *plan) {
  const int64_t *row = (const int64_t *)plan + model->image[SR_HEAD_ROW];
  return sr_rounded((uint64_t)row[SR_ROW_BYTES]) +
         8 * (uint64_t)(model->image[SR_HEAD_CONTEXT] + model->image[SR_HEAD_REGISTERS]);
}

/* Runs the model on tensors in a buffer, with another for its work, both at multiples of
   SR_ALIGNMENT; by one thread where `threads` is NULL. Returns zero, SR_NOT_PLANNED,
   SR_NOT_SELECTED, SR_INDEX_ERROR, SR_SIZE_ERROR or SR_EQUALITY_ERROR. */
static inline int sr_run(const sr_model *model, const void *plan, void *tensors, void *work,
                         const sr_threads *threads) {
  const int64_t *image = model->image, *fields = (const int64_t *)plan;
  const int64_t *row = fields + image[SR_HEAD_ROW];
  const uint64_t count = sr_inputs(model) + sr_outputs(model);
  int64_t *context =
      (int64_t *)(void *)((uint8_t *)work + sr_rounded((uint64_t)row[SR_ROW_BYTES]));
  if (row[SR_ROW_USED] != (int64_t)(intptr_t)image || !model->kernels) return SR_NOT_PLANNED;
  memset(context, 0, 8 * (uint64_t)image[SR_HEAD_CONTEXT]);
  context[image[SR_HEAD_CONTEXT] + SR_START] = 0;
  context[SR_CONTEXT_ACTIVATIONS] = (int64_t)(intptr_t)work;
  context[SR_CONTEXT_CONSTANTS] = (int64_t)(intptr_t)model->constants;
  context[SR_CONTEXT_PLAN] = (int64_t)(intptr_t)row;
  context[SR_CONTEXT_THREADS] = 1;
  if (threads && threads->parallel_for) {
    context[SR_CONTEXT_FORK] = (int64_t)(intptr_t)threads->parallel_for;
    context[SR_CONTEXT_POOL] = (int64_t)(intptr_t)threads->user;
    context[SR_CONTEXT_THREADS] = threads->threads;
  }
  for (uint64_t at = 0; at < count; ++at)
    context[SR_CONTEXT_HEAD + at] =
        (int64_t)(intptr_t)((uint8_t *)tensors + fields[SR_PLAN_HEAD + at]);
  return sr_interpret(context, sr_table(model, SR_HEAD_CODE),
                      context + image[SR_HEAD_CONTEXT], model->kernels);
}

/* What is known of the op at which the last run in a buffer ended, or NULL. */
static inline const int64_t *sr_last_call(const sr_model *model, const void *plan,
                                          const void *work) {
  const int64_t *row = (const int64_t *)plan + model->image[SR_HEAD_ROW];
  const int64_t *context = (const int64_t *)(const void *)((const uint8_t *)work +
                           sr_rounded((uint64_t)row[SR_ROW_BYTES]));
  int64_t call = context[SR_CONTEXT_FAILED];
  if (call < 0 || call >= model->image[SR_HEAD_CALLS]) return NULL;
  return sr_table(model, SR_HEAD_CALL_TABLE) + 4 * call;
}

/* The op of the model at which the last run in a buffer ended, where it did not return
   zero. */
static inline const char *sr_failed(const sr_model *model, const void *plan,
                                    const void *work) {
  const int64_t *call = sr_last_call(model, plan, work);
  return call ? sr_text(model, call[0]) : "";
}

/* Whether libsr.a was built with something selected. */
static inline int sr_is_selected(const char *fact) {
  int64_t low = 0, high = sr_selected_count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    int order = strcmp(fact, sr_selected[middle]);
    if (!order) return 1;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}

/* After a run that returned SR_NOT_SELECTED what libsr.a was built without; the last line
   is one of YAML that selects it, as in Python. */
static inline const char *sr_needed(const sr_model *model, const void *plan,
                                    const void *work) {
  const int64_t *call = sr_last_call(model, plan, work);
  if (!call) return "";
  const int64_t *need = sr_table(model, SR_HEAD_NEED_TABLE) + 4 * call[2];
  for (int64_t at = 0; at < call[3]; ++at, need += 4)
    if (!sr_selects[need[0]] && !sr_is_selected(sr_text(model, need[1])) &&
        !sr_is_selected(sr_text(model, need[2])))
      return sr_text(model, need[3]);
  return sr_text(model, call[1]);
}

#endif
