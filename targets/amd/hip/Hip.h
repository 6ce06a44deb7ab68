// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of HIP that the driver uses, as AMD's "HIP Runtime API" reference
// documents it for ROCm 5 to 7, and libamdhip64.so loaded at run time.
#ifndef KILN_TARGETS_AMD_HIP_HIP_H
#define KILN_TARGETS_AMD_HIP_HIP_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace kiln::amd {

/// hipDeviceAttribute_t: the same numbers from ROCm 5 to 7.
enum : int { kCooperativeLaunch = 10, kComputeUnits = 63, kSharedBytes = 74 };
constexpr unsigned kStreamNonBlocking = 1, kHostPortable = 1, kEventDefault = 0;
constexpr int kCaptureThreadLocal = 1, kCopyOnDevice = 3;

/// The functions by the names that they have in the library. Handles are
/// pointers; a device is its number.
#define KILN_HIP_FUNCTIONS(X)                                                  \
  X(hipInit, (unsigned))                                                       \
  X(hipRuntimeGetVersion, (int *))                                             \
  X(hipGetDeviceCount, (int *))                                                \
  X(hipSetDevice, (int))                                                       \
  X(hipDeviceGetName, (char *, int, int))                                      \
  X(hipDeviceGetAttribute, (int *, int, int))                                  \
  X(hipDeviceTotalMem, (size_t *, int))                                        \
  X(hipMalloc, (void **, size_t))                                              \
  X(hipFree, (void *))                                                         \
  X(hipHostMalloc, (void **, size_t, unsigned))                                \
  X(hipHostFree, (void *))                                                     \
  X(hipMemcpyHtoDAsync, (void *, const void *, size_t, void *))                \
  X(hipMemcpyDtoHAsync, (void *, const void *, size_t, void *))                \
  X(hipMemcpyAsync, (void *, const void *, size_t, int, void *))               \
  X(hipMemsetAsync, (void *, int, size_t, void *))                             \
  X(hipStreamCreateWithFlags, (void **, unsigned))                             \
  X(hipStreamDestroy, (void *))                                                \
  X(hipStreamSynchronize, (void *))                                            \
  X(hipStreamWaitEvent, (void *, void *, unsigned))                            \
  X(hipStreamBeginCapture, (void *, int))                                      \
  X(hipStreamEndCapture, (void *, void **))                                    \
  X(hipGraphInstantiate, (void **, void *, void **, char *, size_t))           \
  X(hipGraphLaunch, (void *, void *))                                          \
  X(hipGraphExecDestroy, (void *))                                             \
  X(hipGraphDestroy, (void *))                                                 \
  X(hipEventCreateWithFlags, (void **, unsigned))                              \
  X(hipEventDestroy, (void *))                                                 \
  X(hipEventRecord, (void *, void *))                                          \
  X(hipEventSynchronize, (void *))                                             \
  X(hipEventElapsedTime, (float *, void *, void *))                            \
  X(hipModuleLoadData, (void **, const void *))                                \
  X(hipModuleUnload, (void *))                                                 \
  X(hipModuleGetFunction, (void **, void *, const char *))                     \
  X(hipModuleGetGlobal, (void **, size_t *, void *, const char *))             \
  X(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,                        \
    (int *, void *, int, size_t))                                              \
  X(hipModuleLaunchKernel,                                                     \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,       \
     unsigned, void *, void **, void **))

/// Functions that some versions lack; null there.
#define KILN_HIP_OPTIONAL_FUNCTIONS(X)                                         \
  /* Since ROCm 6: properties of the layout that `hipDeviceProp_t` has then.   \
   */                                                                          \
  X(hipGetDevicePropertiesR0600, (void *, int))                                \
  X(hipGetDeviceProperties, (void *, int))                                     \
  X(hipModuleLaunchCooperativeKernel,                                          \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,       \
     unsigned, void *, void **))

/// The library's functions.
struct Hip {
#define KILN_HIP_POINTER(name, parameters) int(*name) parameters;
  KILN_HIP_FUNCTIONS(KILN_HIP_POINTER)
  KILN_HIP_OPTIONAL_FUNCTIONS(KILN_HIP_POINTER)
#undef KILN_HIP_POINTER
  const char *(*hipGetErrorName)(int);
  const char *(*hipGetErrorString)(int);

  /// The library, initialised; null with a reason where it is not there, or no
  /// GPU is.
  static const Hip *get(std::string &problem);
  /// "out of memory (hipErrorOutOfMemory)".
  std::string describe(int status) const;
  /// The architecture of a device, "gfx942", without features; empty where it
  /// cannot be told.
  std::string architecture(int device) const;
};

} // namespace kiln::amd

#endif
