// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors on the host.
#ifndef KILN_RUNTIME_TENSOR_H
#define KILN_RUNTIME_TENSOR_H

#include "kiln/System/DType.h"
#include "kiln/System/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kiln::runtime {

/// The highest rank of a tensor, in packages as in files.
constexpr int kMaxRank = 32;

/// Host memory, 64-byte aligned, with slack for full-vector reads at its end.
struct Storage {
  void *data = nullptr;
  size_t bytes = 0;
  std::shared_ptr<void> owner;

  static Expected<Storage> allocate(size_t bytes, bool zeroed = true);
};

class DeviceBuffer;

/// A strided window on shared storage, or on memory of a session's device.
struct Tensor {
  DType dtype = DType::none;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< in elements
  Storage storage;
  int64_t offset = 0; ///< in elements
  /// Memory of a device; `storage` is empty and `data` null then.
  std::shared_ptr<DeviceBuffer> onDevice = nullptr;
  bool isReadonly = false; ///< its lender forbids writes

  /// Allocates a row-major tensor on the host. Returns an error if a size
  /// overflows or cannot be allocated.
  static Expected<Tensor> create(DType dtype, std::vector<int64_t> shape,
                                 bool zeroed = true);
  int64_t numElements() const;
  /// Returns true if the elements are row-major without gaps.
  bool isContiguous() const;
  /// Returns the host address of the first element; null on a device.
  void *data() const;
  /// Returns a row-major copy, or the tensor itself if it is row-major.
  Expected<Tensor> contiguous() const;
};

/// Returns row-major strides, in elements.
std::vector<int64_t> rowMajor(const std::vector<int64_t> &shape);
/// Returns the number of elements; nothing if it overflows or a size is
/// negative.
std::optional<int64_t> checkedCount(const std::vector<int64_t> &shape);
/// Returns the bytes from the first element of a strided window to the end of
/// its last one; nothing on overflow or if a stride is negative. Strides are in
/// elements.
std::optional<int64_t> checkedExtent(DType dtype,
                                     const std::vector<int64_t> &shape,
                                     const std::vector<int64_t> &strides);
/// Returns the type as text, such as "2x3xf32".
std::string typeString(DType dtype, const std::vector<int64_t> &shape);

} // namespace kiln::runtime

#endif
