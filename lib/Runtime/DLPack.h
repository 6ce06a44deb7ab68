// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structs of DLPack 1.1, by its specification (dmlc.github.io/dlpack): what
// libraries pass tensors to each other with.
#ifndef KILN_LIB_RUNTIME_DLPACK_H
#define KILN_LIB_RUNTIME_DLPACK_H

#include <cstdint>

namespace kiln::runtime::dlpack {

constexpr int32_t kHost = 1; ///< the device type of host memory

enum Code : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kBool = 6,
  kFloat8E3M4 = 7,
  kFloat8E4M3 = 8,
  kFloat8E4M3B11FNUZ = 9,
  kFloat8E4M3FN = 10,
  kFloat8E4M3FNUZ = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2FNUZ = 13,
  kFloat8E8M0FNU = 14,
  kFloat6E2M3FN = 15,
  kFloat6E3M2FN = 16,
  kFloat4E2M1FN = 17
};

enum Flag : uint64_t {
  kReadOnly = 1,
  kPaddedSubBytes = 4 ///< types under 8 bits take a byte per element
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  struct {
    int32_t type;
    int32_t number;
  } device;
  int32_t ndim;
  DataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: row-major
  uint64_t byteOffset;
};

} // namespace kiln::runtime::dlpack

struct DLManagedTensor {
  kiln::runtime::dlpack::DLTensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
  struct {
    uint32_t major;
    uint32_t minor;
  } version;
  void *context;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  kiln::runtime::dlpack::DLTensor tensor;
};

static_assert(sizeof(kiln::runtime::dlpack::DLTensor) == 48 &&
              sizeof(DLManagedTensor) == 64 &&
              sizeof(DLManagedTensorVersioned) == 80);

#endif
