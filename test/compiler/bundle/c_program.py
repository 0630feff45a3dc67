"""Build C programs with a bundle, and run them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

SANITIZERS = ((), ("-fsanitize=address,undefined",), ("-fsanitize=thread",))
"""The flags that tests of C programs are built with, one after the other."""

MINIMAL = "int main(void) { return 0; }"


def build(
    folder: Path,
    source: str,
    *flags: str,
    objects: Sequence[str] = ("net.o",),
    compiler: Sequence[str] = ("cc",),
) -> None:
    """Compiles a C program with the bundle in the folder; skips without a compiler."""
    if shutil.which(compiler[0]) is None:
        pytest.skip("needs a C compiler")
    (folder / "main.c").write_text(source)
    command = [*compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *flags]
    if flags:
        # A sanitizer is a library of its own, which some kernels do not run.
        (folder / "least.c").write_text(MINIMAL)
        least = [*command, "least.c", "-o", "least", "-pthread"]
        for each in (least, ["./least"]):
            if subprocess.run(each, cwd=folder, capture_output=True).returncode:
                pytest.skip(f"needs a compiler with {flags[0]}")
    command += ["main.c", *objects, "-o", "main", "-pthread"]
    subprocess.run(command, cwd=folder, check=True)


# Runs `net` with sizes from the command line: the number of threads, then each symbol.
# Every buffer is as large as the plan says, between pages that nobody may touch: the
# object is not instrumented, so no sanitizer sees what it reads.
_ANY_SIZE = """
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "net.h"
typedef struct Task {
  void (*body)(void *, int64_t, int64_t);
  void *data;
  int64_t part, parts;
} Task;
static int forks;
static void *run(void *argument) {
  Task *task = argument;
  task->body(task->data, task->part, task->parts);
  return NULL;
}
static void parallel_for(void *user, void (*body)(void *, int64_t, int64_t),
                         void *data, int64_t parts) {
  pthread_t threads[64];
  Task tasks[64];
  ++*(int *)user;
  for (int64_t i = 0; i < parts; ++i) {
    tasks[i] = (Task){body, data, i, parts};
    if (pthread_create(&threads[i], NULL, run, &tasks[i])) abort();
  }
  for (int64_t i = 0; i < parts; ++i) pthread_join(threads[i], NULL);
}
static uint8_t *get(const char *name, uint64_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (size + page - 1) / page * page;
  uint8_t *start = mmap(NULL, used + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0);
  if (start == MAP_FAILED || size % NET_MEM_ALIGN) exit(4);
  if (used && mprotect(start + page, used, PROT_READ | PROT_WRITE)) exit(4);
  uint8_t *buffer = start + page + used - size;
  if (!name) return buffer;
  FILE *file = fopen(name, "rb");
  if (!file || fread(buffer, 1, size, file) != size) exit(2);
  fclose(file);
  return buffer;
}
int main(int count, char **arguments) {
  int64_t values[] = {VALUES};
  net_sizes sizes;
  net_memory memory;
  int each = (int)(sizeof values / sizeof *values);
  if (count != 2 + each) return 5;
  for (int i = 0; i < each; ++i) values[i] = strtoll(arguments[2 + i], NULL, 10);
  memcpy(&sizes, values, sizeof sizes);
  int status = net_plan(&sizes, &memory);
  if (status) {
    printf("refused %d\\n", status);
    return net(&memory, NULL, NULL, NULL) == -1 ? 0 : 6;
  }
  uint8_t *weights = get("net.weights.bin", NET_CONSTANT_MEM_SIZE);
  uint8_t *mutables = get(NULL, memory.mutableMemSize);
  uint8_t *activations = get(NULL, memory.activationsMemSize);
  memset(mutables, 0, memory.mutableMemSize);
  memset(activations, 0xff, memory.activationsMemSize);
INPUTS
  BundleThreads threads = {parallel_for, &forks, strtoll(arguments[1], NULL, 10)};
  const BundleThreads *used = threads.threads ? &threads : NULL;
  for (int turn = 0; turn < 2; ++turn) {
    status = net_parallel(&memory, weights, mutables, activations, used);
    if (status) return 7;
  }
OUTPUTS
  printf("%" PRIu64 " %d\\n", memory.activationsMemSize, forks);
  return 0;
}
"""

_INPUT = """  FILE *in_{0} = fopen("{0}.in", "rb");
  if (!in_{0} || fread(mutables + memory.offset.{0}, {1}, memory.elements.{0}, in_{0})
      != memory.elements.{0}) return 8;
  fclose(in_{0});
"""

_OUTPUT = """  FILE *out_{0} = fopen("{0}.out", "wb");
  if (!out_{0}) return 9;
  fwrite(mutables + memory.offset.{0}, {1}, memory.elements.{0}, out_{0});
  fclose(out_{0});
"""


def any_size_program(program: Any) -> str:
    """A C program that runs the bundle `net` of a model of any size."""
    read, written = (
        "".join(
            text.format(re.sub(r"\W", "_", each.name), np.dtype(each.dtype).itemsize)
            for each in tensors
        )
        for text, tensors in ((_INPUT, program.inputs), (_OUTPUT, program.outputs))
    )
    values = ", ".join("0" for _ in program.symbols)
    source = _ANY_SIZE.replace("{VALUES}", f"{{{values}}}")
    return source.replace("INPUTS\n", read).replace("OUTPUTS\n", written)


def run_any_size(
    folder: Path,
    program: Any,
    symbols: Mapping[str, int],
    inputs: Mapping[str, npt.NDArray[Any]],
    threads: int = 0,
    emulator: Sequence[str] = (),
) -> tuple[list[str], list[bytes]]:
    """What the program tells, and the bytes of the outputs."""
    for name, array in inputs.items():
        array.tofile(folder / f"{re.sub(r'[^0-9A-Za-z]', '_', name)}.in")
    command = [
        *emulator,
        "./main",
        str(threads),
        *(str(symbols[each]) for each in program.symbols),
    ]
    told = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.split()
    if told[0] == "refused":
        return told, []
    names = [re.sub(r"\W", "_", each.name) for each in program.outputs]
    return told, [(folder / f"{each}.out").read_bytes() for each in names]
