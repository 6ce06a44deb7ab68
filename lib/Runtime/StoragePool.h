// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that calls hand out and get back.
#ifndef KILN_LIB_RUNTIME_STORAGEPOOL_H
#define KILN_LIB_RUNTIME_STORAGEPOOL_H

#include "kiln/Runtime/Tensor.h"
#include <list>
#include <mutex>

namespace kiln::runtime {

/// Keeps the memory of dropped results for the next call, so that repeated
/// calls do not pay for fresh pages.
class StoragePool : public std::enable_shared_from_this<StoragePool> {
public:
  /// Contents are unspecified.
  Expected<Storage> allocate(size_t bytes);
  /// Returns everything to the system.
  void clear();

private:
  void giveBack(Storage storage);

  /// Of more than this the oldest is returned to the system.
  static constexpr size_t kLimit = size_t(1) << 30;
  std::mutex mutex;
  std::list<Storage> free; ///< the youngest first
  size_t held = 0;
};

} // namespace kiln::runtime

#endif
