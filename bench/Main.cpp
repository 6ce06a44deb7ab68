// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares kernels that Kiln compiles for `cpu` with OpenBLAS, oneDNN and a
// copy, by turns in one process. Outputs are verified.
// Usage: bench-cpu [FILTER] [--target=SPEC] [--threads=N] [--seconds=S]
// FILTER selects cases by a part of their name.
#include "Harness.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

int main(int argc, char **argv) {
  std::string filter;
  int cores = int(std::thread::hardware_concurrency()), only = 0;
  for (int i = 1; i < argc; ++i) {
    auto valueOf = [&](const char *name) -> const char * {
      size_t length = std::strlen(name);
      return std::strncmp(argv[i], name, length) ? nullptr : argv[i] + length;
    };
    if (const char *target = valueOf("--target=")) {
      bench::settings.target = target;
    } else if (const char *seconds = valueOf("--seconds=")) {
      bench::settings.seconds = std::atof(seconds);
    } else if (const char *threads = valueOf("--threads=")) {
      only = std::atoi(threads);
    } else if (valueOf("--")) {
      std::fprintf(stderr, "bench-cpu: unknown option %s\n", argv[i]);
      return 2;
    } else {
      filter = argv[i];
    }
  }
  std::printf("best of several rounds; ratio: kiln's rate over each other's\n");
  for (int threads : {1, cores}) {
    if (only && threads != only)
      continue;
    std::printf("%d thread%s\n", threads, threads == 1 ? "" : "s");
    bench::setPeerThreads(threads);
    bench::runProducts(filter, threads);
    bench::runRows(filter, threads);
    if (cores == 1)
      break;
  }
  return 0;
}
