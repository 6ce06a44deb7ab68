// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the driver share. Private to this folder.
#ifndef KILN_TARGETS_AMD_HIP_HIPDEVICE_H
#define KILN_TARGETS_AMD_HIP_HIPDEVICE_H

#include "Hip.h"
#include "StreamDevice.h"

namespace kiln::amd {

/// HIP for the driver's common code.
class HipApi : public streams::StreamApi {
public:
  explicit HipApi(const Hip &hip) : hip(hip) {}

  std::string describe(int status) const override;
  int allocate(uint64_t *address, size_t bytes) const override;
  int release(uint64_t address) const override;
  int allocateHost(void **address, size_t bytes) const override;
  int releaseHost(void *address) const override;
  int copyIn(uint64_t dst, const void *src, size_t bytes,
             void *stream) const override;
  int copyOut(void *dst, uint64_t src, size_t bytes,
              void *stream) const override;
  int copy(uint64_t dst, uint64_t src, size_t bytes,
           void *stream) const override;
  int fill(uint64_t dst, uint8_t value, size_t bytes,
           void *stream) const override;
  int createStream(void **stream) const override;
  int destroyStream(void *stream) const override;
  int synchronize(void *stream) const override;
  int createEvent(void **event) const override;
  int destroyEvent(void *event) const override;
  int recordEvent(void *event, void *stream) const override;
  int awaitEvent(void *stream, void *event) const override;
  int synchronizeEvent(void *event) const override;
  int elapsed(float *milliseconds, void *begin, void *end) const override;

private:
  const Hip &hip;
};

/// The same for code.
class HipCode : public streams::CodeApi {
public:
  explicit HipCode(const Hip &hip) : hip(hip) {}

  int beginCapture(void *stream) const override;
  int endCapture(void *stream, void **graph) const override;
  int instantiate(void **executable, void *graph) const override;
  int launchGraph(void *executable, void *stream) const override;
  int destroyExecutable(void *executable) const override;
  int destroyGraph(void *graph) const override;
  int unloadModule(void *module) const override;
  int findFunction(void **function, void *module,
                   const char *symbol) const override;
  int findVariable(uint64_t *address, size_t *bytes, void *module,
                   const char *symbol) const override;
  /// HIP asks for no permission.
  int allowShared(void *, int64_t) const override { return 0; }
  int countResident(int *blocks, void *function,
                    const streams::LaunchShape &shape) const override;
  int launch(void *function, const streams::LaunchShape &shape,
             void **arguments, void *stream) const override;

private:
  const Hip &hip;
};

struct HipDevice : KilnDevice {
  const Hip *hip = nullptr;
  std::unique_ptr<HipApi> hipApi;
  std::unique_ptr<HipCode> hipCode;
  int number = 0;
  bool hasCooperative = false;

  void enter() const override { hip->hipSetDevice(number); }
  /// The logical grid as it is.
  std::string placeGrid(const KilnLaunch &launch,
                        streams::LaunchShape &shape) const override;
};

int loadModule(KilnDevice *device, const void *bytes, uint64_t size,
               KilnModule **module, KilnError *error);

} // namespace kiln::amd

#endif
