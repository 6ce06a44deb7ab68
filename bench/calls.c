/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* calls PACKAGE softmax|layer_norm [SECONDS]: calls a package for 4096x4096 f32
   again and again through the C interface, by turns with a copy of the same
   bytes, and prints the medians. Results are verified. */
#include "kiln-c/Runtime.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kRows = 4096, kColumns = 4096, kChecked = 64, kMost = 4000 };

/* Not there in older runtimes. */
typedef int (*RunInto)(KilnSession *, const char *, size_t, KilnTensor *const *,
                       size_t, KilnTensor *const *);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int byValue(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *list, int count) {
  qsort(list, (size_t)count, sizeof *list, byValue);
  return list[count / 2];
}

static float *randomFloats(size_t count, uint64_t state) {
  float *list = aligned_alloc(64, count * sizeof *list);
  for (size_t i = 0; list && i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    list[i] = (float)(int32_t)(state >> 32) * 0x1p-31f;
  }
  return list;
}

/* The largest error of the first rows. */
static double errorOf(int isNorm, const float *x, const float *g,
                      const float *b, const float *y) {
  double worst = 0;
  for (int i = 0; i < kChecked; ++i, x += kColumns, y += kColumns) {
    double largest = -INFINITY, sum = 0, mean = 0, variance = 0;
    for (int j = 0; j < kColumns; ++j) {
      largest = fmax(largest, x[j]);
      mean += x[j] / (double)kColumns;
    }
    for (int j = 0; j < kColumns; ++j) {
      sum += exp(x[j] - largest);
      variance += (x[j] - mean) * (x[j] - mean) / kColumns;
    }
    for (int j = 0; j < kColumns; ++j) {
      double expected =
          isNorm ? (x[j] - mean) / sqrt(variance + 1e-5) * g[j] + b[j]
                 : exp(x[j] - largest) / sum;
      worst = fmax(worst, fabs(y[j] - expected) / (isNorm ? 1 : expected));
    }
  }
  return worst;
}

static int fail(void) {
  fprintf(stderr, "calls: %s\n", kilnLastError());
  return 1;
}

int main(int argc, char **argv) {
  const int64_t shape[2] = {kRows, kColumns}, row[1] = {kColumns};
  const size_t count = (size_t)kRows * kColumns;
  KilnPackage *package;
  KilnSession *session;
  KilnTensor *in[3], *out = NULL, *kept = NULL, *given;
  if (argc < 3)
    return 2;
  int isNorm = !strcmp(argv[2], "layer_norm");
  double limit = argc > 3 ? atof(argv[3]) : 4;
  float *x = randomFloats(count, 1), *g = randomFloats(kColumns, 2),
        *b = randomFloats(kColumns, 3), *own = randomFloats(count, 4);
  if (kilnPackageLoadFile(argv[1], &package) ||
      kilnSessionCreate(package, NULL, &session) ||
      kilnTensorWrap(KILN_DTYPE_F32, 2, shape, NULL, x, &in[0]) ||
      kilnTensorWrap(KILN_DTYPE_F32, 1, row, NULL, g, &in[1]) ||
      kilnTensorWrap(KILN_DTYPE_F32, 1, row, NULL, b, &in[2]) ||
      kilnTensorWrap(KILN_DTYPE_F32, 2, shape, NULL, own, &given))
    return fail();
  size_t numIn = isNorm ? 3 : 1;
  RunInto into = (RunInto)dlsym(RTLD_DEFAULT, "kilnSessionRunInto");
  static double times[4][kMost];
  double *fresh = times[0], *held = times[1], *caller = times[2],
         *copy = times[3];
  int rounds = 0;
  double begin = now();
  for (; rounds < 15 || (rounds < kMost && now() - begin < limit); ++rounds) {
    /* Each comes after each of the others: what the caches hold helps all. */
    for (int turn = 0; turn < 4; ++turn) {
      int what = ((rounds % 2 ? 4 - turn : turn) + rounds / 2) % 4;
      double start = now();
      if (what == 0 && kilnSessionRun(session, "main", numIn, in, 1, &out))
        return fail();
      if (what == 1 && kilnSessionRun(session, "main", numIn, in, 1, &out))
        return fail();
      if (what == 2 && into && into(session, "main", numIn, in, 1, &given))
        return fail();
      if (what == 3)
        memcpy(own, x, count * sizeof *own);
      times[what][rounds] = now() - start;
      if (what == 0)
        kilnTensorDestroy(out); /* before the next call */
      if (what == 1) {
        kilnTensorDestroy(kept); /* one call later */
        kept = out;
      }
    }
  }
  double error = errorOf(isNorm, x, g, b, kilnTensorData(kept));
  if (into) {
    if (into(session, "main", numIn, in, 1, &given))
      return fail();
    error = fmax(error, errorOf(isNorm, x, g, b, own));
  }
  double base = median(copy, rounds);
  printf("%-10s copy %.2f ms; result dropped %.2f ms (%.2f of copy), held for "
         "a call %.2f ms (%.2f)",
         argv[2], base * 1e3, median(fresh, rounds) * 1e3,
         base / median(fresh, rounds), median(held, rounds) * 1e3,
         base / median(held, rounds));
  if (into)
    printf(", into the caller's %.2f ms (%.2f)", median(caller, rounds) * 1e3,
           base / median(caller, rounds));
  printf("; %d rounds, largest error %.2g\n", rounds, error);
  kilnTensorDestroy(kept);
  kilnTensorDestroy(given);
  for (int i = 0; i < 3; ++i)
    kilnTensorDestroy(in[i]);
  kilnSessionDestroy(session);
  kilnPackageDestroy(package);
  return error < 1e-4 ? 0 : 1;
}
