// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the CUDA driver API that the device uses, as NVIDIA's "CUDA
// Driver API" reference documents it, and libcuda.so.1 loaded at run time.
#ifndef KILN_TARGETS_NVIDIA_DEVICE_CUDA_H
#define KILN_TARGETS_NVIDIA_DEVICE_CUDA_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace kiln::nvidia {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;

/// CUlaunchAttribute: an id, padding up to 8 bytes, and 64 bytes of value.
struct CUlaunchAttribute {
  uint32_t id;
  uint32_t pad;
  union {
    uint8_t bytes[64];
    struct {
      uint32_t x, y, z;
    } cluster;
    int32_t cooperative;
    int32_t dependent;
    int32_t priority;
  } value;
};
enum : uint32_t {
  kLaunchCooperative = 2,
  kLaunchCluster = 4,
  kLaunchDependent = 6, // "programmatic stream serialization"
  kLaunchPriority = 8
};

struct CUlaunchConfig {
  uint32_t gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  uint32_t numAttributes;
};

/// CUdevice_attribute.
enum : int {
  kMaxSharedOptIn = 97,
  kMultiprocessors = 16,
  kComputeMajor = 75,
  kComputeMinor = 76
};
/// CUfunction_attribute.
enum : int {
  kFunctionMaxThreads = 0,
  kFunctionDynamicShared = 8,
  kFunctionNonPortableCluster = 14
};
/// CUjit_option.
enum : int { kJitErrorLog = 5, kJitErrorLogBytes = 6 };
constexpr unsigned kStreamNonBlocking = 1, kEventDefault = 0, kHostPortable = 1,
                   kCaptureThreadLocal = 1;

/// The functions by the names that they have in the library.
#define KILN_CUDA_FUNCTIONS(X)                                                 \
  X(cuInit, (unsigned))                                                        \
  X(cuDriverGetVersion, (int *))                                               \
  X(cuDeviceGet, (CUdevice *, int))                                            \
  X(cuDeviceGetCount, (int *))                                                 \
  X(cuDeviceGetName, (char *, int, CUdevice))                                  \
  X(cuDeviceGetAttribute, (int *, int, CUdevice))                              \
  X(cuDeviceTotalMem_v2, (size_t *, CUdevice))                                 \
  X(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                         \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                  \
  X(cuCtxSetCurrent, (CUcontext))                                              \
  X(cuGetErrorName, (CUresult, const char **))                                 \
  X(cuGetErrorString, (CUresult, const char **))                               \
  X(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                    \
  X(cuMemFree_v2, (CUdeviceptr))                                               \
  X(cuMemHostAlloc, (void **, size_t, unsigned))                               \
  X(cuMemFreeHost, (void *))                                                   \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))       \
  X(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))             \
  X(cuMemcpyAsync, (CUdeviceptr, CUdeviceptr, size_t, CUstream))               \
  X(cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))           \
  X(cuStreamCreate, (CUstream *, unsigned))                                    \
  X(cuStreamDestroy_v2, (CUstream))                                            \
  X(cuStreamSynchronize, (CUstream))                                           \
  X(cuStreamWaitEvent, (CUstream, CUevent, unsigned))                          \
  X(cuStreamBeginCapture_v2, (CUstream, int))                                  \
  X(cuStreamEndCapture, (CUstream, CUgraph *))                                 \
  X(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long)) \
  X(cuGraphLaunch, (CUgraphExec, CUstream))                                    \
  X(cuGraphExecDestroy, (CUgraphExec))                                         \
  X(cuGraphDestroy, (CUgraph))                                                 \
  X(cuEventCreate, (CUevent *, unsigned))                                      \
  X(cuEventDestroy_v2, (CUevent))                                              \
  X(cuEventRecord, (CUevent, CUstream))                                        \
  X(cuEventSynchronize, (CUevent))                                             \
  X(cuEventElapsedTime, (float *, CUevent, CUevent))                           \
  X(cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, int *, void **))  \
  X(cuModuleUnload, (CUmodule))                                                \
  X(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))               \
  X(cuModuleGetGlobal_v2, (CUdeviceptr *, size_t *, CUmodule, const char *))   \
  X(cuFuncSetAttribute, (CUfunction, int, int))                                \
  X(cuFuncGetAttribute, (int *, int, CUfunction))                              \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                               \
    (int *, CUfunction, int, size_t))                                          \
  X(cuLaunchKernelEx, (const CUlaunchConfig *, CUfunction, void **, void **))

/// Those that older libraries lack: null there. They belong to chips that such
/// a library does not know.
#define KILN_CUDA_NEWER_FUNCTIONS(X)                                           \
  X(cuTensorMapEncodeTiled,                                                    \
    (void *map, int type, uint32_t rank, void *address, const uint64_t *sizes, \
     const uint64_t *strides, const uint32_t *box, const uint32_t *steps,      \
     int interleave, int swizzle, int promotion, int fill))

/// The library's functions.
struct Cuda {
#define KILN_CUDA_POINTER(name, parameters) CUresult(*name) parameters;
  KILN_CUDA_FUNCTIONS(KILN_CUDA_POINTER)
  KILN_CUDA_NEWER_FUNCTIONS(KILN_CUDA_POINTER)
#undef KILN_CUDA_POINTER

  /// The library, initialised; null with a reason where it is not there.
  static const Cuda *get(std::string &problem);
  /// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
  std::string describe(CUresult result) const;
};

} // namespace kiln::nvidia

#endif
