// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of NCCL that the driver uses, as its documentation has it, and the
// library loaded at run time.
#ifndef KILN_TARGETS_NVIDIA_COMMUNICATION_NCCL_H
#define KILN_TARGETS_NVIDIA_COMMUNICATION_NCCL_H

#include "Cuda.h"

namespace kiln::nvidia {

using ncclComm = struct NcclComm *;
struct ncclUniqueId {
  char bytes[128];
};
enum : int { kNcclSuccess = 0, kNcclInProgress = 7 };
/// ncclDataType_t.
enum : int {
  kNcclInt8 = 0,
  kNcclUint8 = 1,
  kNcclInt32 = 2,
  kNcclUint32 = 3,
  kNcclInt64 = 4,
  kNcclUint64 = 5,
  kNcclHalf = 6,
  kNcclFloat = 7,
  kNcclDouble = 8,
  kNcclBfloat = 9
};
/// ncclRedOp_t.
enum : int { kNcclSum = 0, kNcclProd = 1, kNcclMax = 2, kNcclMin = 3 };

#define KILN_NCCL_FUNCTIONS(X)                                                 \
  X(ncclGetUniqueId, (ncclUniqueId *))                                         \
  X(ncclCommInitRank, (ncclComm *, int, ncclUniqueId, int))                    \
  X(ncclCommDestroy, (ncclComm))                                               \
  X(ncclCommAbort, (ncclComm))                                                 \
  X(ncclCommGetAsyncError, (ncclComm, int *))                                  \
  X(ncclAllReduce,                                                             \
    (const void *, void *, size_t, int, int, ncclComm, CUstream))              \
  X(ncclAllGather, (const void *, void *, size_t, int, ncclComm, CUstream))    \
  X(ncclReduceScatter,                                                         \
    (const void *, void *, size_t, int, int, ncclComm, CUstream))              \
  X(ncclBroadcast,                                                             \
    (const void *, void *, size_t, int, int, ncclComm, CUstream))              \
  X(ncclSend, (const void *, size_t, int, int, ncclComm, CUstream))            \
  X(ncclRecv, (void *, size_t, int, int, ncclComm, CUstream))                  \
  X(ncclGroupStart, ())                                                        \
  X(ncclGroupEnd, ())

struct Nccl {
#define KILN_NCCL_POINTER(name, parameters) int(*name) parameters;
  KILN_NCCL_FUNCTIONS(KILN_NCCL_POINTER)
#undef KILN_NCCL_POINTER
  const char *(*ncclGetErrorString)(int);
};

} // namespace kiln::nvidia

#endif
