// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between GPUs through RCCL, in the queue of the device.
#include "Communicator.h"
#include "Hip.h"

using namespace kiln;

namespace {

class Device : public streams::RankDevice {
public:
  static std::unique_ptr<RankDevice> open(int ordinal, std::string &problem) {
    const amd::Hip *hip = amd::Hip::get(problem);
    if (!hip)
      return nullptr;
    if (hip->hipSetDevice(ordinal)) {
      problem = "device " + std::to_string(ordinal) + " cannot be opened";
      return nullptr;
    }
    return std::unique_ptr<RankDevice>(new Device(*hip, ordinal));
  }
  void enter() const override { hip.hipSetDevice(ordinal); }

private:
  Device(const amd::Hip &hip, int ordinal) : hip(hip), ordinal(ordinal) {}

  const amd::Hip &hip;
  int ordinal;
};

const char *const kFiles[] = {"librccl.so.1", "/opt/rocm/lib/librccl.so.1",
                              nullptr};
/// Its functions have the names of those that it stands for.
const streams::CollectiveLibrary kRccl = {"rccl", "RCCL", "KILN_RCCL_LIBRARY",
                                          kFiles, "nccl", Device::open};

} // namespace

KILN_COMMUNICATION_NOTE();

const KilnCommunicationDriver *kilnGetCommunicationDriver(uint32_t apiMajor) {
  return streams::communicationDriver(kRccl, apiMajor);
}
