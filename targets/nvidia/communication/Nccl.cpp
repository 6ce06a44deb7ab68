// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between GPUs through NCCL, in the queue of the device.
#include "Communicator.h"
#include "Cuda.h"

using namespace kiln;

namespace {

/// The primary context of a device.
class Context : public streams::RankDevice {
public:
  static std::unique_ptr<RankDevice> open(int ordinal, std::string &problem) {
    const nvidia::Cuda *cuda = nvidia::Cuda::get(problem);
    if (!cuda)
      return nullptr;
    std::unique_ptr<Context> made(new Context(*cuda));
    if (cuda->cuDeviceGet(&made->device, ordinal) ||
        cuda->cuDevicePrimaryCtxRetain(&made->context, made->device)) {
      problem = "device " + std::to_string(ordinal) + " cannot be opened";
      return nullptr;
    }
    return made;
  }
  ~Context() override {
    if (context)
      cuda.cuDevicePrimaryCtxRelease_v2(device);
  }
  void enter() const override { cuda.cuCtxSetCurrent(context); }

private:
  explicit Context(const nvidia::Cuda &cuda) : cuda(cuda) {}

  const nvidia::Cuda &cuda;
  nvidia::CUdevice device = 0;
  nvidia::CUcontext context = nullptr;
};

const char *const kFiles[] = {"libnccl.so.2", nullptr};
const streams::CollectiveLibrary kNccl = {"nccl", "NCCL", "KILN_NCCL_LIBRARY",
                                          kFiles, "nccl", Context::open};

} // namespace

KILN_COMMUNICATION_NOTE();

const KilnCommunicationDriver *kilnGetCommunicationDriver(uint32_t apiMajor) {
  return streams::communicationDriver(kNccl, apiMajor);
}
