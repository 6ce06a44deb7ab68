// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "StoragePool.h"
#include <algorithm>

using namespace kiln::runtime;

namespace {

/// Sizes are rounded up by an eighth at most, so that those of calls with
/// other dimensions can take each other's place.
size_t roundedUp(size_t bytes) {
  size_t step = 64;
  while (step < bytes / 16)
    step *= 2;
  return (bytes + step - 1) / step * step;
}

} // namespace

Expected<Storage> StoragePool::allocate(size_t bytes) {
  Storage storage;
  size_t wanted = roundedUp(bytes);
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = std::find_if(free.begin(), free.end(), [&](const Storage &s) {
      return s.bytes == wanted;
    });
    if (found != free.end()) {
      storage = std::move(*found);
      held -= wanted;
      free.erase(found);
    }
  }
  if (!storage.data) {
    Expected<Storage> fresh = Storage::allocate(wanted, /*zeroed=*/false);
    if (!fresh) {
      clear(); // perhaps there is room then
      fresh = Storage::allocate(wanted, /*zeroed=*/false);
    }
    if (!fresh)
      return fresh;
    storage = std::move(*fresh);
  }
  Storage lent = storage;
  lent.bytes = bytes;
  // The pool may be gone when the last user is.
  std::weak_ptr<StoragePool> pool = weak_from_this();
  lent.owner = std::shared_ptr<void>(storage.data, [storage, pool](void *) {
    if (std::shared_ptr<StoragePool> alive = pool.lock())
      alive->giveBack(storage);
  });
  return lent;
}

void StoragePool::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  free.clear();
  held = 0;
}

void StoragePool::giveBack(Storage storage) {
  std::lock_guard<std::mutex> lock(mutex);
  if (storage.bytes > kLimit)
    return;
  held += storage.bytes;
  free.push_front(std::move(storage));
  while (held > kLimit) {
    held -= free.back().bytes;
    free.pop_back();
  }
}
