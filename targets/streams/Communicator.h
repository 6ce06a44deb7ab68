// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A communication driver that puts exchanges between devices into their
// streams. Vendors' libraries for that have one interface, whose functions
// differ in nothing, or in the beginning of their names.
#ifndef KILN_TARGETS_STREAMS_COMMUNICATOR_H
#define KILN_TARGETS_STREAMS_COMMUNICATOR_H

#include "kiln-c/Communication.h"
#include <memory>
#include <string>

namespace kiln::streams {

/// The device of a rank, held open while the communicator lives.
class RankDevice {
public:
  virtual ~RankDevice() = default;
  /// Makes it the device of this thread.
  virtual void enter() const = 0;
};

/// What is a vendor's own.
struct CollectiveLibrary {
  const char *driver;       ///< the name of the communication driver
  const char *title;        ///< of the library, for messages
  const char *pathVariable; ///< of the environment: where the library is
  const char *const *files; ///< names to try, ended by null
  const char *prefix;       ///< what the names of its functions begin with
  std::unique_ptr<RankDevice> (*openDevice)(int ordinal, std::string &problem);
};

/// The table of the driver. The library is loaded when a communicator is
/// opened; there is one per process.
const KilnCommunicationDriver *
communicationDriver(const CollectiveLibrary &library, uint32_t apiMajor);

} // namespace kiln::streams

#endif
