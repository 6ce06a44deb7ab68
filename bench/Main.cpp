// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares kernels that Kiln compiles for `cpu` with OpenBLAS, oneDNN and a
// copy, by turns in one process. Outputs are verified. An argument selects
// cases by a part of their name.
#include "Harness.h"
#include <cstdio>
#include <thread>

int main(int argc, char **argv) {
  std::string filter = argc > 1 ? argv[1] : "";
  int cores = int(std::thread::hardware_concurrency());
  std::printf("best of several rounds; ratio: kiln's rate over each other's\n");
  for (int threads : {1, cores}) {
    std::printf("%d thread%s\n", threads, threads == 1 ? "" : "s");
    bench::setPeerThreads(threads);
    bench::runProducts(filter, threads);
    bench::runRows(filter, threads);
    if (cores == 1)
      break;
  }
  return 0;
}
