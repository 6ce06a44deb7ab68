// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "StoragePool.h"

using namespace kiln::runtime;

Expected<Storage> StoragePool::allocate(size_t bytes) {
  Storage storage;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = free.find(bytes);
    if (found != free.end()) {
      storage = std::move(found->second);
      held -= bytes;
      free.erase(found);
    }
  }
  if (!storage.data) {
    Expected<Storage> fresh = Storage::allocate(bytes, /*zeroed=*/false);
    if (!fresh)
      return fresh;
    storage = std::move(*fresh);
  }
  Storage lent = storage;
  // The pool may be gone when the last user is.
  std::weak_ptr<StoragePool> pool = weak_from_this();
  lent.owner = std::shared_ptr<void>(storage.data, [storage, pool](void *) {
    if (std::shared_ptr<StoragePool> alive = pool.lock())
      alive->giveBack(storage);
  });
  return lent;
}

void StoragePool::giveBack(Storage storage) {
  std::lock_guard<std::mutex> lock(mutex);
  if (held + storage.bytes > kLimit)
    return;
  held += storage.bytes;
  size_t bytes = storage.bytes;
  free.emplace(bytes, std::move(storage));
}
