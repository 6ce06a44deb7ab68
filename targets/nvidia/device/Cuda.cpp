// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cuda.h"
#include <cstring>
#include <dlfcn.h>
#include <mutex>

using namespace kiln::nvidia;

const Cuda *Cuda::get(std::string &problem) {
  static std::mutex mutex;
  static Cuda cuda;
  static std::string failed;
  static bool isTried = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (!isTried) {
    isTried = true;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      failed = "no driver of NVIDIA's is installed: " + std::string(dlerror());
#define KILN_CUDA_LOAD(name, parameters)                                       \
  if (failed.empty()) {                                                        \
    void *symbol = dlsym(library, #name);                                      \
    std::memcpy(&cuda.name, &symbol, sizeof symbol);                           \
    if (!symbol)                                                               \
      failed = "libcuda.so.1 is too old: it lacks " #name;                     \
  }
    KILN_CUDA_FUNCTIONS(KILN_CUDA_LOAD)
#undef KILN_CUDA_LOAD
#define KILN_CUDA_LOAD(name, parameters)                                       \
  if (failed.empty()) {                                                        \
    void *symbol = dlsym(library, #name);                                      \
    std::memcpy(&cuda.name, &symbol, sizeof symbol);                           \
  }
    KILN_CUDA_NEWER_FUNCTIONS(KILN_CUDA_LOAD)
#undef KILN_CUDA_LOAD
    if (failed.empty())
      if (CUresult result = cuda.cuInit(0))
        failed = "cuInit: " + cuda.describe(result);
  }
  problem = failed;
  return failed.empty() ? &cuda : nullptr;
}

std::string Cuda::describe(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) || cuGetErrorString(result, &text) ||
      !name || !text)
    return "CUDA error " + std::to_string(result);
  return std::string(text) + " (" + name + ")";
}
