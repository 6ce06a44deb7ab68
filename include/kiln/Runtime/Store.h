// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks tell each other before they can exchange anything: keys that are
// written once, and waited for.
#ifndef KILN_RUNTIME_STORE_H
#define KILN_RUNTIME_STORE_H

#include "kiln-c/Communication.h"
#include "kiln/System/Error.h"
#include <memory>
#include <string>

namespace kiln::runtime {

/// Safe in threads.
class Store {
public:
  virtual ~Store() = default;
  virtual Error set(const std::string &key, const std::string &value) = 0;
  /// Waits for the key.
  virtual Expected<std::string> get(const std::string &key, double seconds) = 0;
};

/// By a text: "file:FOLDER", which all ranks can write to; "tcp:HOST:PORT",
/// where rank 0 listens; "process:NAME" for ranks in one process.
Expected<std::shared_ptr<Store>> openStore(const std::string &rendezvous,
                                           int64_t rank, double seconds);

/// One of another owner; it lives as long as the store.
std::shared_ptr<Store> wrapStore(const KilnStore &store);

/// The C form of a store, which lives as long as `store` does.
KilnStore storeTable(Store &store);

// Of the kinds.
Expected<std::shared_ptr<Store>> openFileStore(const std::string &folder);
Expected<std::shared_ptr<Store>> openTcpStore(const std::string &host,
                                              const std::string &port,
                                              bool serves, double seconds);
std::shared_ptr<Store> openProcessStore(const std::string &name);

} // namespace kiln::runtime

#endif
