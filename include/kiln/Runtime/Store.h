// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The key-value store by which the ranks of a program find each other before
// they can exchange tensors: addresses of sockets, handles of device memory.
// Each key is written once, by one rank, and other ranks wait for it.
#ifndef KILN_RUNTIME_STORE_H
#define KILN_RUNTIME_STORE_H

#include "kiln-c/Communication.h"
#include "kiln/System/Error.h"
#include <memory>
#include <string>

namespace kiln::runtime {

/// A key-value store that all ranks share. Any number of threads may call one
/// store at once.
class Store {
public:
  virtual ~Store() = default;
  /// Writes a key; ranks that wait for it go on.
  virtual Error set(const std::string &key, const std::string &value) = 0;
  /// Returns the value of a key. Blocks until a rank has written the key, and
  /// fails after `seconds`.
  virtual Expected<std::string> get(const std::string &key, double seconds) = 0;
  /// Ends what waits for a key in this process, now or later, with an error:
  /// the rank that would write the key has failed.
  virtual void end(const std::string &reason) = 0;
};

/// Opens the store that a text names: "file:FOLDER", a folder that all ranks
/// can write to; "tcp:HOST:PORT", where rank 0 listens and the others connect
/// within `seconds`; "process:NAME", for ranks that are threads of one process.
Expected<std::shared_ptr<Store>> openStore(const std::string &rendezvous,
                                           int64_t rank, double seconds);

/// Makes a Store of a caller's table of functions. The caller keeps what
/// `store.user` points to until the Store is destroyed.
std::shared_ptr<Store> wrapStore(const KilnStore &store);

/// Returns the C form of a store. It is valid as long as `store` lives.
KilnStore storeTable(Store &store);

/// Opens a store with one file for each key in `folder`, which is made if
/// absent. Fails if other users could write to the folder.
Expected<std::shared_ptr<Store>> openFileStore(const std::string &folder);
/// Opens a store behind a TCP socket. The rank that `serves` listens at the
/// address; the others connect to it.
Expected<std::shared_ptr<Store>> openTcpStore(const std::string &host,
                                              const std::string &port,
                                              bool serves, double seconds);
/// Returns the store of this name in this process; callers with one name share
/// one store.
std::shared_ptr<Store> openProcessStore(const std::string &name);

} // namespace kiln::runtime

#endif
